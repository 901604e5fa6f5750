import type { Application, Client } from './client.ts';

/**
 * The table of `strict_oidc`: each point where the documented interface differs from OpenID Connect Core. No other file reads
 * `strict_oidc`.
 */
export interface Dialect {
  /** `updated_at`: text "YYYY-MM-DD HH:mm:ss" in UTC, or the NumericDate of OIDC Core 5.1. */
  readonly updatedAt: 'text' | 'number';
  /** An unset nickname or phone number: "" or omitted (OIDC Core 5.3.2). */
  readonly unset: 'empty' | 'omitted';
  readonly idTokenWithoutOpenid: boolean;
  readonly userinfoWithoutOpenid: boolean;
  /** The four errors of interface 7.2 and those of response_type: sent in the query, or by the response mode. */
  readonly documentedErrors: 'query' | 'responseMode';
  readonly tokensInQuery: boolean;
  /** `id_token token` without a nonce (OIDC Core 3.2.2.1 requires one). */
  readonly nonceOptionalWithToken: boolean;
  /** Profile claims in the ID token of the token endpoint: those of the granted scopes, or only those that `claims` requests. */
  readonly idTokenClaims: 'scope' | 'minimal';
  /** Scopes that this server does not know (OIDC Core 3.1.2.1: should be ignored). */
  readonly unknownScopes: 'refused' | 'ignored';
}

const documented: Dialect = {
  updatedAt: 'text',
  unset: 'empty',
  idTokenWithoutOpenid: true,
  userinfoWithoutOpenid: true,
  documentedErrors: 'query',
  tokensInQuery: true,
  nonceOptionalWithToken: true,
  idTokenClaims: 'scope',
  unknownScopes: 'refused',
};

const strict: Dialect = {
  updatedAt: 'number',
  unset: 'omitted',
  idTokenWithoutOpenid: false,
  userinfoWithoutOpenid: false,
  documentedErrors: 'responseMode',
  tokensInQuery: false,
  nonceOptionalWithToken: false,
  idTokenClaims: 'minimal',
  unknownScopes: 'ignored',
};

const documentedInIdToken: Dialect = { ...documented, updatedAt: 'number', unset: 'omitted' };

export function dialectOf(application: Application): Dialect {
  return application.strict_oidc ? strict : documented;
}

/**
 * The dialect of claims in the ID tokens of the token endpoint, which the interface does not specify. `updated_at` is a number
 * there: libraries with typed claims reject the whole token if it is a text. Unset claims are omitted: Auth.js shows an empty
 * nickname as the user's name.
 */
export function idTokenDialectOf(application: Application): Dialect {
  return application.strict_oidc ? strict : documentedInIdToken;
}

/** Whether the ID tokens of the token endpoint carry profile claims for this client (row 44). */
export function hasProfileInIdToken(application: Application, client: Client): boolean {
  return (client.id_token_claims ?? dialectOf(application).idTokenClaims) === 'scope';
}
