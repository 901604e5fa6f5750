import { type EventFields, requestEvent, userActor } from '../../audit/events/request-event.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { EventType } from '../../events.ts';
import { failure } from '../../failures.ts';
import { agreedDetails, type ShownDetail, shownAs, shownDetails } from '../../people/consent/details.ts';
import { noteClientUse } from '../../people/consent/self-registered.html.ts';
import type { LiveSession } from '../../people/sessions/store.ts';
import { requestedScopes } from '../../people/sign-in/demands.rules.ts';
import { noteLoginDenied } from '../../people/sign-in/login-denied.ts';
import { type NextStep, whyRefused } from '../../people/sign-in/next-step.rules.ts';
import { advanceSignIn, beginSignIn, redirectToStep, resume } from '../../people/sign-in/progress.ts';
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
import type { Fields, Log } from '../../platform/observe/log.ts';
import type { Services } from '../../services.ts';
import { checkDetails } from '../authorization-details/rules.ts';
import type { RequestedClaims } from '../authorize/claims-request.rules.ts';
import type { AuthRequest } from '../authorize/request.rules.ts';
import { grantedApis } from '../token/granted-api.rules.ts';
import { approvableScope } from '../token/requested-access.rules.ts';
import { isAllowed, type Scope } from '../token/scope.rules.ts';
import type { PolledState } from './rules.ts';
import type { DecideOutcome, Decision } from './store.ts';

/** The page on which a person signs in and decides about what a client polls for. A device and a backchannel request have one each. */

/** What a client asks for. */
export interface Requested {
  readonly clientId: string;
  readonly scope: readonly Scope[];
  readonly resources: readonly string[] | undefined;
  readonly claims: RequestedClaims;
}

/** What waits for the person. */
export interface Waiting extends Requested {
  readonly state: PolledState;
  /** Who approved it. */
  readonly sub: string | undefined;
}

export interface DecisionVisit extends Visit {
  readonly target: Target;
  /** By which the store finds what waits. */
  readonly key: string;
}

interface Deciding<W extends Waiting> extends DecisionVisit {
  readonly kind: DecisionKind<W>;
}

/** What the page asks. */
export interface Asked {
  readonly agreed: readonly Scope[];
  readonly details: readonly ShownDetail[];
  /** The same, by which the answer says what was shown. */
  readonly shown: string;
  readonly session: LiveSession;
}

/** `done`: the person has allowed it just now, `decided`: before. */
export type DecisionOutcome = 'done' | 'denied' | 'decided' | 'cancelled';

/** What tells a page of this kind from the other. */
export interface DecisionKind<W extends Waiting> {
  /** Undefined: the sign-in is for another purpose. */
  keyOf(target: Target): string | undefined;
  find(visit: DecisionVisit, sub: string): Promise<W | undefined>;
  decide(visit: DecisionVisit, sub: string, decision: Decision): Promise<DecideOutcome>;
  ask(visit: DecisionVisit, asked: Asked, waiting: W): Promise<Answer>;
  outcome(visit: DecisionVisit, kind: DecisionOutcome): Answer;
  /** Nothing waits any more. */
  gone(visit: DecisionVisit): Answer;
  /** In the log. */
  note(log: Log, decision: 'approved' | 'denied', fields: Fields): void;
  /** In the audit log. */
  readonly events: { readonly approved: EventType; readonly denied: EventType };
  /** What the event of the approval says beside what was agreed to. */
  about(waiting: W): Readonly<Record<string, string>>;
}

export interface DecisionPage {
  /** Comes back from the sign-in pages as often as there is a step left, as the authorization endpoint does. */
  resume(services: Services, request: Request, sealed: string): Promise<Answer>;
  /** Allow, deny, or sign in with another account first. */
  decide(services: Services, request: Request, form: Params): Promise<Answer>;
}

export function decisionPage<W extends Waiting>(kind: DecisionKind<W>): DecisionPage {
  return {
    async resume(services, request, sealed) {
      const visit = await openDecision(kind, services, request, sealed);
      return 'failure' in visit ? visit : continueVisit(visit, sealed);
    },
    async decide(services, request, form) {
      const visit = await openDecision(kind, services, request, form.get('pending'));
      return 'failure' in visit ? visit : answerForm(visit, form);
    },
  };
}

