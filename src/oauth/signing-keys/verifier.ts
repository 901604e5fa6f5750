import type { JWTPayload } from 'jose';
import * as errors from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import type { Clock } from '../../platform/deps.ts';
import { type Confirmation, readConfirmation } from '../proof-of-possession/confirmation.rules.ts';
import { signingAlgs } from './algorithms.rules.ts';
import type { Signer } from './signer.ts';

export interface VerifierDeps {
  readonly signer: Signer;
  readonly clock: Clock;
}

export interface VerifiedAccessToken {
  readonly jti: string;
  readonly confirmation: Confirmation | undefined;
}

/**
 * RFC 9068 section 4: an access token that this application signed and that has not expired. Which API it is for, its row says; that API
 * may be gone, and the token must still be found to be revoked.
 */
export async function verifyAccessToken(
  { signer, clock }: VerifierDeps,
  app: string,
  issuer: string,
  token: string,
): Promise<VerifiedAccessToken | undefined> {
  try {
    const { payload } = await jwtVerify(token, keyFinder(signer, app), {
      ...ACCEPTED_ALGS,
      typ: 'at+jwt',
      issuer,
      currentDate: new Date(clock.now() * 1000),
      requiredClaims: ['exp', 'jti'],
    });
    const { jti, cnf } = payload;
    return jti === undefined ? undefined : { jti, confirmation: readConfirmation(cnf) };
  } catch (error) {
    return undefinedIfInvalid(error);
  }
}

export interface IdTokenHint {
  readonly sub: string;
  readonly clientId: string;
  readonly sid: string | undefined;
}

/** OIDC Core section 3.1.2.1 and RP-Initiated Logout section 2: an ID token that this application signed, expired or not. */
export async function verifyIdTokenHint(
  { signer, clock }: VerifierDeps,
  app: string,
  issuer: string,
  token: string,
): Promise<IdTokenHint | undefined> {
  let payload: JWTPayload;
  try {
    // A signed answer of userinfo has no time.
    const options = {
      ...{ ...ACCEPTED_ALGS, typ: 'JWT', issuer },
      currentDate: new Date(clock.now() * 1000),
      requiredClaims: ['exp'],
    };
    ({ payload } = await jwtVerify(token, keyFinder(signer, app), options));
  } catch (error) {
    if (!(error instanceof errors.JWTExpired)) return undefinedIfInvalid(error);
    // jose verifies the signature before it checks the time, so the payload of an expired token is authentic.
    payload = error.payload;
  }
  const { sub, aud, sid } = payload;
  if (typeof sub !== 'string' || typeof aud !== 'string') return undefined;
  return { sub, clientId: aud, sid: typeof sid === 'string' ? sid : undefined };
}

export interface VerifiedIdToken extends IdTokenHint {
  readonly authTime: number;
}

/** The same of one that has not expired, by which its client shows who has signed in. */
export async function verifyIdToken(
  { signer, clock }: VerifierDeps,
  app: string,
  issuer: string,
  token: string,
): Promise<VerifiedIdToken | undefined> {
  try {
    const { payload } = await jwtVerify(token, keyFinder(signer, app), {
      ...{ ...ACCEPTED_ALGS, typ: 'JWT', issuer },
      currentDate: new Date(clock.now() * 1000),
      requiredClaims: ['exp', 'sub', 'aud', 'auth_time'],
    });
    const { sub, aud, sid, auth_time: authTime } = payload;
    if (typeof sub !== 'string' || typeof aud !== 'string' || typeof authTime !== 'number') return undefined;
    return { sub, clientId: aud, sid: typeof sid === 'string' ? sid : undefined, authTime };
  } catch (error) {
    return undefinedIfInvalid(error);
  }
}

/** An allow list (RFC 8725 section 3.1): never `none`, never an algorithm with a shared secret. */
const ACCEPTED_ALGS = { algorithms: [...signingAlgs] };

function keyFinder(signer: Signer, app: string) {
  return async (header: { kid?: string; alg?: string }) => {
    const keys = await signer.retainedKeys(app, header.kid);
    const match = keys.find(({ jwk, alg }) => jwk.kid === header.kid && alg === header.alg);
    if (!match) throw new errors.JWKSNoMatchingKey();
    return match.key;
  };
}

/** An invalid token is an expected outcome. Any other error, such as an unavailable store, is thrown again. */
function undefinedIfInvalid(error: unknown): undefined {
  if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
  throw error;
}
