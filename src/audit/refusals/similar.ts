const MAX_LENGTH = 128;

/** How many characters have to be inserted, deleted, replaced or swapped with a neighbour (Damerau-Levenshtein). */
export function editDistance(a: string, b: string): number {
  const [from, to] = [a.slice(0, MAX_LENGTH), b.slice(0, MAX_LENGTH)];
  let before: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let at = 1; at <= to.length; at++) {
      const isSame = from[row - 1] === to[at - 1];
      let least = Math.min((above[at] ?? 0) + 1, (current[at - 1] ?? 0) + 1, (above[at - 1] ?? 0) + (isSame ? 0 : 1));
      const isSwapped = row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
      if (isSwapped) least = Math.min(least, (before[at - 2] ?? 0) + 1);
      current.push(least);
    }
    before = above;
    above = current;
  }
  return above[to.length] ?? 0;
}

/** Whether `text` is a misspelt `name`: other case or white space around it, or one character in four wrong, two at most. */
export function isMisspelt(text: string, name: string): boolean {
  const plain = text.trim().toLowerCase();
  const wanted = name.toLowerCase();
  if (plain === wanted) return true;
  if (Math.abs(plain.length - wanted.length) > 2) return false;
  return editDistance(plain, wanted) <= Math.min(2, Math.floor(wanted.length / 4));
}

/** The closest of those that `text` is a misspelling of. */
export function misspeltName(text: string, names: readonly string[]): string | undefined {
  const close = names.filter(name => isMisspelt(text, name));
  return close.sort((a, b) => editDistance(text, a) - editDistance(text, b))[0];
}
