import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../observe/log.ts';

/** What headers, bodies and answers may take of a connection: docs/operations.md lists these for operators. */
export const LIMITS = {
  maxHeaderSize: 48 * 1024,
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5000,
} as const;

/** How often it is looked whether callers take their answers. */
const READING_CHECK_MS = 20_000;
/** Below what a process may usually open (RLIMIT_NOFILE), and in memory a few hundred megabytes. */
const MOST_CONNECTIONS = 10_000;
/** Requests sent ahead on one connection. Browsers and client libraries send none; every one costs us the memory of its answer. */
const MOST_AHEAD = 64;
const REPORT_MS = 1000;

export function limitConnections(server: Server, log: Log): void {
  cutOffDeaf(server);
  server.maxConnections = MOST_CONNECTIONS;
  let dropped = 0;
  const say = () => {
    log.warn('connections.full', { dropped, most: MOST_CONNECTIONS });
    dropped = 0;
  };
  server.on('drop', () => {
    if (dropped++ === 0) setTimeout(say, REPORT_MS).unref();
  });
}

/**
 * Nothing in node:http ends a connection whose caller does not read: the request is complete, and the answer never is. A time-out of
 * the socket would, at the price of a timer for every request; a look at all of them now and then costs nothing.
 */
function cutOffDeaf(server: Server): void {
  const sockets = new Set<Socket>();
  const unread = new WeakMap<Socket, number>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const look = setInterval(() => {
    for (const socket of sockets) {
      const { writableLength } = socket;
      if (writableLength > 0 && unread.get(socket) === writableLength) socket.destroy();
      else unread.set(socket, writableLength);
    }
  }, READING_CHECK_MS).unref();
  server.once('close', () => clearInterval(look));
}

/** The request came before its predecessor was answered: an answer has its socket from the beginning, unless it waits for another. */
export function isAhead(outgoing: ServerResponse): boolean {
  return outgoing.socket === null;
}

/**
 * Whether a connection has more requests waiting than anybody needs. node:http parses all that came in one packet before it
 * stops to read from a caller who does not take the answers.
 */
export function createPipelineGuard(): (socket: Socket, outgoing: ServerResponse) => boolean {
  const waiting = new WeakMap<Socket, number>();
  const count = (socket: Socket, by: 1 | -1) => {
    const now = (waiting.get(socket) ?? 0) + by;
    waiting.set(socket, now);
    return now;
  };
  return (socket, outgoing) => {
    if (!isAhead(outgoing)) return false;
    outgoing.once('close', () => count(socket, -1));
    return count(socket, 1) > MOST_AHEAD;
  };
}
