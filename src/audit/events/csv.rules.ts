/** A table as RFC 4180 has it, for spreadsheets. */
export function csvLine(cells: readonly (string | undefined)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/**
 * A spreadsheet takes a cell that begins with one of these for a formula. User agents and user names are what others have sent, so such
 * a cell gets an apostrophe in front, which says "text" (OWASP, CSV injection).
 */
const FORMULA = /^[=+\-@\t\r]/;

function csvCell(value = ''): string {
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
