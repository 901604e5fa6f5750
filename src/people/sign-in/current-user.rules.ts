import type { Membership } from '../../directory/access/rules.ts';
import { hasVerifiedEmail } from '../../directory/users/claims.rules.ts';
import type { Scope } from '../../oauth/token/scope.rules.ts';
import { type AuthenticationMethod, isFirstFactor, USER_VERIFIED } from './acr.rules.ts';

/** Pure: who the user of the browser is, by the proofs of this sign-in or by the session, and what is known of this user. */

/** The session of the browser, as the store returns it. */
export interface PresentSession {
  readonly user: {
    readonly sub: string;
    readonly username: string;
    readonly membership?: Membership | undefined;
    readonly email?: string | undefined;
    readonly emailVerified?: boolean | undefined;
  };
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly hasTotp: boolean;
  readonly hasPasskey: boolean;
  readonly hasPassword: boolean;
  readonly requiresMfa?: boolean | undefined;
  /** The id of the pending request that the user signed in for. */
  readonly openedByRequest: string;
  /** What this user has agreed to before, for this client. */
  readonly consented: readonly Scope[];
}

/** The user of the browser proved to be `sub`. */
export interface ShownFactor {
  readonly sub: string;
  readonly method: AuthenticationMethod;
  readonly at: number;
  /** Of the first factor: whether the user has a key for one-time passwords. */
  readonly hasTotp?: boolean | undefined;
  readonly hasPasskey?: boolean | undefined;
  /** Of a passkey: its id. If it is removed before the last step, the proof counts no more. */
  readonly passkey?: string | undefined;
  /** Of a passkey or an identity provider: whether there is a password that could be asked for too. */
  readonly hasPassword?: boolean | undefined;
  /** Of a passkey: the authenticator verified the user. */
  readonly isUserVerified?: boolean | undefined;
  /** Of a passkey that adds to the session, as a code does: it is no login of its own. */
  readonly stepsUp?: boolean | undefined;
  /** Of the first factor: whether the user has an e-mail address. */
  readonly hasEmail?: boolean | undefined;
  /** Of the first factor: whether the e-mail address of the user is verified. */
  readonly hasVerifiedEmail?: boolean | undefined;
  /** Of the first factor: whether the user must have a second one, whatever the application says. */
  readonly requiresMfa?: boolean | undefined;
  /** Of a password, also of one that adds to a passkey: an operator demands another one. */
  readonly needsNewPassword?: boolean | undefined;
  /** Of a password: the digest of the stored hash. If the password changes before the last step, the proof counts no more. */
  readonly passwordDigest?: string | undefined;
  /** Of an identity provider: when the person authenticated there, where it says so. */
  readonly authTime?: number | undefined;
  /** The same: who the person is there. If the link is removed before the last step, the proof counts no more. */
  readonly link?: { readonly provider: string; readonly subject: string } | undefined;
  /** The same: what stands in `amr` for the class that the provider's `acr_map` makes of the sign-in there. */
  readonly federatedAmr?: readonly string[] | undefined;
  /** The same: something of the session there is kept here, for the session that this sign-in opens. */
  readonly leavesSession?: boolean | undefined;
  /** Of the first factor: when the account is deleted, as the user asked for. Until then the user is disabled. */
  readonly deletionDue?: number | undefined;
}

/** What happened on the sign-in pages since the request was received. */
export interface Outcomes {
  readonly cancelled: boolean;
  /** The proofs so far. They are removed when the session is opened. */
  readonly proofs: readonly ShownFactor[];
  /** The choice on the select-account page: continue as the user of the present session, or sign in with another account. */
  readonly selected: { readonly sub: string } | 'another' | undefined;
  /** The `sub` of the user that agreed to this very request. */
  readonly consentedBy: string | undefined;
  /** The `sub` of the user that read that the application does not admit this account. */
  readonly toldNoAccess?: string | undefined;
  /** Of a step that keeps nothing else: the `sub` of the user that did what it asks, by the name of the step. */
  readonly passed?: Readonly<Record<string, string>> | undefined;
  /** What went wrong with an identity provider, for the sign-in page to tell. */
  readonly providerFault?: { readonly provider: string; readonly kind: string } | undefined;
  /** A person of a provider whose address belongs to an account: whoever signs in now gets the link. */
  readonly linking?: PendingLink | undefined;
  /** The key of an authenticator app that is being set up, and for whom. It counts when a first code has confirmed it. */
  readonly enrolment?: { readonly sub: string; readonly key: string } | undefined;
}

