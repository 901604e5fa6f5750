import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadTables } from '../../../src/assembly/tables.ts';
import { clientAuthParameters } from '../../../src/oauth/client-authentication/methods.ts';
import { discoveryDocument } from '../../../src/oauth/discovery/rules.ts';
import { tokenFailures } from '../../../src/oauth/token/failures.ts';

const { discovery: endpoints, grantParameters, grants, grantTypes } = await loadTables();

/** A flow of the authorization endpoint alone (RFC 6749 section 4.2): registered and advertised, but no grant of the token endpoint. */
const WITHOUT_TOKEN_ENDPOINT = 'implicit';
const sorted = (names: Iterable<unknown>) => [...names].sort();

describe('the table of grants (interface.md 4.2; row 36)', () => {
  it('has an entry for every grant type that a client can be registered with, beside implicit', () => {
    assert.deepEqual(sorted([...grants.keys(), WITHOUT_TOKEN_ENDPOINT]), sorted(grantTypes.keys()));
  });

  it('is what the metadata says (RFC 8414 section 2)', () => {
    const document = discoveryDocument({
      issuer: 'https://id.example/issuer',
      docsUrl: 'https://id.example/docs',
      endpoints,
      grantTypes,
    });
    const advertised = document.grant_types_supported as string[];
    assert.deepEqual(sorted([...grants.keys(), WITHOUT_TOKEN_ENDPOINT]), sorted(advertised));
  });

  it('is what the explanation of unsupported_grant_type says', () => {
    const { cause } = tokenFailures.grantTypeUnsupported;
    for (const grantType of grants.keys()) assert.match(cause, new RegExp(`\\b${grantType}\\b`));
    assert.doesNotMatch(cause, new RegExp(WITHOUT_TOKEN_ENDPOINT));
  });

  it('declares the parameters of interface.md 4.2, of client_credentials, devices, CIBA, RFC 8693 section 2.1 and RFC 7523 section 2.1, and scope and the verifier as optional', () => {
    const declared = [...grants].map(([name, { required, optional }]) => [name, required, optional]);
    assert.deepEqual(declared, [
      ['authorization_code', ['code', 'redirect_uri'], ['code_verifier', 'authorization_details']],
      ['refresh_token', ['refresh_token'], ['scope', 'authorization_details']],
      ['client_credentials', [], ['scope']],
      [
        'urn:ietf:params:oauth:grant-type:token-exchange',
        ['subject_token', 'subject_token_type'],
        ['actor_token', 'actor_token_type', 'requested_token_type', 'scope', 'authorization_details'],
      ],
      ['urn:ietf:params:oauth:grant-type:jwt-bearer', ['assertion'], ['scope', 'authorization_details']],
      ['password', ['username', 'password'], ['scope']],
      ['urn:ietf:params:oauth:grant-type:device_code', ['device_code'], ['authorization_details']],
      ['urn:openid:params:grant-type:ciba', ['auth_req_id'], ['authorization_details']],
    ]);
  });

  it('gives, with client authentication, every parameter that the token endpoint knows', () => {
    assert.deepEqual(sorted([...grantParameters, ...clientAuthParameters]), [
      ...[
        'actor_token',
        'actor_token_type',
        'assertion',
        'auth_req_id',
        'authorization_details',
        'client_assertion',
        'client_assertion_type',
        'client_id',
        'client_secret',
        'code',
        'code_verifier',
      ],
      ...['device_code', 'grant_type', 'password'],
      ...['redirect_uri', 'refresh_token', 'requested_token_type', 'scope', 'subject_token', 'subject_token_type'],
      ...['username'],
    ]);
  });
});
