import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { profileScopeClaims } from '../../../src/directory/users/standard-claims.rules.ts';
import {
  claimsAllowed,
  claimsWithin,
  NO_CLAIMS,
  parseClaimsRequest,
  scopesOfClaims,
} from '../../../src/oauth/authorize/claims-request.rules.ts';
import { type Scope, scopes } from '../../../src/oauth/token/scope.rules.ts';
import { anyCharacter, fc } from '../../build/random.ts';

const acr = '1';
const parse = (asked: unknown, acrValues?: string, allowed: readonly Scope[] = scopes) =>
  parseClaimsRequest(typeof asked === 'string' ? asked : JSON.stringify(asked), acrValues, allowed);
const show = (value: unknown) => JSON.stringify(value);

describe('claims asked for one by one (OIDC Core section 5.5)', () => {
  it('are none when the parameter is not sent', () => {
    assert.deepEqual(parseClaimsRequest(undefined, undefined, scopes), NO_CLAIMS);
  });

  for (const [asked, expected] of [
    [{}, {}],
    [{ userinfo: {} }, {}],
    [{ userinfo: null, id_token: null }, {}],
    [{ userinfo: { email: null } }, { userinfo: ['email'] }],
    [{ userinfo: { email: { essential: true } } }, { userinfo: ['email'] }],
    [{ userinfo: { email: { essential: false, value: 'x@example.com' } } }, { userinfo: ['email'] }],
    [{ id_token: { nickname: null } }, { id_token: ['nickname'] }],
    [
      { userinfo: { picture: null }, id_token: { email: null } },
      { userinfo: ['picture'], id_token: ['email'] },
    ],
    [{ userinfo: { auth_time: null, tribes: { essential: true } } }, {}],
    [{ userinfo: { given_name: null, address: null } }, { userinfo: ['given_name', 'address'] }],
    [{ userinfo: { 'email#ja': null, Email: null, '': null } }, {}],
    [{ userinfo: { constructor: null, toString: null, hasOwnProperty: null } }, {}],
    [{ verified_claims: { x: 1 }, userinfo: { email: null } }, { userinfo: ['email'] }],
    [{ userinfo: { acr: null } }, {}],
    [{ id_token: { acr: null } }, { id_token: ['acr'] }],
    [{ id_token: { auth_time: { essential: true } } }, {}],
  ] as const) {
    it(`${show(asked)} asks for ${show(expected)}`, () => {
      assert.deepEqual(parse(asked), { ...NO_CLAIMS, ...expected });
    });
  }

  it('a name that JSON may hold and JavaScript fears is ignored like any other', () => {
    const asked = '{"__proto__":{"userinfo":{"email":null}},"userinfo":{"__proto__":null,"email":null}}';
    assert.deepEqual(parse(asked), { ...NO_CLAIMS, userinfo: ['email'] });
    assert.deepEqual(parse('{"__proto__":{"userinfo":{"email":null}}}'), NO_CLAIMS);
  });

  it('of a registration that has become narrower are those it still allows', () => {
    const asked = { userinfo: ['email', 'nickname', 'address'], id_token: ['acr', 'phone_number'], sub: 'alice' };
    const kept = { userinfo: ['nickname', 'address'], id_token: ['acr'], sub: 'alice' };
    assert.deepEqual(claimsAllowed(asked, ['openid', 'profile']), kept);
    assert.deepEqual(claimsAllowed(asked, scopes), asked);
  });

  it('within a narrower scope are those it covers, and acr, which no scope stands for', () => {
    const asked = {
      userinfo: ['email', 'nickname', 'phone_number'],
      id_token: ['acr', 'email_verified', 'address'],
      sub: 'alice',
    };
    const within = (...scope: Scope[]) => claimsWithin(asked, scope);
    assert.deepEqual(within('openid'), { userinfo: [], id_token: ['acr'], sub: 'alice' });
    assert.deepEqual(within('email'), { userinfo: ['email'], id_token: ['acr', 'email_verified'], sub: 'alice' });
    assert.deepEqual(within('profile', 'phone').userinfo, ['nickname', 'phone_number']);
    assert.deepEqual(within(...scopes), asked);
  });

  describe('each is covered by a scope the client may ask for, or is left out', () => {
    const covers: Readonly<Partial<Record<Scope, readonly string[]>>> = {
      openid: ['address'],
      profile: [...profileScopeClaims],
      email: ['email', 'email_verified'],
      phone: ['phone_number', 'phone_number_verified'],
      address: ['address'],
      offline_access: [],
      groups: ['groups'],
      roles: ['roles'],
    };
    const names = [...new Set(Object.values(covers).flat())];
    const everything = Object.fromEntries(names.map(name => [name, null]));
    for (const scope of scopes) {
      it(`${scope}: ${(covers[scope] ?? []).join(' ') || 'nothing'}`, () => {
        assert.deepEqual(parse({ userinfo: everything, id_token: everything }, undefined, [scope]), {
          userinfo: covers[scope],
          id_token: covers[scope],
        });
      });
    }

    it('all four: all of them (row 53)', () => {
      assert.deepEqual(parse({ userinfo: everything }), { ...NO_CLAIMS, userinfo: names });
    });

    it('none: nothing but the acr, which is about the login and not about the person', () => {
      const asked = { userinfo: everything, id_token: { ...everything, acr: null } };
      assert.deepEqual(parse(asked, undefined, []), { userinfo: [], id_token: ['acr'] });
    });
  });
});

