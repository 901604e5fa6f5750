import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { issuerOf } from '../../../src/directory/applications/rules.ts';
import {
  accessTokenClaims,
  idTokenClaims,
  logoutTokenClaims,
  type Profile,
  profileClaims,
  requestedClaims,
  utcText,
} from '../../../src/directory/users/claims.rules.ts';
import type { SigningAlg } from '../../../src/oauth/signing-keys/algorithms.rules.ts';
import { defaultScope, type Scope, scopes } from '../../../src/oauth/token/scope.rules.ts';

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
  standardClaims: undefined,
};
const bare: Profile = {
  ...full,
  nickname: undefined,
  picture: undefined,
  email: undefined,
  emailVerified: false,
  phoneNumber: undefined,
};

const profile = {
  preferred_username: 'alice',
  nickname: 'Al',
  picture: full.picture,
  updated_at: '2024-02-29 12:30:05',
};
const email = { email: 'alice@example.com', email_verified: true };
const NO_MEMBERSHIP = { groups: [], roles: [] };
const phone = { phone_number: '+8613800000000', phone_number_verified: false };

describe('claims about a user, by scope (interface 2, row 53)', () => {
  for (const [granted, expected] of [
    [['openid'], {}],
    [['profile'], profile],
    [['email'], email],
    [['phone'], phone],
    [[...scopes], { ...profile, ...email, ...phone, ...NO_MEMBERSHIP }],
    [['email', 'phone'], { ...email, ...phone }],
    [['openid', 'address', 'offline_access'], {}],
  ] as readonly (readonly [readonly Scope[], object])[]) {
    it(`${granted.join(' ')}`, () => {
      assert.deepEqual(profileClaims(full, granted, 'documented', { code: 'shop' }), { sub: 'sub-1', ...expected });
    });
  }

  const standardClaims = {
    name: 'Alice Example',
    given_name: 'Alice',
    zoneinfo: 'Europe/Paris',
    address: { formatted: '1 Main Street', country: 'FR' },
  };
  for (const [granted, expected] of [
    [['profile'], { ...profile, name: 'Alice Example', given_name: 'Alice', zoneinfo: 'Europe/Paris' }],
    [['address'], { address: standardClaims.address }],
    [['email'], email],
  ] as readonly (readonly [readonly Scope[], object])[]) {
    it(`the standard claims that are set, for ${granted.join(' ')} (OIDC Core section 5.4, row 53)`, () => {
      assert.deepEqual(profileClaims({ ...full, standardClaims }, granted, 'documented', { code: 'shop' }), {
        sub: 'sub-1',
        ...expected,
      });
    });
  }

  it('unset: nickname and phone number are empty, picture and e-mail are left out', () => {
    assert.deepEqual(profileClaims(bare, scopes, 'documented', { code: 'shop' }), {
      sub: 'sub-1',
      preferred_username: 'alice',
      nickname: '',
      updated_at: '2024-02-29 12:30:05',
      phone_number: '',
      phone_number_verified: false,
      ...NO_MEMBERSHIP,
    });
  });

  it('unset in the standard form: all are left out, and updated_at is a number (OIDC Core sections 5.1 and 5.3.2)', () => {
    assert.deepEqual(profileClaims(bare, scopes, 'standard', { code: 'shop' }), {
      sub: 'sub-1',
      preferred_username: 'alice',
      updated_at: 1_709_209_805,
      ...NO_MEMBERSHIP,
    });
    assert.deepEqual(profileClaims(full, scopes, 'standard', { code: 'shop' }), {
      sub: 'sub-1',
      ...profile,
      updated_at: 1_709_209_805,
      ...email,
      ...phone,
      ...NO_MEMBERSHIP,
    });
  });

  it('groups, and the roles at this application and at every one (modern contract)', () => {
    const membership = { groups: ['staff'], roles: { shop: ['admin', 'all'], bank: ['teller'], '*': ['all', 'any'] } };
    const user = { ...bare, membership };
    assert.deepEqual(profileClaims(user, ['groups'], 'documented', { code: 'shop' }), {
      sub: 'sub-1',
      groups: ['staff'],
    });
    assert.deepEqual(profileClaims(user, ['roles'], 'documented', { code: 'shop' }), {
      sub: 'sub-1',
      roles: ['admin', 'all', 'any'],
    });
    assert.deepEqual(profileClaims(user, ['roles'], 'documented', { code: 'club' }), {
      sub: 'sub-1',
      roles: ['all', 'any'],
    });
    assert.deepEqual(profileClaims(user, defaultScope, 'standard', { code: 'shop' }).groups, undefined);
    assert.deepEqual(requestedClaims(user, ['roles'], 'documented', 'bank'), { roles: ['teller', 'all', 'any'] });
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
  const always = {
    iss: 'i',
    sub: 's',
    aud: 'web',
    azp: 'web',
    iat: 100,
    exp: 200,
    auth_time: 90,
    amr: ['pwd'],
    acr: '1',
  };
  const made = (over: object, accessToken?: string, alg: SigningAlg = 'ES256') =>
    idTokenClaims('i', { ...login, ...over }, { iat: 100, exp: 200 }, { accessToken }, alg);

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

  for (const [alg, algorithm, bytes] of [
    ['ES256', 'sha256', 16],
    ['RS256', 'sha256', 16],
    ['EdDSA', 'sha512', 32],
  ] as const) {
    it(`has as at_hash the left half of the ${algorithm} with ${alg} (OIDC Core section 3.1.3.6)`, () => {
      const half = createHash(algorithm).update('a-token').digest().subarray(0, bytes);
      assert.equal(made({}, 'a-token', alg).at_hash, half.toString('base64url'));
    });
  }
});

describe('claims asked for one by one (OIDC Core section 5.5)', () => {
  const everything = { ...profile, ...email, ...phone };
  it('are those named and no other, whatever the scopes', () => {
    for (const [name, value] of Object.entries(everything))
      assert.deepEqual(requestedClaims(full, [name], 'documented', 'shop'), { [name]: value });
    assert.deepEqual(requestedClaims(full, ['email', 'nickname'], 'documented', 'shop'), {
      email: full.email,
      nickname: 'Al',
    });
    assert.deepEqual(requestedClaims(full, [], 'documented', 'shop'), {});
  });

  it('are left out when they are unknown or unset, without an error (5.5.1)', () => {
    assert.deepEqual(requestedClaims(full, ['given_name', 'address', ''], 'documented', 'shop'), {});
    assert.deepEqual(requestedClaims(bare, ['email', 'email_verified', 'picture'], 'documented', 'shop'), {});
    assert.deepEqual(requestedClaims(bare, ['nickname', 'phone_number'], 'standard', 'shop'), {});
    assert.deepEqual(requestedClaims(bare, ['nickname'], 'documented', 'shop'), { nickname: '' });
  });

  it('say how the user signed in, where that is known', () => {
    assert.deepEqual(requestedClaims(full, ['acr'], 'documented', 'shop', ['pwd']), { acr: '1' });
    assert.deepEqual(requestedClaims(full, ['acr'], 'documented', 'shop', ['pwd', 'otp']), { acr: '2' });
    assert.deepEqual(requestedClaims(full, ['acr'], 'documented', 'shop', ['hwk', 'user', 'mfa']), { acr: 'phr' });
    for (const amr of [[], ['sms']]) assert.deepEqual(requestedClaims(full, ['acr'], 'documented', 'shop', amr), {});
  });

  it('have the form of the client', () => {
    assert.deepEqual(requestedClaims(full, ['updated_at'], 'documented', 'shop'), {
      updated_at: '2024-02-29 12:30:05',
    });
    assert.deepEqual(requestedClaims(full, ['updated_at'], 'standard', 'shop'), { updated_at: full.updatedAt });
  });
});

describe('claims of a logout token (OpenID Connect Back-Channel Logout section 2.4)', () => {
  const claims = logoutTokenClaims('i', { sub: 's', sid: 'x', clientId: 'web' }, { iat: 100, jti: 'j' });

  it('has every required one, and ends within two minutes', () => {
    const { exp, ...rest } = claims;
    assert.deepEqual(rest, {
      iss: 'i',
      aud: 'web',
      iat: 100,
      jti: 'j',
      sub: 's',
      sid: 'x',
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    assert(typeof exp === 'number' && exp > 100 && exp <= 220);
  });

  it('has no nonce, so that it cannot pass for an ID token', () => {
    assert.equal('nonce' in claims, false);
  });
});

describe('claims of a JWT access token (RFC 9068 section 2.2)', () => {
  it('has every required one, and the application as its audience', () => {
    const times = { iat: 1, exp: 2, authTime: 0 };
    const token = { sub: 's', clientId: 'web', scope: defaultScope, ...times, jti: 'j', confirmation: undefined };
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
