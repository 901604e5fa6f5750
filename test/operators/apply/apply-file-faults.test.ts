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
const PASSKEY = `${USER}.passkeys[0]`;

const KEY = aSigningPair('ES256');
const withKeys = (...keys: readonly unknown[]) => ({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys } });
const BCRYPT = '$2b$12$LxbFgoKCML1opwm7D.JK6.D/jHgTdz8szGcm3i55d4lz/9ahqEruy';
const PUBLIC = { token_endpoint_auth_method: 'none' };
const SHORT_RSA = { kty: 'RSA', n: 'x'.repeat(171), e: 'AQAB' };

type Row = readonly [file: object, place: string, reason: RegExp];
const ofApplication = (over: object, place: string, reason: RegExp): Row => [
  { applications: [application(over)] },
  `applications[0].${place}`,
  reason,
];
const ofApi = (over: object, place: string, reason: RegExp): Row => [withApi(over), `${API}.${place}`, reason];
const ofClient = (over: object, place: string, reason: RegExp): Row => [withClient(over), `${CLIENT}.${place}`, reason];
const ofPolicy = (over: object, place: string, reason: RegExp): Row => [withPolicy(over), `${POLICY}.${place}`, reason];
const ofUser = (over: object, place: string, reason: RegExp): Row => [withUser(over), `${USER}.${place}`, reason];
const ofStatements = (issuers: unknown, place: string, reason: RegExp, over: object = {}): Row => [
  withIssuers(issuers, over),
  `${STATEMENTS}.${place}`,
  reason,
];
const ofTwo = (one: object, other: object, place: string, reason: RegExp): Row => [
  {
    users: [
      { username: 'a', ...one },
      { username: 'b', ...other },
    ],
  },
  `${USER}.${place}`,
  reason,
];
const ofPasskey = (over: object, place: string, reason: RegExp): Row => [
  withUser({ username: 'al', passkeys: [{ ...PASSKEY_ENTRY, ...over }] }),
  `${PASSKEY}.${place}`,
  reason,
];

