import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { TestServer } from './test-server.ts';

/** Mails as a mail program reads them. */
export interface ReadMail {
  /** Names in lower case, unfolded. */
  readonly headers: ReadonlyMap<string, string>;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly raw: string;
  /** The lines of the text part that are a link. */
  readonly links: readonly string[];
}

export function readMail(raw: string): ReadMail {
  const { headers, body } = splitPart(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1];
  assert(boundary !== undefined, 'the mail has no parts');
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map(part => splitPart(part.replace(/^\r\n/, '')));
  const part = (type: string) => {
    const found = parts.filter(each => each.headers.get('content-type')?.startsWith(type));
    assert.equal(found.length, 1, type);
    return decodeBody(found[0] as Part);
  };
  const text = part('text/plain').replaceAll('\r\n', '\n');
  return {
    headers,
    subject: decodeWords(headers.get('subject') ?? ''),
    text,
    html: part('text/html'),
    raw,
    links: text.split('\n').filter(line => /^https?:\/\/\S+$/.test(line)),
  };
}

interface Part {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

function splitPart(raw: string): Part {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]/g, ' ')
    .split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    assert(colon > 0, `not a header: ${line}`);
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  assert.equal(new Set(headers.map(([name]) => name)).size, headers.length, 'a header stands twice');
  return { headers: new Map(headers), body: raw.slice(end + 4) };
}

function decodeBody({ headers, body }: Part): string {
  switch (headers.get('content-transfer-encoding')) {
    case 'base64':
      return Buffer.from(body, 'base64').toString();
    case 'quoted-printable':
      return decodeQuoted(body.replace(/=\r\n/g, ''));
    default:
      return body;
  }
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** RFC 2047. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B' ? Buffer.from(word, 'base64').toString() : decodeQuoted(word.replaceAll('_', ' ')),
    );
}

export function outboxOf({ services }: Pick<TestServer, 'services'>): string {
  const destination = services.config.mail?.destination;
  assert(destination?.kind === 'file', 'the server has no outbox');
  return destination.folder;
}

/** In the order in which they were queued. */
export function mailsIn(folder: string): ReadMail[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter(name => name.endsWith('.eml'));
  return names.sort().map(name => readMail(readFileSync(join(folder, name), 'utf8')));
}

export interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly mail: ReadMail;
}

export interface MailServer {
  readonly port: number;
  readonly received: Received[];
  close(): Promise<void>;
}

/** A real SMTP server. `refuse` gives the status with which it answers a recipient; undefined: it takes the mail. */
export async function openMailServer(
  options: SMTPServerOptions = {},
  refuse: (recipient: string) => number | undefined = () => undefined,
): Promise<MailServer> {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      const status = refuse(address);
      done(status === undefined ? null : Object.assign(new Error('no'), { responseCode: status }));
    },
    onData(stream, session, done) {
      const pieces: Buffer[] = [];
      stream.on('data', piece => pieces.push(piece));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: session.user,
          mail: readMail(Buffer.concat(pieces).toString()),
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.server.address();
  assert(address && typeof address === 'object');
  return { port: address.port, received, close: () => new Promise(resolve => server.close(() => resolve())) };
}
