import type { Application } from '../../directory/applications/rules.ts';
import { type Client, signingAlgOf } from '../../directory/clients/rules.ts';
import type { SoftwareStatement } from './software-statement.ts';

/** What a client gets only in the answer to its registration. */
export interface Issued {
  readonly issuer: string;
  readonly accessToken: string;
  readonly createdAt: number;
  /** Undefined: it has none, or has it already. */
  readonly secret: string | undefined;
  /** Undefined: this request has none. */
  readonly statement: SoftwareStatement | undefined;
}

/** The client information response (RFC 7591 section 3.2.1): everything that is registered, also what the client did not ask for. */
export function registeredMetadata(
  application: Application,
  client: Client,
  { issuer, accessToken, createdAt, secret, statement }: Issued,
): Record<string, unknown> {
  return {
    client_id: client.client_id,
    client_id_issued_at: createdAt,
    ...(secret === undefined ? {} : { client_secret: secret }),
    ...(client.secret_hash === undefined ? {} : { client_secret_expires_at: 0 }),
    registration_access_token: accessToken,
    registration_client_uri: `${issuer}/register/${encodeURIComponent(client.client_id)}`,
    client_name: client.client_name,
    logo_uri: client.logo_uri,
    client_uri: client.client_uri,
    policy_uri: client.policy_uri,
    tos_uri: client.tos_uri,
    initiate_login_uri: client.initiate_login_uri,
    redirect_uris: client.redirect_uris,
    post_logout_redirect_uris: client.post_logout_redirect_uris,
    grant_types: client.grant_types,
    response_types: ['code'],
    token_endpoint_auth_method: client.token_endpoint_auth_method,
    token_endpoint_auth_signing_alg: client.token_endpoint_auth_signing_alg,
    jwks: client.jwks,
    jwks_uri: client.jwks_uri,
    scope: client.scope.join(' '),
    id_token_signed_response_alg: signingAlgOf(application, client),
    require_pushed_authorization_requests: client.require_pushed_authorization_requests ?? false,
    dpop_bound_access_tokens: client.dpop_bound_access_tokens ?? false,
    default_acr_values: client.default_acr_values,
    default_max_age: client.default_max_age,
    userinfo_claims: client.userinfo_claims,
    software_statement: statement?.text,
  };
}