/** One fault each: the file, its place, and a word of the reason. */
const rows: readonly Row[] = [
  [{ application: [] }, 'application', /no such setting/],
  ofUser({ username: 'a\0b' }, 'username', /cannot be stored/),
  ofClient({ client_name: 'a\0b' }, 'client_name', /cannot be stored/),
  [{ applications: {} }, 'applications', /array/],
  [{ applications: [{ name: 'Shop' }] }, 'applications[0].code', /^is missing$/],
  [{ applications: [{ code: 'shop' }] }, 'applications[0].name', /^is missing$/],
  ofApplication({ code: 'Shop' }, 'code', /must match/),
  ofApplication({ code: '-shop' }, 'code', /must match/),
  ofApplication({ code: 'a'.repeat(64) }, 'code', /must match/),
  ofApplication({ code: 'a/b' }, 'code', /must match/),
  ofApplication({ name: '' }, 'name', /empty/),
  ofApplication({ strict_oidc: 'yes' }, 'strict_oidc', /boolean/),
  ofApplication({ access_token_ttl: 0 }, 'access_token_ttl', /at least 1/),
  ofApplication({ id_token_ttl: 1.5 }, 'id_token_ttl', /whole number/),
  ofApplication({ refresh_token_ttl: '60' }, 'refresh_token_ttl', /whole number/),
  ofApplication({ colour: 'red' }, 'colour', /no such setting/),
  ofApi({ identifier: undefined }, 'identifier', /^is missing$/),
  ofApi({ identifier: '/orders' }, 'identifier', /absolute URI/),
  ofApi({ identifier: 'https://api.shop.example/#x' }, 'identifier', /without a fragment/),
  ofApi({ identifier: 'https://a b' }, 'identifier', /absolute URI/),
  ofApi({ identifier: `https://a.example/${'x'.repeat(255)}` }, 'identifier', /at most 255/),
  ofApi({ identifier: 'https://stock.shop.example' }, 'identifier', /another API/),
  ofApi({ name: '' }, 'name', /empty/),
  ofApi({ scopes: { 'orders read': 'x' } }, 'scopes.orders read', /scope-token/),
  ofApi({ scopes: { openid: 'x' } }, 'scopes.openid', /scope of the server/),
  ofApi({ scopes: { 'admin:read': 'x' } }, 'scopes.admin:read', /scope of the server/),
  ofApi({ scopes: { read: '' } }, 'scopes.read', /empty/),
  ofApi({ access_token_format: 'xml' }, 'access_token_format', /opaque or jwt/),
  ofApi({ access_token_ttl: 0 }, 'access_token_ttl', /at least 1/),
  ofApi({ audience: 'x' }, 'audience', /no such setting/),
  ofClient({ apis: ['https://api.shop.example'] }, 'apis', /has no API/),
  ofClient({ scope: 'openid orders:read' }, 'scope', /one or more of/),
  ofClient({ ...PUBLIC, grant_types: ['client_credentials'] }, 'grant_types', /needs a client with a secret/),
  ofClient({ ...PUBLIC, grant_types: [TOKEN_EXCHANGE] }, 'grant_types', /needs a client with a secret/),
  ofPolicy({ to: 'https://elsewhere.example' }, 'to', /identifier of an API/),
  ofPolicy({ to: undefined }, 'to', /^is missing$/),
  ofPolicy({ from: 'https://elsewhere.example' }, 'from', /identifier of an API of the application, or a client_id/),
  ofPolicy({ from: '' }, 'from', /or a client_id/),
  ofPolicy({ scopes: ['stock:read'] }, 'scopes', /stock:read is no scope of https:\/\/api\.shop\.example/),
  ofPolicy({ scopes: [] }, 'scopes', /must name scopes/),
  ofPolicy({ scopes: undefined }, 'scopes', /must name scopes/),
  ofPolicy({ audience: 'x' }, 'audience', /no such setting/),
  [withPolicy({}, {}), 'applications[0].token_exchange[1].to', /another entry/],
  ofStatements([], 'issuers', /must not be empty/),
  ofStatements(undefined, 'issuers', /^is missing$/),
  ofStatements([{ issuer: 'x' }], 'issuers[0].jwks', /must be set, or jwks_uri/),
  ofStatements([{ issuer: 'x ', jwks_uri: 'https://x.example/keys' }], 'issuers[0].issuer', /white space/),
  ofStatements([{ issuer: '', jwks_uri: 'https://x.example/keys' }], 'issuers[0].issuer', /1 to 255/),
  ofStatements([{ issuer: 'x\u200by', jwks_uri: 'https://x.example/keys' }], 'issuers[0].issuer', /visible/),
  ofStatements([{ issuer: 'x', jwks_uri: 'file:///etc/passwd' }], 'issuers[0].jwks_uri', /https/),
  ofStatements([{ issuer: 'x', jwks: { keys: [] } }], 'issuers[0].jwks.keys', /must have a key/),
  ofStatements(
    [{ issuer: 'x', jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } }],
    'issuers[0].jwks.keys[0]',
    /public key/,
  ),
  ofStatements(
    [
      { issuer: 'x', jwks_uri: 'https://x.example/keys' },
      { issuer: 'x', jwks_uri: 'https://y.example/keys' },
    ],
    'issuers[1].issuer',
    /is there twice/,
  ),
  ofStatements([{ issuer: 'x', jwks_uri: 'https://x.example' }], 'require', /no such setting/, { require: true }),
  ofApplication({ userinfo_acr_values: ['3'] }, 'userinfo_acr_values[0]', /must be one of 1, 2, phr/),
  ofApplication({ userinfo_acr_values: [] }, 'userinfo_acr_values', /empty/),
  ofApplication({ userinfo_max_age: -1 }, 'userinfo_max_age', /at least 0/),
  ofClient({ client_id: 'a:b' }, 'client_id', /colon/),
  ofClient({ client_id: '' }, 'client_id', /1 to 128/),
  ofClient({ client_secret: '' }, 'client_secret', /12 to 256/),
  ofClient({ client_secret: 'eleven-char' }, 'client_secret', /12 to 256/),
  ofClient({ client_secret: 'x'.repeat(257) }, 'client_secret', /12 to 256/),
  ofClient({ redirect_uri: 'x' }, 'redirect_uri', /no such setting/),
  ofClient({ redirect_uris: ['https://a.example/#x'] }, 'redirect_uris[0]', /fragment/),
  ofClient({ redirect_uris: ['https://a.example', 'https://*.a.example'] }, 'redirect_uris[1]', /wildcard/),
  ofClient({ redirect_uris: ['https://u@a.example'] }, 'redirect_uris[0]', /user name/),
  ofClient({ redirect_uris: ['javascript:alert(1)'] }, 'redirect_uris[0]', /scheme/),
  ofClient({ redirect_uris: ['/cb'] }, 'redirect_uris[0]', /absolute/),
  ofClient({ redirect_uris: ['http://a.example/cb'] }, 'redirect_uris[0]', /https/),
  ofClient({ redirect_uris: 'https://a.example' }, 'redirect_uris', /array/),
  ofClient({ post_logout_redirect_uris: ['data:x'] }, 'post_logout_redirect_uris[0]', /scheme/),
  ofClient({ backchannel_logout_uri: 'com.app:/x' }, 'backchannel_logout_uri', /http/),
  ofClient({ grant_types: ['hybrid'] }, 'grant_types[0]', /one of/),
  ofClient({ token_endpoint_auth_method: 'tls' }, 'token_endpoint_auth_method', /one of/),
  ofClient({ token_endpoint_auth_method: 'private_key_jwt' }, 'jwks', /or jwks_uri/),
  ofClient({ ...withKeys(KEY.publicJwk), jwks_uri: 'https://a.example' }, 'jwks_uri', /together/),
  ofClient({ ...withKeys(KEY.publicJwk), client_secret: 'x'.repeat(40) }, 'client_secret', /private_key_jwt/),
  ofClient({ ...withKeys(KEY.publicJwk), jwks: 'keys' }, 'jwks', /JWK Set/),
  ofClient(withKeys(), 'jwks.keys', /must have a key/),
  ofClient(withKeys(...Array(21).fill(KEY.publicJwk)), 'jwks.keys', /at most 20/),
  ofClient(withKeys(KEY.publicJwk, privateJwk(KEY)), 'jwks.keys[1]', /public key/),
  ofClient(withKeys({ kty: 'oct', k: 'AAAA' }), 'jwks.keys[0]', /public key/),
  ofClient(withKeys({ ...KEY.publicJwk, d: null }), 'jwks.keys[0]', /public key/),
  ofClient(withKeys({ kty: 'DSA' }), 'jwks.keys[0]', /RSA, EC or OKP/),
  ofClient(withKeys({ ...KEY.publicJwk, crv: 'secp256k1' }), 'jwks.keys[0]', /crv/),
  ofClient(withKeys({ ...KEY.publicJwk, x: '!' }), 'jwks.keys[0]', /valid x/),
  ofClient(withKeys(SHORT_RSA), 'jwks.keys[0]', /valid n/),
  ofClient(withKeys({ ...KEY.publicJwk, kid: 'k'.repeat(257) }), 'jwks.keys[0]', /kid/),
  ofClient(withKeys({ ...KEY.publicJwk, use: 'enc' }), 'jwks', /key for signatures/),
  ofClient({ ...withKeys(KEY.publicJwk), token_endpoint_auth_signing_alg: 'PS256' }, 'jwks', /for PS256/),
  ofClient(
    { ...withKeys(KEY.publicJwk), token_endpoint_auth_signing_alg: 'HS256' },
    'token_endpoint_auth_signing_alg',
    /no algorithm of private_key_jwt/,
  ),
  ofClient(
    { token_endpoint_auth_signing_alg: 'ES256' },
    'token_endpoint_auth_signing_alg',
    /no algorithm of client_secret_basic/,
  ),
  ofClient(
    { ...withKeys(KEY.publicJwk), token_endpoint_auth_signing_alg: 'none' },
    'token_endpoint_auth_signing_alg',
    /one of/,
  ),
  ofClient(
    { token_endpoint_auth_method: 'client_secret_jwt', client_secret: 'x'.repeat(31) },
    'client_secret',
    /at least 32/,
  ),
  ofClient({ jwks_uri: 'ftp://a.example/keys' }, 'jwks_uri', /https/),
  ofClient({ jwks_uri: 'http://a.example/keys' }, 'jwks_uri', /https/),
  ofClient({ jwks_uri: 'https://u:p@a.example/keys' }, 'jwks_uri', /user name/),
  ofClient({ scope: 'openid admin' }, 'scope', /one or more of/),
  ofClient({ scope: '' }, 'scope', /one or more scopes/),
  ofClient({ id_token_signed_response_alg: 'none' }, 'id_token_signed_response_alg', /one of/),
  ofClient({ access_token_format: 'xml' }, 'access_token_format', /opaque or jwt/),
  ofClient({ refresh_token_grace: -1 }, 'refresh_token_grace', /at least 0/),
  ofClient({ refresh_token_grace: 121 }, 'refresh_token_grace', /at most 120/),
  ofClient({ ...PUBLIC, refresh_token_rotation: false }, 'refresh_token_rotation', /none.*stolen/),
  ofApplication({ password_min_length: 7 }, 'password_min_length', /at least 8/),
  ofApplication({ refresh_family_ttl: 0 }, 'refresh_family_ttl', /at least 1/),
  ofClient({ require_pkce: 1 }, 'require_pkce', /boolean/),
  ofClient({ ...PUBLIC, client_secret: 'twelve-chars' }, 'client_secret', /must not be set/),
  ofClient({ ...PUBLIC, grant_types: ['password'] }, 'grant_types', /secret/),
  ofClient({ ...PUBLIC, require_client_authentication: true }, 'require_client_authentication', /cannot be met/),
  ofUser({}, 'username', /^is missing/),
  ofUser({ email: null }, 'username', /^is missing/),
  ofUser({ username: null, email: 'al@example.com' }, 'username', /string/),
  ofUser({ username: ' ' }, 'username', /empty/),
  ofUser({ username: 7 }, 'username', /string/),
  ofUser({ username: 'al', password: '' }, 'password', /empty/),
  ofUser({ username: 'al', password: null }, 'password', /string/),
  ...[
    BCRYPT,
    '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$YWJjZGVmZ2hpamtsbW5vcA',
    '{SSHA}0c0blFTXXNuAMHECS4uxrj3ZieMoWImr',
    '{CRYPT}$6$rounds=5000$salt$hash',
    '$6$salt$hash',
    'pbkdf2_sha256$600000$salt$aGFzaA==',
    '$pbkdf2-sha256$29000$salt$hash',
  ].map(password => [withUser({ username: 'al', password }), `${USER}.password`, /is a hash.*password_hash/] as const),
  ofUser({ username: 'al', password_hash: '{SSHA}0c0blFTX' }, 'password_hash', /Argon2.*bcrypt.*not taken/),
  ofUser({ username: 'al', password_hash: '' }, 'password_hash', /Argon2.*bcrypt/),
  ofUser({ username: 'al', password: 'x', password_hash: BCRYPT }, 'password_hash', /together with password/),
  ofPasskey({ credential_id: undefined }, 'credential_id', /^is missing$/),
  ofPasskey({ credential_id: 'c2hvcnQ' }, 'credential_id', /base64url of 16 to 1023 bytes/),
  ofPasskey({ credential_id: 'A'.repeat(1365) }, 'credential_id', /base64url of 16 to 1023 bytes/),
  ofPasskey({ credential_id: `${'A'.repeat(22)}==` }, 'credential_id', /without padding/),
  ofPasskey({ credential_id: `${'A'.repeat(21)}B` }, 'credential_id', /base64url/),
  ofPasskey({ credential_id: '+/'.repeat(16) }, 'credential_id', /base64url/),
  ofPasskey({ public_key: Buffer.alloc(77).toString('base64url') }, 'public_key', /must be a COSE key/),
  ofPasskey({ public_key: 'A'.repeat(801) }, 'public_key', /base64url of 32 to 600 bytes/),
  ofPasskey({ user_handle: undefined }, 'user_handle', /^is missing$/),
  ofPasskey({ user_handle: '' }, 'user_handle', /base64url of 1 to 64 bytes/),
  ofPasskey({ user_handle: 'A'.repeat(87) }, 'user_handle', /base64url of 1 to 64 bytes/),
  ofPasskey({ name: 'x'.repeat(51) }, 'name', /at most 50/),
  ofPasskey({ name: 'a\nb' }, 'name', /one line/),
  ofPasskey({ sign_count: 2 ** 32 }, 'sign_count', /4294967295/),
  ofPasskey({ sign_count: -1 }, 'sign_count', />=0/),
  ofPasskey({ backed_up: true, backup_eligible: false }, 'backed_up', /backup_eligible/),
  ofPasskey({ transports: ['pigeon'] }, 'transports[0]', /ble/),
  ofPasskey({ private_key: 'x' }, 'private_key', /no such setting/),
  ofUser({ username: 'al', passkeys: [PASSKEY_ENTRY, PASSKEY_ENTRY] }, 'passkeys[1].credential_id', /another/),
  ofUser({ username: 'al', passkeys: Array.from({ length: 21 }, () => aPasskeyEntry()) }, 'passkeys', /at most 20/),
  ofTwo({ passkeys: [PASSKEY_ENTRY] }, { passkeys: [PASSKEY_ENTRY] }, 'passkeys[0].credential_id', /another user/),
  ofUser({ username: 'al', email: 'nowhere' }, 'email', /e-mail/),
  ofUser({ username: 'al', phone_number: 'call me' }, 'phone_number', /telephone/),
  ofUser({ username: 'al', picture: 'javascript:x' }, 'picture', /http/),
  ofUser({ username: 'al', nickname: 'a\u0007b' }, 'nickname', /control/),
  ofUser({ username: 'al', groups: ['a\nb'] }, 'groups[0]', /control/),
  ofUser({ username: 'al', groups: 'staff' }, 'groups', /list of names/),
  ofUser({ username: 'al', roles: { shop: [''] } }, 'roles.shop[0]', /empty/),
  ofUser({ username: 'al', roles: { 'No Code': ['x'] } }, 'roles.No Code', /code of an application/),
  ofApplication({ access: 'staff' }, 'access', /everybody/),
  ofApplication({ access: { groups: [''] } }, 'access.groups[0]', /empty/),
  ofUser({ username: 'al', disabled: 'no' }, 'disabled', /boolean/),
  ofUser({ username: 'al', admin: true }, 'admin', /no such setting/),
  // What may exist once only
  [{ applications: [application(), application()] }, 'applications[1].code', /duplicate application "shop"/],
  ofClient({ client_id: 'ok' }, 'client_id', /duplicate client "ok"/),
  ofClient({ redirect_uris: ['https://a.example', 'https://a.example'] }, 'redirect_uris[1]', /duplicate/),
  ofClient({ grant_types: ['password', 'password'] }, 'grant_types[1]', /duplicate/),
  ofUser({ username: 'ZOE' }, 'username', /duplicate login name/),
  ofTwo({ email: 'x@y.z' }, { email: 'X@Y.Z' }, 'email', /duplicate/),
  [{ users: [{ username: 'a@b.c' }, { username: 'x', email: 'a@b.c' }] }, `${USER}.email`, /duplicate/],
  ofTwo({ phone_number: '+86 138' }, { phone_number: '+86-138' }, 'phone_number', /duplicate/),
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
