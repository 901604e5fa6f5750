import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TOKEN_EXCHANGE } from '../../../src/oauth/token-exchange/rules.ts';
import { aSigningPair, privateJwk } from '../../build/assertion.ts';
import { aPasskey } from '../../build/passkey.ts';
import {
  API,
  application,
  CLIENT,
  faults,
  POLICY,
  STATEMENTS,
  USER,
  withApi,
  withClient,
  withIssuers,
  withoutLine,
  withPolicy,
  withUser,
} from './apply-file-given.ts';

const aPasskeyEntry = () => {
  const { credentialId, publicKey } = aPasskey();
  return { credential_id: credentialId, public_key: publicKey, user_handle: 'AAAA' };
};
const PASSKEY_ENTRY = aPasskeyEntry();
const withPasskey = (over: object) => withUser({ username: 'al', passkeys: [{ ...PASSKEY_ENTRY, ...over }] });
const PASSKEY = `${USER}.passkeys[0]`;

const KEY = aSigningPair('ES256');
const withKeys = (...keys: readonly unknown[]) => ({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys } });
const SHORT_RSA = { kty: 'RSA', n: 'x'.repeat(171), e: 'AQAB' };

/** One fault each: the file, its place, and a word of the reason. */
const rows: readonly (readonly [object, string, RegExp])[] = [
  [{ application: [] }, 'application', /no such setting/],
  [withUser({ username: 'a\0b' }), `${USER}.username`, /cannot be stored/],
  [withClient({ client_name: 'a\0b' }), `${CLIENT}.client_name`, /cannot be stored/],
  [{ applications: {} }, 'applications', /array/],
  [{ applications: [{ name: 'Shop' }] }, 'applications[0].code', /^is missing$/],
  [{ applications: [{ code: 'shop' }] }, 'applications[0].name', /^is missing$/],
  [{ applications: [application({ code: 'Shop' })] }, 'applications[0].code', /must match/],
  [{ applications: [application({ code: '-shop' })] }, 'applications[0].code', /must match/],
  [{ applications: [application({ code: 'a'.repeat(64) })] }, 'applications[0].code', /must match/],
  [{ applications: [application({ code: 'a/b' })] }, 'applications[0].code', /must match/],
  [{ applications: [application({ name: '' })] }, 'applications[0].name', /empty/],
  [{ applications: [application({ strict_oidc: 'yes' })] }, 'applications[0].strict_oidc', /boolean/],
  [{ applications: [application({ access_token_ttl: 0 })] }, 'applications[0].access_token_ttl', /at least 1/],
  [{ applications: [application({ id_token_ttl: 1.5 })] }, 'applications[0].id_token_ttl', /whole number/],
  [{ applications: [application({ refresh_token_ttl: '60' })] }, 'applications[0].refresh_token_ttl', /whole number/],
  [{ applications: [application({ colour: 'red' })] }, 'applications[0].colour', /no such setting/],
  [withApi({ identifier: undefined }), `${API}.identifier`, /^is missing$/],
  [withApi({ identifier: '/orders' }), `${API}.identifier`, /absolute URI/],
  [withApi({ identifier: 'https://api.shop.example/#x' }), `${API}.identifier`, /without a fragment/],
  [withApi({ identifier: 'https://a b' }), `${API}.identifier`, /absolute URI/],
  [withApi({ identifier: `https://a.example/${'x'.repeat(255)}` }), `${API}.identifier`, /at most 255/],
  [withApi({ identifier: 'https://stock.shop.example' }), `${API}.identifier`, /another API/],
  [withApi({ name: '' }), `${API}.name`, /empty/],
  [withApi({ scopes: { 'orders read': 'x' } }), `${API}.scopes.orders read`, /scope-token/],
  [withApi({ scopes: { openid: 'x' } }), `${API}.scopes.openid`, /scope of the server/],
  [withApi({ scopes: { 'admin:read': 'x' } }), `${API}.scopes.admin:read`, /scope of the server/],
  [withApi({ scopes: { read: '' } }), `${API}.scopes.read`, /empty/],
  [withApi({ access_token_format: 'xml' }), `${API}.access_token_format`, /opaque or jwt/],
  [withApi({ access_token_ttl: 0 }), `${API}.access_token_ttl`, /at least 1/],
  [withApi({ audience: 'x' }), `${API}.audience`, /no such setting/],
  [withClient({ apis: ['https://api.shop.example'] }), `${CLIENT}.apis`, /has no API/],
  [withClient({ scope: 'openid orders:read' }), `${CLIENT}.scope`, /one or more of/],
  [
    withClient({ token_endpoint_auth_method: 'none', grant_types: ['client_credentials'] }),
    `${CLIENT}.grant_types`,
    /needs a client with a secret/,
  ],
  [
    withClient({ token_endpoint_auth_method: 'none', grant_types: [TOKEN_EXCHANGE] }),
    `${CLIENT}.grant_types`,
    /needs a client with a secret/,
  ],
  [withPolicy({ to: 'https://elsewhere.example' }), `${POLICY}.to`, /identifier of an API/],
  [withPolicy({ to: undefined }), `${POLICY}.to`, /^is missing$/],
  [
    withPolicy({ from: 'https://elsewhere.example' }),
    `${POLICY}.from`,
    /identifier of an API of the application, or a client_id/,
  ],
  [withPolicy({ from: '' }), `${POLICY}.from`, /or a client_id/],
  [
    withPolicy({ scopes: ['stock:read'] }),
    `${POLICY}.scopes`,
    /stock:read is no scope of https:\/\/api\.shop\.example/,
  ],
  [withPolicy({ scopes: [] }), `${POLICY}.scopes`, /must name scopes/],
  [withPolicy({ scopes: undefined }), `${POLICY}.scopes`, /must name scopes/],
  [withPolicy({ audience: 'x' }), `${POLICY}.audience`, /no such setting/],
  [withPolicy({}, {}), 'applications[0].token_exchange[1].to', /another entry/],
  [withIssuers([]), `${STATEMENTS}.issuers`, /must not be empty/],
  [withIssuers(undefined), `${STATEMENTS}.issuers`, /^is missing$/],
  [withIssuers([{ issuer: 'x' }]), `${STATEMENTS}.issuers[0].jwks`, /must be set, or jwks_uri/],
  [
    withIssuers([{ issuer: 'x ', jwks_uri: 'https://x.example/keys' }]),
    `${STATEMENTS}.issuers[0].issuer`,
    /white space/,
  ],
  [withIssuers([{ issuer: '', jwks_uri: 'https://x.example/keys' }]), `${STATEMENTS}.issuers[0].issuer`, /1 to 255/],
  [withIssuers([{ issuer: 'x', jwks_uri: 'file:///etc/passwd' }]), `${STATEMENTS}.issuers[0].jwks_uri`, /https/],
  [withIssuers([{ issuer: 'x', jwks: { keys: [] } }]), `${STATEMENTS}.issuers[0].jwks.keys`, /must have a key/],
  [
    withIssuers([{ issuer: 'x', jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } }]),
    `${STATEMENTS}.issuers[0].jwks.keys[0]`,
    /public key/,
  ],
  [
    withIssuers([
      { issuer: 'x', jwks_uri: 'https://x.example/keys' },
      { issuer: 'x', jwks_uri: 'https://y.example/keys' },
    ]),
    `${STATEMENTS}.issuers[1].issuer`,
    /is there twice/,
  ],
  [
    withIssuers([{ issuer: 'x', jwks_uri: 'https://x.example' }], { require: true }),
    `${STATEMENTS}.require`,
    /no such setting/,
  ],
  [
    { applications: [application({ userinfo_acr_values: ['3'] })] },
    'applications[0].userinfo_acr_values[0]',
    /must be one of 1, 2, phr/,
  ],
  [{ applications: [application({ userinfo_acr_values: [] })] }, 'applications[0].userinfo_acr_values', /empty/],
  [{ applications: [application({ userinfo_max_age: -1 })] }, 'applications[0].userinfo_max_age', /at least 0/],
  [withClient({ client_id: 'a:b' }), `${CLIENT}.client_id`, /colon/],
  [withClient({ client_id: '' }), `${CLIENT}.client_id`, /1 to 128/],
  [withClient({ client_secret: '' }), `${CLIENT}.client_secret`, /12 to 256/],
  [withClient({ client_secret: 'eleven-char' }), `${CLIENT}.client_secret`, /12 to 256/],
  [withClient({ client_secret: 'x'.repeat(257) }), `${CLIENT}.client_secret`, /12 to 256/],
  [withClient({ redirect_uri: 'x' }), `${CLIENT}.redirect_uri`, /no such setting/],
  [withClient({ redirect_uris: ['https://a.example/#x'] }), `${CLIENT}.redirect_uris[0]`, /fragment/],
  [
    withClient({ redirect_uris: ['https://a.example', 'https://*.a.example'] }),
    `${CLIENT}.redirect_uris[1]`,
    /wildcard/,
  ],
  [withClient({ redirect_uris: ['https://u@a.example'] }), `${CLIENT}.redirect_uris[0]`, /user name/],
  [withClient({ redirect_uris: ['javascript:alert(1)'] }), `${CLIENT}.redirect_uris[0]`, /scheme/],
  [withClient({ redirect_uris: ['/cb'] }), `${CLIENT}.redirect_uris[0]`, /absolute/],
  [withClient({ redirect_uris: ['http://a.example/cb'] }), `${CLIENT}.redirect_uris[0]`, /https/],
  [withClient({ redirect_uris: 'https://a.example' }), `${CLIENT}.redirect_uris`, /array/],
  [withClient({ post_logout_redirect_uris: ['data:x'] }), `${CLIENT}.post_logout_redirect_uris[0]`, /scheme/],
  [withClient({ backchannel_logout_uri: 'com.app:/x' }), `${CLIENT}.backchannel_logout_uri`, /http/],
  [withClient({ grant_types: ['hybrid'] }), `${CLIENT}.grant_types[0]`, /one of/],
  [withClient({ token_endpoint_auth_method: 'tls' }), `${CLIENT}.token_endpoint_auth_method`, /one of/],
  [withClient({ token_endpoint_auth_method: 'private_key_jwt' }), `${CLIENT}.jwks`, /or jwks_uri/],
  [withClient({ ...withKeys(KEY.publicJwk), jwks_uri: 'https://a.example' }), `${CLIENT}.jwks_uri`, /together/],
  [
    withClient({ ...withKeys(KEY.publicJwk), client_secret: 'x'.repeat(40) }),
    `${CLIENT}.client_secret`,
    /private_key_jwt/,
  ],
  [withClient({ ...withKeys(KEY.publicJwk), jwks: 'keys' }), `${CLIENT}.jwks`, /JWK Set/],
  [withClient(withKeys()), `${CLIENT}.jwks.keys`, /must have a key/],
  [withClient(withKeys(...Array(21).fill(KEY.publicJwk))), `${CLIENT}.jwks.keys`, /at most 20/],
  [withClient(withKeys(KEY.publicJwk, privateJwk(KEY))), `${CLIENT}.jwks.keys[1]`, /public key/],
  [withClient(withKeys({ kty: 'oct', k: 'AAAA' })), `${CLIENT}.jwks.keys[0]`, /public key/],
  [withClient(withKeys({ ...KEY.publicJwk, d: null })), `${CLIENT}.jwks.keys[0]`, /public key/],
  [withClient(withKeys({ kty: 'DSA' })), `${CLIENT}.jwks.keys[0]`, /RSA, EC or OKP/],
  [withClient(withKeys({ ...KEY.publicJwk, crv: 'secp256k1' })), `${CLIENT}.jwks.keys[0]`, /crv/],
  [withClient(withKeys({ ...KEY.publicJwk, x: '!' })), `${CLIENT}.jwks.keys[0]`, /valid x/],
  [withClient(withKeys(SHORT_RSA)), `${CLIENT}.jwks.keys[0]`, /valid n/],
  [withClient(withKeys({ ...KEY.publicJwk, kid: 'k'.repeat(257) })), `${CLIENT}.jwks.keys[0]`, /kid/],
  [withClient(withKeys({ ...KEY.publicJwk, use: 'enc' })), `${CLIENT}.jwks`, /key for signatures/],
  [withClient({ ...withKeys(KEY.publicJwk), token_endpoint_auth_signing_alg: 'PS256' }), `${CLIENT}.jwks`, /for PS256/],
  [
    withClient({ ...withKeys(KEY.publicJwk), token_endpoint_auth_signing_alg: 'HS256' }),
    `${CLIENT}.token_endpoint_auth_signing_alg`,
    /no algorithm of private_key_jwt/,
  ],
  [
    withClient({ token_endpoint_auth_signing_alg: 'ES256' }),
    `${CLIENT}.token_endpoint_auth_signing_alg`,
    /no algorithm of client_secret_basic/,
  ],
  [
    withClient({ ...withKeys(KEY.publicJwk), token_endpoint_auth_signing_alg: 'none' }),
    `${CLIENT}.token_endpoint_auth_signing_alg`,
    /one of/,
  ],
  [
    withClient({ token_endpoint_auth_method: 'client_secret_jwt', client_secret: 'x'.repeat(31) }),
    `${CLIENT}.client_secret`,
    /at least 32/,
  ],
  [withClient({ jwks_uri: 'ftp://a.example/keys' }), `${CLIENT}.jwks_uri`, /https/],
  [withClient({ jwks_uri: 'http://a.example/keys' }), `${CLIENT}.jwks_uri`, /https/],
  [withClient({ jwks_uri: 'https://u:p@a.example/keys' }), `${CLIENT}.jwks_uri`, /user name/],
  [withClient({ scope: 'openid admin' }), `${CLIENT}.scope`, /one or more of/],
  [withClient({ scope: '' }), `${CLIENT}.scope`, /one or more scopes/],
  [withClient({ id_token_signed_response_alg: 'none' }), `${CLIENT}.id_token_signed_response_alg`, /one of/],
  [withClient({ access_token_format: 'xml' }), `${CLIENT}.access_token_format`, /opaque or jwt/],
  [withClient({ refresh_token_grace: -1 }), `${CLIENT}.refresh_token_grace`, /at least 0/],
  [withClient({ refresh_token_grace: 121 }), `${CLIENT}.refresh_token_grace`, /at most 120/],
  [
    withClient({ token_endpoint_auth_method: 'none', refresh_token_rotation: false }),
    `${CLIENT}.refresh_token_rotation`,
    /none.*stolen/,
  ],
  [{ applications: [application({ password_min_length: 7 })] }, 'applications[0].password_min_length', /at least 8/],
  [{ applications: [application({ refresh_family_ttl: 0 })] }, 'applications[0].refresh_family_ttl', /at least 1/],
  [withClient({ require_pkce: 1 }), `${CLIENT}.require_pkce`, /boolean/],
  [
    withClient({ token_endpoint_auth_method: 'none', client_secret: 'twelve-chars' }),
    `${CLIENT}.client_secret`,
    /must not be set/,
  ],
  [withClient({ token_endpoint_auth_method: 'none', grant_types: ['password'] }), `${CLIENT}.grant_types`, /secret/],
  [
    withClient({ token_endpoint_auth_method: 'none', require_client_authentication: true }),
    `${CLIENT}.require_client_authentication`,
    /cannot be met/,
  ],
  [withUser({}), `${USER}.username`, /^is missing/],
  [withUser({ email: null }), `${USER}.username`, /^is missing/],
  [withUser({ username: null, email: 'al@example.com' }), `${USER}.username`, /string/],
  [withUser({ username: ' ' }), `${USER}.username`, /empty/],
  [withUser({ username: 7 }), `${USER}.username`, /string/],
  [withUser({ username: 'al', password: '' }), `${USER}.password`, /empty/],
  [withUser({ username: 'al', password: null }), `${USER}.password`, /string/],
  ...[
    '$2b$12$LxbFgoKCML1opwm7D.JK6.D/jHgTdz8szGcm3i55d4lz/9ahqEruy',
    '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$YWJjZGVmZ2hpamtsbW5vcA',
    '{SSHA}0c0blFTXXNuAMHECS4uxrj3ZieMoWImr',
    '{CRYPT}$6$rounds=5000$salt$hash',
    '$6$salt$hash',
    'pbkdf2_sha256$600000$salt$aGFzaA==',
    '$pbkdf2-sha256$29000$salt$hash',
  ].map(password => [withUser({ username: 'al', password }), `${USER}.password`, /is a hash.*password_hash/] as const),
  [withUser({ username: 'al', password_hash: '{SSHA}0c0blFTX' }), `${USER}.password_hash`, /Argon2.*bcrypt.*not taken/],
  [withUser({ username: 'al', password_hash: '' }), `${USER}.password_hash`, /Argon2.*bcrypt/],
  [
    withUser({
      username: 'al',
      password: 'x',
      password_hash: '$2b$12$LxbFgoKCML1opwm7D.JK6.D/jHgTdz8szGcm3i55d4lz/9ahqEruy',
    }),
    `${USER}.password_hash`,
    /together with password/,
  ],
  [withPasskey({ credential_id: undefined }), `${PASSKEY}.credential_id`, /^is missing$/],
  [withPasskey({ credential_id: 'c2hvcnQ' }), `${PASSKEY}.credential_id`, /base64url of 16 to 1023 bytes/],
  [withPasskey({ credential_id: 'A'.repeat(1365) }), `${PASSKEY}.credential_id`, /base64url of 16 to 1023 bytes/],
  [withPasskey({ credential_id: `${'A'.repeat(22)}==` }), `${PASSKEY}.credential_id`, /without padding/],
  [withPasskey({ credential_id: `${'A'.repeat(21)}B` }), `${PASSKEY}.credential_id`, /base64url/],
  [withPasskey({ credential_id: '+/'.repeat(16) }), `${PASSKEY}.credential_id`, /base64url/],
  [withPasskey({ public_key: Buffer.alloc(77).toString('base64url') }), `${PASSKEY}.public_key`, /must be a COSE key/],
  [withPasskey({ public_key: 'A'.repeat(801) }), `${PASSKEY}.public_key`, /base64url of 32 to 600 bytes/],
  [withPasskey({ user_handle: undefined }), `${PASSKEY}.user_handle`, /^is missing$/],
  [withPasskey({ user_handle: '' }), `${PASSKEY}.user_handle`, /base64url of 1 to 64 bytes/],
  [withPasskey({ user_handle: 'A'.repeat(87) }), `${PASSKEY}.user_handle`, /base64url of 1 to 64 bytes/],
  [withPasskey({ name: 'x'.repeat(51) }), `${PASSKEY}.name`, /at most 50/],
  [withPasskey({ name: 'a\nb' }), `${PASSKEY}.name`, /one line/],
  [withPasskey({ sign_count: 2 ** 32 }), `${PASSKEY}.sign_count`, /4294967295/],
  [withPasskey({ sign_count: -1 }), `${PASSKEY}.sign_count`, />=0/],
  [withPasskey({ backed_up: true, backup_eligible: false }), `${PASSKEY}.backed_up`, /backup_eligible/],
  [withPasskey({ transports: ['pigeon'] }), `${PASSKEY}.transports[0]`, /ble/],
  [withPasskey({ private_key: 'x' }), `${PASSKEY}.private_key`, /no such setting/],
  [
    withUser({ username: 'al', passkeys: [PASSKEY_ENTRY, PASSKEY_ENTRY] }),
    `${USER}.passkeys[1].credential_id`,
    /another/,
  ],
  [
    withUser({ username: 'al', passkeys: Array.from({ length: 21 }, () => aPasskeyEntry()) }),
    `${USER}.passkeys`,
    /at most 20/,
  ],
  [
    {
      users: [
        { username: 'a', passkeys: [PASSKEY_ENTRY] },
        { username: 'b', passkeys: [PASSKEY_ENTRY] },
      ],
    },
    `${PASSKEY}.credential_id`,
    /another user/,
  ],
  [withUser({ username: 'al', email: 'nowhere' }), `${USER}.email`, /e-mail/],
  [withUser({ username: 'al', phone_number: 'call me' }), `${USER}.phone_number`, /telephone/],
  [withUser({ username: 'al', picture: 'javascript:x' }), `${USER}.picture`, /http/],
  [withUser({ username: 'al', nickname: 'a\u0007b' }), `${USER}.nickname`, /control/],
  [withUser({ username: 'al', groups: ['a\nb'] }), `${USER}.groups[0]`, /control/],
  [withUser({ username: 'al', groups: 'staff' }), `${USER}.groups`, /list of names/],
  [withUser({ username: 'al', roles: { shop: [''] } }), `${USER}.roles.shop[0]`, /empty/],
  [withUser({ username: 'al', roles: { 'No Code': ['x'] } }), `${USER}.roles.No Code`, /code of an application/],
  [{ applications: [application({ access: 'staff' })] }, 'applications[0].access', /everybody/],
  [{ applications: [application({ access: { groups: [''] } })] }, 'applications[0].access.groups[0]', /empty/],
  [withUser({ username: 'al', disabled: 'no' }), `${USER}.disabled`, /boolean/],
  [withUser({ username: 'al', admin: true }), `${USER}.admin`, /no such setting/],
  // What may exist once only
  [{ applications: [application(), application()] }, 'applications[1].code', /duplicate application "shop"/],
  [withClient({ client_id: 'ok' }), `${CLIENT}.client_id`, /duplicate client "ok"/],
  [
    withClient({ redirect_uris: ['https://a.example', 'https://a.example'] }),
    `${CLIENT}.redirect_uris[1]`,
    /duplicate/,
  ],
  [withClient({ grant_types: ['password', 'password'] }), `${CLIENT}.grant_types[1]`, /duplicate/],
  [withUser({ username: 'ZOE' }), `${USER}.username`, /duplicate login name/],
  [
    {
      users: [
        { username: 'a', email: 'x@y.z' },
        { username: 'b', email: 'X@Y.Z' },
      ],
    },
    `${USER}.email`,
    /duplicate/,
  ],
  [{ users: [{ username: 'a@b.c' }, { username: 'x', email: 'a@b.c' }] }, `${USER}.email`, /duplicate/],
  [
    {
      users: [
        { username: 'a', phone_number: '+86 138' },
        { username: 'b', phone_number: '+86-138' },
      ],
    },
    `${USER}.phone_number`,
    /duplicate/,
  ],
];

