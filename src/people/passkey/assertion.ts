import { createPublicKey, hash, verify } from 'node:crypto';
import { jwkOfCose } from './cose-key.rules.ts';
import type { RelyingParty } from './rules.ts';
import type { PasskeyKey } from './store.ts';

/**
 * Verifies the assertion of an authenticator (WebAuthn section 7.2), by node:crypto. The library that verifies registrations takes
 * three times as long, because each hash and key of it waits for another thread (docs/decisions/passkeys.md).
 */
export interface Expected {
  readonly party: RelyingParty;
  /** In base64url. */
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

/** Undefined: it does not hold. */
export function verifyAssertion(
  { party, challenge, requiresUserVerification }: Expected,
  answer: PasskeyAnswer,
  { credentialId, publicKey, isSyncable }: PasskeyKey,
): VerifiedAssertion | undefined {
  const parts = partsOf(answer);
  if (!parts || answer.id !== credentialId) return undefined;
  const data = readAuthenticatorData(parts.authenticatorData);
  if (!data || !isExpectedClientData(parts.clientData, challenge, party)) return undefined;
  if (!data.rpIdHash.equals(hash('sha256', party.id, 'buffer')) || !data.isUserPresent) return undefined;
  if (requiresUserVerification && !data.isUserVerified) return undefined;
  // Section 6.1.3: a key that cannot be synchronised has no copy, and whether it can never changes.
  if (data.isBackedUp && !data.isSyncable) return undefined;
  if (data.isSyncable !== (isSyncable ?? data.isSyncable)) return undefined;
  return isSigned(parts, Buffer.from(publicKey, 'base64url')) ? data : undefined;
}

interface Parts {
  readonly clientData: Buffer;
  readonly authenticatorData: Buffer;
  readonly signature: Buffer;
}

function partsOf(answer: PasskeyAnswer): Parts | undefined {
  const { type, rawId } = answer as { readonly type?: unknown; readonly rawId?: unknown };
  if (type !== 'public-key' || rawId !== answer.id) return undefined;
  const { clientDataJSON, authenticatorData, signature } = answer.response as Readonly<Record<string, unknown>>;
  const [first, second, third] = [clientDataJSON, authenticatorData, signature].map(fromBase64url);
  return first && second && third && { clientData: first, authenticatorData: second, signature: third };
}

function fromBase64url(value: unknown): Buffer | undefined {
  return typeof value === 'string' && /^[\w-]+$/.test(value) ? Buffer.from(value, 'base64url') : undefined;
}

/** Section 7.2 steps 7 to 13: the browser says what was signed for, and by which page. */
function isExpectedClientData(clientData: Buffer, challenge: string, { origin }: RelyingParty): boolean {
  const said = parseObject(clientData);
  if (said?.type !== 'webauthn.get' || said.challenge !== challenge || said.origin !== origin) return false;
  // The pages of this server are never in a frame of another site.
  return said.crossOrigin === undefined || said.crossOrigin === false;
}

function parseObject(text: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text.toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

interface AuthenticatorData extends VerifiedAssertion {
  readonly rpIdHash: Buffer;
  readonly isUserPresent: boolean;
}

const HASH_BYTES = 32;
const HEAD_BYTES = HASH_BYTES + 1 + 4;
const FLAGS = { userPresent: 0x01, userVerified: 0x04, syncable: 0x08, backedUp: 0x10, more: 0xc0 };

/** Section 6.1: hash of the relying party's id, flags, counter. More follows only where a flag says so. */
function readAuthenticatorData(bytes: Buffer): AuthenticatorData | undefined {
  if (bytes.length < HEAD_BYTES) return undefined;
  const flags = bytes.readUInt8(HASH_BYTES);
  const has = (flag: number) => (flags & flag) !== 0;
  if (has(FLAGS.more) !== bytes.length > HEAD_BYTES) return undefined;
  return {
    rpIdHash: bytes.subarray(0, HASH_BYTES),
    isUserPresent: has(FLAGS.userPresent),
    isUserVerified: has(FLAGS.userVerified),
    isSyncable: has(FLAGS.syncable),
    isBackedUp: has(FLAGS.backedUp),
    signCount: bytes.readUInt32BE(HASH_BYTES + 1),
  };
}

/** Steps 19 and 20. The algorithm is that of the stored key; the answer has no say in it. */
function isSigned({ clientData, authenticatorData, signature }: Parts, publicKey: Buffer): boolean {
  const jwk = jwkOfCose(publicKey);
  if (!jwk) return false;
  const signed = Buffer.concat([authenticatorData, hash('sha256', clientData, 'buffer')]);
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return verify(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', signed, key, signature);
}
