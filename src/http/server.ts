import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { type Answer, type Headers, isRefusal, type Refusal, type Reply, type Request } from '../message.ts';
import type { Metrics } from '../observe/instruments.ts';
import { failure } from '../protocol/errors.ts';
import type { Services } from '../services.ts';
import { StoreUnavailable } from '../store/faults.ts';
import { type ConcurrencyLimit, createConcurrencyLimit } from './concurrency-limit.ts';
import { createPipelineGuard, isPipelined, LIMITS, limitConnections } from './connections.ts';
import { grantedHeaders, NO_HEADERS, preflight } from './cors.ts';
import { errorReply } from './error-response.ts';
import { createOverloadReplies, type OverloadReplies } from './overload-reply.ts';
import { type Body, BodyMemory, NO_BODY, readBody } from './read-body.ts';
import { IncomingRequest, splitUrl } from './read-request.ts';
import { reportOncePerSecond } from './report.ts';
import { type Match, match } from './router.ts';
import { send } from './send.ts';

/** From node:http to plain values and back. Every request gets an answer, whatever happens in between. */
export function createHttpServer(services: Services): Server {
  const nextId = requestIds(services);
  const { trustedProxies } = services.config;
  const limit = createConcurrencyLimit();
  const isPipeliningTooMuch = createPipelineGuard();
  const server = createServer(LIMITS, (incoming, outgoing) => {
    const { socket } = incoming;
    if (isPipeliningTooMuch(socket, outgoing)) return void socket.destroy();
    receive(front, { incoming, outgoing, id: nextId() });
  });
  const front: Front = {
    services,
    server,
    limit,
    memory: new BodyMemory(),
    overloadReply: createOverloadReplies(services),
    noteRejection: countRejections(services),
    proxies: trustedProxies.rules.length === 0 ? undefined : trustedProxies,
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

/** In the metrics, for addresses that are none of ours. */
const NO_ROUTE = 'none';

/** What every request meets here. */
interface Front {
  readonly services: Services;
  readonly server: Server;
  readonly limit: ConcurrencyLimit;
  readonly memory: BodyMemory;
  readonly overloadReply: OverloadReplies;
  noteRejection(): void;
  readonly proxies: BlockList | undefined;
}

/** A request as node:http has it, and where its answer goes. */
interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly id: string;
}

/** A sender may never get to the end of its body, so until then it takes nobody's place. */
function receive(front: Front, exchange: Exchange): void {
  const { incoming } = exchange;
  if (incoming.method === 'POST') readBody(incoming, front.memory, body => received(front, exchange, body));
  else received(front, exchange, NO_BODY);
}

function received(front: Front, exchange: Exchange, body: Body): void {
  if (body.kind === 'rejected') reject(front, exchange, 0, true);
  else if (isPipelined(exchange.outgoing)) waitForPredecessor(front, exchange, body);
  else admit(front, exchange, body);
}

/** A connection has one request handled at a time, however many it sends ahead: no place is taken by an answer that could not be sent yet. */
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

/** A supervisor that asks whether we live must not be told "busy", or it restarts us. */
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
  { services, server, limit, proxies }: Front,
  { incoming, outgoing, id }: Exchange,
  body: Body,
  receivedAt: number,
  hasPlace: boolean,
): Promise<void> {
  const requests = services.metrics.timing?.requests;
  let found: Match | undefined;
  try {
    const { path, query } = splitUrl(incoming.url ?? '/');
    found = match(path);
    const request = new IncomingRequest(incoming, id, query, body, receivedAt, proxies);
    let granted: Headers = NO_HEADERS;
    let answer: Answer;
    try {
      const headers = found ? grantedHeaders(services, request, found) : NO_HEADERS;
      granted = headers instanceof Promise ? await headers : headers;
      answer = await dispatch(services, request, found, body, granted);
    } catch (error) {
      answer = faultAnswer(services, request, error);
    }
    const reply = isRefusal(answer) ? refuse(services, request, found, answer) : answer;
    send(services, outgoing, reply, id, server, granted);
    requests?.record(found?.name ?? NO_ROUTE, reply.status, reply.error, performance.now() - receivedAt);
  } catch (error) {
    lastResort(services, outgoing, id, error);
    requests?.record(found?.name ?? NO_ROUTE, 500, 'server_error', performance.now() - receivedAt);
  } finally {
    if (hasPlace) limit.release();
  }
}

