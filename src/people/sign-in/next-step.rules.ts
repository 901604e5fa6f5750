import type { RefusalFacts } from '../../audit/refusals/facts.rules.ts';
import { mayEnter } from '../../directory/access/rules.ts';
import { type Failure, type FailureName, failure } from '../../failures.ts';
import { type BrowserState, currentUser, NO_OUTCOMES, type User } from './current-user.rules.ts';
import { type Demands, RECENT_SECONDS } from './demands.rules.ts';
import { isStrongEnough, missingClass, mustEnrol, secondFactorOf } from './strength.rules.ts';

/**
 * OIDC Core sections 3.1.2.3 and 3.1.2.4: the one decision about signing in. It compares what a request demands with what the
 * browser has proved, and names the next step. The authorization endpoint and every page of a sign-in call it.
 *
 * A further step is a row here and a page that its capability declares (`steps`).
 */
export type Step =
  | 'password'
  | 'select-account'
  | 'keep-account'
  | 'passkey'
  | 'totp'
  | 'recovery'
  | 'enrol-totp'
  | 'verify-email'
  | 'new-password'
  | 'no-access'
  | 'consent';

export type NextStep =
  /** The user is signed in as the request demands: the request can be answered. */
  | { readonly kind: 'done'; readonly sub: string }
  | { readonly kind: 'ask'; readonly step: Step; readonly path: StepPath }
  | { readonly kind: 'refuse'; readonly failure: Failure };

/** The address of the page that asks. */
export type StepPath =
  | '/login'
  | '/login/keep-account'
  | '/login/passkey'
  | '/login/totp'
  | '/login/recovery'
  | '/login/enrol'
  | '/login/verify-email'
  | '/login/new-password'
  | '/login/no-access'
  | '/consent';

interface Row {
  readonly step: Step;
  readonly path: StepPath;
  /**
   * `visitor`: the step authenticates the user. `account`: the user is authenticated, and the account lacks something without which no
   * session is opened. `user`: the step comes after the session was opened; if the user refuses the consent, the session stays.
   */
  readonly asks: 'visitor' | 'account' | 'user';
  /** The error for `prompt=none`, which forbids to show a page. */
  readonly silent: FailureName;
  readonly isNeeded: (demands: Demands, state: BrowserState, user: User | undefined) => boolean;
}

const PASSWORD: Row = {
  step: 'password',
  path: '/login',
  asks: 'visitor',
  silent: 'loginRequired',
  isNeeded: needsPassword,
};

/** In this order. */
const ROWS: readonly Row[] = [
  PASSWORD,
  // `none` is the only value of its prompt, so `silent` of this row is never used.
  { step: 'select-account', path: '/login', asks: 'visitor', silent: 'loginRequired', isNeeded: needsSelection },
  { ...PASSWORD, isNeeded: (demands, _, user) => secondFactorOf(demands, user) === 'password' },
  {
    step: 'passkey',
    path: '/login/passkey',
    asks: 'visitor',
    silent: 'loginRequired',
    isNeeded: (demands, _, user) => secondFactorOf(demands, user) === 'passkey',
  },
  {
    step: 'totp',
    path: '/login/totp',
    asks: 'visitor',
    silent: 'loginRequired',
    isNeeded: (demands, _, user) => secondFactorOf(demands, user) === 'totp',
  },
  // Never the next step: the pages of the other factors link to it, and it proves as much as a one-time password.
  { step: 'recovery', path: '/login/recovery', asks: 'visitor', silent: 'loginRequired', isNeeded: () => false },
  {
    step: 'keep-account',
    path: '/login/keep-account',
    asks: 'visitor',
    silent: 'loginRequired',
    isNeeded: isBeingDeleted,
  },
  {
    step: 'enrol-totp',
    path: '/login/enrol',
    asks: 'visitor',
    silent: 'authenticationRequirementsUnmet',
    isNeeded: (demands, _, user) => user !== undefined && mustEnrol(demands, user),
  },
  {
    step: 'verify-email',
    path: '/login/verify-email',
    asks: 'account',
    silent: 'loginRequired',
    isNeeded: needsVerifiedEmail,
  },
  {
    step: 'new-password',
    path: '/login/new-password',
    asks: 'account',
    silent: 'loginRequired',
    isNeeded: (_, __, user) => user?.needsNewPassword === true,
  },
  // It asks nothing that would help, but says what the matter is before the client gets its answer.
  { step: 'no-access', path: '/login/no-access', asks: 'user', silent: 'userNotAllowed', isNeeded: hasNoAccess },
  { step: 'consent', path: '/consent', asks: 'user', silent: 'consentRequired', isNeeded: needsConsent },
];

