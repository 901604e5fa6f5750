import { FEDERATED } from './acr.rules.ts';
import { type BrowserState, NO_OUTCOMES, type User } from './current-user.rules.ts';
import { type Demands, RECENT_SECONDS } from './demands.rules.ts';
import type { StepRule } from './step.rules.ts';
import { mustAddEmail, mustEnrol, secondFactorOf } from './strength.rules.ts';

/** The steps of /login. */
export const passwordRule: StepRule = {
  path: '/login',
  asks: 'visitor',
  silent: 'loginRequired',
  isNeeded: needsPassword,
};

/** `none` is the only value of its prompt, so `silent` of this rule is never used. */
export const selectAccountRule: StepRule = { ...passwordRule, isNeeded: needsSelection };

/** The password adds to a passkey that did not verify the user. */
export const secondPasswordRule: StepRule = {
  ...passwordRule,
  isNeeded: (demands, _, user) => secondFactorOf(demands, user) === 'password',
};

export function isRequired({ requiredSub }: Demands, { sub }: Pick<User, 'sub'>): boolean {
  return requiredSub === undefined || requiredSub === sub;
}

export function needsPassword(demands: Demands, state: BrowserState, user: User | undefined): boolean {
  if (!user || !isRequired(demands, user)) return true;
  if (isTooOldToEnrol(demands, state, user)) return true;
  if (user.isFresh) return false;
  if (isTooOldForAddress(demands, state, user)) return true;
  return state.progress?.selected === 'another' || isLocal(demands, user) || isStale(demands, state);
}

/** Adding a factor needs a recent authentication (docs/accounts.md): a stolen session must not get a key of the thief. */
function isTooOldToEnrol(demands: Demands, { now }: BrowserState, user: User): boolean {
  if (demands.prompt.includes('none') || !mustEnrol(demands, user)) return false;
  return now - user.provedAt > RECENT_SECONDS;
}

/**
 * The same for a first address (docs/accounts.md): the password could be reset by a mail to it. A sign-in that is in progress may wait
 * for its mail.
 */
function isTooOldForAddress(demands: Demands, { now }: BrowserState, user: User): boolean {
  return mustAddEmail(demands, user) && now - user.provedAt > RECENT_SECONDS;
}

/** Whom a provider has identified once in a session, it has identified. */
export function isLocal({ onlyProviders }: Demands, { amr }: User): boolean {
  return onlyProviders === true && !amr.includes(FEDERATED);
}

/** A session opened for this very request is never stale, not even for `max_age=0`. */
function isStale({ prompt, maxAge }: Demands, { session, now }: BrowserState): boolean {
  if (prompt.includes('login')) return true;
  return maxAge !== undefined && (maxAge === 0 || now - (session?.authTime ?? 0) > maxAge);
}

function needsSelection({ prompt }: Demands, { progress }: BrowserState, user: User | undefined): boolean {
  if (!prompt.includes('select_account') || user?.isFresh) return false;
  const { selected } = progress ?? NO_OUTCOMES;
  return selected === undefined || selected === 'another' || selected.sub !== user?.sub;
}
