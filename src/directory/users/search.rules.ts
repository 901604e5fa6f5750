import type { Profile } from './claims.rules.ts';
import { loginName } from './login-name.rules.ts';

/**
 * Search of users by any part of what they are called. An index of three characters each ("grams") finds candidates; whether a candidate
 * is found is decided here, from the user as stored. So the index may hold too much, and never decides.
 */

/** Ends a field. No field and no term contains it, so nothing is found across two fields. */
const BETWEEN_FIELDS = '\n';
const GRAM = 3;
/** Chinese, Japanese and Korean: one or two characters are a name already, so they are indexed too. */
const FIRST_WIDE = 0x2e80;
const ASCII = /^[\n -~]*$/;

export type Named = Pick<Profile, 'username' | 'email' | 'phoneNumber' | 'standardClaims'>;

/** What the search looks at: each field in one form of writing and without case, a telephone number also without punctuation. */
export function searchableText({ username, email, phoneNumber, standardClaims: claims }: Named): string {
  const fields = new Set<string>();
  for (const field of [username, email, phoneNumber, claims?.name, claims?.given_name, claims?.family_name]) {
    if (field) fields.add(folded(field));
  }
  const digits = phoneNumber && loginName(phoneNumber);
  if (digits) fields.add(digits);
  return [...fields].join(BETWEEN_FIELDS);
}

/** From a normalised login name, as which a search term is read. */
export function termOf(name: string): string {
  return sameSigma(name);
}

export function isFound(user: Named, term: string): boolean {
  return !term.includes(BETWEEN_FIELDS) && searchableText(user).includes(term);
}

function folded(text: string): string {
  return ASCII.test(text) ? text.toLowerCase() : sameSigma(text.normalize('NFKC').toLowerCase());
}

/** The lower case of Σ depends on what follows it, which a part of a name does not know. */
function sameSigma(text: string): string {
  return text.replaceAll('ς', 'σ');
}

/** Every gram of a text under which the index has it. */
export function gramsOf(text: string): Set<string> {
  const grams = new Set<string>();
  for (const field of text.split(BETWEEN_FIELDS)) addGrams(grams, ASCII.test(field) ? field : [...field]);
  return grams;
}

function addGrams(grams: Set<string>, characters: string | readonly string[]): void {
  const isText = typeof characters === 'string';
  for (let at = 0; at < characters.length; at++) {
    if (at + GRAM <= characters.length) {
      grams.add(isText ? characters.slice(at, at + GRAM) : characters.slice(at, at + GRAM).join(''));
    }
    const first = characters[at] ?? '';
    if (isText || !isWide(first)) continue;
    grams.add(first);
    if (at + 1 < characters.length) grams.add(first + characters[at + 1]);
  }
}

/** The grams of every text that contains the term. None: the index cannot answer for a term so short. */
export function gramsOfTerm(term: string): readonly string[] {
  const characters = [...term];
  if (characters.length >= GRAM) {
    return [...new Set(characters.slice(0, 1 - GRAM).map((_, at) => characters.slice(at, at + GRAM).join('')))];
  }
  const wideAt = characters.findIndex(isWide);
  return wideAt < 0 ? [] : [characters.slice(wideAt).join('')];
}

function isWide(character: string): boolean {
  return (character.codePointAt(0) ?? 0) >= FIRST_WIDE;
}

/** Tells whether a text is still the one that was indexed: FNV-1a, 32 bits. */
export function markOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
