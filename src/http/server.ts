import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { type Answer, type Headers, isRefusal, type Refusal, type Reply, type Request } from '../message.ts';
import type { Metrics } from '../observe/instruments.ts';
import { failure } from '../protocol/errors.ts';
import type { Services } from '../services.ts';
import { StoreUnavailable } from '../store/store.ts';
import { type Admission, createAdmission } from './admission.ts';
import { type BusyReplies, createBusyReplies } from './busy-reply.ts';
import { createPipelineGuard, isAhead, LIMITS, limitConnections } from './connections.ts';
import { grantedHeaders, NO_HEADERS, preflight } from './cors.ts';
import { errorReply } from './error-response.ts';
import { createHoldBack } from './hold-back.ts';
import { type Body, IncomingRequest, NO_BODY, readBody, splitUrl } from './read-request.ts';
import { type Match, match } from './router.ts';
import { send } from './send.ts';

/** From node:http to plain values and back. Every request gets an answer, whatever happens in between. */
export function createHttpServer(services: Services): Server {
  const nextId = requestIds(services);
  const { trustedProxies } = services.config;
  const proxies = trustedProxies.rules.length === 0 ? undefined : trustedProxies;
  const admission = createAdmission(services);
  const busyReply = createBusyReplies(services);
  const sendsTooFarAhead = createPipelineGuard();
  const holdBack = createHoldBack();
  const server = createServer(LIMITS, (incoming, outgoing) => {
    const { socket } = incoming;
    if (sendsTooFarAhead(socket, outgoing)) return void socket.destroy();
    const id = nextId();
    if (admission.admits(incoming.url ?? '/', isAhead(outgoing) || holdBack.cameTooSoon(socket)))
      return receive(front, incoming, outgoing, id);
    holdBack.hold(socket);
    void turnAway(services, busyReply, incoming, outgoing, id, server);
  });
  const front: Front = { services, server, admission, proxies };
  if (services.metrics.timing) countConnections(server, services.metrics);
  limitConnections(server, services.log);
  return server;
}

function countConnections(server: Server, metrics: Metrics): void {
  let open = 0;
  server.on('connection', socket => {
    open++;
    socket.once('close', () => open--);
  });
  metrics.watch({
    name: 'gatehouse_http_connections',
    help: 'Connections that are open.',
    together: 'sum',
    read: () => open,
  });
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
  readonly admission: Admission;
  readonly proxies: BlockList | undefined;
}

/** A sender may never get to the end of its body, so until then it takes nobody's place. */
function receive(front: Front, incoming: IncomingMessage, outgoing: ServerResponse, id: string): void {
  if (incoming.method === 'POST') readBody(incoming, body => void serve(front, incoming, outgoing, id, body));
  else void serve(front, incoming, outgoing, id, NO_BODY);
}

async function serve(
  { services, server, admission, proxies }: Front,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  id: string,
  body: Body,
): Promise<void> {
  admission.begins();
  const requests = services.metrics.timing?.requests;
  const began = requests ? performance.now() : 0;
  let found: Match | undefined;
  try {
    const { path, query } = splitUrl(incoming.url ?? '/');
    found = match(path);
    const request = new IncomingRequest(incoming, id, query, body, proxies);
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
    requests?.note(found?.name ?? NO_ROUTE, reply.status, reply.error, performance.now() - began);
  } catch (error) {
    lastResort(services, outgoing, id, error);
    requests?.note(found?.name ?? NO_ROUTE, 500, 'server_error', performance.now() - began);
  }
  admission.finished();
}

/** The cheap way out of an overload: no body is waited for, and no line is logged. */
async function turnAway(
  services: Services,
  busyReply: BusyReplies,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  id: string,
  server: Server,
): Promise<void> {
  try {
    const found = match(splitUrl(incoming.url ?? '/').path);
    const reply = busyReply(incoming, found);
    send(services, outgoing, reply instanceof Promise ? await reply : reply, id, server);
    services.metrics.timing?.requests.note(found?.name ?? NO_ROUTE, 503, 'temporarily_unavailable', 0);
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
  const known = services.registry.knownApplication(found.app);
  if (known) return handler(services, request, known);
  return services.registry
    .application(found.app)
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
