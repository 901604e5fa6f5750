import type { Client } from '../../directory/clients/rules.ts';
import { hasWord, isDocumented, neededGrant, type ResponseType, responseTypes } from './response-type.rules.ts';
import type { Dialect } from './strict-oidc.rules.ts';

/** Which response types a client may use, and what they demand of its requests. */

/** The hybrid flow and `none` are there for a client that has asked for them; to others the server does not know them (row 14). */
export function knownToClient(
  responseType: ResponseType | undefined,
  { response_types = [] }: Pick<Client, 'response_types'>,
): ResponseType | undefined {
  const isKnown = responseType && (isDocumented(responseType) || response_types.includes(responseType));
  return isKnown ? responseType : undefined;
}

/** All that the client may use. */
export function allowedResponseTypes(client: Uses): readonly ResponseType[] {
  return responseTypes.filter(type => client.grant_types.includes(neededGrant(type)) && isListed(type, client));
}

type Uses = Pick<Client, 'grant_types' | 'response_types'>;

/** Without a list those of the interface. */
function isListed(responseType: ResponseType, { response_types }: Uses): boolean {
  return response_types ? response_types.includes(responseType) : isDocumented(responseType);
}

/** The setting of the client that stands against it; undefined: the client may use it. */
export function forbiddenBy(responseType: ResponseType, client: Client): string | undefined {
  if (hasWord(responseType, 'token')) {
    if (client.dpop_bound_access_tokens) return 'it has dpop_bound_access_tokens';
    if (client.tls_client_certificate_bound_access_tokens) return 'it has tls_client_certificate_bound_access_tokens';
  }
  const needed = neededGrant(responseType);
  if (!client.grant_types.includes(needed)) return `${needed} is not among its grant_types`;
  return isListed(responseType, client) ? undefined : `${responseType} is not among its response_types`;
}

/** For each ID token that comes through the browser: it is what binds the token to the sign-in (OIDC Core sections 3.2.2.1 and 3.3.2.11). */
export function isNonceRequired(responseType: ResponseType, dialect: Dialect): boolean {
  if (responseType === 'id_token token') return !dialect.nonceOptionalWithToken;
  return hasWord(responseType, 'id_token');
}
