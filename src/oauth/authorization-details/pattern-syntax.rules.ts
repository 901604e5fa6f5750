/**
 * Reads the part of the regular expressions of ECMA-262 (with its flag `u`) that can be matched without going back: literals, classes, groups,
 * alternatives, quantifiers and assertions of place. Not back references, and nothing that looks ahead or behind.
 */
export type Node =
  /** One character, by the number of its test. */
  | { readonly kind: 'character'; readonly test: number }
  | { readonly kind: 'place'; readonly at: Place }
  | { readonly kind: 'sequence'; readonly of: readonly Node[] }
  | { readonly kind: 'either'; readonly of: readonly Node[] }
  | { readonly kind: 'repeat'; readonly of: Node; readonly min: number; readonly max: number };

export type Place = 'start' | 'end' | 'edge of a word' | 'no edge of a word';

export interface Syntax {
  readonly root: Node;
  /** Each is for one character. */
  readonly tests: readonly RegExp[];
}

/** Undefined: it is no regular expression, or has what is not read here. */
export function readPattern(source: string): Syntax | undefined {
  try {
    // The engine knows what is well-formed: below, nothing else can be met.
    new RegExp(source, 'u');
  } catch {
    return undefined;
  }
  const reader = new Reader(source);
  const root = reader.alternatives();
  return reader.isRefused ? undefined : { root, tests: reader.tests };
}

const PLACES: Readonly<Record<string, Place>> = {
  '^': 'start',
  $: 'end',
  '\\b': 'edge of a word',
  '\\B': 'no edge of a word',
};

const GROUP = /\((?:\?:|\?<[^=!>][^>]*>|(?!\?))/y;
const PLACE = /\^|\$|\\[bB]/y;
const REFUSED = /\(|\\[1-9k]/y;
/** A class; an escape, of which a pair of surrogates is one character; any other character. */
const CHARACTER =
  /\[(?:[^\]\\]|\\.)*\]|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u\{[\da-fA-F]+\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[a-zA-Z]|\\[pP]\{[^}]*\}|\\?[\s\S]/uy;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y;
const SIGNS: Readonly<Record<string, readonly [min: number, max: number]>> = {
  '*': [0, Number.POSITIVE_INFINITY],
  '+': [1, Number.POSITIVE_INFINITY],
  '?': [0, 1],
};

class Reader {
  readonly tests: RegExp[] = [];
  isRefused = false;
  readonly #numbers = new Map<string, number>();
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  alternatives(): Node {
    const of = [this.#sequence()];
    while (this.#take(/\|/y)) of.push(this.#sequence());
    return of.length === 1 ? (of[0] as Node) : { kind: 'either', of };
  }

  #sequence(): Node {
    const of: Node[] = [];
    while (!this.isRefused && this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] as string)) {
      of.push(this.#repeated(this.#one()));
    }
    return { kind: 'sequence', of };
  }

  #one(): Node {
    if (this.#take(GROUP)) {
      const inner = this.alternatives();
      this.#take(/\)/y);
      return inner;
    }
    const place = this.#take(PLACE)?.[0];
    if (place !== undefined) return { kind: 'place', at: PLACES[place] as Place };
    if (this.#take(REFUSED)) {
      this.isRefused = true;
      return { kind: 'sequence', of: [] };
    }
    return { kind: 'character', test: this.#testOf(this.#take(CHARACTER)?.[0] ?? '') };
  }

  #repeated(of: Node): Node {
    const [, sign, least, comma, most] = this.#take(QUANTIFIER) ?? [];
    if (sign !== undefined) {
      const [min, max] = SIGNS[sign] as readonly [number, number];
      return { kind: 'repeat', of, min, max };
    }
    if (least === undefined) return of;
    const min = Number(least);
    if (comma === '') return { kind: 'repeat', of, min, max: min };
    return { kind: 'repeat', of, min, max: most === '' ? Number.POSITIVE_INFINITY : Number(most) };
  }

  /** The same text has the same test. */
  #testOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.tests.length);
    this.tests.push(new RegExp(`^(?:${text})$`, 'u'));
    return this.tests.length - 1;
  }

  #take(expected: RegExp): RegExpExecArray | undefined {
    expected.lastIndex = this.#at;
    const found = expected.exec(this.#source);
    if (!found) return undefined;
    this.#at = expected.lastIndex;
    return found;
  }
}
