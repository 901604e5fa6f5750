import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { completeApplication } from '../../../src/operators/apply/complete-application.ts';
import { completeClient } from '../../../src/operators/apply/complete-client.ts';
import { fields } from '../../build/fields.ts';
import { application, faults, read } from './apply-file-given.ts';

const defined = (value: object) => Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));

describe('an apply file', () => {
  const yaml = `
applications:
  - code: shop # the shop
    name: Shop
    clients:
      - client_id: web
        redirect_uris: [https://a.example/cb]
users:
  - username: alice
    phone_number: "+8613800000000"
`;

  it('says the same in YAML and in JSON', () => {
    const json = {
      applications: [
        { code: 'shop', name: 'Shop', clients: [{ client_id: 'web', redirect_uris: ['https://a.example/cb'] }] },
      ],
      users: [{ username: 'alice', phone_number: '+8613800000000' }],
    };
    const [fromYaml, fromJson] = [read(yaml), read(JSON.stringify(json))];
    assert(fromYaml.kind === 'valid' && fromJson.kind === 'valid');
    assert.deepEqual(fromYaml.file, fromJson.file);
    assert.deepEqual(fromYaml.file, json);
  });

  it('gives what is new the documented defaults', () => {
    const result = read(yaml);
    assert(result.kind === 'valid');
    const [entry] = result.file.applications;
    assert(entry);
    const completed = completeApplication(fields.application, entry, undefined, false);
    const clients = (entry.clients ?? []).map(
      client => completeClient(fields.client, client, undefined, completed).entry,
    );
    assert.deepEqual(defined({ ...completed.application, clients: clients.map(defined) }), {
      code: 'shop',
      name: 'Shop',
      strict_oidc: false,
      access_token_ttl: 3600,
      id_token_ttl: 3600,
      refresh_token_ttl: 2_592_000,
      refresh_family_ttl: 15_552_000,
      id_token_signed_response_alg: 'RS256',
      password_min_length: 8,
      mfa: 'optional',
      trusted_browsers: false,
      sign_up: false,
      require_verified_email: false,
      passkeys: true,
      access: 'everybody',
      providers: [],
      local_sign_in: true,
      apis: [],
      token_exchange: [],
      client_id_metadata: 'off',
      dynamic_registration: 'off',
      clients: [
        {
          client_id: 'web',
          redirect_uris: ['https://a.example/cb'],
          request_uris: [],
          post_logout_redirect_uris: [],
          grant_types: ['authorization_code', 'refresh_token'],
          token_endpoint_auth_method: 'client_secret_basic',
          scope: ['openid', 'profile', 'email', 'phone'],
          userinfo_claims: 'documented',
          access_token_format: 'opaque',
          require_pkce: false,
          require_client_authentication: false,
          require_pushed_authorization_requests: false,
          dpop_bound_access_tokens: false,
          tls_client_certificate_bound_access_tokens: false,
          backchannel_user_code_parameter: false,
          frontchannel_logout_session_required: false,
          require_consent: false,
          require_signed_request_object: false,
          subject_type: 'public',
          refresh_token_rotation: true,
        },
      ],
    });
  });

  it('may name a user by the e-mail address alone, or by the address as the user name too', () => {
    for (const user of [{ email: 'al@example.com' }, { username: 'Al@example.com', email: 'al@example.com' }]) {
      const result = read(JSON.stringify({ users: [user] }));
      assert(result.kind === 'valid', JSON.stringify(result));
      assert.deepEqual(result.file.users, [user]);
    }
  });

  it('may have a password that begins as a hash does and is none', () => {
    for (const password of [
      '$2b or not $2b',
      '{SSHA} is an old scheme',
      '$100$',
      '{curly}braces',
      'scrypt$ and bcrypt$ rhyme',
    ]) {
      assert.equal(read(JSON.stringify({ users: [{ username: 'al', password }] })).kind, 'valid', password);
    }
  });

  it('may be empty', () => {
    for (const text of ['', '# nothing yet', '{}', 'applications: []']) {
      const result = read(text);
      assert(result.kind === 'valid');
      assert.deepEqual(result.file, { applications: [], users: [] });
    }
  });

  it('may have aliases, but no merge keys, which are no part of YAML 1.2', () => {
    const result = read('users:\n  - &a {username: al, nickname: A}\n  - {<<: *a, username: bo}\n');
    assert.equal(result.kind, 'faulty');
    assert.equal(read('users:\n  - {username: al, nickname: &n A}\n  - {username: bo, nickname: *n}\n').kind, 'valid');
  });

  it('of several is read as one, and a fault names its file', () => {
    const both = read('users: [{username: al}]', 'users: [{username: bo}]');
    assert(both.kind === 'valid');
    const usernames = both.file.users.map(({ username }) => username);
    assert.deepEqual(usernames, ['al', 'bo']);
    const [line = ''] = faults('users: [{username: al}]', 'users: [{username: bo}, {username: AL}]');
    assert.match(line, /^file-1\.yaml: users\[1\]\.username: duplicate login name "AL" \(user AL, line 1\)$/);
  });

  it('lets two applications have a client of the same name', () => {
    const clients = [{ client_id: 'web' }];
    const file = { applications: [application({ clients }), application({ code: 'bank', clients })] };
    assert.equal(read(JSON.stringify(file)).kind, 'valid');
  });
});
