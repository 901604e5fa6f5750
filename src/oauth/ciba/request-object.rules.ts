import type { Client } from '../../directory/clients/rules.ts';
import {
  CLOCK_SKEW_SECONDS,
  hasBegun,
  isMeantFor,
  isTime,
  type SignedJwt,
} from '../../platform/crypto/signed-jwt.rules.ts';
import type { UsedAt } from '../../platform/single-use/rules.ts';
import { allowedAlgs } from '../fapi/rules.ts';
import { NOT_INSIDE, type RequestObjectFault } from '../jar/request-object.rules.ts';

/** FAPI CIBA section 5.2.2 has 60 minutes for both; without it nothing would bound how long a `jti` is remembered. */
const MAX_LIFETIME_SECONDS = 3600;

/** What a signed backchannel request claims and must not (section 7.1.1); undefined: all of it is right, if the client has signed it. */
export function signedRequestFault(
  jwt: SignedJwt,
  client: Pick<Client, 'client_id' | 'profile' | 'backchannel_authentication_request_signing_alg'>,
  issuer: string,
  now: number,
): RequestObjectFault | undefined {
  const { iss, sub, exp, iat, nbf, jti, client_id: named = client.client_id } = jwt.claims;
  const alg = client.backchannel_authentication_request_signing_alg;
  if (alg === undefined || !allowedAlgs(client, [alg]).includes(jwt.alg)) return 'algorithm';
  // An assertion of the client has its own client_id as the subject.
  if (iss !== client.client_id) return 'issuer';
  if (sub === client.client_id || named !== client.client_id) return 'client';
  if (!isMeantFor(jwt, [issuer])) return 'audience';
  if (!isTime(nbf) || nbf < now - MAX_LIFETIME_SECONDS) return 'notBefore';
  if (!isTime(exp) || exp > nbf + MAX_LIFETIME_SECONDS) return 'lifetime';
  if (exp + CLOCK_SKEW_SECONDS <= now) return 'expired';
  if (!isTime(iat) || !hasBegun(jwt, now)) return 'notYetValid';
  if (typeof jti !== 'string' || jti === '') return 'idMissing';
  return NOT_INSIDE.some(name => name in jwt.claims) ? 'nested' : undefined;
}

/** Of one that passed `signedRequestFault`. */
export function useOfRequest({ claims }: SignedJwt): UsedAt {
  return { time: claims.exp as number, within: MAX_LIFETIME_SECONDS + 2 * CLOCK_SKEW_SECONDS };
}