/** The cheap way out of an overload: nothing of the request is done, and no line is logged. */
function reject(front: Front, { incoming, outgoing, id }: Exchange, receivedAt: number, isUnfinished = false): void {
  const { services, server, overloadReply } = front;
  front.noteRejection();
  try {
    const found = match(splitUrl(incoming.url ?? '/').path);
    const reply = overloadReply(incoming, found);
    // What else is on its way of a body is not waited for.
    const headers = isUnfinished ? { ...reply.headers, connection: 'close' } : reply.headers;
    send(services, outgoing, { ...reply, headers }, id, server);
    const took = receivedAt === 0 ? 0 : performance.now() - receivedAt;
    services.metrics.timing?.requests.record(found?.name ?? NO_ROUTE, 503, 'temporarily_unavailable', took);
  } catch (error) {
    lastResort(services, outgoing, id, error);
  }
}

/** A fault while an answer was made or written must not reach the process. */
function lastResort({ log }: Services, outgoing: ServerResponse, id: string, error: unknown): void {
  log.error('reply.fault', { request: id, message: (error as Error).message });
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(500).end();
}

function refuse(services: Services, request: Request, found: Match | undefined, refusal: Refusal): Reply {
  logRefusal(services, request, found, refusal);
  const realm = found?.kind === 'endpoint' ? found.app : 'gatehouse';
  const reply = errorReply(refusal, request, found?.route.errors ?? 'page', services.config.docsUrl, realm);
  return { ...reply, error: refusal.failure.error };
}

function dispatch(
  services: Services,
  request: Request,
  found: Match | undefined,
  body: Body,
  granted: Headers,
): Answer | Promise<Answer> {
  if (!found) return { failure: failure('notFound') };
  const { methods } = found.route;
  if (request.method === 'OPTIONS') return preflight(allowOf(methods), granted);
  const method = request.method === 'HEAD' && !('HEAD' in methods) ? 'GET' : request.method;
  if (!Object.hasOwn(methods, method)) {
    return { failure: failure('methodNotAllowed', request.method), allow: allowOf(methods) };
  }

  if (body.kind === 'tooLarge') return { failure: failure('bodyTooLarge') };
  if (body.kind === 'notUtf8') return { failure: failure('bodyNotUtf8') };
  return run(services, request, found, method);
}

function run(services: Services, request: Request, found: Match, method: string): Answer | Promise<Answer> {
  if (found.kind === 'page') {
    const handler = found.route.methods[method];
    return handler ? handler(services, request) : { failure: failure('notFound') };
  }
  const handler = found.route.methods[method];
  if (!handler) return { failure: failure('notFound') };
  const known = services.registry.cachedApplication(found.app);
  if (known) return handler(services, request, known);
  return services.registry
    .application(found.app, request.receivedAt)
    .then(application =>
      application ? handler(services, request, application) : { failure: failure('applicationUnknown') },
    );
}

function allowOf(methods: object): string {
  return [...new Set([...Object.keys(methods), ...('GET' in methods ? ['HEAD'] : []), 'OPTIONS'])].join(', ');
}

const RETRY_SECONDS = 1;

function faultAnswer({ log }: Services, request: Request, error: unknown): Refusal {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  if (error instanceof StoreUnavailable) {
    log.error('store.unavailable', { request: request.id, message });
    return { failure: failure('storeUnavailable'), retryAfter: RETRY_SECONDS };
  }
  log.error('request.fault', { request: request.id, name, message, stack });
  return { failure: failure('serverError') };
}

/** Who was refused and why. Of what a caller sent nothing is logged but the detail of a failure, such as a refused scope. */
function logRefusal({ log }: Services, request: Request, found: Match | undefined, refusal: Refusal): void {
  const { name, status, error, detail } = refusal.failure;
  // A code that is nobody's is whatever the caller wrote.
  const app = found?.kind === 'endpoint' && name !== 'applicationUnknown' ? found.app : refusal.app;
  const { client, sub } = refusal;
  const { id, address } = request;
  log.info('request.refused', {
    request: id,
    app,
    route: found?.name,
    status,
    error,
    reason: name,
    detail,
    client,
    sub,
    address,
  });
}
