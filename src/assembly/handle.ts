import { loggedDetail } from '../audit/refusals/mask.ts';
import type { Application } from '../directory/applications/rules.ts';
import { type Failure, failure } from '../failures.ts';
import { cachedHeaders, DEPENDS_ON_ORIGIN, NO_HEADERS, originHeaders, preflight } from '../platform/http/cors.ts';
import { errorReply } from '../platform/http/error-response.ts';
import {
  type Answer,
  type Headers,
  header,
  isRefusal,
  type Refusal,
  type Reply,
  type Request,
} from '../platform/http/message.ts';
import { hasTooManyParams } from '../platform/http/params.rules.ts';
import { type Body, MAX_BODY_BYTES, maxBodyBytes } from '../platform/http/read-body.ts';
import { readJson } from '../platform/http/read-json.ts';
import type { IncomingRequest } from '../platform/http/read-request.ts';
import type { Action, Actions, BodyKind, Method } from '../platform/http/route.ts';
import type { Match } from '../platform/http/router.ts';
import { StoreUnavailable } from '../platform/store/faults.ts';
import { withinRequest } from '../platform/store/request-time.ts';
import type { Endpoint, Handler, Services } from '../services.ts';

export interface Handled {
  readonly reply: Reply;
  /** What pages of other origins may do with the reply. */
  readonly granted: Headers;
}

/** From a request to its reply: every refusal in the form of its route, and a fault of the server as a refusal. */
export function handle(
  services: Services,
  request: IncomingRequest,
  match: Match | undefined,
  body: Body,
): Promise<Handled> {
  // The embedded store does not keep a request waiting, and need not pay for it.
  if (services.config.database.kind === 'sqlite') return replyTo(services, request, match, body);
  return withinRequest(request.receivedAt, () => replyTo(services, request, match, body));
}

async function replyTo(
  services: Services,
  request: IncomingRequest,
  match: Match | undefined,
  body: Body,
): Promise<Handled> {
  let granted: Headers = NO_HEADERS;
  let answer: Answer;
  try {
    if (match) granted = cachedHeaders(services, request, match);
    if (match && granted === DEPENDS_ON_ORIGIN) {
      const origin = header(request, 'origin');
      if (origin !== undefined) granted = await originHeaders(services, match.app, origin);
    }
    answer = await dispatch(services, request, match, body, granted);
  } catch (error) {
    answer = faultAnswer(services, request, error);
  }
  return {
    reply: isRefusal(answer) ? refuse(services, request, match, answer) : noted(services, request, match, answer),
    granted,
  };
}

/** A refusal that went back to the client, or to the form it came from, can be explained as well. */
function noted(services: Services, request: IncomingRequest, match: Match | undefined, reply: Reply): Reply {
  if (reply.refusal) noteRefusal(services, request, match, reply.refusal);
  return reply;
}

function noteRefusal(
  { refusals }: Services,
  request: IncomingRequest,
  match: Match | undefined,
  refusal: Refusal,
): void {
  refusals.note(request, { app: match?.app ?? '', route: match?.route.name, path: request.path }, refusal);
}

const NOT_FOUND: Refusal = { failure: failure('notFound') };

function dispatch(
  services: Services,
  request: IncomingRequest,
  match: Match | undefined,
  body: Body,
  granted: Headers,
): Promise<Answer> {
  if (!match) return Promise.resolve(NOT_FOUND);
  const { route, app } = match;
  const early = answerWithoutAction(request.method, route.methods, body, granted);
  if (early) return Promise.resolve(early);
  return route.kind === 'page'
    ? runPage(services, request, actionOf(request.method, route.methods))
    : runEndpoint(services, request, app, actionOf(request.method, route.methods));
}

function runPage(services: Services, request: IncomingRequest, action: Action<Handler> | undefined): Promise<Answer> {
  if (!action) return Promise.resolve(NOT_FOUND);
  const refused = refusedInput(request, action);
  return refused ? Promise.resolve(refused) : action.handle(services, request);
}

