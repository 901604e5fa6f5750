import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import type { Request } from '../message.ts';
import { clientAddress } from './client-address.ts';

export const LARGEST_BODY = 64 * 1024;

export type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tooLarge' }
  | { readonly kind: 'notUtf8' };

export const NO_BODY: Body = { kind: 'text', text: '' };

const TOO_LARGE: Body = { kind: 'tooLarge' };

/**
 * Reads at most LARGEST_BODY bytes and calls back once, when they are there. What comes beyond is dropped, so that the refusal
 * still reaches the sender. If the sender goes away in the middle, nothing comes of it, and nobody waits for it.
 */
export function readBody(incoming: IncomingMessage, done: (body: Body) => void): void {
  const length = Number(incoming.headers['content-length'] ?? Number.NaN);
  if (length > LARGEST_BODY) {
    incoming.resume();
    done(TOO_LARGE);
    return;
  }
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let size = 0;
  const finish = () => done(decode(more ? Buffer.concat(more) : (first ?? Buffer.alloc(0))));
  incoming.on('data', (chunk: Buffer) => {
    const isRead = size > LARGEST_BODY;
    size += chunk.length;
    if (isRead) return;
    if (size > LARGEST_BODY) return done(TOO_LARGE);
    if (first === undefined) first = chunk;
    else if (more === undefined) more = [first, chunk];
    else more.push(chunk);
    // All that was announced: the end has nothing to add.
    if (size === length) finish();
  });
  if (!(length > 0)) incoming.on('end', () => size <= LARGEST_BODY && finish());
}

function decode(bytes: Buffer): Body {
  return isUtf8(bytes) ? { kind: 'text', text: bytes.toString() } : { kind: 'notUtf8' };
}

/** Path and query as sent; a proxy may send the whole address (RFC 9112 section 3.2.2), whose host says nothing to us. */
export function splitUrl(url: string): { readonly path: string; readonly query: string } {
  const text = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = text.indexOf('?');
  return mark < 0 ? { path: text, query: '' } : { path: text.slice(0, mark), query: text.slice(mark + 1) };
}

/** What few endpoints ask for is worked out when they do. */
export class IncomingRequest implements Request {
  readonly id: string;
  readonly method: string;
  readonly query: string;
  readonly headers: Request['headers'];
  readonly body: string;
  readonly #incoming: IncomingMessage;
  readonly #proxies: BlockList | undefined;

  constructor(incoming: IncomingMessage, id: string, query: string, body: Body, proxies: BlockList | undefined) {
    this.id = id;
    this.method = incoming.method ?? 'GET';
    this.query = query;
    this.headers = incoming.headers;
    this.body = body.kind === 'text' ? body.text : '';
    this.#incoming = incoming;
    this.#proxies = proxies;
  }

  get address(): string {
    const { socket, headers } = this.#incoming;
    return clientAddress(socket.remoteAddress ?? '', String(headers['x-forwarded-for'] ?? ''), this.#proxies);
  }

  abandoned(): boolean {
    return this.#incoming.socket.destroyed;
  }
}
