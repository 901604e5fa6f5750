import type { MfaPolicy } from '../../directory/applications/rules.ts';
import { type AcrClass, acrOf, FEDERATED, hasTwoFactors, isAcceptedAcr, satisfies } from './acr.rules.ts';
import { type BrowserState, currentUser, type User } from './current-user.rules.ts';
import type { Demands } from './demands.rules.ts';

/** Pure: whether what the user has proved is as strong as the policies and the request want, and what is missing. */

/**
 * The class of `acr` that the user lacks and can reach: what the policy or the request wants beyond what was proved. A class out of
 * reach is not asked for. A voluntary `acr` alone does not stand in the way of `prompt=none`.
 */
export function missingClass(demands: Demands, user: User): AcrClass | undefined {
  const { acr, prompt } = demands;
  const reach = reachableClass(demands, user);
  const isSilent = prompt.includes('none') && acr !== undefined && isAcceptedAcr(acr, user.amr);
  const preferred = isSilent ? undefined : acr?.values.find(value => satisfies(reach, value));
  const wanted = [
    preferred,
    wantsSecondFactor(demands, user) ? '2' : undefined,
    mustAddEmail(demands, user) ? reach : undefined,
  ];
  const missing = (['phr', '2'] as const).find(each => wanted.includes(each) && satisfies(reach, each));
  return missing !== undefined && !satisfies(acrOf(user.amr), missing) ? missing : undefined;
}

/** A recovery code says that the other factors are lost, so nobody is asked for one of them unless the request insists. */
function reachableClass({ acr, passkeys }: Demands, { amr, hasTotp, hasPasskey, hasPassword }: User): AcrClass {
  const isLost = amr.includes('rec') && acr?.essential !== true;
  if (hasPasskey && passkeys && !isLost) return 'phr';
  // What adds to a password is a possession, and the other way round.
  return (isKnown(amr) ? hasTotp : hasPassword) ? '2' : '1';
}

/** What is asked for after the first factor. A passkey that did not verify the user is a possession: the password adds to it. */
export function secondFactorOf(demands: Demands, user: User | undefined): 'password' | 'passkey' | 'totp' | undefined {
  const missing = user && missingClass(demands, user);
  if (!user || !missing) return undefined;
  if (missing === '2' && user.hasPassword && !isKnown(user.amr)) return 'password';
  return user.hasPasskey && demands.passkeys ? 'passkey' : 'totp';
}

/**
 * Whose trust in this browser could make a difference: the user that would be asked for a second factor because of `mfa`. Undefined:
 * nobody's, so that the caller need not look.
 */
export function skipsSecondFactorIfTrusted(demands: Demands, state: BrowserState): string | undefined {
  const user = currentUser(state);
  if (!user || !demands.trustsBrowsers) return undefined;
  return missingClass({ ...demands, acr: undefined }, user) ? user.sub : undefined;
}

/** To cancel a deletion too, whatever the application asks for: it took the strongest factor of the user to ask for it. */
function wantsSecondFactor(demands: Demands, user: User): boolean {
  return user.isBeingDeleted || (mfaFor(demands, user) !== 'off' && !isTrusted(demands, user));
}

/** A user who must have a second factor is asked for it by every application, also by one that asks nobody. */
function mfaFor({ mfa }: Demands, { requiresMfa }: User): MfaPolicy {
  return requiresMfa ? 'required' : mfa;
}

/**
 * A user without any second factor sets one up where it is required, beside the password that was proved; for `acr` alone the
 * request is refused.
 */
export function mustEnrol(demands: Demands, user: User): boolean {
  if (mfaFor(demands, user) !== 'required' || hasTwoFactors(user.amr)) return false;
  return isKnown(user.amr) && !hasFactor(demands, user);
}

/**
 * A user without an e-mail address gets a first one where a verified one is demanded. That takes the strongest factor of the user, as on
 * the account page: whoever has the address can reset the password. Nothing is added silently.
 */
export function mustAddEmail({ verifiedEmail, prompt }: Demands, { hasEmail, hasVerifiedEmail }: User): boolean {
  return verifiedEmail && !hasEmail && !hasVerifiedEmail && !prompt.includes('none');
}

/** A password was proved, or what a provider knows the person by: a possession adds to both. */
function isKnown(amr: readonly string[]): boolean {
  return amr.includes('pwd') || amr.includes(FEDERATED);
}

/** Trust stands for a second factor that the user has. */
function isTrusted(demands: Demands, user: User): boolean {
  return demands.trustsBrowsers && user.isTrusting && hasFactor(demands, user);
}

/** One that the application can ask for. */
function hasFactor({ passkeys }: Demands, { hasTotp, hasPasskey }: User): boolean {
  return hasTotp || (passkeys && hasPasskey);
}

export function isStrongEnough(demands: Demands, user: User): boolean {
  const { acr } = demands;
  const { amr } = user;
  if (mfaFor(demands, user) === 'required' && !hasTwoFactors(amr) && !isTrusted(demands, user)) return false;
  return acr === undefined || isAcceptedAcr(acr, amr);
}
