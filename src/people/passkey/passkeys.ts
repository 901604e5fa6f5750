import type { RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Expected, PasskeyAnswer } from './assertion.ts';
import { coseKeyFault } from './cose-key.rules.ts';
import { MAX_ANSWER_LENGTH, PASSKEY_ALGORITHMS, passkeyIdOf, TRANSPORTS } from './rules.ts';
import type { PasskeyRecord } from './store.ts';

/**
 * What an authenticator answers (WebAuthn). A registration is verified here (section 7.1), an assertion by assertion.ts. The counter is
 * the store's to judge, in one operation with its update.
 *
 * The library is loaded with the first registration: it takes about 30 MB, which a server without passkeys does not pay.
 */

/** Undefined: it is no answer of an authenticator. */
export function parseAnswer(text: string): PasskeyAnswer | undefined {
  if (text.length > MAX_ANSWER_LENGTH) return undefined;
  try {
    const answer = JSON.parse(text);
    if (typeof answer?.id !== 'string' || !/^[\w-]{1,1364}$/.test(answer.id)) return undefined;
    return typeof answer.response === 'object' && answer.response !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** The user handle of an assertion, where the authenticator sent one. */
export function userHandleIn({ response }: PasskeyAnswer): string | undefined {
  const { userHandle } = response as { readonly userHandle?: unknown };
  return typeof userHandle === 'string' && userHandle !== '' ? userHandle : undefined;
}

export interface VerifiedRegistration extends Omit<PasskeyRecord, 'name' | 'userHandle'> {
  readonly isSyncable: boolean;
  readonly isUserVerified: boolean;
}

export async function verifyRegistration(
  { party, challenge, requiresUserVerification }: Expected,
  answer: PasskeyAnswer,
): Promise<VerifiedRegistration | undefined> {
  if (isCrossOrigin(answer) || !(await isWithoutCertificates(answer))) return undefined;
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const verified = await verifyRegistrationResponse({
    response: answer as unknown as RegistrationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: requiresUserVerification,
    supportedAlgorithmIDs: [...PASSKEY_ALGORITHMS],
  }).catch(() => undefined);
  if (!verified?.verified) return undefined;
  const { credential, userVerified, credentialBackedUp, credentialDeviceType } = verified.registrationInfo;
  // The id that was named is the id that was signed for. A key that assertion.ts cannot read must not be registered.
  if (credential.id !== answer.id || coseKeyFault(Buffer.from(credential.publicKey)) !== undefined) return undefined;
  return {
    id: passkeyIdOf(credential.id),
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    transports: knownTransports(credential.transports),
    signCount: credential.counter,
    isSyncable: credentialDeviceType === 'multiDevice',
    isBackedUp: credentialBackedUp,
    isUserVerified: userVerified,
  };
}

/** The pages of this server are never in a frame of another site (section 7.1 step 10). */
function isCrossOrigin({ response }: PasskeyAnswer): boolean {
  try {
    const { clientDataJSON } = response as { readonly clientDataJSON: string };
    const { crossOrigin } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
    return crossOrigin !== undefined && crossOrigin !== false;
  } catch {
    return true;
  }
}

/**
 * No attestation was asked for, so a browser removes it or leaves a self attestation, which has no certificate. Others would let a
 * user choose certificates for the library to check, and addresses for it to fetch revocation lists from.
 */
async function isWithoutCertificates({ response }: PasskeyAnswer): Promise<boolean> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  try {
    const { attestationObject } = response as { readonly attestationObject: string };
    const decoded = decodeAttestationObject(Buffer.from(attestationObject, 'base64url'));
    const format = decoded.get('fmt');
    return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined);
  } catch {
    return false;
  }
}

/** They go back to the browser as they are: only those that are known. */
function knownTransports(transports: unknown): string[] {
  return Array.isArray(transports) ? TRANSPORTS.filter(each => transports.includes(each)) : [];
}
