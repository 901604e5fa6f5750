import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import { type Failure, failure } from '../../failures.ts';
import {
  CLOCK_SKEW_SECONDS,
  hasBegun,
  isMeantFor,
  isTime,
  readSignedJwt,
  type SignedJwt,
} from '../../platform/crypto/signed-jwt.rules.ts';
import type { Services } from '../../services.ts';
import { verifyWithKeys } from '../client-authentication/jwt-verifier.ts';
import { issuerFor } from '../discovery/issuer.ts';

/** Whom a client names: by a name that the person signs in with, or by the subject that the client knows. */
export type NamedPerson = { readonly loginName: string } | { readonly sub: string };

const invalid = { failure: failure('parameterInvalid', 'login_hint_token') };

/**
 * The specification leaves its form open (section 7.1). Here it is a JWT that the client has signed, for this issuer, with the person in
 * `sub_id` (RFC 9493).
 */
export async function readLoginHintToken(
  services: Services,
  application: Application,
  client: Client,
  text: string,
): Promise<NamedPerson | { readonly failure: Failure }> {
  const jwt = readSignedJwt(text, [undefined, 'jwt']);
  const issuer = issuerFor(services, application);
  const now = services.clock.now();
  if (!jwt || jwt.claims.iss !== client.client_id || !isMeantFor(jwt, [issuer]) || !hasBegun(jwt, now)) return invalid;
  const { exp } = jwt.claims;
  const named = personIn(jwt, issuer);
  if (!named || !isTime(exp) || (await verifyWithKeys(services.keySets.of(client), client, jwt)) !== 'verified')
    return invalid;
  if (exp + CLOCK_SKEW_SECONDS <= now) return { failure: failure('loginHintTokenExpired') };
  if ('loginName' in named) return named;
  return (await services.subjects.meantBy(application.code, client, named)) ?? { sub: '' };
}

/** The formats of RFC 9493 section 3.2 that can name a person here; `opaque` is a user name. */
function personIn({ claims: { sub_id: subject } }: SignedJwt, issuer: string): NamedPerson | undefined {
  if (typeof subject !== 'object' || subject === null) return undefined;
  const { format, email, phone_number: phone, id, iss, sub } = subject as Readonly<Record<string, unknown>>;
  if (format === 'iss_sub') return iss === issuer && typeof sub === 'string' ? { sub } : undefined;
  const name = { email, phone_number: phone, opaque: id }[String(format)];
  return typeof name === 'string' ? { loginName: name } : undefined;
}
