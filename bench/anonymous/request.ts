/** What a case sends, and how: over one connection, and without a client library that would refuse to. */
import { Agent, request } from 'node:http';
import { connect } from 'node:net';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** As they are, instead of a library's: each with its line break. */
  readonly lines?: string;
  /** Each byte of the body as a chunk of its own. */
  readonly isByteByByte?: boolean;
  readonly body?: string | Buffer;
}

/** A Location may have all that was sent. */
const MAX_ANSWER_HEADERS = 256 * 1024;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

export function get(path: string, headers: Sent['headers'] = {}): Sent {
  return { method: 'GET', path, headers };
}

export function form(path: string, body: string, headers: Sent['headers'] = {}): Sent {
  return { method: 'POST', path, body, headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } };
}

export function json(path: string, body: string, headers: Sent['headers'] = {}): Sent {
  return { method: 'POST', path, body, headers: { 'content-type': 'application/json', ...headers } };
}

let count = 0;
function nextAddress(): string {
  count++;
  return `10.${(count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`;
}

/** The status of the answer. */
export function send(base: string, sent: Sent): Promise<number> {
  return sent.lines === undefined && !sent.isByteByByte ? sendByLibrary(base, sent) : sendRaw(base, sent);
}

function sendByLibrary(base: string, { method, path, headers = {}, body }: Sent): Promise<number> {
  const { hostname, port } = new URL(base);
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const options = {
      maxHeaderSize: MAX_ANSWER_HEADERS,
      agent,
      hostname,
      port,
      method,
      path,
      headers: { ...length, 'x-forwarded-for': nextAddress(), ...headers },
    };
    const outgoing = request(options, incoming => {
      incoming.resume();
      incoming.once('end', () => resolve(incoming.statusCode ?? 0));
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/** On a connection of its own, which the server closes. */
function sendRaw(base: string, { method, path, headers = {}, lines = '', body = '' }: Sent): Promise<number> {
  const { hostname, port } = new URL(base);
  const all = { host: 'localhost', 'x-forwarded-for': nextAddress(), ...headers, connection: 'close' };
  const named = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const chunks = Array.from(String(body), byte => `1\r\n${byte}\r\n`).join('');
  const framing = body === '' ? '\r\n' : `transfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`;
  return new Promise(resolve => {
    let answer = '';
    const socket = connect(Number(port), hostname);
    socket.on('data', data => {
      answer += data.toString('latin1');
    });
    // Closed without an answer.
    socket.once('error', () => {});
    socket.once('close', () => resolve(Number(answer.split(' ', 2)[1] ?? 0)));
    socket.end(`${method} ${path} HTTP/1.1\r\n${named.join('')}${lines}${framing}`);
  });
}

export function close(): void {
  agent.destroy();
}
