import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** MAIL_URL and MAIL_FROM. */
export interface MailSettings {
  readonly destination: MailDestination;
  /** An address, or a name and an address: `Example <id@example.com>`. */
  readonly from: string;
}

export type MailDestination =
  | {
      readonly kind: 'smtp';
      readonly host: string;
      readonly port: number;
      /** TLS from the first byte (smtps); otherwise STARTTLS where the server offers it. */
      readonly secure: boolean;
      readonly login: { readonly user: string; readonly password: string } | undefined;
    }
  /** One file for each mail. */
  | { readonly kind: 'file'; readonly folder: string };

/** RFC 6409 section 3.1, RFC 8314 section 7.3. */
const SUBMISSION_PORT = 587;
const SUBMISSIONS_PORT = 465;

/** Undefined: none of the forms. `none` turns mail off. */
export function readMailUrl(text: string): MailDestination | 'none' | undefined {
  if (text === 'none') return 'none';
  return text.startsWith('file:') ? readFolder(text) : readSmtp(text);
}

function readFolder(text: string): MailDestination | undefined {
  if (/^file:\/\/\/[^/]/.test(text)) return { kind: 'file', folder: fileURLToPath(text) };
  // As in DATABASE_URL: a path that may be relative.
  const folder = /^file:(\/?[^/].*)$/.exec(text)?.[1];
  return folder === undefined ? undefined : { kind: 'file', folder };
}

function readSmtp(text: string): MailDestination | undefined {
  const url = URL.parse(text);
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return undefined;
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') return undefined;
  const secure = url.protocol === 'smtps:';
  const login = readLogin(url);
  if (login === 'faulty') return undefined;
  const port = url.port === '' ? (secure ? SUBMISSIONS_PORT : SUBMISSION_PORT) : Number(url.port);
  return { kind: 'smtp', host: url.hostname.replace(/^\[|\]$/g, ''), port, secure, login };
}

function readLogin({ username, password }: URL) {
  if (username === '' && password === '') return undefined;
  if (username === '' || password === '') return 'faulty';
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return 'faulty';
  }
}

const ADDRESS = '[^\\s@<>"(),:;\\\\[\\]]+@[^\\s@<>"(),:;\\\\]+';
const FROM = new RegExp(`^(?:[^<>"\\\\,:;@\\p{Cc}]+ <${ADDRESS}>|${ADDRESS})$`, 'u');

export function readMailFrom(text: string): string | undefined {
  return FROM.test(text) ? text : undefined;
}

export function defaultMailDestination(databasePath: string): MailDestination {
  return { kind: 'file', folder: join(dirname(databasePath), 'outbox') };
}

export function defaultMailFrom(baseUrl: string): string {
  return `no-reply@${new URL(baseUrl).hostname}`;
}

/** For the start and for `check-config`. */
export const NO_MAIL =
  'No mail is sent: nobody can reset a password, verify an address or be invited. Set MAIL_URL (docs/mail.md).';