describe('the scopes that single claims belong to', () => {
  for (const [userinfo, idToken, behind] of [
    [[], [], []],
    [['email'], [], ['email']],
    [[], ['phone_number_verified'], ['phone']],
    [['nickname', 'picture'], ['updated_at'], ['profile']],
    [['email'], ['nickname', 'phone_number'], ['email', 'phone', 'profile']],
    [[], ['acr'], []],
    [['constructor', 'sub'], ['tribes'], []],
  ] as const) {
    it(`${show(userinfo)} and ${show(idToken)}: ${behind.join(' ') || 'nothing'}`, () => {
      assert.deepEqual(scopesOfClaims({ userinfo, id_token: idToken }).sort(), behind);
    });
  }
});

describe('a parameter claims that is no request (row 21)', () => {
  for (const text of [
    '{',
    'null',
    '[]',
    '"userinfo"',
    '1',
    'true',
    '{}{}',
    "{'userinfo':{}}",
    '{"userinfo":[]}',
    '{"userinfo":"email"}',
    '{"userinfo":true}',
    '{"id_token":[null]}',
    '{"id_token":0}',
    '{"userinfo":{},"id_token":""}',
    ' ',
  ]) {
    it(`${text} is malformed`, () => {
      assert.equal(parse(text), 'malformed');
    });
  }

  it('is one that is longer than 4096 characters, and not one of just that length', () => {
    const padded = (length: number) => '{"userinfo":{"email":null}'.padEnd(length - 1, ' ').concat('}');
    assert.deepEqual(parse(padded(4096)), { ...NO_CLAIMS, userinfo: ['email'] });
    assert.equal(parse(padded(4097)), 'malformed');
  });

  it('whatever the text, it is answered and nothing is thrown', () => {
    const wild = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.json(),
      fc.json().map(json => `{"id_token":${json}}`),
    );
    fc.assert(
      fc.property(wild, fc.option(fc.string(), { nil: undefined }), (text, acrValues) => {
        const read = parseClaimsRequest(text, acrValues, scopes);
        if (typeof read === 'string') assert(['malformed', 'twoUsers', 'unmet'].includes(read));
        else for (const name of [...read.userinfo, ...read.id_token]) assert.match(name, /^[a-z_]+$/);
      }),
    );
  });
});

