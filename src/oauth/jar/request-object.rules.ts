import { asymmetricAlgs } from '../../directory/clients/keys.rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import {
  CLOCK_SKEW_SECONDS,
  hasBegun,
  isMeantFor,
  isTime,
  readSignedJwt,
  type SignedJwt,
} from '../../platform/crypto/signed-jwt.rules.ts';
import type { Entries } from '../../platform/http/params.rules.ts';
import { allowedAlgs } from '../fapi/rules.ts';

/** Which check a request object failed. The client gets the same answer for all of them; the explanation tells operators. */
export const requestObjectFaults = {
  malformed: 'It is no signed JWT, or one for another purpose (typ).',
  algorithm: 'Its algorithm is none that the client is registered for.',
  client: 'Its client_id is not that of the request.',
  issuer: 'Its iss is not the client_id.',
  audience: 'Its aud is not the issuer of this application.',
  expired: 'Its exp has passed.',
  notYetValid: 'Its nbf or iat is in the future.',
  notBefore: 'It has no nbf, or one of more than an hour ago, which the profile of the client demands.',
  lifetime: 'It has no exp, or one of more than an hour after its nbf.',
  idMissing: 'It has no jti.',
  replayed: 'Its jti was used before.',
  nested: 'It carries another request, request_uri or credentials of the client.',
  keyUnknown: 'The client has no such key, or it is encrypted to a key that the application does not have.',
  signature: 'The signature is not that of a key of the client.',
  keysUnreachable: 'The keys of the client cannot be read.',
  encryption: 'It is encrypted with another alg or enc than the client is registered for, or compressed (zip).',
  undecipherable: 'It is not encrypted to the key of this application that its kid names, or was changed.',
} as const;
export type RequestObjectFault = keyof typeof requestObjectFaults;

/** RFC 9101 section 10.8: `typ` tells it from the other JWTs of a client, where it is there. */
const REQUEST_TYPE = 'oauth-authz-req+jwt';
const TYPES = [undefined, 'jwt', REQUEST_TYPE];

export function readRequestObject(text: string, { profile }: Pick<Client, 'profile'>): SignedJwt | undefined {
  return readSignedJwt(text, profile ? [REQUEST_TYPE] : TYPES);
}

/** What the object claims and must not; undefined: all of it is right, if the client has signed it. */
export function claimsFault(
  jwt: SignedJwt,
  client: Pick<Client, 'client_id' | 'request_object_signing_alg' | 'profile'>,
  issuer: string,
  now: number,
): RequestObjectFault | undefined {
  const { request_object_signing_alg: alg, client_id: clientId } = client;
  const { claims } = jwt;
  const algs = allowedAlgs(client, alg === undefined ? asymmetricAlgs : [alg]);
  if (!algs.includes(jwt.alg)) return 'algorithm';
  // An assertion of the client has no client_id, and its own as the subject (section 10.8).
  if (claims.client_id !== clientId || claims.sub === clientId) return 'client';
  if (claims.iss !== undefined && claims.iss !== clientId) return 'issuer';
  if (claims.aud !== undefined && !isMeantFor(jwt, [issuer])) return 'audience';
  if (claims.exp !== undefined && !(isTime(claims.exp) && claims.exp + CLOCK_SKEW_SECONDS > now)) return 'expired';
  if (!hasBegun(jwt, now)) return 'notYetValid';
  const fault = client.profile ? profileFault(jwt, now) : undefined;
  return fault ?? (NOT_INSIDE.some(name => name in claims) ? 'nested' : undefined);
}

/** FAPI 2.0 Message Signing section 5.3.1, in seconds. */
const MAX_AGE_SECONDS = 3600;
const MAX_LIFETIME_SECONDS = 3600;

/** It says for whom it is, since when, and until when, and is not kept for long. */
function profileFault({ claims: { aud, nbf, exp } }: SignedJwt, now: number): RequestObjectFault | undefined {
  if (aud === undefined) return 'audience';
  if (!isTime(nbf) || nbf < now - MAX_AGE_SECONDS) return 'notBefore';
  return isTime(exp) && exp <= nbf + MAX_LIFETIME_SECONDS ? undefined : 'lifetime';
}

/** Another request, and what proves the client at the token endpoint (sections 4 and 10.8). */
export const NOT_INSIDE = ['request', 'request_uri', 'client_secret', 'client_assertion', 'client_assertion_type'];

/** About the object itself (RFC 7519 section 4.1); the rest are parameters. */
const OWN = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'sub']);

/** The parameters as a form has them. A list is a repeated parameter (`resource`), an object is JSON (`claims`). */
export function parametersIn({ claims }: SignedJwt): Entries {
  const entries: [string, string][] = [];
  for (const [name, value] of Object.entries(claims)) {
    if (OWN.has(name)) continue;
    const values = Array.isArray(value) && value.every(each => typeof each === 'string') ? value : [value];
    for (const each of values) if (each !== null && each !== undefined) entries.push([name, textOf(each)]);
  }
  return entries;
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
