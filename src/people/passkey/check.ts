import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import type { PasskeyFault } from '../../audit/refusals/facts.rules.ts';
import type { PasskeyMethod } from '../sign-in/acr.rules.ts';
import type { ShownFactor } from '../sign-in/current-user.rules.ts';
import { namesOf, type Visit } from '../sign-in/visit.ts';
import { type VerifiedAssertion, verifyAssertion } from './assertion.ts';
import { parseAnswer, userHandleIn } from './passkeys.ts';
import { challengeOf, passkeyIdOf, type RelyingParty, relyingPartyOf, userHandleOf } from './rules.ts';
import type { PasskeyOwner } from './store.ts';

/** Undefined: passkeys do not work here, because the application takes none or the server has no domain name. */
export function partyFor({ services, demands }: Visit): RelyingParty | undefined {
  return demands.passkeys ? relyingPartyOf(services.config.baseUrl) : undefined;
}

export function challengeFor({ signIn }: Visit): string {
  return challengeOf(signIn.sealed);
}

export type CheckedPasskey =
  | { readonly kind: 'right'; readonly proof: ShownFactor }
  | { readonly kind: 'wrong'; readonly fault: PasskeyFault; readonly sub: string | undefined }
  | { readonly kind: 'replayed'; readonly sub: string };

interface Wanted {
  /** The user who has proved a first factor; undefined: the passkey says who it is. */
  readonly sub: string | undefined;
  readonly requiresUserVerification: boolean;
}

/** Verifies an assertion, and spends its challenge: after this, the same assertion is good for nothing. */
export async function checkPasskey(
  visit: Visit,
  party: RelyingParty,
  text: string,
  { sub, requiresUserVerification }: Wanted,
): Promise<CheckedPasskey> {
  const { services } = visit;
  const answer = parseAnswer(text);
  if (!answer) return { kind: 'wrong', fault: 'invalid', sub };
  const owner = await services.store.findPasskey(passkeyIdOf(answer.id));
  if (!owner) return { kind: 'wrong', fault: 'unknown', sub };
  const wrong = (fault: PasskeyFault) => ({ kind: 'wrong', fault, sub: owner.sub }) as const;
  if (sub !== undefined && owner.sub !== sub) return wrong('otherUser');
  const handle = userHandleIn(answer);
  // WebAuthn section 7.2 step 6: where nobody was identified before, the authenticator has to name the user.
  if (handle !== handleOf(owner) && (sub === undefined || handle !== undefined)) return wrong('invalid');
  const expected = { party, challenge: challengeFor(visit), requiresUserVerification };
  const verified = verifyAssertion(expected, answer, owner.passkey);
  if (!verified) return wrong('invalid');
  if (owner.disabled && owner.deletionDue === undefined) return wrong('disabled');
  const { signCount, isBackedUp, isSyncable } = verified;
  const outcome = await services.store.usePasskey(
    {
      ...{ sub: owner.sub, id: owner.passkey.id, signCount, isBackedUp },
      key: owner.passkey.isSyncable === undefined ? { ...owner.passkey, isSyncable } : undefined,
      challenge: expected.challenge,
      challengeExpiresAt: visit.signIn.pending.expiresAt + CLOCK_TOLERANCE_SECONDS,
    },
    services.clock.now(),
    usedEvent(visit, owner),
  );
  if (outcome === 'replayed') return { kind: 'replayed', sub: owner.sub };
  if (outcome === 'gone') return wrong('unknown');
  if (outcome === 'cloned') return cloned(visit, owner, signCount);
  return { kind: 'right', proof: proofOf(visit, owner, verified) };
}

/** A passkey that came from another system keeps the user handle that it was made with there. */
function handleOf({ sub, passkey }: PasskeyOwner): string {
  return passkey.userHandle ?? userHandleOf(sub);
}

/** For nodes whose clocks differ. */
const CLOCK_TOLERANCE_SECONDS = 60;

/**
 * WebAuthn section 6.1.1 leaves the choice to the server. It refuses: whoever has the copy could otherwise sign in until the owner
 * notices, and the owner has other ways in. An authenticator without a counter always sends 0, which is accepted.
 */
function cloned(visit: Visit, { sub, passkey }: PasskeyOwner, signCount: number): CheckedPasskey {
  const { id, signCount: stored } = passkey;
  const { services, request } = visit;
  services.log.warn('passkey.cloned', { request: request.id, ...namesOf(visit), sub, passkey: id, stored, signCount });
  return { kind: 'wrong', fault: 'cloned', sub };
}

function proofOf(
  { services }: Visit,
  owner: PasskeyOwner,
  { isSyncable, isUserVerified }: VerifiedAssertion,
): ShownFactor {
  const { sub, hasTotp, hasPassword, hasEmail, hasVerifiedEmail, deletionDue, requiresMfa } = owner;
  const method: PasskeyMethod = isSyncable ? 'swk' : 'hwk';
  const known = { hasTotp, hasPassword, hasPasskey: true, hasEmail, hasVerifiedEmail, deletionDue, requiresMfa };
  return { sub, method, at: services.clock.now(), isUserVerified, passkey: owner.passkey.id, ...known };
}

function usedEvent({ services, request, target }: Visit, { sub, passkey }: PasskeyOwner) {
  return requestEvent(services, request, {
    type: 'factor.used',
    outcome: 'success',
    actor: userActor(sub),
    subject: sub,
    app: target?.app,
    clientId: target?.client.client_id,
    details: { factor: 'passkey', id: passkey.id },
  });
}
