import type { Application } from '../../directory/applications/rules.ts';
import { findClient } from '../../directory/client-id-metadata/find-client.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { type Failure, failure } from '../../failures.ts';
import { isAgent } from '../../people/agents/rules.ts';
import { carriesSession, currentSession } from '../../people/sessions/sessions.ts';
import type { LiveSession } from '../../people/sessions/store.ts';
import { demandsOf } from '../../people/sign-in/demands.rules.ts';
import { noteLoginDenied } from '../../people/sign-in/login-denied.ts';
import { type NextStep, nextStep, whyRefused } from '../../people/sign-in/next-step.rules.ts';
import {
  advanceSignIn,
  beginSignIn,
  MAX_SEALED_LENGTH,
  openSignIn,
  RESUME,
  redirectToStep,
  resume,
  type SignIn,
} from '../../people/sign-in/progress.ts';
import { skipsSecondFactorIfTrusted } from '../../people/sign-in/strength.rules.ts';
import { trustedFor } from '../../people/trusted-browsers/trusted-browser.ts';
import { type Answer, isForm, NOTHING, type Refusal, type Request, redirect } from '../../platform/http/message.ts';
import { encodeForUrl, type Params, paramsOf, parseParams } from '../../platform/http/params.rules.ts';
import { keptImport } from '../../platform/kept-import.ts';
import type { Endpoint, Services } from '../../services.ts';
import { issuerFor } from '../discovery/issuer.ts';
import { signedRequest } from '../jar/signed-request.ts';
import { isPushed, openPushedRequest, pushedIdOf } from '../par/pushed-request.ts';
import { authorize } from './issue-response.ts';
import {
  type AuthRequest,
  checkRedirectTarget,
  MAX_REQUEST_LENGTH,
  readAuthRequest,
  recheckAuthRequest,
} from './request.rules.ts';
import { requiredUser } from './required-user.ts';
import { type AuthResponse, authResponse } from './response.ts';
import { errorResponseMode } from './response-mode.rules.ts';
import { hasWord } from './response-type.rules.ts';
import { spendRequest } from './spend-request.ts';
import { dialectOf } from './strict-oidc.rules.ts';

const loadStanding = keptImport(() => import('../../people/agents/standing.ts'));

/**
 * {issuer}/auth, the authorization endpoint (RFC 6749 section 3.1, OIDC Core sections 3.1.2 and 3.2.2): the only place that answers
 * a client through the browser.
 *
 *   read the request: trust its client and redirect address, else a page; check the rest, else an error to the client
 *   (or resume the one that was pending while the user was on the sign-in pages)
 *   → ask for the next step (people/sign-in/next-step.rules.ts): to its page, or an error to the client
 *   → done: code or tokens to the client
 */
export const auth: Endpoint = async (services, request, application) => {
  // HEAD must not issue a code (RFC 9110 section 9.3.2).
  if (request.method === 'HEAD') return NOTHING;
  const sealed = resumeParameter(request);
  const read =
    sealed === undefined
      ? await readRequest(services, request, application)
      : await resumeRequest(services, request, application, sealed);
  if (read.kind === 'answered') return read.answer;

  const { authRequest, client, requiredSub, response, signIn } = read;
  const consentOf = { app: application.code, clientId: authRequest.clientId };
  const session = await currentSession(services, request, consentOf);
  const now = services.clock.now();
  const demands = demandsOf(authRequest, client, requiredSub, application, services.config.operatorMfa);
  const seen = { session, progress: signIn?.progress, now };
  const trusted = await trustedFor(services, request, skipsSecondFactorIfTrusted(demands, seen));
  const state = { ...seen, trustedFor: trusted };
  const { steps } = services.tables;
  const next = nextStep(steps, demands, state);
  noteNoAccess(services, request, application, read, session, next);
  if (next.kind === 'refuse') {
    const facts = { ...whyRefused(steps, demands, state), validated: validated(authRequest) };
    return response.refuse(authRequest.responseMode, next.failure, facts, { session, hasLeft: hasLeft(signIn) });
  }
  if (next.kind === 'ask') return toPage(services, request, application, read, next.path);
  // Proofs that opened no session, because the last step was taken elsewhere, are in no answer: the session alone has to be enough.
  if (signIn && signIn.progress.proofs.length > 0) {
    return resume(services.config.baseUrl, advanceSignIn(services, signIn, { proofs: [] }));
  }
  if (session?.user.sub !== next.sub) return toPage(services, request, application, read, '/login');
  if (await lacksEncryptionKey(services, client, authRequest)) {
    return response.refuse(authRequest.responseMode, failure('encryptionKeyMissing'));
  }
  const reused = await spendRequest(services, application, client, authRequest, signIn);
  if (reused) return reused;
  const authorized = await issue(services, application, client, authRequest, session);
  if (authorized === 'clientGone') return untrusted(failure('clientUnknown'), authRequest);
  if (typeof authorized === 'string') return response.refuse(authRequest.responseMode, failure(authorized));
  return response.answer(authRequest.responseMode, authorized);
};

