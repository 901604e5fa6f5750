import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { discardBody } from './discard-body.ts';
import type { BodyKind } from './route.ts';

export const MAX_BODY_BYTES = 64 * 1024;
/** Where a route takes files: an apply file of several thousand entries. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Where an identity provider posts an assertion with all groups of a person: 256 KiB, in base64, percent-encoded. */
export const MAX_LARGE_FORM_BYTES = 512 * 1024;

export function maxBodyBytes(kind: BodyKind | undefined): number {
  if (kind === 'file') return MAX_FILE_BYTES;
  return kind === 'large-form' ? MAX_LARGE_FORM_BYTES : MAX_BODY_BYTES;
}

/** For all bodies that are unfinished, or complete with a request in the queue: 512 of the largest, or 3 KiB for each of 10,000 connections. */
export const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/**
 * Each piece costs as much as the largest body in one. A caller who sends more, as chunks of a byte, loses the
 * connection: even an answer would leave time for thousands of them.
 */
export const MAX_PIECES = 1000;
/** What a piece of a body takes beside its bytes: a body sent byte by byte is larger than it looks. */
const PIECE_OVERHEAD_BYTES = 128;

export type Body =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tooLarge' }
  | { readonly kind: 'notUtf8' }
  /** There was no memory left for it. */
  | { readonly kind: 'rejected' };

export const NO_BODY: Body = { kind: 'text', text: '' };

const TOO_LARGE: Body = { kind: 'tooLarge' };
const REJECTED: Body = { kind: 'rejected' };

/**
 * Reads at most MAX_BODY_BYTES bytes, or what `maxBytes` says of a body that may be larger, and calls back once, when they are there. What
 * comes beyond is dropped, so that the refusal still reaches the caller. If the caller closes the connection before the end, there is no call back.
 */
export function readBody(
  incoming: IncomingMessage,
  memory: BodyMemory,
  done: (body: Body) => void,
  maxBytes: (incoming: IncomingMessage) => number = () => MAX_BODY_BYTES,
): void {
  // Neither Content-Length nor Transfer-Encoding: there is no body (RFC 9112 section 6.3), and no event of one (optimizeEmptyRequests).
  if (incoming.readableEnded) {
    done(NO_BODY);
    return;
  }
  const length = Number(incoming.headers['content-length'] ?? Number.NaN);
  // A body in chunks does not say how long it is.
  const max = length <= MAX_BODY_BYTES ? MAX_BODY_BYTES : maxBytes(incoming);
  if (length > max) {
    incoming.resume();
    done(TOO_LARGE);
    return;
  }
  let unfinished: UnfinishedBody | undefined;
  incoming.on('data', (chunk: Buffer) => {
    // Nearly every body comes in one piece, and is never unfinished.
    if (chunk.length === length) return done(decode(chunk));
    unfinished ??= memory.begin(incoming, length, done, max);
    unfinished.add(chunk);
  });
  if (!(length > 0)) incoming.on('end', () => (unfinished ? unfinished.finish() : done(NO_BODY)));
}

function decode(bytes: Buffer): Body {
  return isUtf8(bytes) ? { kind: 'text', text: bytes.toString() } : { kind: 'notUtf8' };
}

/**
 * Bounds the memory of all bodies whose requests cannot be handled yet. When it is full, the largest unfinished body is rejected: the callers
 * that fill it by sending much and never finishing lose theirs, and a new caller does not.
 */
export class BodyMemory {
  readonly #limit: number;
  readonly #unfinished = new Set<UnfinishedBody>();
  #bytes = 0;

  constructor(limit = MAX_WAITING_BYTES) {
    this.#limit = limit;
  }

  get bytes(): number {
    return this.#bytes;
  }

  begin(incoming: IncomingMessage, length: number, done: (body: Body) => void, max = MAX_BODY_BYTES): UnfinishedBody {
    const body = new UnfinishedBody(this, incoming, length, done, max);
    this.#unfinished.add(body);
    incoming.once('close', () => this.forget(body));
    return body;
  }

  grow(body: UnfinishedBody, bytes: number): void {
    body.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#limit && this.#unfinished.size > 0) this.#rejectLargest();
  }

  forget(body: UnfinishedBody): void {
    if (this.#unfinished.delete(body)) this.#bytes -= body.bytes;
  }

  /** For a complete body with a request that has to wait. Undefined: there is no room. Otherwise a function that releases the memory, once. */
  hold(body: Body): (() => void) | undefined {
    const bytes = body.kind === 'text' ? body.text.length : 0;
    if (this.#bytes + bytes > this.#limit) return undefined;
    this.#bytes += bytes;
    let isHeld = true;
    return () => {
      if (isHeld) this.#bytes -= bytes;
      isHeld = false;
    };
  }

  #rejectLargest(): void {
    let largest: UnfinishedBody | undefined;
    for (const body of this.#unfinished) if (!largest || body.bytes > largest.bytes) largest = body;
    largest?.reject();
  }
}

class UnfinishedBody {
  /** What it takes in memory, as BodyMemory counts it. */
  bytes = 0;
  readonly #memory: BodyMemory;
  readonly #incoming: IncomingMessage;
  readonly #length: number;
  readonly #done: (body: Body) => void;
  readonly #max: number;
  #pieces: Buffer[] = [];
  #count = 0;
  #size = 0;
  #isOver = false;

  constructor(memory: BodyMemory, incoming: IncomingMessage, length: number, done: (body: Body) => void, max: number) {
    this.#memory = memory;
    this.#incoming = incoming;
    this.#length = length;
    this.#done = done;
    this.#max = max;
  }

  add(piece: Buffer): void {
    // Those of a body that was refused count too: it may have no end.
    if (++this.#count > MAX_PIECES * (this.#max / MAX_BODY_BYTES)) this.#abandon();
    if (this.#isOver) return;
    this.#size += piece.length;
    this.#pieces.push(piece);
    if (this.#size > this.#max) this.#end(TOO_LARGE);
    // All that was announced: the end has nothing to add.
    else if (this.#size === this.#length) this.finish();
    else this.#memory.grow(this, piece.length + PIECE_OVERHEAD_BYTES);
  }

  finish(): void {
    if (!this.#isOver) this.#end(decode(Buffer.concat(this.#pieces)));
  }

  reject(): void {
    this.#end(REJECTED);
  }

  #abandon(): void {
    this.#isOver = true;
    this.#pieces = [];
    discardBody(this.#incoming.socket);
    this.#incoming.socket.destroy();
  }

  #end(body: Body): void {
    this.#isOver = true;
    this.#pieces = [];
    this.#memory.forget(this);
    this.#done(body);
  }
}