export function nextStep(demands: Demands, state: BrowserState): NextStep {
  if (state.progress?.cancelled) return { kind: 'refuse', failure: failure('userCancelled') };
  const user = currentUser(state);
  // The user signed in for this request and is not the one it demands: asking again would not help.
  if (user?.isFresh && !isRequired(demands, user)) return { kind: 'refuse', failure: failure('loginRequired') };
  const row = ROWS.find(({ isNeeded }) => isNeeded(demands, state, user));
  // Nothing is left to ask that would help: a user without a second factor cannot meet the demand.
  if (user && row?.asks !== 'visitor' && !isStrongEnough(demands, user)) {
    return { kind: 'refuse', failure: failure('authenticationRequirementsUnmet') };
  }
  if (user && !row) return { kind: 'done', sub: user.sub };
  const { step, path, silent } = row ?? PASSWORD;
  const hasReadIt = step === 'no-access' && state.progress?.toldNoAccess === user?.sub;
  return demands.prompt.includes('none') || hasReadIt
    ? { kind: 'refuse', failure: failure(silent) }
    : { kind: 'ask', step, path };
}

/** For the explanation of a refusal: what was missing. */
export function whyRefused(demands: Demands, state: BrowserState): RefusalFacts {
  const user = currentUser(state);
  if (state.progress?.cancelled) return {};
  if (!user) return { login: { kind: 'noSession' } };
  if (!isRequired(demands, user)) return { login: { kind: user.isFresh ? 'signedInAsOther' : 'otherUser' } };
  if (needsPassword(demands, state, user)) {
    return { login: { kind: 'tooOld', authTime: state.session?.authTime ?? 0, maxAge: demands.maxAge ?? 0 } };
  }
  if (missingClass(demands, user)) return { login: { kind: 'secondFactor' } };
  if (!isStrongEnough(demands, user)) return { login: { kind: 'noSecondFactor' } };
  if (needsVerifiedEmail(demands, state, user)) return { login: { kind: 'unverifiedEmail' } };
  if (hasNoAccess(demands, state, user)) return {};
  const consented = state.session?.consented ?? [];
  const missing = (demands.consentTo ?? []).filter(scope => !consented.includes(scope));
  const eachTime = demands.consentEachTime ? { eachTime: true } : {};
  return { consent: { missing, isRemembered: consented.length > 0, ...eachTime } };
}

/** A session is opened when nothing is left to ask a visitor. */
export function opensSession(next: NextStep): boolean {
  if (next.kind === 'ask') return ROWS.some(({ step, asks }) => step === next.step && asks === 'user');
  return next.kind === 'done';
}

/** The steps whose page is at this address, in their order. */
export function stepsAt(path: StepPath): readonly Step[] {
  return ROWS.filter(row => row.path === path).map(({ step }) => step);
}

function needsVerifiedEmail({ verifiedEmail }: Demands, _: BrowserState, user: User | undefined): boolean {
  return verifiedEmail && user !== undefined && !user.hasVerifiedEmail;
}

/**
 * Decided by the session, which has the user as the store has it now: what a browser carries of a sign-in says nothing about groups and
 * roles. Without a session nothing is issued, so a user who has none yet is asked to sign in first.
 */
function hasNoAccess({ access }: Demands, { session }: BrowserState, user: User | undefined): boolean {
  if (!access || session === undefined || session.user.sub !== user?.sub) return false;
  return !mayEnter(access, session.user);
}

/** After the second factor, which cancels a deletion as it was needed to ask for it. A disabled user has no session. */
function isBeingDeleted(_: Demands, __: BrowserState, user: User | undefined): boolean {
  return user?.isBeingDeleted === true;
}

function isRequired({ requiredSub }: Demands, { sub }: Pick<User, 'sub'>): boolean {
  return requiredSub === undefined || requiredSub === sub;
}

function needsPassword(demands: Demands, state: BrowserState, user: User | undefined): boolean {
  if (!user || !isRequired(demands, user)) return true;
  if (isTooOldToEnrol(demands, state, user)) return true;
  if (user.isFresh) return false;
  return state.progress?.selected === 'another' || isStale(demands, state);
}

/** Adding a factor needs a recent authentication (docs/accounts.md): a stolen session must not get a key of the thief. */
function isTooOldToEnrol(demands: Demands, { now }: BrowserState, user: User): boolean {
  if (demands.prompt.includes('none') || !mustEnrol(demands, user)) return false;
  return now - user.provedAt > RECENT_SECONDS;
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

/**
 * `prompt=consent` demands a consent to this very request. A client that needs consent is content with one that is remembered
 * and was not withdrawn; `offline_access` adds no question to it. One that no operator has set is never content with that.
 */
function needsConsent(demands: Demands, { session, progress }: BrowserState, user?: User): boolean {
  const { prompt, consentTo, consentEachTime } = demands;
  if ((prompt.includes('consent') || consentEachTime) && progress?.consentedBy !== user?.sub) return true;
  if (consentTo === undefined) return false;
  const consented = session && session.user.sub === user?.sub ? session.consented : [];
  if (consented.length === 0) return true;
  return consentTo.some(scope => scope !== 'offline_access' && !consented.includes(scope));
}