describe('how the person signed in (OIDC Core sections 5.5.1.1 and 3.1.2.1)', () => {
  const OTHER = 'urn:mace:incommon:iap:silver';
  for (const [request, outcome] of [
    [null, 'returned'],
    [{ essential: true }, 'returned'],
    [{ value: OTHER }, 'returned'],
    [{ values: [OTHER] }, 'returned'],
    [{ essential: false, value: OTHER }, 'returned'],
    [{ essential: 'true', value: OTHER }, 'returned'],
    [{ essential: true, value: acr }, 'returned'],
    [{ essential: true, values: [acr] }, 'returned'],
    [{ essential: true, values: [OTHER, acr] }, 'returned'],
    [{ essential: true, value: OTHER }, 'unmet'],
    [{ essential: true, value: null }, 'unmet'],
    [{ essential: true, values: [OTHER] }, 'unmet'],
    [{ essential: true, values: [] }, 'unmet'],
    [{ essential: true, values: acr }, 'unmet'],
    [{ essential: true, value: ` ${acr}` }, 'unmet'],
    [{ essential: true, value: 1 }, 'unmet'],
    [{ essential: true, value: 'phrh' }, 'unmet'],
  ] as const) {
    it(`acr ${show(request)}: ${outcome}`, () => {
      const expected = outcome === 'unmet' ? 'unmet' : { ...NO_CLAIMS, id_token: ['acr'] };
      assert.deepEqual(parse({ id_token: { acr: request } }), expected);
    });
  }

  it('no other essential claim is a reason to refuse', () => {
    assert.deepEqual(parse({ id_token: { email: { essential: true, value: 'x' } } }, undefined, ['openid']), NO_CLAIMS);
  });

  for (const [acrValues, returned] of [
    [acr, true],
    [`${OTHER} ${acr}`, true],
    [`${acr} ${OTHER}`, true],
    [OTHER, false],
    [`${acr}x`, false],
    ['', false],
  ] as const) {
    it(`acr_values ${show(acrValues)}: ${returned ? 'returned' : 'not returned, and no reason to refuse'}`, () => {
      const expected = { ...NO_CLAIMS, id_token: returned ? ['acr'] : [] };
      assert.deepEqual(parseClaimsRequest(undefined, acrValues, scopes), expected);
    });
  }

  it('requested twice it is returned once', () => {
    assert.deepEqual(parse({ id_token: { acr: null } }, acr), { ...NO_CLAIMS, id_token: ['acr'] });
  });
});

describe('a demand for one user (OIDC Core section 5.5.1)', () => {
  it('of one user for the ID token and of another for userinfo is one that nobody meets', () => {
    const of = (idToken: string, userinfo: string) =>
      parse({ id_token: { sub: { value: idToken } }, userinfo: { sub: { value: userinfo } } });
    assert.equal(of('sub-1', 'sub-2'), 'twoUsers');
    assert.equal(of('', 'sub-2'), 'twoUsers');
    assert.deepEqual(of('sub-1', 'sub-1'), { ...NO_CLAIMS, sub: 'sub-1' });
  });

  for (const [asked, sub] of [
    [{ id_token: { sub: { value: 'sub-1' } } }, 'sub-1'],
    [{ userinfo: { sub: { value: 'sub-1' } } }, 'sub-1'],
    [{ id_token: { sub: { value: 'sub-1', essential: true } } }, 'sub-1'],
    [{ id_token: { sub: { value: 'sub-1' } }, userinfo: { sub: null } }, 'sub-1'],
    [{ id_token: { sub: null }, userinfo: { sub: { value: 'sub-1' } } }, 'sub-1'],
    [{ id_token: { sub: { value: '' } } }, ''],
    [{ id_token: { sub: null } }, undefined],
    [{ id_token: { sub: { essential: true } } }, undefined],
    [{ id_token: { sub: { value: 7 } } }, undefined],
    [{ id_token: { sub: 'sub-1' } }, undefined],
    [{ id_token: { email: { value: 'sub-1' } } }, undefined],
    [{ sub: { value: 'sub-1' } }, undefined],
  ] as const) {
    it(`${show(asked)} insists on ${show(sub)}`, () => {
      const read = parse(asked);
      assert(typeof read === 'object');
      assert.equal(read.sub, sub);
      assert.equal('sub' in read, sub !== undefined);
      assert.equal([...read.userinfo, ...read.id_token].includes('sub'), false);
    });
  }
});
