import type { Server, ServerResponse } from 'node:http';
import type { Services } from '../../services.ts';
import { DEPENDS_ON_ORIGIN, EVERY_ORIGIN, NO_HEADERS } from './cors.ts';
import { type Headers, NOT_STORED, type Reply } from './message.ts';

/** RFC 6797: a year of https alone, also for names below this one, from which cookies could be planted. */
const HSTS = 'max-age=31536000; includeSubDomains';

/** Writes an answer, with what every answer says and what pages of other origins may do with this one. */
export function send(
  { config }: Services,
  outgoing: ServerResponse,
  { status, headers, body }: Reply,
  id: string,
  server: Server,
  granted: Headers = NO_HEADERS,
): void {
  // While draining, a connection ends with the answer that is on its way.
  if (!server.listening) outgoing.shouldKeepAlive = false;
  const lines = [...linesOf(headers), ...linesOf(granted), 'x-request-id', id, 'x-content-type-options', 'nosniff'];
  if (config.baseUrl.startsWith('https:')) lines.push('strict-transport-security', HSTS);
  const length = Buffer.byteLength(body);
  if (status !== 204 && status !== 304) lines.push('content-length', String(length));
  if (status === 413) lines.push('connection', 'close');
  outgoing.writeHead(status, lines);
  // Text of one byte a character is written in one go with the headers, without being encoded again.
  outgoing.end(body, length === body.length ? 'latin1' : 'utf8');
}

/** Headers as node:http takes them without looking at each: a name, its value, the next name. */
function linesOf(headers: Headers): readonly string[] {
  return ready.get(headers) ?? listed(headers);
}

function listed(headers: Headers): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => [value].flat().flatMap(one => [name, one]));
}

/** Those of nearly every answer to a program. */
const ready: ReadonlyMap<Headers, readonly string[]> = new Map(
  [NOT_STORED, NO_HEADERS, DEPENDS_ON_ORIGIN, EVERY_ORIGIN].map(headers => [headers, listed(headers)]),
);
