import { hash } from 'node:crypto';
import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { RefusalFacts } from '../../audit/refusals/facts.rules.ts';
import { type Failure, type FailureName, failure } from '../../failures.ts';
import { type Answer, isRefusal, type Refusal, type Reply } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import type { LiveSession } from '../sessions/store.ts';
import type { AcrClass } from '../sign-in/acr.rules.ts';
import { currentUser, firstFactor, passwordFactor, type ShownFactor } from '../sign-in/current-user.rules.ts';
import type { Demands } from '../sign-in/demands.rules.ts';
import { noteLoginFailed } from '../sign-in/login-failed.ts';
import { ATTEMPTS_KEPT_SECONDS } from '../sign-in/pending-request.ts';
import { resume } from '../sign-in/progress.ts';
import { cancel, goOnAs } from '../sign-in/session.ts';
import { missingClass } from '../sign-in/strength.rules.ts';
import { expired, namesOf, type StepPage, sessionOf, type Visit } from '../sign-in/visit.ts';
import { trustBrowser } from '../trusted-browsers/trusted-browser.ts';
import { countCode } from './code-attempt.ts';
import type { AttemptedUser, HeldFactors } from './store.ts';

/** What the pages of the second factors share: whom a code is asked of, how often, and what a right one leads to. */

/** Wrong codes in one sign-in, counted in the store across parallel requests and nodes. */
const MAX_ATTEMPTS = 5;

/** The user who has proved a first factor, here or in the live session that is stepped up. */
export interface Claimant {
  readonly sub: string;
  /** Undefined: the first factor is the session's. */
  readonly first: ShownFactor | undefined;
  readonly session: LiveSession | undefined;
  /** The class of `acr` that is asked for. */
  readonly missing: AcrClass | undefined;
  readonly user: FactorUser;
}

export type CodeError =
  | { readonly kind: 'wrong' | 'missing' }
  | { readonly kind: 'throttled'; readonly retryAfter: number };

type FactorUser = NonNullable<ReturnType<typeof currentUser>>;

/** A code of an app, a recovery code, or a passkey. */
export interface Factor {
  readonly name: 'otp' | 'rec' | 'passkey';
  /** The field of the form with the answer. */
  readonly field: 'code' | 'passkey';
  readonly failure: FailureName;
  /** Whether the page has something to ask of this user: a step cannot be skipped or repeated. */
  isDue(user: FactorUser, demands: Demands): boolean;
  isHeld(held: HeldFactors): boolean;
  /** The proof, if the answer is right; it is good once, so a right one is spent. */
  spend(visit: Visit, claimant: Claimant, held: AttemptedUser, answer: string): Promise<Spent>;
  render(visit: Visit, claimant: Claimant, error?: CodeError): Promise<Reply> | Reply;
}

export type Spent = Pick<ShownFactor, 'method' | 'isUserVerified' | 'passkey'> | WrongAnswer | Refusal;

/** `facts`: for the explanation. */
export interface WrongAnswer {
  readonly wrong: 'wrong' | 'cloned';
  readonly facts?: RefusalFacts | undefined;
}

export const WRONG: WrongAnswer = { wrong: 'wrong' };

/** Undefined: the page has nothing to ask. */
export function claimantOf(
  visit: Visit,
  session: LiveSession | undefined,
  { isDue }: Pick<Factor, 'isDue'>,
): Claimant | undefined {
  const { progress } = visit.signIn;
  const first = firstFactor(progress.proofs);
  const user = currentUser({ session, progress });
  if (!user || !isDue(user, visit.demands)) return undefined;
  return {
    sub: user.sub,
    first,
    session: first ? undefined : session,
    missing: missingClass(visit.demands, user),
    user,
  };
}

/** Back to where the next step is decided. */
export function nothingToAsk({ services, signIn }: Visit): Answer {
  return resume(services.config.baseUrl, signIn);
}

/** The page of a factor that the user answers with a form. */
export function stepOf(factor: Factor): StepPage {
  return {
    actions: ['cancel'],
    show: async (visit, session) => {
      const claimant = claimantOf(visit, session, factor);
      return claimant ? factor.render(visit, claimant) : nothingToAsk(visit);
    },
    submit: async (visit, form) => {
      if (form.get('action') === 'cancel') return cancel(visit);
      return submitCode(visit, form, factor);
    },
  };
}

