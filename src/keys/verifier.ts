import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../deps.ts';
import { signingAlgs } from '../protocol/client.ts';
import type { Signer } from './signer.ts';

export interface VerifierDeps {
  readonly signer: Signer;
  readonly clock: Clock;
}

/** RFC 9068 section 4: the `jti` of an access token that this application signed and that has not expired. */
export async function verifyAccessToken(
  { signer, clock }: VerifierDeps,
  app: string,
  issuer: string,
  token: string,
): Promise<string | undefined> {
  try {
    const { payload } = await jwtVerify(token, keyFinder(signer, app), {
      ...ONLY_OURS,
      typ: 'at+jwt',
      issuer,
      audience: issuer,
      currentDate: new Date(clock.now() * 1000),
      requiredClaims: ['exp', 'jti'],
    });
    return payload.jti;
  } catch (error) {
    return refusedOrThrow(error);
  }
}

export interface IdTokenHint {
  readonly sub: string;
  readonly clientId: string;
  readonly sid: string | undefined;
}

/** OIDC Core section 3.1.2.1 and RP-Initiated Logout section 2: an ID token of ours, expired or not. */
export async function verifyIdTokenHint(
  { signer, clock }: VerifierDeps,
  app: string,
  issuer: string,
  token: string,
): Promise<IdTokenHint | undefined> {
  let payload: JWTPayload;
  try {
    const options = { ...ONLY_OURS, typ: 'JWT', issuer, currentDate: new Date(clock.now() * 1000) };
    ({ payload } = await jwtVerify(token, keyFinder(signer, app), options));
  } catch (error) {
    if (!(error instanceof errors.JWTExpired)) return refusedOrThrow(error);
    // The signature was checked before the time.
    payload = error.payload;
  }
  const { sub, aud, sid } = payload;
  if (typeof sub !== 'string' || typeof aud !== 'string') return undefined;
  return { sub, clientId: aud, sid: typeof sid === 'string' ? sid : undefined };
}

/** Never `none`, never a shared secret: what is not on this list is not even looked at. */
const ONLY_OURS = { algorithms: [...signingAlgs] };

function keyFinder(signer: Signer, app: string) {
  return async (header: { kid?: string; alg?: string }) => {
    const keys = await signer.rememberedKeys(app, header.kid);
    const found = keys.find(({ jwk, alg }) => jwk.kid === header.kid && alg === header.alg);
    if (!found) throw new errors.JWKSNoMatchingKey();
    return found.key;
  };
}

/** A token that is not good is an answer; a store that does not answer is not. */
function refusedOrThrow(error: unknown): undefined {
  if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
  throw error;
}
