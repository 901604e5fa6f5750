import {
  type AuthenticationMethod,
  hasSecondFactor,
  isAcceptedAcr,
  isFirstFactor,
  isPreferredAcr,
} from '../protocol/acr.ts';
import type { MfaPolicy } from '../protocol/client.ts';
import { type Failure, type FailureName, failure } from '../protocol/errors.ts';
import type { RefusalFacts } from '../protocol/refusal-facts.ts';
import type { Scope } from '../protocol/scope.ts';
import { type Demands, RECENT_SECONDS } from './demands.ts';

/**
 * OIDC Core sections 3.1.2.3 and 3.1.2.4: the one decision about signing in. It compares what a request demands with what the
 * browser has proved, and names the next step. The authorization endpoint and every page of sign-in/ call it.
 *
 * A further step is a row here and a file in steps/.
 */
export type Step = 'password' | 'select-account' | 'totp' | 'recovery' | 'enrol-totp' | 'consent';

export type NextStep =
  /** The user is signed in as the request demands: the request can be answered. */
  | { readonly kind: 'done'; readonly sub: string }
  | { readonly kind: 'ask'; readonly step: Step; readonly path: StepPath }
  | { readonly kind: 'refuse'; readonly failure: Failure };

/** The address of the page that asks. */
export type StepPath = '/login' | '/login/totp' | '/login/recovery' | '/login/enrol' | '/consent';

/** The session of the browser, as the store returns it. */
export interface PresentSession {
  readonly user: { readonly sub: string };
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly hasTotp: boolean;
  readonly requiresMfa?: boolean | undefined;
  /** The id of the pending request that the user signed in for. */
  readonly openedByRequest: string;
  /** What this user has agreed to before, for this client. */
  readonly consented: readonly Scope[];
}

/** The user of the browser proved to be `sub`. */
export interface Proof {
  readonly sub: string;
  readonly method: AuthenticationMethod;
  readonly at: number;
  /** Of the first factor: whether the user has a key for one-time passwords. */
  readonly hasTotp?: boolean | undefined;
  /** Of the first factor: whether the user must have a second one, whatever the application says. */
  readonly requiresMfa?: boolean | undefined;
  /** Of a password: the digest of the stored hash. If the password changes before the last step, the proof counts no more. */
  readonly passwordDigest?: string | undefined;
}

/** What happened on the sign-in pages since the request was received. */
export interface Outcomes {
  readonly cancelled: boolean;
  /** The proofs so far. They are removed when the session is opened. */
  readonly proofs: readonly Proof[];
  /** The choice on the select-account page: continue as the user of the present session, or sign in with another account. */
  readonly selected: { readonly sub: string } | 'another' | undefined;
  /** The `sub` of the user that agreed to this very request. */
  readonly consentedBy: string | undefined;
  /** The key of an authenticator app that is being set up, and for whom. It counts when a first code has confirmed it. */
  readonly enrolment?: { readonly sub: string; readonly key: string } | undefined;
}

export const NO_OUTCOMES: Outcomes = { cancelled: false, proofs: [], selected: undefined, consentedBy: undefined };

export interface BrowserState {
  readonly session: PresentSession | undefined;
  /** Undefined while the browser has not been on a page of this request. */
  readonly progress: (Outcomes & { readonly id: string }) | undefined;
  readonly now: number;
}

