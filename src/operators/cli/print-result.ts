/** The result of an operation on standard output: one JSON document, a table for a list, or a line for each field. */
export function printResult(value: unknown, json: boolean): string {
  if (json) return `${JSON.stringify(value ?? {}, null, 2)}\n`;
  if (value === undefined) return 'Done.\n';
  if (isList(value)) return value.items.length === 0 ? 'None.\n' : table(value.items);
  const fields = Object.entries(value as object);
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, field]) => `${name.padEnd(width)}  ${line(field)}\n`).join('');
}

type Item = Readonly<Record<string, unknown>>;

function isList(value: unknown): value is { readonly items: readonly Item[] } {
  return typeof value === 'object' && value !== null && 'items' in value;
}

const MAX_COLUMNS = 6;
const MAX_WIDTH = 48;
const MAX_TEXT = 1000;

/** The first fields name the object; --json has all of them. */
function table(items: readonly Item[]): string {
  const names = [...new Set(items.flatMap(item => Object.keys(item)))].slice(0, MAX_COLUMNS);
  const rows = [names, ...items.map(item => names.map(name => cell(item[name])))];
  const widths = names.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  return rows
    .map(
      row =>
        `${row
          .map((text, column) => text.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** A list is printed as a whole; a logo is not, and no other text is as long. --json has all of it. */
function line(field: unknown): string {
  return Array.isArray(field) ? oneLine(field) : cut(oneLine(field), MAX_TEXT);
}

/** One line, without characters that a terminal would interpret. */
function oneLine(value: unknown): string {
  if (Array.isArray(value)) return value.map(oneLine).join(' ');
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '');
  return text.replaceAll(/\p{Cc}/gu, ' ');
}

function cell(value: unknown): string {
  return cut(oneLine(value), MAX_WIDTH);
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}
