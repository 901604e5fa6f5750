/** What can be stored and sent on as text: PostgreSQL stores no NUL, and half a surrogate pair is no character (RFC 7493 section 2.1). */
export function isText(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed();
}

/** Whether every string inside this value is text; names of members count too. Strangers choose how deep it is: the time grows with its size alone. */
export function isAllText(value: unknown): boolean {
  const left = [value];
  for (const each of left) {
    if (typeof each === 'string' && !isText(each)) return false;
    if (typeof each === 'object' && each !== null) left.push(...Object.keys(each), ...Object.values(each));
  }
  return true;
}

export const NO_TEXT = 'has a character that cannot be stored';

type JsonPath = readonly (string | number)[];

/** The place of a string inside this value that is no text; names of members count too. Undefined: there is none. */
export function placeOfNoText(value: unknown, place: JsonPath = []): JsonPath | undefined {
  if (typeof value === 'string') return isText(value) ? undefined : place;
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [name, inside] of Object.entries(value)) {
    const at = [...place, isList ? Number(name) : name.toWellFormed().replaceAll('\0', '\ufffd')];
    const found = isText(name) ? placeOfNoText(inside, at) : at;
    if (found) return found;
  }
  return undefined;
}