export async function submitCode(visit: Visit, form: Params, factor: Factor): Promise<Answer> {
  const hasFirst = firstFactor(visit.signIn.progress.proofs) !== undefined;
  const claimant = claimantOf(visit, hasFirst ? undefined : await sessionOf(visit), factor);
  if (!claimant) return nothingToAsk(visit);
  const answer = form.get(factor.field);
  if (answer === undefined) return ask(visit, claimant, factor, { kind: 'missing' });
  const { services, request } = visit;
  const { sub, first, session } = claimant;
  const counted = await countCode(services, request, sub, factor.name === 'passkey' ? 'passkey' : 'factor');
  if (counted.kind === 'refused') return ask(visit, claimant, factor, { kind: 'throttled', retryAfter: counted.wait });
  const now = services.clock.now();
  const held = await attemptCode(visit, sub);
  if (held === 'exhausted') return exhausted(visit, sub);
  const typed = passwordFactor(visit.signIn.progress.proofs);
  if (typed && digestOf(held.passwordHash) !== typed.passwordDigest) return expired({ kind: 'changed' }, visit);
  const passwordHash = typed && held.passwordHash;
  // An operator has removed the factor meanwhile.
  if (!factor.isHeld(held)) {
    const left = { hasTotp: held.totp !== undefined, hasPasskey: held.hasPasskey };
    return first ? goOnAs(visit, { ...first, ...left }, passwordHash) : nothingToAsk(visit);
  }
  const spent = await factor.spend(visit, claimant, held, answer);
  if ('failure' in spent) return spent;
  if ('wrong' in spent) return ask(visit, claimant, factor, { kind: 'wrong' }, spent);
  await counted.succeeded();
  const proof: ShownFactor = { ...spent, sub, at: now, stepsUp: !first };
  const next = await goOnAs(visit, proof, passwordHash, session);
  if (isRefusal(next) || !asksForTrust(visit, form, proof)) return next;
  const trusting = { sub, passwordHash: held.passwordHash, totpKey: held.totp?.sealedKey };
  const trusted = await trustBrowser(services, request, trusting, trustEvent(visit, sub));
  const cookies = [...[next.headers['set-cookie'] ?? []].flat(), ...trusted];
  return { ...next, headers: { ...next.headers, 'set-cookie': cookies } };
}

/** Not with a recovery code: it stands in for a factor that was lost, often in a browser that is not the user's own. */
function asksForTrust({ demands }: Visit, form: Params, { method }: ShownFactor): boolean {
  return demands.trustsBrowsers && method === 'otp' && form.get('trust') === 'true';
}

function trustEvent({ services, request, target }: Visit, sub: string): Event {
  const who = { outcome: 'success', actor: userActor(sub), subject: sub } as const;
  return requestEvent(services, request, {
    type: 'browser.trusted',
    ...who,
    app: target?.app,
    clientId: target?.client.client_id,
  });
}

/** Counts a code before it is compared, and reads what it is compared with. */
export function attemptCode(visit: Visit, sub: string): Promise<AttemptedUser | 'exhausted'> {
  const { services, signIn } = visit;
  const expiresAt = services.clock.now() + ATTEMPTS_KEPT_SECONDS;
  const attempt = { signIn: signIn.progress.id, sub, limit: MAX_ATTEMPTS, expiresAt };
  return services.store.attemptSecondFactor(attempt);
}

export function digestOf(passwordHash: string | undefined): string {
  return hash('sha256', passwordHash ?? '', 'base64url');
}

async function ask(
  visit: Visit,
  claimant: Claimant,
  factor: Factor,
  error: CodeError,
  { wrong, facts }: WrongAnswer = WRONG,
): Promise<Answer> {
  const { sub } = claimant;
  if (error.kind !== 'missing') noteFailed(visit, sub, error.kind === 'wrong' ? wrong : error.kind, factor.name);
  const page = await factor.render(visit, claimant, error);
  const retry = error.kind === 'throttled' ? { retryAfter: error.retryAfter } : {};
  return {
    ...page,
    refusal: { failure: failureOf(factor, error), ...namesOf(visit), sub, ...retry, ...(facts ? { facts } : {}) },
  };
}

function failureOf(factor: Factor, { kind }: CodeError): Failure {
  if (kind === 'missing') return failure('parameterMissing', factor.field);
  return failure(kind === 'throttled' ? 'tooManyAttempts' : factor.failure);
}

export function exhausted(visit: Visit, sub: string): Answer {
  noteFailed(visit, sub, 'throttled', undefined);
  return { failure: failure('codesExhausted'), ...namesOf(visit), sub };
}

function noteFailed(
  visit: Visit,
  sub: string,
  kind: 'wrong' | 'cloned' | 'throttled',
  factor: string | undefined,
): void {
  const { services, request } = visit;
  const { app, client } = namesOf(visit);
  const { id, address } = request;
  services.log.info('login.refused', { request: id, app, client, sub, address, reason: kind });
  noteLoginFailed(services, request, { kind, sub, factor }, { app, clientId: client });
}
