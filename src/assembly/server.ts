import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Trust } from '../platform/http/client-certificate.ts';
import { type ConcurrencyLimit, createConcurrencyLimit } from '../platform/http/concurrency-limit.ts';
import { createPipelineGuard, isPipelined, LIMITS, limitConnections } from '../platform/http/connections.ts';
import { discardBody } from '../platform/http/discard-body.ts';
import { createServer } from '../platform/http/http-server.ts';
import { createOverloadReplies, OVERLOADED, type OverloadReplies } from '../platform/http/overload-reply.ts';
import { type Body, BodyMemory, maxBodyBytes, NO_BODY, readBody } from '../platform/http/read-body.ts';
import { IncomingRequest, splitUrl } from '../platform/http/read-request.ts';
import { reportOncePerSecond } from '../platform/http/report.ts';
import type { Method, Route } from '../platform/http/route.ts';
import { createRouter, type Match, NO_PARAMS, type Router } from '../platform/http/router.ts';
import { send } from '../platform/http/send.ts';
import type { Metrics } from '../platform/observe/instruments.ts';
import type { RequestSpan } from '../platform/telemetry/tracing.ts';
import type { Services } from '../services.ts';
import { handle } from './handle.ts';

/** From node:http to plain values and back. Every request gets an answer, whatever happens in between. */
export function createHttpServer(
  services: Services,
  routes: readonly Route[] = services.tables.routes,
  limit = createConcurrencyLimit(),
): Server {
  const nextId = requestIds(services);
  const { trustedProxies, clientCertificates } = services.config;
  const isPipeliningTooMuch = createPipelineGuard();
  // A request without a body gets no stream of one: nothing reads it (BODY_METHODS).
  const server = createServer({ ...LIMITS, optimizeEmptyRequests: true }, (incoming, outgoing) => {
    const { socket } = incoming;
    if (isPipeliningTooMuch(socket, outgoing)) return void socket.destroy();
    receive(front, { incoming, outgoing, id: nextId() });
  });
  const front: Front = {
    services,
    server,
    limit,
    router: createRouter(routes),
    memory: new BodyMemory(),
    maxBodyBytes: ({ url = '/', method = '' }) => {
      const methods = front.router(splitUrl(url).path)?.route.methods;
      return maxBodyBytes(methods && Object.hasOwn(methods, method) ? methods[method as Method]?.body : undefined);
    },
    overloadReply: createOverloadReplies(services),
    noteRejection: countRejections(services),
    trust: {
      proxies: trustedProxies.rules.length === 0 ? undefined : trustedProxies,
      certificateHeader: clientCertificates?.header,
    },
  };
  server.on('connection', limit.noteConnection);
  limitConnections(server, services.config, services.log, services.metrics);
  watchRequests(services.metrics, limit);
  return server;
}

function watchRequests({ watch }: Metrics, limit: ConcurrencyLimit): void {
  const gauge = (name: string, help: string, read: () => number) => watch({ name, help, aggregation: 'sum', read });
  gauge('gatehouse_requests_running', 'Requests being handled.', () => limit.load().running);
  gauge('gatehouse_requests_waiting', 'Requests in the queue.', () => limit.load().waiting);
}

function countRejections({ log, metrics }: Services): () => void {
  const report = reportOncePerSecond(rejected => log.warn('overload', { rejected }));
  let count = 0;
  metrics.watch({
    name: 'gatehouse_requests_rejected_total',
    help: 'Requests rejected (503) because there were too many.',
    aggregation: 'sum',
    isCounter: true,
    read: () => count,
  });
  return () => {
    count++;
    report();
  };
}

/** Unique per process and request, and cheap: the log line of a fault is found by it. */
function requestIds({ random }: Services): () => string {
  const process = random.bytes(6).toString('hex');
  let count = 0;
  return () => `${process}-${++count}`;
}

/** In the metrics, for paths that no route has. */
const NO_ROUTE = 'none';

/** What the server has for all requests. */
interface Front {
  readonly services: Services;
  readonly server: Server;
  readonly router: Router;
  readonly limit: ConcurrencyLimit;
  readonly memory: BodyMemory;
  /** Asked only about a body that may be larger than most routes take. */
  maxBodyBytes(incoming: IncomingMessage): number;
  readonly overloadReply: OverloadReplies;
  noteRejection(): void;
  readonly trust: Trust;
}

/** A request as node:http has it, and where its answer goes. */
interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly id: string;
}

/** The methods whose body has a meaning. What comes with another is dropped (RFC 9110 sections 9.3.1 and 9.3.5). */
const BODY_METHODS: ReadonlySet<string | undefined> = new Set(['POST', 'PUT', 'PATCH']);

/** The caller may never finish its body, so a request takes no place of the concurrency limit before it is complete. */
function receive(front: Front, exchange: Exchange): void {
  const { incoming, outgoing } = exchange;
  if (BODY_METHODS.has(incoming.method)) {
    readBody(incoming, front.memory, body => received(front, exchange, body), front.maxBodyBytes);
    return;
  }
  // A body that means nothing is not read to its end: it may have none.
  if (hasBody(incoming)) {
    outgoing.shouldKeepAlive = false;
    discardBody(incoming.socket);
  }
  received(front, exchange, NO_BODY);
}

