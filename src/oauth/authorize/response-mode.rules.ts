import type { Client } from '../../directory/clients/rules.ts';
import { encodeParams, type Params } from '../../platform/http/params.rules.ts';
import { isDocumented, type ResponseType, readResponseType } from './response-type.rules.ts';
import type { Dialect } from './strict-oidc.rules.ts';

/** How the parameters of a response travel. */
export const carriers = ['query', 'fragment', 'form_post'] as const;
export type Carrier = (typeof carriers)[number];

/** With `.jwt` they travel as one signed JWT (JARM section 2.3). */
export type ResponseMode = Carrier | `${Carrier}.jwt`;

export const responseModes: readonly string[] = [...carriers, 'jwt', ...carriers.map(carrier => `${carrier}.jwt`)];

/** Who asks: what a request may have depends on the dialect of the application and the registration of the client. */
export interface Asking {
  readonly dialect: Dialect;
  readonly client: Pick<Client, 'authorization_signed_response_alg' | 'authorization_encrypted_response_alg'>;
}

export function isSigned(mode: ResponseMode): mode is `${Carrier}.jwt` {
  return mode.endsWith('.jwt');
}

/** A client that has its responses encrypted gets none in clear, whatever the request says. */
export function modeFor(mode: ResponseMode, client: Asking['client']): ResponseMode {
  return client.authorization_encrypted_response_alg === undefined || isSigned(mode) ? mode : `${mode}.jwt`;
}

export function carrierOf(mode: ResponseMode): Carrier {
  return mode.replace('.jwt', '') as Carrier;
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

/**
 * Where the documented errors go. The interface speaks of the code flow and the implicit flow alone: there it is the query, whatever the
 * response mode. A client that wants signed responses gets signed errors.
 */
export function documentedErrorMode(
  mode: ResponseMode,
  responseType: ResponseType | undefined,
  { documentedErrors }: Dialect,
): ResponseMode {
  const isOfInterface = responseType === undefined || isDocumented(responseType);
  return documentedErrors === 'query' && isOfInterface && !isSigned(mode) ? 'query' : mode;
}

/**
 * How errors are sent before response_mode has been checked: by the requested mode if it is usable, else by the flow's
 * default.
 */
export function errorResponseMode(
  requested: string | undefined,
  responseType: string | undefined,
  asking: Asking,
): ResponseMode {
  const byDefault = defaultCarrier(responseType);
  return (requested === undefined ? undefined : usableMode(requested, responseType, asking)) ?? byDefault;
}

export function readResponseMode(params: Params, responseType: ResponseType, asking: Asking): ResponseMode | undefined {
  const requested = params.get('response_mode');
  return requested === undefined ? defaultCarrier(responseType) : usableMode(requested, responseType, asking);
}

/** OAuth 2.0 Multiple Response Types section 5: a response type with a token, supported or not, uses the fragment. */
function defaultCarrier(responseType = ''): 'query' | 'fragment' {
  return /(^| )(id_token|token)( |$)/.test(responseType) ? 'fragment' : 'query';
}

function usableMode(
  requested: string,
  responseType: string | undefined,
  { dialect, client }: Asking,
): ResponseMode | undefined {
  const mode = requested === 'jwt' ? (`${defaultCarrier(responseType)}.jwt` as const) : requested;
  if (!isResponseMode(mode)) return undefined;
  if (isSigned(mode) && client.authorization_signed_response_alg === undefined) return undefined;
  // Else the request says what will not happen.
  if (!isSigned(mode) && client.authorization_encrypted_response_alg !== undefined) return undefined;
  return carrierOf(mode) !== 'query' || mayUseQuery(mode, responseType, dialect) ? mode : undefined;
}

export function isResponseMode(text: string): text is ResponseMode {
  return (carriers as readonly string[]).includes(text.replace(/\.jwt$/, ''));
}

/** A token in a query gets into logs and Referer headers. The interface allows it in the implicit flow; JARM section 2.3.1 does not. */
function mayUseQuery(mode: ResponseMode, responseType: string | undefined, { tokensInQuery }: Dialect): boolean {
  if (defaultCarrier(responseType) === 'query') return true;
  const read = readResponseType(responseType);
  return tokensInQuery && !isSigned(mode) && (read === undefined || isDocumented(read));
}
