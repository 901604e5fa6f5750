/** Where two texts differ, for the eye: which pieces each has that the other has not. */
export interface Piece {
  readonly text: string;
  readonly differs: boolean;
}

export interface MarkedTexts {
  readonly expected: readonly Piece[];
  readonly received: readonly Piece[];
}

/** The table of the comparison has the product of both lengths. */
const MAX_LENGTH = 600;
/** With more differing pieces, single letters that happen to be the same tear the texts apart. */
const MAX_DIFFERENCES = 3;

export function markDifference(expected: string, received: string): MarkedTexts {
  if (expected.length <= MAX_LENGTH && received.length <= MAX_LENGTH) {
    const exact = compare([...expected], [...received]);
    const differences = [...exact.expected, ...exact.received].filter(({ differs }) => differs);
    if (differences.length <= MAX_DIFFERENCES) return exact;
  }
  return aroundTheMiddle(expected, received);
}

/** What the texts begin and end with in common stays unmarked. */
function aroundTheMiddle(expected: string, received: string): MarkedTexts {
  const shortest = Math.min(expected.length, received.length);
  let start = 0;
  while (start < shortest && expected[start] === received[start]) start++;
  let end = 0;
  while (end < shortest - start && expected.at(-1 - end) === received.at(-1 - end)) end++;
  const cut = (text: string): Piece[] =>
    [
      { text: text.slice(0, start), differs: false },
      { text: text.slice(start, text.length - end), differs: true },
      { text: text.slice(text.length - end), differs: false },
    ].filter(piece => piece.text !== '');
  return { expected: cut(expected), received: cut(received) };
}

/** By their longest common subsequence. */
function compare(expected: readonly string[], received: readonly string[]): MarkedTexts {
  const width = received.length + 1;
  const common = new Uint16Array((expected.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = expected.length - 1; row >= 0; row--) {
    for (let column = received.length - 1; column >= 0; column--) {
      common[row * width + column] =
        expected[row] === received[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const marked = { expected: [] as Piece[], received: [] as Piece[] };
  let [row, column] = [0, 0];
  while (row < expected.length || column < received.length) {
    if (row < expected.length && expected[row] === received[column]) {
      append(marked.expected, expected[row++], false);
      append(marked.received, received[column++], false);
    } else if (column < received.length && (row === expected.length || at(row, column + 1) >= at(row + 1, column))) {
      append(marked.received, received[column++], true);
    } else append(marked.expected, expected[row++], true);
  }
  return marked;
}

function append(pieces: Piece[], character: string | undefined, differs: boolean): void {
  const last = pieces.at(-1);
  if (last?.differs === differs) pieces[pieces.length - 1] = { text: last.text + character, differs };
  else pieces.push({ text: character ?? '', differs });
}
