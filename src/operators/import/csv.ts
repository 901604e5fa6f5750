/** RFC 4180. */

/** Comma, or what spreadsheets write instead: whichever the header has. */
export function separatorOf(header: string): string {
  return [',', ';', '\t'].find(separator => header.includes(separator)) ?? ',';
}

/** Undefined: a quote is not closed, or there is text after one. */
export function parseCsvLine(text: string, separator: string): string[] | undefined {
  if (!text.includes('"')) return text.split(separator);
  const cells: string[] = [];
  let at = 0;
  while (true) {
    const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, separator);
    if (!cell) return undefined;
    cells.push(cell.value);
    if (cell.end === text.length) return cells;
    if (text[cell.end] !== separator) return undefined;
    at = cell.end + 1;
  }
}

interface Cell {
  readonly value: string;
  readonly end: number;
}

function plainCell(text: string, at: number, separator: string): Cell {
  const next = text.indexOf(separator, at);
  const end = next < 0 ? text.length : next;
  return { value: text.slice(at, end), end };
}

/** Two quotes in a quoted value stand for one. */
function quotedCell(text: string, at: number): Cell | undefined {
  let value = '';
  for (let from = at + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return undefined;
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, end: quote + 1 };
    value += '"';
    from = quote + 2;
  }
}
