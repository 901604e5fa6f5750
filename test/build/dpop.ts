import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { encoded, type SigningPair, signature } from './assertion.ts';
import type { Answered } from './client.ts';

/** DPoP proofs (RFC 9449), put together by hand: client libraries would not make hostile ones. */
export interface ProofParts {
  /** Whole seconds; the clock of this machine unless given. */
  readonly now?: number;
  /** The access token that the proof goes with. */
  readonly accessToken?: string;
  /** Added, or undefined: left out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
}

export function publicJwk({ publicJwk: { kid, ...jwk } }: SigningPair): Record<string, unknown> {
  return jwk;
}

/** RFC 7638, for keys of elliptic curves. */
export function thumbprintOf(pair: SigningPair): string {
  const { crv, kty, x, y } = publicJwk(pair);
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
}

export function aProof(pair: SigningPair, method: string, url: string, parts: ProofParts = {}): string {
  const { now = Math.floor(Date.now() / 1000), accessToken, claims, header } = parts;
  const ath = accessToken === undefined ? undefined : createHash('sha256').update(accessToken).digest('base64url');
  const payload = { jti: randomUUID(), htm: method, htu: url, iat: now, ath, ...claims };
  const input = `${encoded({ typ: 'dpop+jwt', alg: pair.alg, jwk: publicJwk(pair), ...header })}.${encoded(payload)}`;
  return `${input}.${signature(pair, input)}`;
}

/** A token response whose access token is bound to the key of the proof (RFC 9449 section 5). */
export function assertBoundToken(answered: Answered): Answered {
  assert.equal(answered.status, 200, answered.text);
  assert.equal(answered.json.token_type, 'DPoP');
  return answered;
}

/** The error description of a proof that fails by this part. */
export function proofFault(part: string): string {
  return `DPoP proof: ${part}`;
}