/** An agent gets something only while its owner lets it act. */
async function issue(
  services: Services,
  application: Application,
  client: Client,
  authRequest: AuthRequest,
  session: LiveSession,
) {
  const give = () => authorize(services, application, client, authRequest, session);
  if (!isAgent(client)) return give();
  const { givenToAgent } = await loadStanding();
  return givenToAgent(services, application, client, give);
}

/** Of the ID token that comes through the browser. */
async function lacksEncryptionKey(services: Services, client: Client, { responseType }: AuthRequest): Promise<boolean> {
  if (client.id_token_encrypted_response_alg === undefined || !hasWord(responseType, 'id_token')) return false;
  return !(await services.encryption.to(client, 'id_token'));
}

/** Once for a request: when its user is sent to the page that says so, or where no page may be shown. */
function noteNoAccess(
  services: Services,
  request: Request,
  { code }: Application,
  { signIn, client }: ValidRequest,
  session: LiveSession | undefined,
  next: NextStep,
): void {
  const isDenied = next.kind === 'ask' ? next.step === 'no-access' : isSilentDenial(next, signIn);
  if (!isDenied || !session) return;
  noteLoginDenied(services, request, session.user.sub, { app: code, clientId: client.client_id });
}

function isSilentDenial(next: NextStep, signIn: SignIn | undefined): boolean {
  return (
    next.kind === 'refuse' && next.failure.name === 'userNotAllowed' && signIn?.progress.toldNoAccess === undefined
  );
}

function hasLeft(signIn: SignIn | undefined): boolean {
  return signIn?.progress.cancelled === true || signIn?.progress.toldNoAccess !== undefined;
}

interface ValidRequest {
  readonly kind: 'valid';
  readonly authRequest: AuthRequest;
  readonly client: Client;
  /** The user whom id_token_hint or the parameter claims names. */
  readonly requiredSub: string | undefined;
  readonly response: AuthResponse;
  /** Undefined for a request that was not on a sign-in page yet. */
  readonly signIn: SignIn | undefined;
}

type ReadRequest = ValidRequest | { readonly kind: 'answered'; readonly answer: Answer };

const answered = (answer: Answer): ReadRequest => ({ kind: 'answered', answer });

async function readRequest(services: Services, request: Request, application: Application): Promise<ReadRequest> {
  if (request.method === 'POST' && !isForm(request)) return answered({ failure: failure('contentTypeInvalid') });
  const raw = encodeForUrl(request.method === 'POST' ? request.body : request.query);
  if (raw.length > MAX_REQUEST_LENGTH) return answered({ failure: failure('requestTooLarge') });

  const sent = request.method === 'POST' ? request.form : request.queryParams;
  const clientId = sent.get('client_id');
  const client = clientId === undefined ? undefined : await findClient(services, application, clientId, request);
  if (client && 'failure' in client) return answered({ ...client, expected: A_CLIENT, received: clientId });
  const requestUri = sent.get('request_uri');
  if (isPushed(requestUri) && client && needsCookies(services, request)) return withCookies(services, application, raw);
  const named = isPushed(requestUri) && client ? await readPushed(services, application, client, requestUri) : sent;
  if (!named) return answered({ failure: failure('requestUriInvalid'), client: client?.client_id });
  // A pushed request was opened when it was pushed. An error goes to the redirect URI beside the object, if that is registered.
  const signed = client && named === sent ? await signedRequest(services, application, client, sent) : undefined;
  const params = signed?.kind === 'opened' ? paramsOf(signed.parameters) : named;
  const trusted = checkRedirectTarget(params, client);
  if (trusted.kind === 'untrusted') {
    const received = { clientId, redirectUri: params.get('redirect_uri') };
    return answered({ ...untrusted(trusted.failure, received), client: client?.client_id });
  }

  const { target } = trusted;
  const response = authResponse(services, request, application, target.client, {
    clientId: target.client.client_id,
    redirectUri: target.redirectUri,
    state: params.get('state'),
    uiLocales: params.get('ui_locales'),
  });
  if (signed?.kind === 'refused') {
    const asking = { dialect: dialectOf(application), client: target.client };
    const mode = errorResponseMode(params.get('response_mode'), params.get('response_type'), asking);
    return answered(await response.refuse(mode, signed.failure, signed.facts));
  }
  const read = readAuthRequest(params, target, application);
  if (read.kind === 'refused') return answered(await response.refuse(read.mode, read.failure));
  if (named === sent && target.client.require_pushed_authorization_requests) {
    return answered(await response.refuse(read.request.responseMode, failure('pushedRequestRequired')));
  }

  const required = await requiredUser(services, application, target.client, read.request);
  if ('failure' in required) {
    return answered(await response.refuse(read.request.responseMode, required.failure, required.facts));
  }

  if (needsCookies(services, request)) return withCookies(services, application, raw);
  const pushedId = named !== sent && requestUri !== undefined ? pushedIdOf(requestUri) : undefined;
  const authRequest = { ...read.request, idTokenHint: undefined, pushedId };
  return { kind: 'valid', authRequest, client: target.client, requiredSub: required.sub, response, signIn: undefined };
}

