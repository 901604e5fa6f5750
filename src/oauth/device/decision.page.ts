import { type EventFields, requestEvent, userActor } from '../../audit/events/request-event.ts';
import type { Event } from '../../audit/events/rules.ts';
import { failure } from '../../failures.ts';
import { aboutClient } from '../../people/consent/about-client.html.ts';
import { agreedDetails, type ShownDetail, shownAs, shownDetails } from '../../people/consent/details.ts';
import { scopeTexts } from '../../people/consent/scope-text.ts';
import { noteClientUse, selfRegisteredWarning } from '../../people/consent/self-registered.html.ts';
import type { LiveSession } from '../../people/sessions/store.ts';
import { requestedScopes } from '../../people/sign-in/demands.rules.ts';
import { noteLoginDenied } from '../../people/sign-in/login-denied.ts';
import { type NextStep, whyRefused } from '../../people/sign-in/next-step.rules.ts';
import {
  advanceSignIn,
  beginSignIn,
  type PendingDevice,
  redirectToStep,
  resume,
} from '../../people/sign-in/progress.ts';
import {
  expired,
  namesOf,
  nextStepOf,
  openVisit,
  sessionOf,
  type Target,
  type Visit,
} from '../../people/sign-in/visit.ts';
import type { Answer, Refusal, Request } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { brandOf } from '../../platform/ui/brand.ts';
import type { Services } from '../../services.ts';
import { checkDetails } from '../authorization-details/rules.ts';
import type { DecideOutcome, Decision } from '../polled-grant/store.ts';
import { grantedApis } from '../token/granted-api.rules.ts';
import { allowedScope } from '../token/requested-access.rules.ts';
import { isAllowed, type Scope } from '../token/scope.rules.ts';
import { type DeviceOutcome, decisionPage, outcomePage } from './html.ts';
import { shownUserCode } from './rules.ts';
import type { DeviceAuthorization } from './store.ts';

/** The second half of /device: the person has typed a code that a device waits with, and signs in to decide about it. */
interface DeviceVisit extends Visit {
  readonly target: Target & { readonly device: PendingDevice };
}

/** Comes back from the sign-in pages as often as there is a step left, as the authorization endpoint does. */
export async function resumeDevice(services: Services, request: Request, sealed: string): Promise<Answer> {
  const visit = await openDeviceVisit(services, request, sealed);
  if ('failure' in visit) return visit;
  const session = await sessionOf(visit);
  const next = await nextStepOf(visit, session);
  noteNoAccess(visit, session, next);
  if (next.kind === 'refuse') return refused(visit, session, next);
  const { baseUrl } = services.config;
  if (next.kind === 'ask') return redirectToStep(baseUrl, next.path, sealed);
  // Proofs that opened no session are in no answer: the session alone has to be enough (oauth/authorize/endpoint.ts).
  if (visit.signIn.progress.proofs.length > 0) {
    return resume(baseUrl, advanceSignIn(services, visit.signIn, { proofs: [] }));
  }
  if (session?.user.sub !== next.sub) return redirectToStep(baseUrl, '/login', sealed);
  const device = await findDevice(visit);
  if (!device) return gone(visit);
  if (device.state !== 'pending') return decidedBefore(visit, session.user.sub, device);
  return ask(visit, session, device);
}

/** Allow, deny, or sign in with another account first. */
export async function decideDevice(services: Services, request: Request, form: Params): Promise<Answer> {
  const visit = await openDeviceVisit(services, request, form.get('pending'));
  if ('failure' in visit) return visit;
  const action = form.get('action');
  if (action === 'another') return signInAgain(visit);
  const session = await sessionOf(visit);
  // The page was shown to one user; another may have signed in since, in another tab.
  if (!session || session.user.sub !== form.get('sub')) {
    const facts = { form: { kind: session ? 'otherUser' : 'sessionEnded' } } as const;
    return { failure: failure('signInNeeded'), ...namesOf(visit), sub: session?.user.sub, facts };
  }
  return action === 'allow' ? allow(visit, session, form.get('scope') ?? '') : deny(visit, session.user.sub, 'user');
}

