/** What a case sends, and how: over one connection, and without a client library that would refuse to. */
import { Agent, request } from 'node:http';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
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
export function send(base: string, { method, path, headers = {}, body }: Sent): Promise<number> {
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

export function close(): void {
  agent.destroy();
}