export interface PendingLink {
  readonly provider: string;
  readonly subject: string;
  /** The account that has the address. */
  readonly sub: string;
  readonly email: string;
}

export const NO_OUTCOMES: Outcomes = { cancelled: false, proofs: [], selected: undefined, consentedBy: undefined };

export interface BrowserState {
  readonly session: PresentSession | undefined;
  /** Undefined while the browser has not been on a page of this request. */
  readonly progress: (Outcomes & { readonly id: string }) | undefined;
  readonly now: number;
  /** The user who trusts this browser: see `skipsSecondFactorIfTrusted` of strength.rules.ts. */
  readonly trustedFor?: string | undefined;
}

export interface User {
  readonly sub: string;
  /** Signed in for this very request. */
  readonly isFresh: boolean;
  readonly amr: readonly string[];
  readonly hasTotp: boolean;
  readonly hasPasskey: boolean;
  readonly hasPassword: boolean;
  /** The user must have a second factor, whatever the application says. */
  readonly requiresMfa: boolean;
  /** When the user proved a first factor. */
  readonly provedAt: number;
  readonly hasEmail: boolean;
  readonly hasVerifiedEmail: boolean;
  readonly needsNewPassword: boolean;
  readonly isBeingDeleted: boolean;
  /** The user trusts this browser. */
  readonly isTrusting: boolean;
}

/**
 * A first factor has precedence over the session that the browser had before. A second factor alone proves nothing; it adds to the
 * session of the same user.
 */
export function currentUser({ session, progress, trustedFor }: Omit<BrowserState, 'now'>): User | undefined {
  const proofs = progress?.proofs ?? [];
  const own = (sub: string) => proofs.filter(proof => proof.sub === sub);
  const amrOfUser = (sub: string) => methodsOf(own(sub));
  const first = firstFactor(proofs);
  if (first) {
    const { sub, method, hasTotp = false, hasPasskey = false, hasPassword = method === 'pwd' } = first;
    return {
      sub,
      isFresh: true,
      amr: amrOfUser(sub),
      hasTotp,
      hasPasskey,
      hasPassword,
      requiresMfa: first.requiresMfa === true,
      provedAt: first.at,
      hasEmail: first.hasEmail !== false,
      hasVerifiedEmail: first.hasVerifiedEmail === true,
      needsNewPassword: passwordFactor(own(sub))?.needsNewPassword === true,
      isBeingDeleted: first.deletionDue !== undefined,
      isTrusting: trustedFor === sub,
    };
  }
  if (!session) return undefined;
  const { sub } = session.user;
  const { hasTotp, hasPasskey, hasPassword } = session;
  return {
    sub,
    isFresh: session.openedByRequest === progress?.id,
    amr: [...session.amr, ...amrOfUser(sub)],
    hasTotp,
    hasPasskey,
    hasPassword,
    requiresMfa: session.requiresMfa === true,
    provedAt: session.authTime,
    hasEmail: session.user.email !== undefined,
    hasVerifiedEmail: hasVerifiedEmail(session.user),
    // A session proves no password: the next sign-in asks.
    needsNewPassword: false,
    isBeingDeleted: false,
    isTrusting: trustedFor === sub,
  };
}

/** The proof that says who the user is. */
export function firstFactor(proofs: readonly ShownFactor[]): ShownFactor | undefined {
  return proofs.find(({ method, stepsUp = false }) => isFirstFactor(method) && !stepsUp);
}

/** The ids of the passkeys that were proved. */
export function passkeysOf(proofs: readonly ShownFactor[]): string[] {
  return proofs.flatMap(({ passkey }) => passkey ?? []);
}

/** The password that was typed in this sign-in. */
export function passwordFactor(proofs: readonly ShownFactor[]): ShownFactor | undefined {
  return proofs.find(({ method }) => method === 'pwd');
}

/** The values of `amr` that proofs stand for. */
export function methodsOf(proofs: readonly ShownFactor[]): string[] {
  return proofs.flatMap(({ method, isUserVerified = false, federatedAmr = [] }) =>
    isUserVerified ? [method, USER_VERIFIED] : [method, ...federatedAmr],
  );
}
