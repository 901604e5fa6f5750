import { hash } from 'node:crypto';

/**
 * Passkeys (WebAuthn level 3), as far as they are rules: which names they are bound to, what the browser is asked, and what a passkey
 * is called in the store. assertion.ts verifies what the authenticator answers at a sign-in, passkeys.ts what it answers when one is added.
 */
export interface RelyingParty {
  /** The domain that passkeys of this deployment are bound to: they work nowhere else. */
  readonly id: string;
  readonly origin: string;
}

/** Undefined where browsers offer no passkeys: the relying party must be a domain name (WebAuthn section 5.1.3). */
export function relyingPartyOf(baseUrl: string): RelyingParty | undefined {
  const { hostname, origin } = new URL(baseUrl);
  const isAddress = hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname);
  return isAddress ? undefined : { id: hostname, origin };
}

/**
 * The challenge of a page is derived from the sealed request that the page carries: random, of this browser alone, and another one
 * after each step, without anything to be stored. The store notes it when it was used, so that it counts once.
 */
export function challengeOf(sealed: string): string {
  return hash('sha256', `passkey challenge\n${sealed}`, 'base64url');
}

/** The user handle of a passkey that is made here (WebAuthn section 14.6.1): nothing in it tells who the user is. */
export function userHandleOf(sub: string): string {
  return hash('sha256', `passkey user handle\n${sub}`, 'base64url');
}

/** A credential id can have 1023 bytes; its hash is short enough for an index, an address and a form. */
export function passkeyIdOf(credentialId: string): string {
  return `passkey_${hash('sha256', credentialId, 'base64url')}`;
}

/** How a browser may reach the authenticator (section 5.8.4): hints, of which only the known ones are kept. */
export const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

export const MAX_PASSKEYS = 20;
export const MAX_PASSKEY_NAME_LENGTH = 50;
/** As much JSON as an authenticator's answer can have, and more. */
export const MAX_ANSWER_LENGTH = 16 * 1024;

/** COSE algorithms (RFC 9053): EdDSA, ES256, RS256, in the order of preference. */
export const PASSKEY_ALGORITHMS: readonly number[] = [-8, -7, -257];

const TIMEOUT_MS = 300_000;

interface AllowedCredential {
  readonly credentialId: string;
  readonly transports: readonly string[];
}

/** PublicKeyCredentialRequestOptionsJSON: the browser is asked for an assertion. No allowed credentials: any discoverable one. */
export function requestOptions(
  { id }: RelyingParty,
  challenge: string,
  userVerification: 'preferred' | 'required',
  allowed: readonly AllowedCredential[] = [],
): object {
  return { challenge, rpId: id, timeout: TIMEOUT_MS, userVerification, allowCredentials: allowed.map(descriptor) };
}

interface NewPasskeyUser {
  readonly sub: string;
  readonly username: string;
  readonly nickname: string | undefined;
}

/** PublicKeyCredentialCreationOptionsJSON. No attestation: this server has no list of devices that it trusts more than others. */
export function creationOptions(
  { id }: RelyingParty,
  challenge: string,
  user: NewPasskeyUser,
  held: readonly AllowedCredential[],
): object {
  return {
    challenge,
    rp: { id, name: id },
    user: { id: userHandleOf(user.sub), name: user.username, displayName: user.nickname ?? user.username },
    pubKeyCredParams: PASSKEY_ALGORITHMS.map(alg => ({ type: 'public-key', alg })),
    timeout: TIMEOUT_MS,
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'preferred' },
    excludeCredentials: held.map(descriptor),
  };
}

function descriptor({ credentialId, transports }: AllowedCredential): object {
  return { type: 'public-key', id: credentialId, transports };
}
