import { mkdir, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { SendMailOptions } from 'nodemailer';
import type { MailDestination, MailSettings } from '../../platform/config/mail-settings.ts';

/** A mail as it leaves this server. */
export interface OutgoingMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Seconds since the Unix epoch. */
  readonly date: number;
}

export type MailOutcome =
  /** `answer`: what the mail server said to it, in its own words. */
  | { readonly kind: 'sent'; readonly answer?: string | undefined }
  /** `isFinal`: the server refuses this recipient or mail for good (RFC 5321 section 4.2.1, 5yz). */
  | {
      readonly kind: 'failed';
      readonly reason: string;
      readonly isFinal: boolean;
      /** For the operator who tests the settings, and not for the log: a mail server may repeat the recipient. */
      readonly answer?: string | undefined;
      readonly fault?: TransportFault | undefined;
    };

/** What the operator has to look at. */
export type TransportFault = 'login' | 'connection' | 'tls' | 'sender' | 'recipient' | 'other';

type Smtp = Extract<MailDestination, { kind: 'smtp' }>;

/** Each of them for one step of the exchange; together below the lease of the job. */
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 15_000;
const MAX_REASON_LENGTH = 200;
/** RFC 5321 section 4.5.3.1.3, and one recipient: nothing that begins another address or header. */
export const ONE_ADDRESS = /^[^\s\p{Cc}@<>"(),:;\\]+@[^\s\p{Cc}@<>"(),:;\\]+$/u;
const MAX_ADDRESS_LENGTH = 254;

/**
 * Hands a mail to the server that MAIL_URL names, or writes it into its folder. The operator chose the destination, and mail servers
 * are often in a private network, so the rules for addresses that others registered (platform/outbound/public-address.ts) do not apply. nodemailer is
 * loaded for the first mail.
 */
export async function sendMail({ destination, from }: MailSettings, mail: OutgoingMail): Promise<MailOutcome> {
  if (!ONE_ADDRESS.test(mail.to) || mail.to.length > MAX_ADDRESS_LENGTH) {
    return { kind: 'failed', reason: 'the recipient is not one e-mail address', isFinal: true };
  }
  try {
    const message = composed(from, mail);
    if (destination.kind === 'smtp') return { kind: 'sent', answer: inOneLine(await submit(destination, message)) };
    await writeInto(destination.folder, mail.id, message);
    return { kind: 'sent' };
  } catch (error) {
    return failureOf(error as Error);
  }
}

function composed(from: string, { id, to, subject, text, html, date }: OutgoingMail): SendMailOptions {
  const domain = /@([^@>]+)>?$/.exec(from)?.[1] ?? 'localhost';
  return {
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    date: new Date(date * 1000),
    messageId: `<${id}@${domain}>`,
    // RFC 3834 section 5: no out-of-office replies.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

async function submit({ host, port, secure, login }: Smtp, message: SendMailOptions): Promise<string> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port,
    secure,
    // A password is not sent in the clear to another machine.
    requireTLS: !secure && login !== undefined && !isLoopback(host),
    ...(login ? { auth: { user: login.user, pass: login.password } } : {}),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: IDLE_TIMEOUT_MS,
  });
  try {
    return (await transport.sendMail(message)).response;
  } finally {
    transport.close();
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (isIP(host) === 4 && host.startsWith('127.')) || host === '::1';
}

/** Under another name first, so that a program that watches the folder never reads half a mail. */
async function writeInto(folder: string, id: string, message: SendMailOptions): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const { message: bytes } = await transport.sendMail(message);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `.${id}.part`);
  await writeFile(draft, bytes as Buffer, { mode: 0o600, flush: true });
  await rename(draft, join(folder, `${id}.eml`));
}

interface TransportError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  readonly response?: string;
  /** Of SMTP: what the server refused. */
  readonly command?: string;
}

function failureOf(error: TransportError): MailOutcome {
  const { code, responseCode = 0, response } = error;
  // EENVELOPE and EMESSAGE are about this mail. A refused login, for example, is a matter of the settings and may be repaired.
  const isFinal = responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
  // The text of a server may repeat the recipient.
  const reason =
    responseCode > 0 ? `the mail server answered ${responseCode}` : `${code ?? error.name}: ${error.message}`;
  const answer = inOneLine(response ?? error.message);
  return { kind: 'failed', reason: reason.slice(0, MAX_REASON_LENGTH), isFinal, answer, fault: faultOf(error) };
}

/** The library calls a certificate that it does not trust a fault of the socket. */
function faultOf({ code = '', command = '', responseCode, message }: TransportError): TransportFault {
  if (code === 'EAUTH' || responseCode === AUTHENTICATION_REQUIRED) return 'login';
  if (code === 'EENVELOPE') return command.startsWith('RCPT') ? 'recipient' : 'sender';
  if (code === 'ETLS' || (code === 'ESOCKET' && /certificate|altname|SSL|TLS/i.test(message))) return 'tls';
  return ['ECONNECTION', 'ETIMEDOUT', 'EDNS', 'ESOCKET'].includes(code) ? 'connection' : 'other';
}

/** RFC 4954 section 6. */
const AUTHENTICATION_REQUIRED = 530;
const MAX_ANSWER_LENGTH = 500;

/** What a server sends is shown on a page and a terminal: no control characters, no end of lines, no end. */
function inOneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, MAX_ANSWER_LENGTH);
}
