import type { Application } from './client.ts';

/**
 * The one table of `strict_oidc`: where the interface of this service departs from OpenID Connect Core, and which of the
 * two an application speaks. No other file asks for `strict_oidc`.
 */
export interface Dialect {
  /** `updated_at`: text "YYYY-MM-DD HH:mm:ss" in UTC, or the NumericDate of OIDC Core 5.1. */
  readonly updatedAt: 'text' | 'number';
  /** An unset nickname or phone number: "" or left out (OIDC Core 5.3.2). */
  readonly unset: 'empty' | 'omitted';
  readonly idTokenWithoutOpenid: boolean;
  readonly userinfoWithoutOpenid: boolean;
  /** The four errors of section 7.2 of the interface, when the flow is implicit. */
  readonly implicitErrors: 'query' | 'fragment';
  readonly tokensInQuery: boolean;
  /** `id_token token` without a nonce (OIDC Core 3.2.2.1 demands one). */
  readonly nonceOptionalWithToken: boolean;
}

const documented: Dialect = {
  updatedAt: 'text',
  unset: 'empty',
  idTokenWithoutOpenid: true,
  userinfoWithoutOpenid: true,
  implicitErrors: 'query',
  tokensInQuery: true,
  nonceOptionalWithToken: true,
};

const strict: Dialect = {
  updatedAt: 'number',
  unset: 'omitted',
  idTokenWithoutOpenid: false,
  userinfoWithoutOpenid: false,
  implicitErrors: 'fragment',
  tokensInQuery: false,
  nonceOptionalWithToken: false,
};

export function dialectOf(application: Application): Dialect {
  return application.strict_oidc ? strict : documented;
}
