import { NO_TEXT, placeOfNoText } from '../../platform/text/text.rules.ts';
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

/**
 * Reads CSV with a header (RFC 4180), or JSON lines, which begin with a brace. Yields the records of a chunk together: waiting for
 * each of them would cost more than reading it.
 */
export async function* readRecords(chunks: AsyncIterable<string>): AsyncGenerator<readonly FileRecord[]> {
  let form: Form | undefined;
  for await (const lines of numberedLines(chunks)) {
    const records: FileRecord[] = [];
    for (const line of lines) {
      if (form) form.read(line, records);
      else form = readFirst(line, records);
    }
    yield records;
  }
  const last: FileRecord[] = [];
  form?.end?.(last);
  yield last;
}

interface Line {
  readonly line: number;
  readonly text: string;
}

/** Both add the records that are complete. */
interface Form {
  read(line: Line, records: FileRecord[]): void;
  end?(records: FileRecord[]): void;
}

/** Undefined: the line is empty, and the next one is the first. */
function readFirst(first: Line, records: FileRecord[]): Form | undefined {
  const line = { ...first, text: first.text.replace(/^\uFEFF/, '') };
  if (line.text.trim() === '') return undefined;
  if (line.text.trimStart().startsWith('{')) {
    JSON_LINES.read(line, records);
    return JSON_LINES;
  }
  if (!/^\s*\[/.test(line.text)) return readHeader(line, records);
  records.push(faulty(line, 'is a JSON array; needed is one object on each line, as jq -c ".[]" makes them'));
  return IGNORED;
}

const IGNORED: Form = { read: () => {} };

const JSON_LINES: Form = {
  read(line, records) {
    if (line.text.trim() !== '') records.push(jsonRecord(line));
  },
};

function jsonRecord(line: Line): FileRecord {
  try {
    const fields = checked(line) ?? JSON.parse(line.text);
    if (typeof fields === 'string') return faulty(line, fields);
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
      return faulty(line, 'is not a JSON object');
    if (placeOfNoText(fields)) return faulty(line, NO_TEXT);
    return { line: line.line, content: { kind: 'read', fields, form: 'json' } };
  } catch {
    return faulty(line, 'is not JSON');
  }
}

function readHeader(line: Line, records: FileRecord[]): Form {
  const separator = separatorOf(line.text);
  const names = parseCsvLine(line.text, separator)?.map(name => name.trim());
  const twice = names?.find((name, index) => names.indexOf(name) < index);
  // An assignment to `__proto__` would lose the column without a fault.
  if (names && twice === undefined && !names.includes('') && !names.includes('__proto__')) {
    return csvForm(names, separator);
  }
  records.push(
    faulty(line, twice === undefined ? 'is not a header of column names' : `has the column "${twice}" twice`),
  );
  return IGNORED;
}

/** A value in quotes may go on in the next line. */
function csvForm(names: readonly string[], separator: string): Form {
  let open: Line | undefined;
  return {
    read(next, records) {
      const line = open ? { line: open.line, text: `${open.text}\n${next.text}` } : next;
      open = line.text.length <= MAX_RECORD_LENGTH && hasOpenQuote(line.text) ? line : undefined;
      if (!open && line.text !== '') records.push(csvRecord(line, names, separator));
    },
    end(records) {
      if (open) records.push(csvRecord(open, names, separator));
    },
  };
}

function csvRecord(line: Line, names: readonly string[], separator: string): FileRecord {
  const cells = checked(line) ?? parseCsvLine(line.text, separator);
  if (typeof cells === 'string') return faulty(line, cells);
  if (!cells) return faulty(line, 'has a quote that is not closed, or text after one');
  if (cells.length !== names.length) return faulty(line, `has ${cells.length} values for ${names.length} columns`);
  const fields: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index++) {
    // An empty cell is a field that is not given.
    if (cells[index] !== '') fields[names[index] as string] = cells[index];
  }
  return { line: line.line, content: { kind: 'read', fields, form: 'csv' } };
}

function hasOpenQuote(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes++;
  return quotes % 2 === 1;
}

/** The fault that makes a record unreadable in either form. */
function checked({ text }: Line): string | undefined {
  if (text.length > MAX_RECORD_LENGTH) return `is longer than ${MAX_RECORD_LENGTH} characters`;
  if (text.includes('\0')) return NO_TEXT;
  return text.includes('\uFFFD') ? 'is not UTF-8' : undefined;
}

function faulty({ line }: Line, fault: string): FileRecord {
  return { line, content: { kind: 'faulty', fault } };
}

/** The lines of each chunk; the last one of a chunk goes on in the next chunk. */
async function* numberedLines(chunks: AsyncIterable<string>): AsyncGenerator<readonly Line[]> {
  let line = 0;
  let rest = '';
  for await (const chunk of chunks) {
    const texts = (rest + chunk).split('\n');
    rest = texts.pop() ?? '';
    yield texts.map(text => ({ line: ++line, text: text.endsWith('\r') ? text.slice(0, -1) : text }));
    // Without this, a file without line breaks would be read into memory as a whole.
    if (rest.length > 2 * MAX_RECORD_LENGTH) rest = rest.slice(0, MAX_RECORD_LENGTH + 1);
  }
  if (rest !== '') yield [{ line: ++line, text: rest }];
}
