import type { Application } from '../../../src/directory/applications/rules.ts';
import type { Client } from '../../../src/directory/clients/rules.ts';
import { defaultScope } from '../../../src/oauth/token/scope.rules.ts';

export const CALLBACK = 'https://client.example/cb';

export function application(over: Partial<Application> = {}): Application {
  return {
    code: 'shop',
    name: 'Shop',
    strict_oidc: false,
    access_token_ttl: 3600,
    id_token_ttl: 3600,
    refresh_token_ttl: 2_592_000,
    refresh_family_ttl: 15_552_000,
    id_token_signed_response_alg: 'RS256',
    password_min_length: 8,
    trusted_browsers: false,
    mfa: 'optional',
    sign_up: false,
    require_verified_email: false,
    passkeys: true,
    ...over,
  };
}

export function client(over: Partial<Client> = {}): Client {
  return {
    client_id: 'web',
    client_name: 'Web',
    secret_hash: 'hash',
    redirect_uris: [CALLBACK],
    post_logout_redirect_uris: [],
    grant_types: ['authorization_code', 'refresh_token', 'password', 'implicit'],
    token_endpoint_auth_method: 'client_secret_basic',
    scope: defaultScope,
    id_token_signed_response_alg: undefined,
    id_token_claims: undefined,
    userinfo_claims: 'documented',
    access_token_format: 'opaque',
    require_pkce: false,
    require_client_authentication: false,
    require_consent: false,
    refresh_token_rotation: true,
    refresh_token_grace: 30,
    backchannel_logout_uri: undefined,
    ...over,
  };
}
