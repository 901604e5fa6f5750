/** A request in which one value changes from one to the next. */
export interface RequestForm {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /**
   * What takes the place of `{value}`, in a header or in the body. Where a line has several parts, with tabs between them,
   * `{value}` is the last, `{1}` the first, and so on; these may also stand in the address.
   */
  readonly values?: Values;
}

export interface Values {
  /** One on each line. */
  readonly file: string;
  /**
   * Again and again; each for one request only; or the refresh token of the answer for the next request, with a family for
   * each connection ('chain') or with all families in turn ('chains').
   */
  readonly use: 'round' | 'once' | 'chain' | 'chains';
}

const PLACE = '{value}';

/** The bytes of the request for a value, as text in which every character is a byte. Nothing is left to do but to join it. */
export function compile(form: RequestForm): (value: string) => string {
  const { host } = new URL(form.url);
  // As it is written: the parser would encode the braces of a place.
  const path = /^http:\/\/[^/]+(\/.*)$/.exec(form.url)?.[1] ?? '/';
  const lines = [`${form.method} ${path} HTTP/1.1`, `host: ${host}`];
  for (const [name, value] of Object.entries(form.headers ?? {})) lines.push(`${name}: ${value}`);
  if (PART.test(`${lines.join()}${form.body ?? ''}`)) return ofParts(lines, form.body);
  if (form.body === undefined) return joined(`${lines.join('\r\n')}\r\n\r\n`);

  const head = `${lines.join('\r\n')}\r\ncontent-length: `;
  if (!form.body.includes(PLACE)) return joined(`${head}${form.body.length}\r\n\r\n${form.body}`);
  const [before = '', after = ''] = form.body.split(PLACE);
  const fixed = before.length + after.length;
  return value => `${head}${fixed + value.length}\r\n\r\n${before}${value}${after}`;
}

function joined(text: string): (value: string) => string {
  const [before = '', after] = text.split(PLACE);
  return after === undefined ? () => before : value => before + value + after;
}

const PART = /\{\d\}/;
const EACH_PART = /\{(\d|value)\}/;

/** Between the parts of a line. */
export const TAB = '\t';

function ofParts(lines: readonly string[], body: string | undefined): (value: string) => string {
  const head = filler(lines.join('\r\n'));
  if (body === undefined) return value => `${head(value.split(TAB))}\r\n\r\n`;
  const content = filler(body);
  return value => {
    const parts = value.split(TAB);
    const text = content(parts);
    return `${head(parts)}\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
  };
}

/** One text with the line in its place. */
export function fill(text: string, line: string): string {
  return filler(text)(line.split(TAB));
}

function filler(text: string): (parts: readonly string[]) => string {
  const pieces = text.split(EACH_PART);
  return parts => pieces.map((piece, index) => (index % 2 === 0 ? piece : part(parts, piece))).join('');
}

function part(parts: readonly string[], name: string): string {
  return (name === 'value' ? parts.at(-1) : parts[Number(name) - 1]) ?? '';
}
