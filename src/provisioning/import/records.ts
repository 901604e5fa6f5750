import { parseCsvLine, separatorOf } from './csv.ts';

/** One user of a file, before its fields are looked at. Lines are counted from 1, as an editor shows them. */
export interface FileRecord {
  readonly line: number;
  readonly content:
    | { readonly kind: 'read'; readonly fields: Readonly<Record<string, unknown>>; readonly form: 'csv' | 'json' }
    | { readonly kind: 'faulty'; readonly fault: string };
}

/** In characters. A longer record is a mistake, such as a quote that is not closed. */
const MAX_RECORD_LENGTH = 1_000_000;

/** Reads CSV with a header (RFC 4180), or JSON lines, which begin with a brace. Holds one record at a time. */
export async function* readRecords(chunks: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  const lines = numberedLines(chunks);
  for await (const first of lines) {
    const text = first.text.replace(/^\uFEFF/, '');
    if (text.trim() === '') continue;
    if (text.trimStart().startsWith('{')) {
      yield jsonRecord(text, first.line);
      for await (const { text, line } of lines) if (text.trim() !== '') yield jsonRecord(text, line);
    } else if (/^\s*\[/.test(text)) {
      yield faulty(first.line, 'is a JSON array; needed is one object on each line, as jq -c ".[]" makes them');
    } else yield* csvRecords(text, first.line, lines);
    return;
  }
}

function jsonRecord(text: string, line: number): FileRecord {
  try {
    const fields = checked(text) ?? JSON.parse(text);
    if (typeof fields === 'string') return faulty(line, fields);
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
      return faulty(line, 'is not a JSON object');
    return { line, content: { kind: 'read', fields, form: 'json' } };
  } catch {
    return faulty(line, 'is not JSON');
  }
}

async function* csvRecords(header: string, line: number, lines: Lines): AsyncGenerator<FileRecord> {
  const separator = separatorOf(header);
  const names = parseCsvLine(header, separator)?.map(name => name.trim());
  const twice = names?.find((name, index) => names.indexOf(name) < index);
  if (!names || names.includes('') || twice !== undefined) {
    const fault = twice === undefined ? 'is not a header of column names' : `has the column "${twice}" twice`;
    yield faulty(line, fault);
    return;
  }
  for await (const record of csvLines(lines)) {
    if (record.text === '') continue;
    const cells = checked(record.text) ?? parseCsvLine(record.text, separator);
    if (typeof cells === 'string') yield faulty(record.line, cells);
    else if (!cells) yield faulty(record.line, 'has a quote that is not closed, or text after one');
    else if (cells.length !== names.length) {
      yield faulty(record.line, `has ${cells.length} values for ${names.length} columns`);
    } else {
      // An empty cell is a field that is not given.
      const fields = Object.fromEntries(
        names.map((name, index) => [name, cells[index]]).filter(([, cell]) => cell !== ''),
      );
      yield { line: record.line, content: { kind: 'read', fields, form: 'csv' } };
    }
  }
}

/** A value in quotes may go on in the next line. */
async function* csvLines(lines: Lines): Lines {
  let open: { readonly line: number; text: string } | undefined;
  for await (const { text, line } of lines) {
    const record = open ? { line: open.line, text: `${open.text}\n${text}` } : { line, text };
    if (hasOpenQuote(record.text) && record.text.length <= MAX_RECORD_LENGTH) open = record;
    else {
      open = undefined;
      yield record;
    }
  }
  if (open) yield open;
}

function hasOpenQuote(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes++;
  return quotes % 2 === 1;
}

/** The fault that makes a record unreadable in either form. */
function checked(text: string): string | undefined {
  if (text.length > MAX_RECORD_LENGTH) return `is longer than ${MAX_RECORD_LENGTH} characters`;
  return text.includes('\uFFFD') ? 'is not UTF-8' : undefined;
}

function faulty(line: number, fault: string): FileRecord {
  return { line, content: { kind: 'faulty', fault } };
}

type Lines = AsyncGenerator<{ readonly line: number; readonly text: string }>;

async function* numberedLines(chunks: AsyncIterable<string>): Lines {
  let line = 0;
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) yield { line: ++line, text: text.endsWith('\r') ? text.slice(0, -1) : text };
    // Without this, a file without line breaks would be read into memory as a whole.
    if (rest.length > 2 * MAX_RECORD_LENGTH) rest = rest.slice(0, MAX_RECORD_LENGTH + 1);
  }
  if (rest !== '') yield { line: ++line, text: rest };
}
