import { encodeParams, type Params } from '../../platform/http/params.rules.ts';
import { isDocumented, type ResponseType, readResponseType } from './response-type.rules.ts';
import type { Dialect } from './strict-oidc.rules.ts';

export const responseModes = ['query', 'fragment', 'form_post'] as const;
export type ResponseMode = (typeof responseModes)[number];

export function isResponseMode(text: string): text is ResponseMode {
  return (responseModes as readonly string[]).includes(text);
}

export type ResponseFields = readonly (readonly [string, string | undefined])[];

/** OAuth 2.0 Multiple Response Types section 2.1: the redirect URI with the response parameters. */
export function responseLocation(redirectUri: string, mode: 'query' | 'fragment', fields: ResponseFields): string {
  const encoded = encodeParams(fields);
  if (encoded === '') return redirectUri;
  if (mode === 'fragment') return `${redirectUri}#${encoded}`;
  if (!redirectUri.includes('?')) return `${redirectUri}?${encoded}`;
  return /[?&]$/.test(redirectUri) ? redirectUri + encoded : `${redirectUri}&${encoded}`;
}

/** Whether the documented errors go where the interface says: it speaks of the code flow and the implicit flow alone. */
export function sendsDocumentedErrorsInQuery(responseType: ResponseType | undefined, dialect: Dialect): boolean {
  return dialect.documentedErrors === 'query' && (responseType === undefined || isDocumented(responseType));
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
  return requested === 'query' && !mayUseQuery(responseType, dialect) ? byDefault : requested;
}

/** OAuth 2.0 Multiple Response Types section 5: a response type with a token, supported or not, uses the fragment. */
function defaultResponseMode(responseType = ''): ResponseMode {
  return /(^| )(id_token|token)( |$)/.test(responseType) ? 'fragment' : 'query';
}

/** A token in a query gets into logs and Referer headers. The interface allows it in the implicit flow. */
function mayUseQuery(responseType: string | undefined, dialect: Dialect): boolean {
  if (defaultResponseMode(responseType) === 'query') return true;
  const read = readResponseType(responseType);
  return dialect.tokensInQuery && (read === undefined || isDocumented(read));
}

export function readResponseMode(
  params: Params,
  responseType: ResponseType,
  dialect: Dialect,
): ResponseMode | undefined {
  const requested = params.get('response_mode');
  if (requested === undefined) return defaultResponseMode(responseType);
  if (!isResponseMode(requested)) return undefined;
  return requested === 'query' && !mayUseQuery(responseType, dialect) ? undefined : requested;
}