/** A browser sends another site's POST without SameSite=Lax cookies; with the GET after the redirect it sends them. */
function needsCookies(services: Services, request: Request): boolean {
  return request.method === 'POST' && !carriesSession(services, request);
}

function withCookies(services: Services, application: Application, raw: string): ReadRequest {
  return answered(redirect(`${issuerFor(services, application)}/auth?${raw}`, 303));
}

/** What the client pushed replaces all parameters of the address (RFC 9126 section 4). */
async function readPushed(
  services: Services,
  application: Application,
  client: Client,
  requestUri: string,
): Promise<Params | undefined> {
  const text = await openPushedRequest(services, application, client, requestUri);
  return text === undefined ? undefined : parseParams(text);
}

/** The request was validated before it was sealed; only the registration of its client may have changed since. */
async function resumeRequest(
  services: Services,
  request: Request,
  application: Application,
  sealed: string,
): Promise<ReadRequest> {
  const signIn = openSignIn(services, request, sealed);
  const authorization = signIn?.progress.authorization;
  if (authorization?.app !== application.code || authorization.device) {
    const fault = signIn
      ? ({ kind: authorization?.device ? 'otherPurpose' : 'otherApplication' } as const)
      : services.pending.faultOf(request, sealed, 'sign-in');
    return answered({ failure: failure('pendingRequestExpired'), facts: { pending: fault } });
  }

  const { request: pending, requiredSub } = authorization;
  const client = await findClient(services, application, pending.clientId, request);
  if (client && 'failure' in client) return answered({ ...client, expected: A_CLIENT, received: pending.clientId });
  if (!client) return answered(untrusted(failure('clientUnknown'), pending));
  const response = authResponse(services, request, application, client, pending);
  const read = recheckAuthRequest(pending, client, application);
  const facts = { validated: validated(pending) };
  if (read.kind === 'untrusted') {
    return answered({ ...untrusted(read.failure, pending), client: client.client_id, facts });
  }
  if (read.kind === 'refused') return answered(await response.refuse(read.mode, read.failure, facts));
  return { kind: 'valid', authRequest: read.request, client, requiredSub, response, signIn };
}

/** For the explanation: what the address has no more once the user was on the sign-in pages. */
function validated({ redirectUri, responseType, scope, prompt, maxAge }: AuthRequest): Record<string, string> {
  return {
    redirect_uri: redirectUri,
    response_type: responseType,
    scope: scope.join(' '),
    ...(prompt.length === 0 ? {} : { prompt: prompt.join(' ') }),
    ...(maxAge === undefined ? {} : { max_age: String(maxAge) }),
  };
}

/** Taken for the server's own parameter only if it is the only one: a client may send a parameter of the same name. */
function resumeParameter({ method, query }: Request): string | undefined {
  const isResumed = method === 'GET' && query.startsWith(`${RESUME}=`) && !query.includes('&');
  return isResumed ? encodeForUrl(query).slice(RESUME.length + 1) : undefined;
}

const A_CLIENT = 'a client_id of this application';

/** An error page for the user: it shows what was received, not what is registered. */
function untrusted(
  reason: Failure,
  received: { readonly clientId: string | undefined; readonly redirectUri: string | undefined },
): Refusal {
  switch (reason.name) {
    case 'clientUnknown':
      return { failure: reason, expected: A_CLIENT, received: received.clientId };
    case 'redirectUriUntrusted':
      return {
        failure: reason,
        expected: 'a redirect_uri registered for this client, character by character',
        received: received.redirectUri,
      };
    default:
      return { failure: reason, expected: 'the parameter once, with a value', received: undefined };
  }
}

/** Redirects to the page of a step. A request that was on a page before keeps its progress, which holds the outcomes. */
function toPage(
  services: Services,
  request: Request,
  application: Application,
  { signIn, authRequest, requiredSub, response }: ValidRequest,
  path: string,
): Answer | Promise<Answer> {
  const { baseUrl } = services.config;
  if (signIn) return redirectToStep(baseUrl, path, signIn.sealed);
  const begun = beginSignIn(services, request, { app: application.code, request: authRequest, requiredSub });
  if (begun.sealed.length > MAX_SEALED_LENGTH) {
    return response.refuse(authRequest.responseMode, failure('requestTooLarge'));
  }
  return redirectToStep(baseUrl, path, begun.sealed, begun.cookies);
}