async function openDeviceVisit(
  services: Services,
  request: Request,
  sealed: string | undefined,
): Promise<DeviceVisit | Refusal> {
  const visit = await openVisit(services, request, sealed);
  if ('failure' in visit) return visit;
  const { target } = visit;
  if (!target?.device) return expired({ kind: 'otherPurpose' }, visit);
  return { ...visit, target: { ...target, device: target.device } };
}

/** Once for a sign-in, as the authorization endpoint does. */
function noteNoAccess(
  { services, request, target }: DeviceVisit,
  session: LiveSession | undefined,
  next: NextStep,
): void {
  if (next.kind !== 'ask' || next.step !== 'no-access' || !session) return;
  noteLoginDenied(services, request, session.user.sub, { app: target.app, clientId: target.client.client_id });
}

/** A person whom the application does not admit ends the wait of the device (docs/device.md). */
async function refused(
  visit: DeviceVisit,
  session: LiveSession | undefined,
  next: Extract<NextStep, { kind: 'refuse' }>,
): Promise<Answer> {
  if (next.failure.name === 'userCancelled') return outcome(visit, 'cancelled');
  if (next.failure.name === 'userNotAllowed' && session) return deny(visit, session.user.sub, 'access');
  const { services, demands, signIn } = visit;
  const facts = whyRefused(services.tables.steps, demands, {
    session,
    progress: signIn.progress,
    now: services.clock.now(),
  });
  return { failure: next.failure, ...namesOf(visit), sub: session?.user.sub, facts };
}

async function ask(visit: DeviceVisit, session: LiveSession, device: DeviceAuthorization): Promise<Answer> {
  const { services, signIn, locale, target } = visit;
  const agreed = agreedScopes(visit, device);
  const details = detailsLeft(visit, device);
  return decisionPage({
    locale,
    brand: brandOf(services.config.baseUrl, target.application),
    client: target.client.client_name,
    userCode: shownUserCode(target.device.userCode),
    address: device.address,
    requestedAt: device.createdAt,
    scope: scopeTexts(locale, target.application, agreed),
    details,
    shown: shownAs(agreed, details),
    user: session.user,
    pending: signIn.sealed,
    clientWarning: selfRegisteredWarning(locale, target.client),
    about: await aboutClient(services, locale, target.client),
  });
}

/** What the client is not registered for any more, the device does not get. */
function scopeLeft({ target }: DeviceVisit, device: DeviceAuthorization): readonly Scope[] {
  const allowed = allowedScope(target.client, target.application);
  return device.scope.filter(one => isAllowed(one, allowed));
}

/** What the person agrees to. */
function agreedScopes(visit: DeviceVisit, device: DeviceAuthorization): readonly Scope[] {
  const { request, application } = visit.target;
  return requestedScopes({ ...request, scope: scopeLeft(visit, device), resources: device.resources }, application);
}

/** The sentences of what it wants to do. */
function detailsLeft({ target }: DeviceVisit, { claims }: DeviceAuthorization): readonly ShownDetail[] {
  return shownDetails(claims, target.application);
}