/** The usual sign-in, with the demands of the application and the client; the page takes the place of the redirect address. */
export function requestOf(redirectUri: string, { clientId, scope, resources, claims }: Requested): AuthRequest {
  return {
    ...{ clientId, redirectUri, responseType: 'code', responseMode: 'query', scope, resources, claims },
    ...{ state: undefined, nonce: undefined, codeChallenge: undefined, prompt: [], maxAge: undefined },
    ...{ loginHint: undefined, uiLocales: undefined, idTokenHint: undefined },
  };
}

async function openDecision<W extends Waiting>(
  kind: DecisionKind<W>,
  services: Services,
  request: Request,
  sealed: string | undefined,
): Promise<Deciding<W> | Refusal> {
  const visit = await openVisit(services, request, sealed);
  if ('failure' in visit) return visit;
  const { target } = visit;
  const key = target && kind.keyOf(target);
  if (!target || key === undefined) return expired({ kind: 'otherPurpose' }, visit);
  return { ...visit, target, key, kind };
}

async function continueVisit<W extends Waiting>(visit: Deciding<W>, sealed: string): Promise<Answer> {
  const { services, kind } = visit;
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
  const waiting = await findWaiting(visit, next.sub);
  if (!waiting) return kind.gone(visit);
  if (waiting.state !== 'pending') return decidedBefore(visit, next.sub, waiting);
  const agreed = agreedScopes(visit, waiting);
  const details = detailsLeft(visit, waiting);
  return kind.ask(visit, { agreed, details, shown: shownAs(agreed, details), session }, waiting);
}

