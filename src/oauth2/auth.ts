import { carriesSession, currentSession } from '../accounts/sessions.ts';
import { type Answer, isForm, type Refusal, type Request, redirect } from '../message.ts';
import { RESUME } from '../pending-request.ts';
import { readAuthRequest, trustTarget } from '../protocol/auth-request.ts';
import { type Application, type Client, issuerOf } from '../protocol/client.ts';
import { type Failure, failure } from '../protocol/errors.ts';
import { decideInteraction, type Progress } from '../protocol/interaction.ts';
import { encodeParams, type Params, parseParams } from '../protocol/params.ts';
import { type ResponseFields, type ResponseMode, responseLocation } from '../protocol/response-mode.ts';
import type { Endpoint, Services } from '../services.ts';
import { formPostPage } from '../views/form-post-page.ts';
import { authorize } from './authorize.ts';

/**
 * RFC 6749 section 3.1, OIDC Core sections 3.1.2 and 3.2.2: the only place that answers a client through the browser.
 *
 *   read the request (or resume the one that was pending while the person was on our pages)
 *   → trust its client and redirect address, else a page
 *   → check the rest, else an error to the client
 *   → is somebody signed in, and recently enough? else to the login page
 *   → code or tokens to the client
 */
export const auth: Endpoint = async (services, request, application) => {
  // A look at the headers must not cost a code (RFC 9110 section 9.3.2).
  if (request.method === 'HEAD') return { status: 200, headers: { 'cache-control': 'no-store' }, body: '' };
  const opened = openRequest(services, request, application);
  if ('failure' in opened) return opened;

  const { raw, progress } = opened;
  const params = parseParams(raw);
  const target = trustTarget(params, await namedClient(services, application, params));
  if (target.kind === 'untrusted') return untrusted(target.failure, params);

  const { redirectUri } = target.target;
  const reply = (mode: ResponseMode, fields: ResponseFields) =>
    respond(services, application, redirectUri, mode, [...fields, ['state', params.get('state')]]);
  const refuse = (reason: Failure, mode: ResponseMode) => {
    services.log.info('auth.refused', {
      request: request.id,
      app: application.code,
      client: target.target.client.client_id,
      error: reason.error,
      reason: reason.name,
    });
    return reply(mode, errorFields(services, reason));
  };

  const read = readAuthRequest(params, target.target, application);
  if (read.kind === 'refused') return refuse(read.failure, read.mode);

  // Another site's POST comes without our SameSite=Lax cookies; the GET that follows brings them.
  if (request.method === 'POST' && !carriesSession(services, request)) {
    return redirect(`${issuerOf(services.config.baseUrl, application.code)}/auth?${raw}`, 303);
  }
  const session = await currentSession(services, request);
  const decision = decideInteraction(read.request, session, progress, services.clock.now());
  if (decision.kind === 'refuse') return refuse(decision.failure, read.request.responseMode);
  if (decision.kind === 'login' || !session) return toLogin(services, request, application, raw);
  return reply(read.request.responseMode, await authorize(services, application, read.request, session));
};

/** What a pending request takes in an address must fit into what we accept as one. */
const LONGEST_REQUEST = 16 * 1024;

type Opened = { readonly raw: string; readonly progress: Progress | undefined } | Refusal;

function openRequest(services: Services, request: Request, application: Application): Opened {
  if (request.method === 'POST' && !isForm(request)) return { failure: failure('contentTypeInvalid') };
  const raw = inAddress(request.method === 'POST' ? request.body : request.query);
  const sealed = request.method === 'GET' ? resumeParameter(raw) : undefined;
  if (sealed !== undefined) {
    const pending = services.pending.open(request, sealed);
    if (pending?.app !== application.code) return { failure: failure('pendingRequestExpired') };
    return { raw: pending.request, progress: { pendingId: pending.id, cancelled: pending.cancelled } };
  }
  if (raw.length > LONGEST_REQUEST) return { failure: failure('requestTooLarge') };
  return { raw, progress: undefined };
}

/** A body may hold what an address cannot: encoded alike, both fit into a Location and are measured alike. */
function inAddress(text: string): string {
  return text.replace(/[^\x21-\x7e]+/g, part => encodeURIComponent(part.toWellFormed()));
}

/** Ours only when it stands alone: a client may call its own parameters what it likes. */
function resumeParameter(query: string): string | undefined {
  return query.startsWith(`${RESUME}=`) && !query.includes('&') ? query.slice(RESUME.length + 1) : undefined;
}

function namedClient({ registry }: Services, application: Application, params: Params): Promise<Client | undefined> {
  const clientId = params.get('client_id');
  return clientId === undefined ? Promise.resolve(undefined) : registry.client(application.code, clientId);
}

/** A page for the person in front of it; what came is shown, what is registered is not. */
function untrusted(reason: Failure, params: Params): Refusal {
  switch (reason.name) {
    case 'clientUnknown':
      return { failure: reason, expected: 'a client_id of this application', came: params.get('client_id') };
    case 'redirectUriUntrusted':
      return {
        failure: reason,
        expected: 'a redirect_uri registered for this client, character by character',
        came: params.get('redirect_uri'),
      };
    default:
      return { failure: reason, expected: 'the parameter once, with a value', came: undefined };
  }
}

function toLogin(services: Services, request: Request, application: Application, raw: string): Answer {
  const { sealed, cookies } = services.pending.begin(request, application.code, raw);
  return redirect(`${services.config.baseUrl}/login?${encodeParams([['pending', sealed]])}`, 302, cookies);
}

function errorFields({ config }: Services, reason: Failure): ResponseFields {
  return [
    ['error', reason.error],
    ['error_description', reason.description],
    ['error_uri', `${config.docsUrl}/${reason.error}`],
  ];
}

/** `iss` tells the client which server answers (RFC 9207). */
function respond(
  { config }: Services,
  application: Application,
  redirectUri: string,
  mode: ResponseMode,
  fields: ResponseFields,
): Answer {
  const complete: ResponseFields = [...fields, ['iss', issuerOf(config.baseUrl, application.code)]];
  if (mode === 'form_post') return formPostPage(redirectUri, complete);
  return redirect(responseLocation(redirectUri, mode, complete), 302);
}
