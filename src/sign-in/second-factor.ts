import { hash } from 'node:crypto';
import { noteLoginFailed } from '../events/login-failed.ts';
import type { Answer, Reply } from '../message.ts';
import { hasSecondFactor, isFirstFactor } from '../protocol/acr.ts';
import { type FailureName, failure } from '../protocol/errors.ts';
import type { Params } from '../protocol/params.ts';
import type { AttemptedUser } from '../store/second-factors.ts';
import type { LiveSession } from '../store/sessions.ts';
import { currentUser, type Proof } from './next-step.ts';
import { resume } from './progress.ts';
import { goOnAs } from './session.ts';
import { expired, namesOf, sessionOf, type Visit } from './visit.ts';

/** What the pages of the second factors share: whom a code is asked of, how often, and what a right one leads to. */

/** Wrong codes in one sign-in, counted in the store across parallel requests and nodes. */
const MAX_ATTEMPTS = 5;
/** As long as a pending request lives, and a minute more for clocks that differ. */
const ATTEMPTS_KEPT_SECONDS = 660;

/** The user who has proved a first factor, here or in the live session that is stepped up. */
export interface Claimant {
  readonly sub: string;
  /** Undefined: the first factor is the session's. */
  readonly first: Proof | undefined;
  readonly session: LiveSession | undefined;
}

export type CodeError =
  | { readonly kind: 'wrong' | 'missing' }
  | { readonly kind: 'throttled'; readonly retryAfter: number };

/** Undefined: no second factor is due, so the page has nothing to ask (a step cannot be skipped or repeated). */
export function claimantOf(visit: Visit, session: LiveSession | undefined): Claimant | undefined {
  const { progress } = visit.signIn;
  const first = progress.proofs.find(({ method }) => isFirstFactor(method));
  const user = currentUser({ session, progress });
  if (!user?.hasTotp || hasSecondFactor(user.amr)) return undefined;
  return { sub: user.sub, first, session: first ? undefined : session };
}

/** Back to where the next step is decided. */
export function nothingToAsk({ services, signIn }: Visit): Answer {
  return resume(services.config.baseUrl, signIn);
}

interface Factor {
  readonly method: 'otp' | 'rec';
  /** Whether the code is right; it is good once, so a right one is spent. */
  spend(visit: Visit, claimant: Claimant, held: AttemptedUser, code: string): Promise<boolean>;
  render(visit: Visit, claimant: Claimant, error?: CodeError): Promise<Reply> | Reply;
}

export async function submitCode(visit: Visit, form: Params, factor: Factor): Promise<Answer> {
  const hasFirst = visit.signIn.progress.proofs.some(({ method }) => isFirstFactor(method));
  const claimant = claimantOf(visit, hasFirst ? undefined : await sessionOf(visit));
  if (!claimant) return nothingToAsk(visit);
  const code = form.get('code');
  if (code === undefined) return ask(visit, claimant, factor, { kind: 'missing' });
  const { services } = visit;
  const { sub, first, session } = claimant;
  // Beside the limit of one sign-in: who knows the password could begin one after the other.
  const throttled = { kind: 'account', account: `second factor ${sub}` } as const;
  const { wait } = await services.throttle.admit(throttled);
  if (wait > 0) return ask(visit, claimant, factor, { kind: 'throttled', retryAfter: wait });
  const now = services.clock.now();
  const held = await attemptCode(visit, sub);
  if (held === 'exhausted') return exhausted(visit, sub);
  if (first && digestOf(held.passwordHash) !== first.passwordDigest) return expired({ kind: 'changed' }, visit);
  // An operator has removed the factor meanwhile.
  if (!held.totp) return first ? goOnAs(visit, { ...first, hasTotp: false }, held.passwordHash) : nothingToAsk(visit);
  if (!(await factor.spend(visit, claimant, held, code))) return ask(visit, claimant, factor, { kind: 'wrong' });
  services.throttle.succeeded(throttled);
  const proof: Proof = { sub, method: factor.method, at: now };
  return goOnAs(visit, proof, first ? held.passwordHash : undefined, session);
}

/** Counts a code before it is compared, and reads what it is compared with. */
export function attemptCode(visit: Visit, sub: string): Promise<AttemptedUser | 'exhausted'> {
  const { services, request, signIn } = visit;
  const expiresAt = services.clock.now() + ATTEMPTS_KEPT_SECONDS;
  const attempt = { signIn: signIn.progress.id, sub, limit: MAX_ATTEMPTS, expiresAt };
  return services.store.attemptSecondFactor(attempt, request.receivedAt);
}

export function digestOf(passwordHash: string | undefined): string {
  return hash('sha256', passwordHash ?? '', 'base64url');
}

const FAILURES = {
  wrong: 'codeWrong',
  missing: 'parameterMissing',
  throttled: 'tooManyAttempts',
} as const satisfies Record<CodeError['kind'], FailureName>;

async function ask(visit: Visit, claimant: Claimant, factor: Factor, error: CodeError): Promise<Answer> {
  const { sub } = claimant;
  if (error.kind !== 'missing') noteFailed(visit, sub, error.kind, factor.method);
  const refused = error.kind === 'missing' ? failure('parameterMissing', 'code') : failure(FAILURES[error.kind]);
  const retry = error.kind === 'throttled' ? { retryAfter: error.retryAfter } : {};
  const page = await factor.render(visit, claimant, error);
  return { ...page, refusal: { failure: refused, ...namesOf(visit), sub, ...retry } };
}

export function exhausted(visit: Visit, sub: string): Answer {
  noteFailed(visit, sub, 'throttled', undefined);
  return { failure: failure('codesExhausted'), ...namesOf(visit), sub };
}

function noteFailed(visit: Visit, sub: string, kind: 'wrong' | 'throttled', factor: string | undefined): void {
  const { services, request } = visit;
  const { app, client } = namesOf(visit);
  const { id, address } = request;
  services.log.info('login.refused', { request: id, app, client, sub, address, reason: kind });
  noteLoginFailed(services, request, { kind, sub, factor }, { app, clientId: client });
}