async function answerForm<W extends Waiting>(visit: Deciding<W>, form: Params): Promise<Answer> {
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

/** Once for a sign-in, as the authorization endpoint does. */
function noteNoAccess(
  { services, request, target }: DecisionVisit,
  session: LiveSession | undefined,
  next: NextStep,
): void {
  if (next.kind !== 'ask' || next.step !== 'no-access' || !session) return;
  noteLoginDenied(services, request, session.user.sub, { app: target.app, clientId: target.client.client_id });
}

/** A person whom the application does not admit ends the wait of the client (docs/device.md, docs/ciba.md). */
async function refused<W extends Waiting>(
  visit: Deciding<W>,
  session: LiveSession | undefined,
  next: Extract<NextStep, { kind: 'refuse' }>,
): Promise<Answer> {
  if (next.failure.name === 'userCancelled') return visit.kind.outcome(visit, 'cancelled');
  if (next.failure.name === 'userNotAllowed' && session) return deny(visit, session.user.sub, 'access');
  const { services, demands, signIn } = visit;
  const facts = whyRefused(services.tables.steps, demands, {
    session,
    progress: signIn.progress,
    now: services.clock.now(),
  });
  return { failure: next.failure, ...namesOf(visit), sub: session?.user.sub, facts };
}

/** What the client is not registered for any more, it does not get. */
function scopeLeft({ target }: DecisionVisit, waiting: Requested): readonly Scope[] {
  const allowed = approvableScope(target.client, target.application);
  return waiting.scope.filter(one => isAllowed(one, allowed));
}

/** What the person agrees to. */
function agreedScopes(visit: DecisionVisit, waiting: Requested): readonly Scope[] {
  const { request, application } = visit.target;
  return requestedScopes({ ...request, scope: scopeLeft(visit, waiting), resources: waiting.resources }, application);
}

/** The sentences of what the client wants to do. */
function detailsLeft({ target }: DecisionVisit, { claims }: Requested): readonly ShownDetail[] {
  return shownDetails(claims, target.application);
}

/** `shown`: the scopes and details that the page has named. */
async function allow<W extends Waiting>(visit: Deciding<W>, session: LiveSession, shown: string): Promise<Answer> {
  const { services, signIn, target, kind } = visit;
  const { sub } = session.user;
  const next = await nextStepOf(visit, session);
  // The page is old: something is missing now, such as a second factor that the application requires since.
  if (next.kind !== 'done' || next.sub !== sub) return resume(services.config.baseUrl, signIn);
  const waiting = await findWaiting(visit, sub);
  if (!waiting) return kind.gone(visit);
  const consented = agreedScopes(visit, waiting);
  // The client may have changed its registration since the page was shown. Nobody agrees to what was not shown.
  if (shown !== shownAs(consented, detailsLeft(visit, waiting))) return resume(services.config.baseUrl, signIn);
  const full = waiting.state === 'pending' ? await noteClientUse(visit, target) : undefined;
  if (full) return full;
  const details = agreedDetails(consented, waiting.claims);
  const events = [
    eventOf(visit, sub, {
      type: kind.events.approved,
      outcome: 'success',
      details: { ...details, ...kind.about(waiting) },
    }),
    eventOf(visit, sub, { type: 'consent.given', outcome: 'success', details }),
  ];
  const { sid, authTime, amr } = session;
  const scope = scopeLeft(visit, waiting);
  const resources = grantedApis(target.application, scope, waiting.resources);
  const granted = { scope, resources, consented } as const;
  const decided = await kind.decide(visit, sub, { kind: 'approve', sub, sid, authTime, amr, ...granted, events });
  if (decided.kind === 'signedOut') {
    const facts = { form: { kind: 'sessionEnded' } } as const;
    return { failure: failure('signInNeeded'), ...namesOf(visit), sub, facts };
  }
  if (decided.kind === 'decided') return decidedBefore(visit, sub, decided);
  if (decided.kind === 'gone') return kind.gone(visit);
  noteDecision(visit, 'approved', sub);
  return kind.outcome(visit, 'done');
}

/** `reason`: the person chose so, or the application does not admit this person. */
async function deny<W extends Waiting>(visit: Deciding<W>, sub: string, reason: 'user' | 'access'): Promise<Answer> {
  const { kind } = visit;
  const events = [eventOf(visit, sub, { type: kind.events.denied, outcome: 'denied', details: { reason } })];
  const decided = await kind.decide(visit, sub, { kind: 'deny', events });
  if (decided.kind === 'gone') return kind.gone(visit);
  if (decided.kind === 'decided' && decided.state !== 'denied') return decidedBefore(visit, sub, decided);
  if (decided.kind === 'done') noteDecision(visit, 'denied', sub);
  return kind.outcome(visit, 'denied');
}

function noteDecision<W extends Waiting>(
  { services, request: { id, address }, target, kind }: Deciding<W>,
  decision: 'approved' | 'denied',
  sub: string,
): void {
  const client = target.client.client_id;
  kind.note(services.log, decision, { request: id, app: target.app, client, sub, address });
}

/** Undefined too where a type that it asks for is gone, or not open to the client any more: the client begins again. */
async function findWaiting<W extends Waiting>(visit: Deciding<W>, sub: string): Promise<W | undefined> {
  const waiting = await visit.kind.find(visit, sub);
  const { authorization_details: details = [] } = waiting?.claims ?? {};
  const { client, application } = visit.target;
  return checkDetails(details, application, approvableScope(client, application)).kind === 'read' ? waiting : undefined;
}

/** A form that is sent twice does no harm; nobody is told what somebody else has decided. */
function decidedBefore<W extends Waiting>(
  visit: Deciding<W>,
  sub: string,
  { state, sub: decidedBy }: Pick<Waiting, 'state' | 'sub'>,
): Answer {
  const { kind } = visit;
  if (state === 'denied') return kind.outcome(visit, 'denied');
  return decidedBy === sub ? kind.outcome(visit, 'decided') : kind.gone(visit);
}

function eventOf(
  { services, request, target }: DecisionVisit,
  sub: string,
  fields: Pick<EventFields, 'type' | 'outcome' | 'details'>,
): Event {
  const place = { app: target.app, clientId: target.client.client_id };
  return requestEvent(services, request, { actor: userActor(sub), subject: sub, ...place, ...fields });
}

/** A pending request opens one session, so another account needs another one. */
function signInAgain({ services, request, signIn }: DecisionVisit): Answer {
  const { authorization } = signIn.progress;
  const { sealed, cookies } = beginSignIn(services, request, authorization, undefined, { selected: 'another' });
  return resume(services.config.baseUrl, { progress: { authorization }, sealed }, cookies);
}
