import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accessTokenClaims, idTokenClaims, type Profile, profileClaims, utcText } from '../../src/protocol/claims.ts';
import { issuerOf } from '../../src/protocol/client.ts';
import { dialectOf } from '../../src/protocol/dialect.ts';
import { type Scope, scopes } from '../../src/protocol/scope.ts';
import { application } from './given.ts';

const full: Profile = {
  sub: 'sub-1',
  username: 'alice',
  nickname: 'Al',
  picture: 'https://example.com/a.png',
  email: 'alice@example.com',
  emailVerified: true,
  phoneNumber: '+8613800000000',
  phoneNumberVerified: false,
  updatedAt: 1_709_209_805,
};
const bare: Profile = {
  ...full,
  nickname: undefined,
  picture: undefined,
  email: undefined,
  emailVerified: false,
  phoneNumber: undefined,
};
const ours = dialectOf(application());
const strict = dialectOf(application({ strict_oidc: true }));

const profile = {
  preferred_username: 'alice',
  nickname: 'Al',
  picture: full.picture,
  updated_at: '2024-02-29 12:30:05',
};
const email = { email: 'alice@example.com', email_verified: true };
const phone = { phone_number: '+8613800000000', phone_number_verified: false };

describe('claims about a user, by scope (interface 2, row 53)', () => {
  for (const [granted, expected] of [
    [['openid'], {}],
    [['profile'], profile],
    [['email'], email],
    [['phone'], phone],
    [[...scopes], { ...profile, ...email, ...phone }],
    [['email', 'phone'], { ...email, ...phone }],
  ] as readonly (readonly [readonly Scope[], object])[]) {
    it(`${granted.join(' ')}`, () => {
      assert.deepEqual(profileClaims(full, granted, ours), { sub: 'sub-1', ...expected });
    });
  }

  it('unset: nickname and phone number are empty, picture and e-mail are left out', () => {
    assert.deepEqual(profileClaims(bare, scopes, ours), {
      sub: 'sub-1',
      preferred_username: 'alice',
      nickname: '',
      updated_at: '2024-02-29 12:30:05',
      phone_number: '',
      phone_number_verified: false,
    });
  });

  it('unset in strict_oidc: all are left out, and updated_at is a number (OIDC Core sections 5.1 and 5.3.2)', () => {
    assert.deepEqual(profileClaims(bare, scopes, strict), {
      sub: 'sub-1',
      preferred_username: 'alice',
      updated_at: 1_709_209_805,
    });
    assert.deepEqual(profileClaims(full, scopes, strict), {
      sub: 'sub-1',
      ...profile,
      updated_at: 1_709_209_805,
      ...email,
      ...phone,
    });
  });

  for (const [seconds, text] of [
    [0, '1970-01-01 00:00:00'],
    [1_709_209_805, '2024-02-29 12:30:05'],
    [1_735_689_599, '2024-12-31 23:59:59'],
    [4_102_444_800, '2100-01-01 00:00:00'],
  ] as const) {
    it(`${seconds} is ${text} in UTC`, () => {
      assert.equal(utcText(seconds), text);
    });
  }
});

describe('claims of an ID token (row 44)', () => {
  const login = { sub: 's', clientId: 'web', authTime: 90, amr: ['pwd'], sid: undefined, nonce: undefined };
  const always = { iss: 'i', sub: 's', aud: 'web', azp: 'web', iat: 100, exp: 200, auth_time: 90, amr: ['pwd'] };
  const made = (over: object, accessToken?: string) =>
    idTokenClaims('i', { ...login, ...over }, { iat: 100, exp: 200 }, accessToken);

  it('has what is always there and nothing that is not', () => {
    assert.deepEqual(made({}), always);
  });

  it('has nonce and sid when there are any', () => {
    assert.deepEqual(made({ nonce: 'n', sid: 'x' }), { ...always, nonce: 'n', sid: 'x' });
  });

  it('has the at_hash of the example in OpenID Connect Core appendix A.3', () => {
    const claims = made({}, 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y');
    assert.equal(claims.at_hash, '77QmUPtjPfzWtF2AnpK9RQ');
  });
});

describe('claims of a JWT access token (RFC 9068 section 2.2)', () => {
  it('has every required one, and the application as its audience', () => {
    const token = { sub: 's', clientId: 'web', scope: scopes, iat: 1, exp: 2, jti: 'j', authTime: 0 };
    assert.deepEqual(accessTokenClaims('i', token), {
      iss: 'i',
      aud: 'i',
      sub: 's',
      client_id: 'web',
      scope: 'openid profile email phone',
      iat: 1,
      exp: 2,
      jti: 'j',
      auth_time: 0,
    });
  });
});

describe('the issuer (row 1)', () => {
  it('is the address of the application, without a slash at the end', () => {
    assert.equal(issuerOf('https://id.example', 'shop'), 'https://id.example/api/v1/authorize/shop/oauth2');
  });
});