/** RFC 9112 section 6.3. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function received(front: Front, exchange: Exchange, body: Body): void {
  if (body.kind === 'rejected') reject(front, exchange, 0, true);
  else if (isPipelined(exchange.outgoing)) waitForPredecessor(front, exchange, body);
  else admit(front, exchange, body);
}

/** The server handles one request of a connection at a time, however many are pipelined: the answer could not be sent earlier. */
function waitForPredecessor(front: Front, exchange: Exchange, body: Body): void {
  const { incoming, outgoing } = exchange;
  const release = front.memory.hold(body);
  if (!release) return void incoming.socket.destroy();
  outgoing.once('close', release);
  outgoing.once('socket', () => {
    release();
    admit(front, exchange, body);
  });
}

/** Exempt from the concurrency limit: a supervisor that receives 503 restarts the process. */
const HEALTH_CHECKS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

function admit(front: Front, exchange: Exchange, body: Body): void {
  const receivedAt = performance.now();
  if (front.limit.tryAcquire()) void serve(front, exchange, body, receivedAt, true);
  else if (HEALTH_CHECKS.has(splitUrl(exchange.incoming.url ?? '/').path))
    void serve(front, exchange, body, receivedAt, false);
  else enqueue(front, exchange, body, receivedAt);
}

function enqueue(front: Front, exchange: Exchange, body: Body, receivedAt: number): void {
  const release = front.memory.hold(body);
  if (!release) {
    reject(front, exchange, receivedAt);
    return;
  }
  const leave = (then: () => void) => () => {
    release();
    if (exchange.incoming.socket.destroyed) return false;
    then();
    return true;
  };
  front.limit.enqueue({
    start: leave(() => void serve(front, exchange, body, receivedAt, true)),
    reject: leave(() => reject(front, exchange, receivedAt)),
  });
}

async function serve(
  { services, server, router, limit, trust }: Front,
  { incoming, outgoing, id }: Exchange,
  body: Body,
  receivedAt: number,
  hasPlace: boolean,
): Promise<void> {
  const requests = services.metrics.timing?.requests;
  let match: Match | undefined;
  let span: RequestSpan | undefined;
  try {
    const { path, query } = splitUrl(incoming.url ?? '/');
    match = router(path);
    const params = match?.params ?? NO_PARAMS;
    const request = new IncomingRequest(incoming, id, params, query, body, receivedAt, trust);
    span = services.tracing?.startRequest(request, match);
    const handled = span ? handleWithin(span, services, request, match, body) : handle(services, request, match, body);
    const { reply, granted } = await handled;
    send(services, outgoing, reply, id, server, granted);
    span?.end(reply, applicationOf(services, match));
    const answeredAt = performance.now();
    requests?.record(match?.route.name ?? NO_ROUTE, reply.status, reply.error, answeredAt - receivedAt);
    if (match) services.statistics.answered(match.app, match.route.name, receivedAt, answeredAt);
  } catch (error) {
    lastResort(services, outgoing, id, error);
    span?.end(FAULT, undefined);
    requests?.record(match?.route.name ?? NO_ROUTE, 500, 'server_error', performance.now() - receivedAt);
  } finally {
    if (hasPlace) limit.release();
  }
}

/** A function of its own: a closure in `serve` would cost every request, traced or not. */
function handleWithin(span: RequestSpan, ...request: Parameters<typeof handle>): ReturnType<typeof handle> {
  return span.within(() => handle(...request));
}

const FAULT = { status: 500, error: 'server_error' } as const;

/** The code in the path is whatever the caller wrote, unless there is such an application. */
function applicationOf({ registry }: Services, match: Match | undefined): string | undefined {
  return match && match.app !== '' && registry.cachedApplication(match.app) ? match.app : undefined;
}

/** The cheap way out of an overload: nothing of the request is done, no line is logged, and few of them are kept. */
function reject(front: Front, { incoming, outgoing, id }: Exchange, receivedAt: number, isUnfinished = false): void {
  const { services, server, overloadReply } = front;
  front.noteRejection();
  try {
    const { path, query } = splitUrl(incoming.url ?? '/');
    const match = front.router(path);
    const reply = overloadReply(incoming, match, id);
    const request = new IncomingRequest(incoming, id, NO_PARAMS, query, NO_BODY, receivedAt, front.trust);
    services.refusals.note(request, { app: match?.app ?? '', route: match?.route.name, path }, OVERLOADED);
    // The rest of an unfinished body is not waited for.
    const headers = isUnfinished ? { ...reply.headers, connection: 'close' } : reply.headers;
    send(services, outgoing, { ...reply, headers }, id, server);
    const took = receivedAt === 0 ? 0 : performance.now() - receivedAt;
    services.metrics.timing?.requests.record(match?.route.name ?? NO_ROUTE, 503, 'temporarily_unavailable', took);
  } catch (error) {
    lastResort(services, outgoing, id, error);
  }
}

/** A fault while an answer was made or written must not reach the process. */
function lastResort({ log }: Services, outgoing: ServerResponse, id: string, error: unknown): void {
  log.error('reply.fault', { request: id, message: (error as Error).message });
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(500, { 'x-request-id': id }).end();
}
