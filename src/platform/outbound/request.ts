import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { currentSpan, type OpenSpan } from '../telemetry/current-span.ts';
import { traceContextHeaders } from '../telemetry/trace-context.rules.ts';
import { request as requestHttp } from './http-client.ts';
import type { KeptConnections } from './kept-connections.ts';
import { lookupOfAll } from './names.ts';
import type { NameLookup, Outbound, Resolved } from './outbound.ts';
import { isAllowed, mayReach } from './public-address.ts';

/**
 * Requests that leave this server, to addresses that others registered. They reach the public internet and what the operator
 * allows (public-address.ts): the address is checked after it was resolved, on the very connection that is used, so that no
 * name can point somewhere else in between. Redirects are not followed: they are answers like any other.
 */
export interface OutboundRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The longest body that is taken. 0: the body is not read, and the head alone is the answer. */
  readonly maxBytes: number;
  /** From the lookup of the name to the last byte of the body. Undefined: what the operator has set, or a share of it. */
  readonly timeoutMs?: number;
  readonly share?: number;
  /** What comes back is believed. So plain http, whose answers anybody on the way can replace, reaches only what the operator allows. */
  readonly isDocument?: boolean;
  /** Undefined: a connection of its own. */
  readonly connections?: KeptConnections;
}

type TimedRequest = OutboundRequest & { readonly timeoutMs: number; readonly lookup: NameLookup | undefined };
type Guard = (address: string) => boolean;

export type Outcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Buffer;
    }
  | { readonly kind: 'failed'; readonly reason: string };

const MAX_HEADER_BYTES = 16 * 1024;
const NOT_PUBLIC = 'the address is not public';
const NOT_HTTPS = 'the address is not https';

export function sendRequest(request: OutboundRequest, outbound: Outbound): Promise<Outcome> {
  const current = currentSpan();
  if (!current) return send(request, outbound);
  const span = current.child(`HTTP ${request.method}`, 'client', attributesOf(request));
  const headers = { ...request.headers, ...traceContextHeaders(span?.context ?? current) };
  const outcome = send({ ...request, headers }, outbound);
  if (span) void outcome.then(result => endSpan(span, result));
  return outcome;
}

/** Without path and query, which can hold a secret of the receiver, or the beginning of a password's hash. */
function attributesOf({ method, url }: OutboundRequest) {
  const parsed = URL.parse(url);
  const port = parsed?.port || (parsed?.protocol === 'https:' ? '443' : '80');
  return {
    'http.request.method': method,
    'server.address': parsed?.hostname,
    'server.port': parsed ? Number(port) : undefined,
    'url.scheme': parsed?.protocol.slice(0, -1),
  };
}

/** "Status" of the conventions for HTTP clients: an answer of 400 or more is an error. */
function endSpan(span: OpenSpan, outcome: Outcome): void {
  if (outcome.kind === 'failed') {
    span.end('no_answer');
    return;
  }
  const { status } = outcome;
  span.end(status >= 400 ? String(status) : undefined, { 'http.response.status_code': status });
}

function send(asked: OutboundRequest, { allowed, timeoutMs, lookup }: Outbound): Promise<Outcome> {
  const request = { timeoutMs: Math.ceil(timeoutMs * (asked.share ?? 1)), lookup, ...asked };
  const url = URL.parse(request.url);
  if (!url || !/^https?:$/.test(url.protocol)) return failed('the address is no http or https URL');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // An address needs no lookup, so that the guard of the lookup would not see it.
  const isPlain = request.isDocument === true && url.protocol === 'http:';
  const guard: Guard = address => mayReach(address, allowed) && (!isPlain || isAllowed(address, allowed));
  if (isIP(host) !== 0 && !guard(host)) return failed(isPlain ? NOT_HTTPS : NOT_PUBLIC);
  return request.connections && !isIdempotent(request)
    ? noticeClosed().then(() => exchanged(request, url, guard))
    : exchanged(request, url, guard);
}

