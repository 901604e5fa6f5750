import type { Server, ServerResponse } from 'node:http';
import type { BlockList, Server as NetServer, Socket } from 'node:net';
import type { Metrics } from '../observe/instruments.ts';
import type { Log } from '../observe/log.ts';
import { callerNetwork, isListed, withoutMapping } from './network-address.ts';
import { reportOncePerSecond } from './report.ts';

/** Limits of size and time for each connection: docs/operations.md lists them for operators. */
export const LIMITS = {
  maxHeaderSize: 48 * 1024,
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5000,
} as const;

/** Below what a process may usually open (RLIMIT_NOFILE), and in memory a few hundred megabytes. */
export const MAX_CONNECTIONS = 10_000;
/** How often it is checked whether callers read their answers. */
const READ_CHECK_MS = 20_000;
/** Browsers and client libraries do not pipeline. Each waiting request costs the memory of its answer. */
const MAX_PIPELINED_REQUESTS = 64;

export interface ConnectionRules {
  /** From one IPv4 address or one /64 of IPv6; 0: no limit. */
  readonly maxConnectionsPerAddress: number;
  /** Many callers share the connections of a proxy: no limit applies to them. */
  readonly trustedProxies: BlockList;
}

export function limitConnections(server: Server, rules: ConnectionRules, log: Log, metrics: Metrics): void {
  closeUnreadConnections(server);
  const counts = { open: 0, rejected: 0 };
  server.on('connection', socket => {
    counts.open++;
    socket.once('close', () => counts.open--);
  });

  server.maxConnections = MAX_CONNECTIONS;
  const reportFull = reportOncePerSecond(rejected =>
    log.warn('connections.full', { rejected, limit: MAX_CONNECTIONS }),
  );
  server.on('drop', () => {
    counts.rejected++;
    reportFull();
  });
  limitConnectionsPerAddress(server, rules, log, () => counts.rejected++);
  watchConnections(metrics, counts);
}

export function limitConnectionsPerAddress(
  server: NetServer,
  rules: ConnectionRules,
  log: Log,
  onReject: () => void = () => {},
): void {
  const { maxConnectionsPerAddress: limit, trustedProxies } = rules;
  if (limit === 0) return;
  const open = new ConnectionCount(limit, trustedProxies);
  let last = '';
  const report = reportOncePerSecond(rejected => log.warn('connections.limited', { rejected, limit, address: last }));
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    if (open.tryAdd(remoteAddress)) {
      socket.once('close', () => open.remove(remoteAddress));
      return;
    }
    last = remoteAddress;
    onReject();
    report();
    socket.destroy();
  });
}

/** Open connections by IPv4 address or /64 of IPv6. Those of trusted proxies are not counted. */
export class ConnectionCount {
  readonly #limit: number;
  readonly #trusted: BlockList;
  readonly #open = new Map<string, number>();

  constructor(limit: number, trusted: BlockList) {
    this.#limit = limit;
    this.#trusted = trusted;
  }

  /** False: there are as many already as there may be. */
  tryAdd(address: string): boolean {
    const network = this.#countedAs(address);
    if (network === undefined) return true;
    const count = this.#open.get(network) ?? 0;
    if (count >= this.#limit) return false;
    this.#open.set(network, count + 1);
    return true;
  }

  remove(address: string): void {
    const network = this.#countedAs(address);
    if (network === undefined) return;
    const left = (this.#open.get(network) ?? 0) - 1;
    if (left > 0) this.#open.set(network, left);
    else this.#open.delete(network);
  }

  #countedAs(address: string): string | undefined {
    const plain = withoutMapping(address);
    return isListed(plain, this.#trusted) ? undefined : callerNetwork(plain);
  }
}

function watchConnections(metrics: Metrics, counts: { readonly open: number; readonly rejected: number }): void {
  metrics.watch({
    name: 'gatehouse_http_connections',
    help: 'Connections that are open.',
    aggregation: 'sum',
    read: () => counts.open,
  });
  metrics.watch({
    name: 'gatehouse_http_connections_rejected_total',
    help: 'Connections closed at once: too many in all, or from one address.',
    aggregation: 'sum',
    isCounter: true,
    read: () => counts.rejected,
  });
}

/**
 * node:http never ends a connection when its caller does not read: the request is complete, and the answer is not. A time-out of the socket
 * would end it, at the price of a timer for every request. Checking all sockets every READ_CHECK_MS costs less.
 */
export function closeUnreadConnections(server: Server, checkMs = READ_CHECK_MS): void {
  const sockets = new Set<Socket>();
  const unread = new WeakMap<Socket, number>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const check = setInterval(() => {
    for (const socket of sockets) {
      const { writableLength } = socket;
      if (writableLength > 0 && unread.get(socket) === writableLength) socket.destroy();
      else unread.set(socket, writableLength);
    }
  }, checkMs).unref();
  server.once('close', () => clearInterval(check));
}

/** Whether the request arrived before its predecessor was answered: until then its response has no socket. */
export function isPipelined(outgoing: ServerResponse): boolean {
  return outgoing.socket === null;
}

/**
 * Whether a connection has more requests waiting than MAX_PIPELINED_REQUESTS. node:http parses everything in one packet before it
 * stops reading from a caller that does not read its answers.
 */
export function createPipelineGuard(): (socket: Socket, outgoing: ServerResponse) => boolean {
  const waiting = new WeakMap<Socket, number>();
  const count = (socket: Socket, by: 1 | -1) => {
    const now = (waiting.get(socket) ?? 0) + by;
    waiting.set(socket, now);
    return now;
  };
  return (socket, outgoing) => {
    if (!isPipelined(outgoing)) return false;
    outgoing.once('close', () => count(socket, -1));
    return count(socket, 1) > MAX_PIPELINED_REQUESTS;
  };
}
