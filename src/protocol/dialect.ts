import type { Application, Client } from './client.ts';

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
  /** The four errors of section 7.2 of the interface and those of response_type: in the query, or where success would go. */
  readonly documentedErrors: 'query' | 'responseMode';
  readonly tokensInQuery: boolean;
  /** `id_token token` without a nonce (OIDC Core 3.2.2.1 demands one). */
  readonly nonceOptionalWithToken: boolean;
  /** Profile claims in the ID token of the token endpoint: those of the granted scopes, or only what `claims` asks for. */
  readonly idTokenClaims: 'scope' | 'minimal';
  /** Scopes that this server does not know (OIDC Core 3.1.2.1 has them ignored). */
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
 * For claims in the ID tokens of the token endpoint, about which the interface is silent. Libraries that give claims a type
 * refuse a whole token over a text in `updated_at`, and Auth.js takes an empty nickname for the name of the user.
 */
export function idTokenDialectOf(application: Application): Dialect {
  return application.strict_oidc ? strict : documentedInIdToken;
}

/** Whether the ID token of this client's code exchange or refresh tells who the user is (row 44). */
export function hasProfileInIdToken(application: Application, client: Client): boolean {
  return (client.id_token_claims ?? dialectOf(application).idTokenClaims) === 'scope';
}
