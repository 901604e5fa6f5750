import type { Client } from '../../directory/clients/rules.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { isResponseMode, type ResponseMode } from './response-mode.rules.ts';
import type { Dialect } from './strict-oidc.rules.ts';

/** `response_type` (OIDC Core section 3), and what it means for the answer of /auth. */
export type ResponseType = 'code' | 'id_token' | 'id_token token';

export function readResponseType(text: string | undefined): ResponseType | undefined {
  switch (text) {
    case 'code':
    case 'id_token':
    case 'id_token token':
      return text;
    case 'token id_token':
      return 'id_token token';
    default:
      return undefined;
  }
}

/** The setting of the client that stands against it; undefined: the client may use it. */
export function forbiddenBy(responseType: ResponseType, client: Client): string | undefined {
  if (responseType === 'id_token token' && client.dpop_bound_access_tokens) return 'it has dpop_bound_access_tokens';
  const needed = responseType === 'code' ? 'authorization_code' : 'implicit';
  return client.grant_types.includes(needed) ? undefined : `${needed} is not among its grant_types`;
}

export function isNonceRequired(responseType: ResponseType, dialect: Dialect): boolean {
  return responseType === 'id_token' || (responseType === 'id_token token' && !dialect.nonceOptionalWithToken);
}

/**
 * How errors are sent before response_mode has been checked: by the requested mode if it is usable, else by the flow's
 * default.
 */
export function errorResponseMode(
  requested: string | undefined,
  responseType: string | undefined,
  dialect: Dialect,
): ResponseMode {
  const byDefault = defaultResponseMode(responseType);
  if (requested === undefined || !isResponseMode(requested)) return byDefault;
  return requested === 'query' && byDefault === 'fragment' && !dialect.tokensInQuery ? byDefault : requested;
}

/** OAuth 2.0 Multiple Response Types section 5: a response type with a token, supported or not, uses the fragment. */
function defaultResponseMode(responseType = ''): ResponseMode {
  return /(^| )(id_token|token)( |$)/.test(responseType) ? 'fragment' : 'query';
}

export function readResponseMode(
  params: Params,
  responseType: ResponseType,
  dialect: Dialect,
): ResponseMode | undefined {
  const requested = params.get('response_mode');
  if (requested === undefined) return defaultResponseMode(responseType);
  if (!isResponseMode(requested)) return undefined;
  if (requested === 'query' && responseType !== 'code' && !dialect.tokensInQuery) return undefined;
  return requested;
}
