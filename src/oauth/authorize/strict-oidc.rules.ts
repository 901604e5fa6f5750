import type { Application } from '../../directory/applications/rules.ts';
import type { ClaimsForm, Client } from '../../directory/clients/rules.ts';

/**
 * The table of `strict_oidc`: each point where the documented interface differs from OpenID Connect Core. No other file reads
 * `strict_oidc`.
 */
export interface Dialect {
  /** The form of the claims in userinfo: as each client has it (`userinfo_claims`), or standard for all. */
  readonly userinfoClaims: 'client' | 'standard';
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
  userinfoClaims: 'client',
  idTokenWithoutOpenid: true,
  userinfoWithoutOpenid: true,
  documentedErrors: 'query',
  tokensInQuery: true,
  nonceOptionalWithToken: true,
  idTokenClaims: 'scope',
  unknownScopes: 'refused',
};

const strict: Dialect = {
  userinfoClaims: 'standard',
  idTokenWithoutOpenid: false,
  userinfoWithoutOpenid: false,
  documentedErrors: 'responseMode',
  tokensInQuery: false,
  nonceOptionalWithToken: false,
  idTokenClaims: 'minimal',
  unknownScopes: 'ignored',
};

export function dialectOf(application: Application): Dialect {
  return application.strict_oidc ? strict : documented;
}

/** The form of the claims that userinfo returns to this client (row 61). Undefined: the client was deleted meanwhile. */
export function userinfoClaimsOf(dialect: Dialect, client: Pick<Client, 'userinfo_claims'> | undefined): ClaimsForm {
  return dialect.userinfoClaims === 'standard' ? 'standard' : (client?.userinfo_claims ?? 'documented');
}

/**
 * The form of the claims in ID tokens, which the interface does not specify. `updated_at` is a number there: libraries with typed
 * claims reject the whole token if it is a text. Unset claims are omitted: Auth.js shows an empty nickname as the user's name.
 */
export const ID_TOKEN_CLAIMS_FORM: ClaimsForm = 'standard';

/** Whether the ID tokens of the token endpoint carry profile claims for this client (row 44). */
export function hasProfileInIdToken(application: Application, client: Client): boolean {
  return (client.id_token_claims ?? dialectOf(application).idTokenClaims) === 'scope';
}
