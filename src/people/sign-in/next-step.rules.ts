import type { RefusalFacts } from '../../audit/refusals/facts.rules.ts';
import { type Failure, failure } from '../../failures.ts';
import { type BrowserState, currentUser } from './current-user.rules.ts';
import type { Demands } from './demands.rules.ts';
import { isLocal, isRequired, needsPassword } from './login.rules.ts';
import type { SignInStep } from './step.rules.ts';
import { isStrongEnough, missingClass } from './strength.rules.ts';

/**
 * OIDC Core sections 3.1.2.3 and 3.1.2.4: the one decision about signing in. It compares what a request demands with what the
 * browser has proved, and names the next step. The authorization endpoint and every page of a sign-in call it. When each step is due
 * its capability declares (`steps`); here is their order.
 */
const ORDER = [
  // Instead of the first one, where a person of an identity provider has to prove an account.
  'link',
  'password',
  'select-account',
  'second-password',
  'passkey',
  'totp',
  'recovery',
  // After the second factor, which cancels a deletion as it was needed to ask for it.
  'keep-account',
  'enrol-totp',
  'verify-email',
  'new-password',
  'no-access',
  'consent',
];

/** The steps as they are asked for. One that has no place in the order says which it follows. */
export function inOrder<Step extends SignInStep>(declared: readonly Step[]): readonly Step[] {
  const ordered = ORDER.map(name => {
    const step = declared.find(each => each.name === name);
    if (!step) throw new Error(`no capability declares the step ${name}`);
    return step;
  });
  for (const step of declared) {
    if (ordered.includes(step)) continue;
    const place = ordered.findIndex(({ name }) => name === step.after);
    if (place < 0) throw new Error(`the step ${step.name} does not say which step it follows`);
    ordered.splice(place + 1, 0, step);
  }
  return ordered;
}

export type NextStep =
  /** The user is signed in as the request demands: the request can be answered. */
  | { readonly kind: 'done'; readonly sub: string }
  | { readonly kind: 'ask'; readonly step: string; readonly path: string; readonly opensSession: boolean }
  | { readonly kind: 'refuse'; readonly failure: Failure };

/** `steps`: in their order. */
export function nextStep(steps: readonly SignInStep[], demands: Demands, state: BrowserState): NextStep {
  if (state.progress?.cancelled) return { kind: 'refuse', failure: failure('userCancelled') };
  const user = currentUser(state);
  // The user signed in for this request and is not the one it demands: asking again would not help.
  if (user?.isFresh && !isRequired(demands, user)) return { kind: 'refuse', failure: failure('otherUserSignedIn') };
  const step = steps.find(each => each.isNeeded(demands, state, user));
  // Nothing is left to ask that would help: a user without a second factor cannot meet the demand.
  if (user && step?.asks !== 'visitor' && !isStrongEnough(demands, user)) {
    return { kind: 'refuse', failure: failure('authenticationRequirementsUnmet') };
  }
  if (!step) return user ? { kind: 'done', sub: user.sub } : { kind: 'refuse', failure: failure('loginRequired') };
  return demands.prompt.includes('none') || step.isRefused?.(state, user)
    ? { kind: 'refuse', failure: failure(step.silent) }
    : { kind: 'ask', step: step.name, path: step.path, opensSession: step.asks === 'user' };
}

/** For the explanation of a refusal: what was missing. */
export function whyRefused(steps: readonly SignInStep[], demands: Demands, state: BrowserState): RefusalFacts {
  const user = currentUser(state);
  if (state.progress?.cancelled) return {};
  if (!user) return { login: { kind: 'noSession' } };
  if (!isRequired(demands, user)) return user.isFresh ? {} : { login: { kind: 'otherUser' } };
  if (isLocal(demands, user) && !user.isFresh) return { login: { kind: 'notByProvider' } };
  if (needsPassword(demands, state, user)) {
    return { login: { kind: 'tooOld', authTime: state.session?.authTime ?? 0, maxAge: demands.maxAge ?? 0 } };
  }
  if (missingClass(demands, user)) return { login: { kind: 'secondFactor' } };
  if (!isStrongEnough(demands, user)) return { login: { kind: 'noSecondFactor' } };
  return steps.find(each => each.isNeeded(demands, state, user))?.whyNeeded?.(demands, state) ?? {};
}

/** A session is opened when nothing is left to ask a visitor. */
export function opensSession(next: NextStep): boolean {
  return next.kind === 'ask' ? next.opensSession : next.kind === 'done';
}