/**
 * Such a request is not sent again: a token endpoint that gets a code twice revokes what came of it. So connections that were closed by now are
 * noticed first, which takes the event loop one look at them: it is between two turns.
 */
async function noticeClosed(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** RFC 9110 section 9.2.2: of the methods that are sent here. */
function isIdempotent({ method }: OutboundRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function exchanged(request: TimedRequest, url: URL, guard: Guard): Promise<Outcome> {
  return new Promise(done => {
    try {
      exchange(request, url, guard, done);
    } catch (error) {
      // A header or method that node:http does not send.
      done({ kind: 'failed', reason: (error as Error).message });
    }
  });
}

async function failed(reason: string): Promise<Outcome> {
  return { kind: 'failed', reason };
}

function exchange(request: TimedRequest, url: URL, guard: Guard, done: (outcome: Outcome) => void): void {
  const { method, headers = {}, body = '', maxBytes, timeoutMs, connections } = request;
  const startedAt = performance.now();
  const sendOn = url.protocol === 'https:' ? requestHttps : requestHttp;
  let isDone = false;
  const outgoing = sendOn(url, {
    method,
    headers: body === '' ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
    lookup: guardedLookup(guard, request.lookup, () => !isDone),
    // Never one of the pool of the process, nor through a proxy that an environment variable names: the guard would not see it.
    agent: connections?.agentFor(url.protocol) ?? false,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  const finish = (outcome: Outcome) => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    done(outcome);
    // The answer was read to its end: the connection may be used again.
    if (outcome.kind === 'failed' || maxBytes === 0 || !connections) outgoing.destroy();
  };
  const fail = (error: Error) => finish({ kind: 'failed', reason: error.message });
  const timer = setTimeout(() => fail(new Error(`no complete answer within ${timeoutMs} ms`)), timeoutMs);
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    const isClosed = outgoing.reusedSocket && CLOSED.includes(error.code ?? '');
    if (isDone || !isClosed || !isIdempotent(request)) return fail(error);
    // The other side has closed a kept connection just when it was used again. Nobody knows whether it has read the request.
    isDone = true;
    clearTimeout(timer);
    const { connections: _, ...alone } = request;
    exchange({ ...alone, timeoutMs: Math.max(1, timeoutMs - (performance.now() - startedAt)) }, url, guard, done);
  });
  outgoing.on('close', () => fail(new Error('the connection was closed')));
  outgoing.on('response', incoming => receive(incoming, maxBytes, finish, fail));
  outgoing.end(body);
}

const CLOSED = ['ECONNRESET', 'EPIPE'];

function receive(
  incoming: IncomingMessage,
  maxBytes: number,
  finish: (outcome: Outcome) => void,
  fail: (error: Error) => void,
): void {
  const { statusCode: status = 0, headers } = incoming;
  const answer = (pieces: Buffer[]) => finish({ kind: 'answered', status, headers, body: Buffer.concat(pieces) });
  if (maxBytes === 0) {
    answer([]);
    return;
  }
  const pieces: Buffer[] = [];
  let size = 0;
  incoming.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size > maxBytes) fail(new Error(`the body is longer than ${maxBytes} bytes`));
    else pieces.push(piece);
  });
  incoming.on('end', () => answer(pieces));
  incoming.on('error', fail);
}

/** The answer's body means nothing here, and could be endless. */
export function postForm(url: string, body: string, outbound: Outbound): Promise<Outcome> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return sendRequest({ method: 'POST', url, headers, body, maxBytes: 0 }, outbound);
}

export function guardedLookup(guard: Guard, lookup = lookupOfAll, isWanted = () => true): LookupFunction {
  return (hostname, options, callback) => {
    const resolved: Resolved = (error, addresses) => {
      const reachable = error ? [] : addresses.filter(({ address }) => guard(address));
      const [first] = reachable;
      if (!first) callback(error ?? new Error(NOT_PUBLIC), '', 0);
      else if (options.all) callback(null, reachable);
      else callback(null, first.address, first.family);
    };
    lookup(hostname, { ...options, all: true }, resolved, isWanted);
  };
}
