import { type Node, type Place, readPattern } from './pattern-syntax.rules.ts';

/**
 * Matches regular expressions in time that grows with the length of the pattern times the length of the text, whatever they are: all ways of
 * matching are followed at once, character by character (Thompson, 1968). The engine of Node.js tries one way after the other, and for a
 * pattern such as `^(a+)+$` thirty characters of a client would keep the event loop for minutes.
 */
export type Pattern = Program & { readonly tests: readonly RegExp[] };

type Instruction =
  | { readonly kind: 'character'; readonly test: number }
  | { readonly kind: 'place'; readonly at: Place }
  /** Goes on at each of these. */
  | { readonly kind: 'fork'; readonly to: readonly number[] }
  | { readonly kind: 'match' };

interface Program {
  readonly instructions: readonly Instruction[];
}

export const MAX_PATTERN_LENGTH = 200;
/** A repetition counts as often as it is written out. */
export const MAX_PATTERN_STEPS = 1000;

/** Undefined: it is no pattern that can be matched in bounded time (pattern-syntax.rules.ts), or too large. */
export function compilePattern(source: string): Pattern | undefined {
  if (source.length > MAX_PATTERN_LENGTH) return undefined;
  const syntax = readPattern(source);
  if (!syntax || sizeOf(syntax.root) > MAX_PATTERN_STEPS) return undefined;
  const instructions: Instruction[] = [];
  write(instructions, syntax.root);
  instructions.push({ kind: 'match' });
  return { instructions, tests: syntax.tests };
}

function sizeOf(node: Node): number {
  switch (node.kind) {
    case 'character':
    case 'place':
      return 1;
    case 'sequence':
      return node.of.reduce((sum, each) => sum + sizeOf(each), 0);
    case 'either':
      return node.of.reduce((sum, each) => sum + sizeOf(each) + 2, 0);
    case 'repeat':
      return (copiesOf(node) + 1) * (sizeOf(node.of) + 1) + 1;
  }
}

function copiesOf({ min, max }: Extract<Node, { kind: 'repeat' }>): number {
  return max === Number.POSITIVE_INFINITY ? min : max;
}

function write(to: Instruction[], node: Node): void {
  switch (node.kind) {
    case 'character':
    case 'place':
      to.push(node);
      return;
    case 'sequence':
      for (const each of node.of) write(to, each);
      return;
    case 'either':
      writeEither(to, node.of);
      return;
    case 'repeat':
      writeRepeat(to, node);
  }
}

function writeEither(to: Instruction[], of: readonly Node[]): void {
  const begin = reserve(to);
  const starts: number[] = [];
  const ends: number[] = [];
  for (const each of of) {
    starts.push(to.length);
    write(to, each);
    ends.push(reserve(to));
  }
  to[begin] = { kind: 'fork', to: starts };
  for (const end of ends) to[end] = { kind: 'fork', to: [to.length] };
}

/** So often as it has to be, then as often as it may be. */
function writeRepeat(to: Instruction[], { of, min, max }: Extract<Node, { kind: 'repeat' }>): void {
  for (let copy = 0; copy < min; copy++) write(to, of);
  if (max === Number.POSITIVE_INFINITY) {
    const begin = reserve(to);
    write(to, of);
    to.push({ kind: 'fork', to: [begin] });
    to[begin] = { kind: 'fork', to: [begin + 1, to.length] };
    return;
  }
  const ends: number[] = [];
  for (let copy = min; copy < max; copy++) {
    ends.push(reserve(to));
    write(to, of);
  }
  for (const end of ends) to[end] = { kind: 'fork', to: [end + 1, to.length] };
}

/** The place of a fork whose ends are not known yet. */
function reserve(to: Instruction[]): number {
  return to.push({ kind: 'fork', to: [] }) - 1;
}

export interface Matched {
  readonly isMatch: boolean;
  /** Instructions that were looked at: at most all of them once for each character, and once at the end. */
  readonly steps: number;
}

/** Anywhere in the text, as JSON Schema has it: `^` and `$` say where. */
export function matchPattern(pattern: Pattern, text: string): Matched {
  const characters = [...text];
  const run = new Run(pattern, characters);
  let ways: readonly number[] = [];
  for (let at = 0; at <= characters.length; at++) {
    const here = run.follow([...ways, 0], at);
    if (here === 'match') return { isMatch: true, steps: run.steps };
    ways = at < characters.length ? run.consume(here, characters[at] as string) : [];
  }
  return { isMatch: false, steps: run.steps };
}

class Run {
  steps = 0;
  readonly #pattern: Pattern;
  readonly #characters: readonly string[];
  /** At which character an instruction was met last: no way is followed twice. */
  readonly #met: Int32Array;

  constructor(pattern: Pattern, characters: readonly string[]) {
    this.#pattern = pattern;
    this.#characters = characters;
    this.#met = new Int32Array(pattern.instructions.length).fill(-1);
  }

  /** The instructions that wait for a character, from these on. */
  follow(from: number[], at: number): readonly number[] | 'match' {
    const waiting: number[] = [];
    for (let next = from.pop(); next !== undefined; next = from.pop()) {
      if (this.#met[next] === at) continue;
      this.#met[next] = at;
      this.steps++;
      const instruction = this.#pattern.instructions[next] as Instruction;
      if (instruction.kind === 'match') return 'match';
      if (instruction.kind === 'character') waiting.push(next);
      else if (instruction.kind === 'fork') from.push(...instruction.to);
      else if (isAt(instruction.at, this.#characters, at)) from.push(next + 1);
    }
    return waiting;
  }

  consume(waiting: readonly number[], character: string): readonly number[] {
    const results = new Map<number, boolean>();
    return waiting.flatMap(each => {
      const { test } = this.#pattern.instructions[each] as { readonly test: number };
      const isPassed = results.get(test) ?? (this.#pattern.tests[test] as RegExp).test(character);
      results.set(test, isPassed);
      return isPassed ? [each + 1] : [];
    });
  }
}

function isAt(place: Place, characters: readonly string[], at: number): boolean {
  if (place === 'start') return at === 0;
  if (place === 'end') return at === characters.length;
  const isWord = (character: string | undefined) => character !== undefined && /^\w$/.test(character);
  const isEdge = isWord(characters[at - 1]) !== isWord(characters[at]);
  return isEdge === (place === 'edge of a word');
}
