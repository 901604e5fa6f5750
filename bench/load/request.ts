/** A request in which one value changes from one to the next. */
export interface RequestForm {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What takes the place of `{value}`, in a header or in the body. */
  readonly values?: Values;
}

export interface Values {
  /** One on each line. */
  readonly file: string;
  /** Again and again; each for one request only; or the refresh token of the answer for the next request. */
  readonly use: 'round' | 'once' | 'chain';
}

const PLACE = '{value}';

/** The bytes of the request for a value, as text in which every character is a byte. Nothing is left to do but to join it. */
export function compile(form: RequestForm): (value: string) => string {
  const { pathname, search, host } = new URL(form.url);
  const lines = [`${form.method} ${pathname}${search} HTTP/1.1`, `host: ${host}`];
  for (const [name, value] of Object.entries(form.headers ?? {})) lines.push(`${name}: ${value}`);
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
