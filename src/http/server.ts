import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Answer, type Headers, isRefusal, type Refusal, type Reply, type Request } from '../message.ts';
import type { Application } from '../protocol/client.ts';
import { failure } from '../protocol/errors.ts';
import type { Services } from '../services.ts';
import { StoreUnavailable } from '../store/store.ts';
import { corsHeaders, preflight } from './cors.ts';
import { errorReply } from './error-response.ts';
import { clientAddress, readBody, splitUrl } from './read-request.ts';
import { type Match, match } from './router.ts';

/** From node:http to plain values and back. Every request gets an answer, whatever happens in between. */
export function createHttpServer(services: Services): Server {
  const limits = {
    maxHeaderSize: 48 * 1024,
    headersTimeout: 15_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 5000,
  };
  const nextId = requestIds(services);
  const server = createServer(limits, (incoming, outgoing) => {
    void serve(services, incoming, outgoing, nextId());
  });
  return server;
}

/** Unique per process and request, and cheap: the log line of a fault is found by it. */
function requestIds({ random }: Services): () => string {
  const process = random.bytes(6).toString('hex');
  let count = 0;
  return () => `${process}-${(++count).toString(36)}`;
}

async function serve(
  services: Services,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  id: string,
): Promise<void> {
  const { path, query } = splitUrl(incoming.url ?? '/');
  const request: Request = {
    id,
    method: incoming.method ?? 'GET',
    query,
    headers: incoming.headers,
    body: '',
    address: clientAddress(incoming, services.config.trustedProxies),
    abandoned: () => outgoing.destroyed,
  };
  const found = match(path);
  try {
    const handled = await handle(services, incoming, request, found);
    if (handled) send(services, outgoing, handled, id);
  } catch (error) {
    // The last resort: a fault while an answer was made or written must not reach the process.
    services.log.error('reply.fault', { request: id, message: (error as Error).message });
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(500).end();
  }
}

/** Undefined when the caller went away before it had sent everything. */
async function handle(
  services: Services,
  incoming: IncomingMessage,
  request: Request,
  found: Match | undefined,
): Promise<Reply | undefined> {
  const app = found?.kind === 'endpoint' ? found.app : undefined;
  let granted: Record<string, string> = {};
  let answer: Answer | undefined;
  try {
    if (found) granted = await corsHeaders(found.route.cors, request, services.registry, app);
    answer = found ? await dispatch(services, incoming, request, found, granted) : { failure: failure('notFound') };
  } catch (error) {
    answer = faultAnswer(services, request, error);
  }
  if (answer === undefined) return undefined;
  const reply = isRefusal(answer) ? refuse(services, request, found, answer) : answer;
  return { ...reply, headers: { ...reply.headers, ...granted } };
}

function refuse(services: Services, request: Request, found: Match | undefined, refusal: Refusal): Reply {
  logRefusal(services, request, found, refusal);
  const realm = found?.kind === 'endpoint' ? found.app : 'gatehouse';
  return errorReply(refusal, request, found?.route.errors ?? 'page', services.config.docsUrl, realm);
}

/** Undefined when the caller went away before it had sent everything. */
async function dispatch(
  services: Services,
  incoming: IncomingMessage,
  request: Request,
  found: Match,
  granted: Record<string, string>,
): Promise<Answer | undefined> {
  const { methods } = found.route;
  const allow = [...new Set([...Object.keys(methods), ...('GET' in methods ? ['HEAD'] : []), 'OPTIONS'])].join(', ');
  if (request.method === 'OPTIONS') return preflight(allow, granted);
  const method = request.method === 'HEAD' && !('HEAD' in methods) ? 'GET' : request.method;
  const handled = Object.hasOwn(methods, method);
  if (!handled) return methodNotAllowed(request, allow);

  let { body } = request;
  if (method === 'POST') {
    const read = await readBody(incoming);
    if (read.kind === 'aborted') return undefined;
    if (read.kind === 'tooLarge') return { failure: failure('bodyTooLarge') };
    if (read.kind === 'notUtf8') return { failure: failure('bodyNotUtf8') };
    body = read.text;
  }
  return run(services, { ...request, body }, found, method);
}

async function run(services: Services, request: Request, found: Match, method: string): Promise<Answer> {
  if (found.kind === 'page') {
    const handler = found.route.methods[method];
    return handler ? handler(services, request) : { failure: failure('notFound') };
  }
  const application: Application | undefined = await services.registry.application(found.app);
  if (!application) return { failure: failure('applicationUnknown') };
  const handler = found.route.methods[method];
  return handler ? handler(services, request, application) : { failure: failure('notFound') };
}

function methodNotAllowed(request: Request, allow: string): Refusal {
  return { failure: failure('methodNotAllowed', request.method), allow };
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

/** Why a login or a token request failed, by names and codes alone: no value that a caller sent is logged. */
function logRefusal({ log }: Services, request: Request, found: Match | undefined, refusal: Refusal): void {
  log.info('request.refused', {
    request: request.id,
    // A code that is nobody's is whatever the caller wrote.
    app: found?.kind === 'endpoint' && refusal.failure.name !== 'applicationUnknown' ? found.app : undefined,
    route: found?.name,
    status: refusal.failure.status,
    error: refusal.failure.error,
    reason: refusal.failure.name,
    client: refusal.client,
  });
}

function send({ config }: Services, outgoing: ServerResponse, reply: Reply, id: string): void {
  const { body } = reply;
  const headers: Headers = {
    ...reply.headers,
    'x-request-id': id,
    'x-content-type-options': 'nosniff',
  };
  if (config.baseUrl.startsWith('https:')) headers['strict-transport-security'] = 'max-age=31536000';
  if (reply.status !== 204 && reply.status !== 304) headers['content-length'] = String(Buffer.byteLength(body));
  if (reply.status === 413) headers.connection = 'close';
  outgoing.writeHead(reply.status, headers);
  outgoing.end(body);
}