interface Row {
  readonly step: Step;
  readonly path: StepPath;
  /**
   * `visitor`: the step authenticates the user. `user`: the step comes after the session was opened; if the user refuses the
   * consent, the session stays.
   */
  readonly asks: 'visitor' | 'user';
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
  { step: 'totp', path: '/login/totp', asks: 'visitor', silent: 'loginRequired', isNeeded: needsSecondFactor },
  // Never the next step: the page of the one-time password links to it, and it proves as much.
  { step: 'recovery', path: '/login/recovery', asks: 'visitor', silent: 'loginRequired', isNeeded: () => false },
  {
    step: 'enrol-totp',
    path: '/login/enrol',
    asks: 'visitor',
    silent: 'authenticationRequirementsUnmet',
    isNeeded: (demands, _, user) => user !== undefined && mustEnrol(demands, user),
  },
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
  return demands.prompt.includes('none') ? { kind: 'refuse', failure: failure(silent) } : { kind: 'ask', step, path };
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
  if (needsSecondFactor(demands, state, user)) return { login: { kind: 'secondFactor' } };
  if (!isStrongEnough(demands, user)) return { login: { kind: 'noSecondFactor' } };
  const consented = state.session?.consented ?? [];
  const missing = (demands.consentTo ?? []).filter(scope => !consented.includes(scope));
  return { consent: { missing, isRemembered: consented.length > 0 } };
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

interface User {
  readonly sub: string;
  /** Signed in for this very request. */
  readonly isFresh: boolean;
  readonly amr: readonly string[];
  readonly hasTotp: boolean;
  readonly requiresMfa: boolean;
  /** When the user proved a first factor. */
  readonly provedAt: number;
}

/**
 * A first factor has precedence over the session that the browser had before. A second factor alone proves nothing; it adds to the
 * session of the same user.
 */
export function currentUser({ session, progress }: Pick<BrowserState, 'session' | 'progress'>): User | undefined {
  const proofs = progress?.proofs ?? [];
  const methodsOf = (sub: string) => proofs.filter(proof => proof.sub === sub).map(({ method }) => method);
  const first = proofs.find(({ method }) => isFirstFactor(method));
  if (first) {
    const { sub, at: provedAt, hasTotp = false, requiresMfa = false } = first;
    return { sub, isFresh: true, amr: methodsOf(sub), hasTotp, requiresMfa, provedAt };
  }
  if (!session) return undefined;
  const { user, hasTotp, requiresMfa = false, authTime: provedAt } = session;
  const { sub } = user;
  const isFresh = session.openedByRequest === progress?.id;
  return { sub, isFresh, amr: [...session.amr, ...methodsOf(sub)], hasTotp, requiresMfa, provedAt };
}

/** Asked only of a user who has one. A voluntary `acr` alone does not stand in the way of `prompt=none`. */
function needsSecondFactor(demands: Demands, _: BrowserState, user: User | undefined): boolean {
  const { acr, prompt } = demands;
  if (!user?.hasTotp || hasSecondFactor(user.amr)) return false;
  if (mfaFor(demands, user) !== 'off') return true;
  if (acr === undefined || isPreferredAcr(acr, user.amr)) return false;
  return !prompt.includes('none') || !isAcceptedAcr(acr, user.amr);
}

/** A user who must have a second factor is asked for it by every application, also by one that asks nobody. */
function mfaFor({ mfa }: Demands, { requiresMfa }: User): MfaPolicy {
  return requiresMfa ? 'required' : mfa;
}

/** A user without any second factor sets one up where it is required; for `acr` alone the request is refused. */
function mustEnrol(demands: Demands, user: User): boolean {
  return mfaFor(demands, user) === 'required' && !user.hasTotp && !hasSecondFactor(user.amr);
}

function isStrongEnough(demands: Demands, user: User): boolean {
  const { acr } = demands;
  if (mfaFor(demands, user) === 'required' && !hasSecondFactor(user.amr)) return false;
  return acr === undefined || isAcceptedAcr(acr, user.amr);
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

/** Adding a factor needs a recent authentication (accounts contract): a stolen session must not get a key of the thief. */
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
 * and was not withdrawn; `offline_access` adds no question to it.
 */
function needsConsent({ prompt, consentTo }: Demands, { session, progress }: BrowserState, user?: User): boolean {
  if (prompt.includes('consent') && progress?.consentedBy !== user?.sub) return true;
  if (consentTo === undefined) return false;
  const consented = session && session.user.sub === user?.sub ? session.consented : [];
  if (consented.length === 0) return true;
  return consentTo.some(scope => scope !== 'offline_access' && !consented.includes(scope));
}
