/** A mail of the outbox folder, as far as the console shows it. It reads what nodemailer writes, not every mail there is. */
export interface ReadEml {
  readonly to: string;
  readonly subject: string;
  /** Of the Date header; undefined: it has none that can be read. */
  readonly date: Date | undefined;
  readonly text: string;
}

export function readEml(raw: string): ReadEml {
  const mail = splitPart(raw);
  const date = new Date(mail.headers.get('date') ?? '');
  return {
    to: mail.headers.get('to') ?? '',
    subject: decodeWords(mail.headers.get('subject') ?? ''),
    date: Number.isNaN(date.getTime()) ? undefined : date,
    text: textOf(mail),
  };
}

interface Part {
  /** By their names in lower case, unfolded (RFC 5322 section 2.2.3). */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

function splitPart(raw: string): Part {
  const text = raw.replaceAll('\r\n', '\n');
  const end = text.indexOf('\n\n');
  const head = end < 0 ? text : text.slice(0, end);
  const lines = head.replace(/\n[ \t]+/g, ' ').split('\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, Math.max(colon, 0)).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { headers: new Map(headers), body: end < 0 ? '' : text.slice(end + 2) };
}

/** The first part that is plain text (RFC 2046 section 5.1.4). */
function textOf(mail: Part): string {
  const boundary = /boundary="?([^";]+)"?/.exec(mail.headers.get('content-type') ?? '')?.[1];
  if (boundary === undefined) return decodeBody(mail);
  const parts = mail.body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map(part => splitPart(part.replace(/^\n/, '')));
  const plain = parts.find(({ headers }) => headers.get('content-type')?.startsWith('text/plain'));
  return plain ? decodeBody(plain) : '';
}

function decodeBody({ headers, body }: Part): string {
  switch (headers.get('content-transfer-encoding')?.toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64').toString();
    case 'quoted-printable':
      return decodeQuoted(body.replace(/=\n/g, ''));
    default:
      return body;
  }
}

/** RFC 2045 section 6.7. */
function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** RFC 2047: words of another character set than ASCII. */
function decodeWords(text: string): string {
  const joined = text.replace(/\?=\s+=\?/g, '?==?');
  return joined.replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, form: string, word: string) =>
    form.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString() : decodeQuoted(word.replaceAll('_', ' ')),
  );
}
