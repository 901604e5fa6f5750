import { carriesSession, currentSession } from '../accounts/sessions.ts';
import { verifyIdTokenHint } from '../keys/verifier.ts';
import { type Answer, isForm, NOTHING, type Refusal, type Request, redirect } from '../message.ts';
import { type Pending, RESUME } from '../pending-request.ts';
import { type AuthRequest, checkRedirectTarget, readAuthRequest } from '../protocol/auth-request.ts';
import { type Application, type Client, issuerOf } from '../protocol/client.ts';
import { type Failure, failure } from '../protocol/errors.ts';
import { decideInteraction } from '../protocol/interaction.ts';
import { encodeForUrl, encodeParams, type Params, parseParams } from '../protocol/params.ts';
import type { Endpoint, Services } from '../services.ts';
import { authResponse } from './auth-response.ts';
import { authorize } from './authorize.ts';

/**
 * RFC 6749 section 3.1, OIDC Core sections 3.1.2 and 3.2.2: the only place that answers a client through the browser.
 *
 *   read the request (or resume the one that was pending while the person was on our pages)
 *   → trust its client and redirect address, else a page
 *   → check the rest, else an error to the client
 *   → is the right person signed in, recently enough, and has agreed? else to the login or consent page
 *   → code or tokens to the client
 */
export const auth: Endpoint = async (services, request, application) => {
  // A look at the headers must not cost a code (RFC 9110 section 9.3.2).
  if (request.method === 'HEAD') return NOTHING;
  const opened = openRequest(services, request, application);
  if ('failure' in opened) return opened;

  const params = parseParams(opened.raw);
  const client = await namedClient(services, request, application, params);
  const trusted = checkRedirectTarget(params, client);
  if (trusted.kind === 'untrusted') return { ...untrusted(trusted.failure, params), client: client?.client_id };

  const response = authResponse(services, request, application, params, trusted.target);
  const read = readAuthRequest(params, trusted.target, application);
  if (read.kind === 'refused') return response.refuse(read.mode, read.failure);

  const asked = read.request;
  const demanded = await demandedUser(services, application, asked);
  if ('failure' in demanded) return response.refuse(asked.responseMode, demanded.failure);

  // Another site's POST comes without our SameSite=Lax cookies; the GET that follows brings them.
  if (request.method === 'POST' && !carriesSession(services, request)) {
    return redirect(`${issuerOf(services.config.baseUrl, application.code)}/auth?${opened.raw}`, 303);
  }
  const session = await currentSession(services, request, { app: application.code, clientId: asked.client.client_id });
  const decision = decideInteraction(asked, {
    session: session && { sub: session.user.sub, authTime: session.authTime, openedBy: session.openedBy },
    demandedSub: demanded.sub,
    consented: session?.consented ?? [],
    progress: opened.pending && { ...opened.pending, pendingId: opened.pending.id },
    now: services.clock.now(),
  });
  if (decision.kind === 'refuse') return response.refuse(asked.responseMode, decision.failure);
  if (decision.kind === 'consent') return toPage(services, request, application, opened, '/consent');
  if (decision.kind !== 'proceed' || !session) return toPage(services, request, application, opened, '/login');
  const authorized = await authorize(services, application, asked, session, request.receivedAt);
  if (authorized === 'clientGone') return untrusted(failure('clientUnknown'), params);
  return response.answer(asked.responseMode, authorized);
};

/** What a pending request takes in an address must fit into what we accept as one. */
const LONGEST_REQUEST = 16 * 1024;

interface Opened {
  readonly raw: string;
  /** Undefined when the request comes straight from the client. */
  readonly pending: Pending | undefined;
}

function openRequest(services: Services, request: Request, application: Application): Opened | Refusal {
  if (request.method === 'POST' && !isForm(request)) return { failure: failure('contentTypeInvalid') };
  const raw = encodeForUrl(request.method === 'POST' ? request.body : request.query);
  const sealed = request.method === 'GET' ? resumeParameter(raw) : undefined;
  if (sealed !== undefined) {
    const pending = services.pending.open(request, sealed, 'authorize');
    if (pending?.app !== application.code) return { failure: failure('pendingRequestExpired') };
    return { raw: pending.request, pending };
  }
  if (raw.length > LONGEST_REQUEST) return { failure: failure('requestTooLarge') };
  return { raw, pending: undefined };
}

/** Ours only when it stands alone: a client may call its own parameters what it likes. */
function resumeParameter(query: string): string | undefined {
  return query.startsWith(`${RESUME}=`) && !query.includes('&') ? query.slice(RESUME.length + 1) : undefined;
}

async function namedClient(
  { registry }: Services,
  { receivedAt }: Request,
  application: Application,
  params: Params,
): Promise<Client | undefined> {
  const clientId = params.get('client_id');
  return clientId === undefined ? undefined : registry.client(application.code, clientId, receivedAt);
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

/** Who the client insists on: by an ID token it got before, or by the parameter claims. */
async function demandedUser(
  services: Services,
  application: Application,
  { idTokenHint, claims }: AuthRequest,
): Promise<{ readonly sub: string | undefined } | { readonly failure: Failure }> {
  if (idTokenHint === undefined) return { sub: claims.sub };
  const issuer = issuerOf(services.config.baseUrl, application.code);
  const hint = await verifyIdTokenHint(services, application.code, issuer, idTokenHint);
  if (!hint) return { failure: failure('parameterInvalid', 'id_token_hint') };
  // Nobody can be two people.
  if (claims.sub !== undefined && claims.sub !== hint.sub) return { failure: failure('loginRequired') };
  return { sub: hint.sub };
}

/** A request that has been on a page before keeps its name, so that what happened there counts. */
function toPage(
  services: Services,
  request: Request,
  application: Application,
  { raw, pending }: Opened,
  path: '/login' | '/consent',
): Answer {
  const { sealed, cookies } = pending
    ? { sealed: services.pending.advance(pending, {}), cookies: [] }
    : services.pending.begin(request, { purpose: 'authorize', app: application.code, request: raw });
  return redirect(`${services.config.baseUrl}${path}?${encodeParams([['pending', sealed]])}`, 302, cookies);
}