/** `shown`: the scopes and details that the page has named. */
async function allow(visit: DeviceVisit, session: LiveSession, shown: string): Promise<Answer> {
  const { services, request, signIn, target } = visit;
  const { sub } = session.user;
  const next = await nextStepOf(visit, session);
  // The page is old: something is missing now, such as a second factor that the application requires since.
  if (next.kind !== 'done' || next.sub !== sub) return resume(services.config.baseUrl, signIn);
  const device = await findDevice(visit);
  if (!device) return gone(visit);
  const consented = agreedScopes(visit, device);
  // The client may have changed its registration since the page was shown. Nobody agrees to what was not shown.
  if (shown !== shownAs(consented, detailsLeft(visit, device))) return resume(services.config.baseUrl, signIn);
  const full = device.state === 'pending' ? await noteClientUse(visit, target) : undefined;
  if (full) return full;
  const details = agreedDetails(consented, device.claims);
  const events = [
    eventOf(visit, sub, {
      type: 'device.approved',
      outcome: 'success',
      details: { ...details, device: device.address },
    }),
    eventOf(visit, sub, { type: 'consent.given', outcome: 'success', details }),
  ];
  const { sid, authTime, amr } = session;
  const scope = scopeLeft(visit, device);
  const resources = grantedApis(target.application, scope, device.resources);
  const decided = await decide(visit, {
    kind: 'approve',
    sub,
    sid,
    authTime,
    amr,
    scope,
    resources,
    consented,
    events,
  });
  if (decided.kind === 'signedOut') {
    const facts = { form: { kind: 'sessionEnded' } } as const;
    return { failure: failure('signInNeeded'), ...namesOf(visit), sub, facts };
  }
  if (decided.kind === 'decided') return decidedBefore(visit, sub, decided);
  if (decided.kind === 'gone') return gone(visit);
  const { id, address } = request;
  services.log.info('device.approved', { request: id, app: target.app, client: target.client.client_id, sub, address });
  return outcome(visit, 'connected');
}

/** `reason`: the person chose so, or the application does not admit this person. */
async function deny(visit: DeviceVisit, sub: string, reason: 'user' | 'access'): Promise<Answer> {
  const { services, request, target } = visit;
  const events = [eventOf(visit, sub, { type: 'device.denied', outcome: 'denied', details: { reason } })];
  const decided = await decide(visit, { kind: 'deny', events });
  if (decided.kind === 'gone') return gone(visit);
  if (decided.kind === 'decided' && decided.state !== 'denied') return decidedBefore(visit, sub, decided);
  const { id, address } = request;
  if (decided.kind === 'done') {
    services.log.info('device.denied', { request: id, app: target.app, client: target.client.client_id, sub, address });
  }
  return outcome(visit, 'denied');
}

function decide({ services, target }: DeviceVisit, decision: Decision): Promise<DecideOutcome> {
  const { store, ring, clock } = services;
  return store.decideDevice(ring.userCodeHashes(target.device.userCode), decision, clock.now());
}

/** Undefined too where a type that it asks for is gone, or not open to the client any more: the device begins again. */
async function findDevice({ services, target }: DeviceVisit): Promise<DeviceAuthorization | undefined> {
  const { store, ring, clock } = services;
  const device = await store.findDevice(ring.userCodeHashes(target.device.userCode), clock.now());
  const { authorization_details: details = [] } = device?.claims ?? {};
  const { client, application } = target;
  return checkDetails(details, application, allowedScope(client, application)).kind === 'read' ? device : undefined;
}

/** A form that is sent twice does no harm; nobody is told what somebody else has decided. */
function decidedBefore(
  visit: DeviceVisit,
  sub: string,
  { state, sub: decidedBy }: Pick<DeviceAuthorization, 'state' | 'sub'>,
): Answer {
  if (state === 'denied') return outcome(visit, 'denied');
  return decidedBy === sub ? outcome(visit, 'decided') : gone(visit);
}

function gone(visit: DeviceVisit): Refusal {
  return { failure: failure('userCodeInvalid'), ...namesOf(visit) };
}

function outcome({ services, locale, target }: DeviceVisit, kind: DeviceOutcome): Answer {
  const brand = brandOf(services.config.baseUrl, target.application);
  return outcomePage({ locale, brand, client: target.client.client_name }, kind);
}

function eventOf(
  { services, request, target }: DeviceVisit,
  sub: string,
  fields: Pick<EventFields, 'type' | 'outcome' | 'details'>,
): Event {
  const place = { app: target.app, clientId: target.client.client_id };
  return requestEvent(services, request, { actor: userActor(sub), subject: sub, ...place, ...fields });
}

/** A pending request opens one session, so another account needs another one. */
function signInAgain({ services, request, signIn }: DeviceVisit): Answer {
  const { authorization } = signIn.progress;
  const { sealed, cookies } = beginSignIn(services, request, authorization, undefined, { selected: 'another' });
  return resume(services.config.baseUrl, { progress: { authorization }, sealed }, cookies);
}
