import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadTables } from '../../../src/assembly/tables.ts';
import { CIBA_GRANT } from '../../../src/oauth/ciba/rules.ts';
import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import { discoveryDocument } from '../../../src/oauth/discovery/rules.ts';
import { createRouter } from '../../../src/platform/http/router.ts';

const { discovery: endpoints, grantTypes, routes } = await loadTables();

const ISSUER = 'https://id.example/api/v1/authorize/shop/oauth2';
const document = discoveryDocument({ issuer: ISSUER, docsUrl: 'https://docs.example/errors', endpoints, grantTypes });

const BY_CREDENTIALS = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt', 'private_key_jwt'];

describe('the discovery document (OpenID Connect Discovery section 3, RFC 8414 section 2)', () => {
  for (const [name, value] of [
    ['issuer', ISSUER],
    ['authorization_endpoint', `${ISSUER}/auth`],
    ['token_endpoint', `${ISSUER}/token`],
    ['introspection_endpoint', `${ISSUER}/introspect`],
    ['userinfo_endpoint', `${ISSUER}/userinfo`],
    ['revocation_endpoint', `${ISSUER}/revoke`],
    ['jwks_uri', `${ISSUER}/jwks`],
    [
      'response_types_supported',
      ['code', 'id_token', 'id_token token', 'code id_token', 'code token', 'code id_token token', 'none'],
    ],
    [
      'response_modes_supported',
      ['query', 'fragment', 'form_post', 'jwt', 'query.jwt', 'fragment.jwt', 'form_post.jwt'],
    ],
    [
      'grant_types_supported',
      [
        ...['authorization_code', 'refresh_token', 'client_credentials'],
        ...['urn:ietf:params:oauth:grant-type:token-exchange', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
        ...['password', 'implicit', DEVICE_GRANT, CIBA_GRANT],
      ],
    ],
    ['device_authorization_endpoint', `${ISSUER}/device_authorization`],
    ['subject_types_supported', ['public', 'pairwise']],
    ['id_token_signing_alg_values_supported', ['RS256', 'ES256', 'EdDSA']],
    ['code_challenge_methods_supported', ['S256']],
    ['token_endpoint_auth_methods_supported', [...BY_CREDENTIALS, 'none']],
    ['introspection_endpoint_auth_methods_supported', BY_CREDENTIALS],
    ['authorization_response_iss_parameter_supported', true],
    ['request_parameter_supported', true],
    ['request_uri_parameter_supported', true],
    ['require_request_uri_registration', true],
    ['claims_parameter_supported', true],
    ['ui_locales_supported', ['en', 'zh', 'de']],
    ['claim_types_supported', ['normal']],
    ['end_session_endpoint', `${ISSUER}/logout`],
    ['revocation_endpoint_auth_methods_supported', [...BY_CREDENTIALS, 'none']],
    ['prompt_values_supported', ['none', 'login', 'consent', 'select_account']],
    ['acr_values_supported', ['1', '2', 'phr']],
    ['backchannel_logout_supported', true],
    ['backchannel_logout_session_supported', true],
    ['service_documentation', 'https://docs.example/errors'],
  ] as const) {
    it(`says ${name}`, () => {
      assert.deepEqual(document[name], value);
    });
  }

  it('lists the four scopes of the interface, offline_access, address, groups and roles', () => {
    const listed = ['address', 'email', 'groups', 'offline_access', 'openid', 'phone', 'profile', 'roles'];
    assert.deepEqual([...(document.scopes_supported as string[])].sort(), listed);
  });

  it('lists every claim of rows 44 and 53', () => {
    const listed = document.claims_supported as string[];
    for (const claim of 'iss sub aud azp iat exp auth_time amr acr nonce at_hash sid'.split(' '))
      assert(listed.includes(claim), claim);
    const profile =
      'preferred_username nickname picture updated_at email email_verified phone_number phone_number_verified ' +
      'name given_name family_name middle_name profile website gender birthdate zoneinfo locale address';
    for (const claim of profile.split(' ')) assert(listed.includes(claim), claim);
    assert.equal(new Set(listed).size, listed.length);
  });

  it('names no endpoint that the server does not have', () => {
    const router = createRouter(routes);
    const addresses = Object.entries(document).filter(([name]) => /_endpoint$|^jwks_uri$/.test(name));
    for (const [name, address] of addresses) assert(router(new URL(String(address)).pathname), name);
  });
});