describe('faults of an apply file (running.md, The apply file)', () => {
  for (const [file, place, reason] of rows) {
    it(`${place}: ${reason.source}`, () => {
      const found = faults(JSON.stringify(file));
      assert.equal(found.length, 1, found.join('\n'));
      const [where, ...why] = withoutLine(found[0] ?? '').split(': ');
      assert.equal(where, place);
      assert.match(why.join(': '), reason);
    });
  }

  it('are all reported, each with its place', () => {
    const file = {
      applications: [{ code: 'X', name: 'X', clients: [{ nonsense: 1, require_pkce: 'x' }] }],
      users: [{ username: '', colour: 1, size: 2 }],
    };
    const places = faults(JSON.stringify(file)).map(line => line.split(': ')[0]);
    assert.deepEqual(places.sort(), [
      'applications[0].clients[0].nonsense',
      'applications[0].clients[0].require_pkce',
      'applications[0].code',
      'users[0].colour',
      'users[0].size',
      'users[0].username',
    ]);
  });

  it('of two clients without client_id and with the same name say that one is needed', () => {
    const clients = [{ client_name: 'Web' }, { client_name: 'Web' }];
    const [line = ''] = faults(JSON.stringify({ applications: [application({ clients })] }));
    assert.match(line, /^applications\[0\]\.clients\[1\]\.client_id: is needed/);
  });

  it('never show a password or a client secret', () => {
    const found = faults(
      JSON.stringify({
        applications: [application({ clients: [{ client_secret: 'hunter2hunter2\n' }] })],
        users: [{ username: 'al', password: 42 }],
      }),
    );
    assert.equal(found.length, 2);
    for (const line of found) assert.doesNotMatch(line, /hunter2|42/);
  });

  for (const [what, text, fault] of [
    ['broken YAML', 'users:\n  - username: [', /^line \d+: /],
    ['a key that comes twice', 'users: []\nusers: []', /^line 2: .*unique/],
    ['a tab for indentation', 'users:\n\t- username: al', /^line 2: /],
    ['broken JSON', '{"users": [}', /^line 1: /],
    ['several documents', 'users: []\n---\nusers: []', /^line \d+: .*document/],
    ['a list', '- a', /^file: /],
    ['a word', 'hello', /^file: /],
    ['an alias of nothing', 'users: *nobody', /nobody/],
    ['aliases that explode', explosion(), /alias/i],
  ] as const) {
    it(`${what} is a fault with its place, not a crash`, () => {
      const found = faults(text);
      assert(found.length > 0);
      assert(
        found.some(line => fault.test(line)),
        found.join('\n'),
      );
    });
  }
});

/** Ten levels of ten aliases each. */
function explosion(): string {
  const levels = Array.from({ length: 10 }, (_, level) => {
    const content = level === 0 ? Array(10).fill('x') : Array(10).fill(`*a${level - 1}`);
    return `a${level}: &a${level} [${content.join(', ')}]`;
  });
  return levels.join('\n');
}
