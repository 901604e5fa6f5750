import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import {
  MAX_ANSWER_LENGTH,
  PASSKEY_ALGORITHMS,
  passkeyIdOf,
  type RelyingParty,
  TRANSPORTS,
} from '../protocol/passkey.ts';
import type { PasskeyKey, PasskeyRecord } from '../store/passkeys.ts';

/**
 * Verifies what an authenticator answered (WebAuthn sections 7.1 and 7.2): challenge, origin, relying party, type, user presence,
 * user verification where it is required, and the signature. The counter is the store's to judge, in one operation with its update.
 *
 * The library is loaded with the first answer: it takes about 30 MB, which a server without passkeys does not pay.
 */
export interface Expected {
  readonly party: RelyingParty;
  readonly challenge: string;
  readonly requiresUserVerification: boolean;
}

/** The JSON of an answer, as far as it is looked at before it is verified. */
export interface PasskeyAnswer {
  /** The credential id, in base64url. */
  readonly id: string;
  readonly response: object;
}

export interface VerifiedAssertion {
  readonly signCount: number;
  readonly isUserVerified: boolean;
  readonly isSyncable: boolean;
  readonly isBackedUp: boolean;
}

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

/** Undefined: it does not hold. */
export async function verifyAssertion(
  { party, challenge, requiresUserVerification }: Expected,
  answer: PasskeyAnswer,
  { credentialId, publicKey, isSyncable }: PasskeyKey,
): Promise<VerifiedAssertion | undefined> {
  if (isCrossOrigin(answer)) return undefined;
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const verified = await verifyAuthenticationResponse({
    response: answer as unknown as AuthenticationResponseJSON,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: requiresUserVerification,
    credential: { id: credentialId, publicKey: Buffer.from(publicKey, 'base64url'), counter: 0 },
  }).catch(() => undefined);
  if (!verified?.verified) return undefined;
  const { newCounter, userVerified, credentialBackedUp, credentialDeviceType } = verified.authenticationInfo;
  const isMultiDevice = credentialDeviceType === 'multiDevice';
  // Whether a key can be synchronised never changes (section 6.1.3).
  if (isMultiDevice !== (isSyncable ?? isMultiDevice)) return undefined;
  return {
    ...{ signCount: newCounter, isUserVerified: userVerified },
    ...{ isSyncable: isMultiDevice, isBackedUp: credentialBackedUp },
  };
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
  // The id that was named is the id that was signed for.
  if (credential.id !== answer.id) return undefined;
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