function runEndpoint(
  services: Services,
  request: IncomingRequest,
  app: string,
  action: Action<Endpoint> | undefined,
): Promise<Answer> {
  const run = (application: Application | undefined): Promise<Answer> => {
    if (!action || !application) return Promise.resolve({ failure: failure('applicationUnknown') });
    const refused = refusedInput(request, action);
    return refused ? Promise.resolve(refused) : action.handle(services, request, application);
  };
  const application = services.registry.cachedApplication(app);
  return application ? run(application) : services.registry.application(app).then(run);
}

function actionOf<Handler>(method: string, methods: Actions<Handler>): Action<Handler> | undefined {
  if (Object.hasOwn(methods, method)) return methods[method as Method];
  return method === 'HEAD' ? methods.GET : undefined;
}

/** OPTIONS, a method that the route does not have, and a body that is none. */
function answerWithoutAction(
  method: string,
  methods: Actions<unknown>,
  body: Body,
  granted: Headers,
): Answer | undefined {
  const action = actionOf(method, methods);
  if (!action) return withoutMethod(method, methods, granted);
  if (body.kind === 'tooLarge') return { failure: bodyTooLarge(action.body) };
  if (body.kind === 'notUtf8') return { failure: failure('bodyNotUtf8') };
  return undefined;
}

/** Its description names the limit of most routes; the few that take more say how much. */
function bodyTooLarge(kind: BodyKind): Failure {
  const refused = failure('bodyTooLarge');
  const max = maxBodyBytes(kind);
  if (max === MAX_BODY_BYTES) return refused;
  const size = max >= MEBIBYTE ? `${max / MEBIBYTE} MiB` : `${max / 1024} KiB`;
  return { ...refused, description: refused.description.replace('64 KiB', size), parameter: size };
}

const MEBIBYTE = 1024 * 1024;

function withoutMethod(method: string, methods: Actions<unknown>, granted: Headers): Answer {
  const names = Object.keys(methods);
  if (names.length === 0) return NOT_FOUND;
  const allow = [...new Set([...names, ...(methods.GET ? ['HEAD'] : []), 'OPTIONS'])].join(', ');
  if (method === 'OPTIONS') return preflight(allow, granted);
  return { failure: failure('methodNotAllowed', method), headers: { allow } };
}

const TOO_MANY_PARAMS: Refusal = { failure: failure('tooManyParameters') };

/** Leaves the value of a JSON body in the request. */
function refusedInput(request: IncomingRequest, { body }: Action<unknown>): Refusal | undefined {
  const isForm = body === 'form' || body === 'large-form';
  if (hasTooManyParams(request.query) || (isForm && hasTooManyParams(request.body))) return TOO_MANY_PARAMS;
  const read = readJson(request, body);
  if ('failure' in read) return read;
  request.json = read.value;
  return undefined;
}

function refuse(services: Services, request: IncomingRequest, match: Match | undefined, refusal: Refusal): Reply {
  if (!refusal.isRoutine) {
    logRefusal(services, request, match, refusal);
    noteRefusal(services, request, match, refusal);
  }
  const realm = match?.route.kind === 'endpoint' ? match.app : 'gatehouse';
  const reference = { docsUrl: services.config.docsUrl, failures: services.tables.failures };
  const reply = errorReply(refusal, request, match?.route.errors ?? 'page', reference, realm);
  return { ...reply, error: refusal.failure.error };
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

/** Of what a caller sent, nothing is logged but the detail of a failure, such as a refused scope, unless it looks random. */
function logRefusal({ log }: Services, request: Request, match: Match | undefined, refusal: Refusal): void {
  const { name, status, error, detail } = refusal.failure;
  // The code of an unknown application is whatever the caller wrote.
  const app = match?.route.kind === 'endpoint' && name !== 'applicationUnknown' ? match.app : refusal.app;
  const { client, sub } = refusal;
  const { id, address } = request;
  log.info('request.refused', {
    request: id,
    app,
    route: match?.route.name,
    status,
    error,
    reason: name,
    detail: loggedDetail(detail),
    client,
    sub,
    address,
  });
}
