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
  /** Again and again; each for one request only; or as refresh tokens, each replaced by the one of its answer. */
  readonly use: 'round' | 'once' | 'chain';
}

/** Between the parts of a line. */
export const TAB = '\t';
const PLACE = /\{(\d|value)\}/;

/** The bytes of the request for a line of the file, as text in which every character is a byte. */
export function compile(form: RequestForm): (line: string) => string {
  const { host } = new URL(form.url);
  // As it is written: the parser would encode the braces of a place.
  const path = /^http:\/\/[^/]+(\/.*)$/.exec(form.url)?.[1] ?? '/';
  const lines = [`${form.method} ${path} HTTP/1.1`, `host: ${host}`];
  for (const [name, value] of Object.entries(form.headers ?? {})) lines.push(`${name}: ${value}`);
  const head = filler(lines.join('\r\n'));
  if (form.body === undefined) return line => `${head(line)}\r\n\r\n`;
  const body = filler(form.body);
  return line => {
    const text = body(line);
    return `${head(line)}\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
  };
}

/** A text with the line, or the parts of it, in its places. */
export function filler(text: string): (line: string) => string {
  const pieces = text.split(PLACE);
  if (pieces.length === 1) return () => text;
  return line => {
    const parts = line.split(TAB);
    const partOf = (name: string | undefined) => (name === 'value' ? parts.at(-1) : parts[Number(name) - 1]) ?? '';
    let filled = pieces[0] ?? '';
    for (let index = 1; index < pieces.length; index += 2) filled += partOf(pieces[index]) + pieces[index + 1];
    return filled;
  };
}
