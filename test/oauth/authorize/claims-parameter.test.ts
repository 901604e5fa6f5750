import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { basic, claimsOf, get, refresh, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { assertSentBack, delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { atLogin, bob, logIn, signedIn, tokensFrom, tokensOf } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, Visitor } from '../../build/visitor.ts';

const STANDARD = {
  name: 'Alice Example',
  given_name: 'Alice',
  family_name: 'Example',
  middle_name: 'B.',
  profile: 'https://example.com/alice',
  website: 'https://alice.example.com',
  gender: 'female',
  birthdate: '1990-01-31',
  zoneinfo: 'Europe/Paris',
  locale: 'en-US',
  address: { country: 'FR' },
};
const ALL =
  'preferred_username nickname picture updated_at email email_verified phone_number phone_number_verified ' +
  Object.keys(STANDARD).join(' ');
const NARROW = { auth: basic('narrow', 'web-secret-1') };

let alice: Visitor;
let subs: { alice: string; bob: string };
// Without the claims of scopes, so that what the parameter brings is seen by itself.
const clients = [
  aClient({ id_token_claims: 'minimal' }),
  aClient({ client_id: 'narrow', scope: 'openid profile', id_token_claims: 'minimal' }),
];
const server = suiteServer(
  {
    clock: fixedClock(),
    applications: [anApplication({ clients }), anApplication({ code: 'bank', name: 'Bank', strict_oidc: true })],
    users: [aUser(STANDARD), bob()],
  },
  async () => {
    alice = await signedIn(server);
    const subOf = async (name: string) => (await server.services.store.findAccount(name))?.sub ?? '';
    subs = { alice: await subOf('alice'), bob: await subOf('bob') };
  },
);

const wish = (claims: unknown, more: Fields = {}): Fields => ({
  scope: 'openid',
  claims: typeof claims === 'string' ? claims : JSON.stringify(claims),
  ...more,
});
const asking = (claims: unknown, more?: Fields) => tokensOf(server, alice, wish(claims, more));
const about = (claims: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => ALL.split(' ').includes(name)));

describe('the parameter claims (row 21, OIDC Core section 5.5)', () => {
  it('userinfo: adds to what the scopes give, there and nowhere else', async () => {
    const set = await asking({ userinfo: { email: null, nickname: { essential: true } } });
    assert.deepEqual((await userinfo(server, set.access_token)).json, {
      sub: subs.alice,
      email: 'alice@example.com',
      nickname: 'Al',
    });
    assert.deepEqual(about(claimsOf(set.id_token)), {});
  });

  it('id_token: adds to the ID token and to nothing else', async () => {
    const set = await asking({ id_token: { email: { essential: true }, phone_number: null, sub: null } });
    assert.deepEqual(about(claimsOf(set.id_token)), { email: 'alice@example.com', phone_number: '+8613800000001' });
    assert.deepEqual((await userinfo(server, set.access_token)).json, { sub: subs.alice });
  });

  it('both members at once, each for itself; scopes still give what they give', async () => {
    const claims = { userinfo: { phone_number_verified: null }, id_token: { picture: null } };
    const set = await asking(claims, { scope: 'openid email' });
    assert.deepEqual(about(claimsOf(set.id_token)), { picture: 'https://example.com/a.png' });
    assert.deepEqual((await userinfo(server, set.access_token)).json, {
      sub: subs.alice,
      email: 'alice@example.com',
      email_verified: true,
      phone_number_verified: true,
    });
  });

  it('every claim that discovery names can be asked for', async () => {
    const names = Object.fromEntries(ALL.split(' ').map(name => [name, null]));
    const set = await asking({ userinfo: names, id_token: names });
    assert.deepEqual(Object.keys(about(claimsOf(set.id_token))).sort(), ALL.split(' ').sort());
    const { json } = await userinfo(server, set.access_token);
    assert.deepEqual(Object.keys(json).sort(), [...ALL.split(' '), 'sub'].sort());
  });

  it('a value that is wished for changes nothing about the truth', async () => {
    const set = await asking({ userinfo: { email: { value: 'x@example.com' }, nickname: { values: ['Bo'] } } });
    const { json } = await userinfo(server, set.access_token);
    assert.deepEqual([json.email, json.nickname], ['alice@example.com', 'Al']);
  });

  it('cannot bend what the ID token says about itself', async () => {
    const bent = { value: 'https://evil.example', essential: true };
    const set = await asking({ id_token: { iss: bent, aud: bent, azp: bent, exp: { value: 9e9 }, sid: bent } });
    const { iss, aud, azp, exp, iat, sid } = claimsOf(set.id_token);
    assert.deepEqual([iss, aud, azp, exp - iat], [server.at(), 'web', 'web', 3600]);
    assert.notEqual(sid, bent.value);
  });

  for (const [name, claims] of [
    ['unknown claims, essential or not (5.5.1)', { userinfo: { shoe_size: { essential: true }, x: null } }],
    ['names that every object has', '{"userinfo":{"__proto__":null,"constructor":null,"toString":null},"id_token":{}}'],
    ['unknown members', { verified_claims: { a: 1 }, userinfo: {} }],
    ['members that are null', { userinfo: null, id_token: null }],
    ['nothing', {}],
  ] as const) {
    it(`ignores ${name}`, async () => {
      const set = await asking(claims);
      assert.deepEqual((await userinfo(server, set.access_token)).json, { sub: subs.alice });
      assert.deepEqual(about(claimsOf(set.id_token)), {});
    });
  }

  const malformed: readonly (readonly [string, string])[] = [
    ['no JSON', 'email'],
    ['half of it', '{"userinfo":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a string', '"userinfo"'],
    ['a number', '1'],
    ['a list of claims', '{"userinfo":["email"]}'],
    ['a string for a member', '{"id_token":"email"}'],
    ['a number for a member', '{"userinfo":1}'],
    ['a name of 5000 characters', `{"userinfo":{"${'x'.repeat(5000)}":null}}`],
  ];
  for (const [name, claims] of malformed) {
    it(`refuses ${name}: invalid_request`, async () => {
      const seen = await alice.go(authorizationUrl(server, wish(claims)));
      assertSentBack(server, seen, { error: 'invalid_request', description: 'OAuth 2.0 Parameter: claims' });
    });
  }

  it('refuses it twice (row 17)', async () => {
    const seen = await alice.go(`${authorizationUrl(server, wish({}))}&claims=%7B%7D`);
    assertSentBack(server, seen, { error: 'invalid_request', description: 'OAuth 2.0 Parameter: claims' });
  });

  it('gives a client nothing that its scopes do not cover', async () => {
    const claims = { userinfo: { email: { essential: true }, nickname: null }, id_token: { phone_number: null } };
    const set = await tokensOf(server, alice, wish(claims, { client_id: 'narrow' }), { sending: NARROW });
    assert.deepEqual((await userinfo(server, set.access_token)).json, { sub: subs.alice, nickname: 'Al' });
    assert.deepEqual(about(claimsOf(set.id_token)), {});
  });

  it('is kept for the tokens of every refresh', async () => {
    let set = await asking({ userinfo: { email: null }, id_token: { nickname: null } });
    for (let round = 0; round < 3; round++) {
      set = (await refresh(server, set.refresh_token)).json;
      assert.deepEqual(about(claimsOf(set.id_token)), { nickname: 'Al' });
      const { json } = await userinfo(server, set.access_token);
      assert.deepEqual(json, { sub: subs.alice, email: 'alice@example.com' });
    }
  });

  it('a narrowed refresh gives nothing outside its own scope, at userinfo and in the ID token (row 39)', async () => {
    const claims = {
      userinfo: { email: null, phone_number: null },
      id_token: { email: null, nickname: null, acr: null },
    };
    const set = await asking(claims, { scope: 'openid email profile' });
    const narrow = (await refresh(server, set.refresh_token, { scope: 'openid profile' })).json;
    const told = (await userinfo(server, narrow.access_token)).json;
    assert.deepEqual([told.email, told.email_verified, told.phone_number], [undefined, undefined, undefined]);
    assert.equal(told.preferred_username, 'alice');
    assert.deepEqual(about(claimsOf(narrow.id_token)), { nickname: 'Al' });
    assert.match(claimsOf(narrow.id_token).acr, /./);

    const least = (await refresh(server, narrow.refresh_token, { scope: 'openid' })).json;
    assert.deepEqual((await userinfo(server, least.access_token)).json, { sub: subs.alice });
    assert.deepEqual(about(claimsOf(least.id_token)), {});
  });

  it('a refresh for all that was granted is not narrowed, nor is the next one after a narrowed one', async () => {
    const set = await asking(
      { userinfo: { phone_number: null }, id_token: { nickname: null } },
      { scope: 'openid email' },
    );
    const narrow = (await refresh(server, set.refresh_token, { scope: 'email' })).json;
    assert.equal((await userinfo(server, narrow.access_token)).json.phone_number, undefined);
    for (const scope of ['email openid', undefined]) {
      const whole = (await refresh(server, narrow.refresh_token, { scope })).json;
      assert.equal((await userinfo(server, whole.access_token)).json.phone_number, '+8613800000001');
      assert.deepEqual(about(claimsOf(whole.id_token)), { nickname: 'Al' });
    }
  });

  it('holds for one request: the next one without it gets nothing of it', async () => {
    await asking({ userinfo: { email: null } });
    const set = await asking({});
    assert.deepEqual((await userinfo(server, set.access_token)).json, { sub: subs.alice });
  });

  it('works in the implicit flow, in its ID token and at userinfo', async () => {
    const claims = { userinfo: { email: null }, id_token: { nickname: null } };
    const implicit = async (response_type: string) =>
      delivered(await alice.go(authorizationUrl(server, wish(claims, { response_type, nonce: 'n' })))).fields;
    const both = await implicit('id_token token');
    assert.deepEqual(about(claimsOf(both.id_token ?? '')), { nickname: 'Al' });
    const { json } = await userinfo(server, both.access_token ?? '');
    assert.deepEqual(json, { sub: subs.alice, email: 'alice@example.com' });
    assert.deepEqual(about(claimsOf((await implicit('id_token')).id_token ?? '')), { nickname: 'Al' });
  });

  it('speaks the dialect of the application (strict_oidc)', async () => {
    const claims = wish({ userinfo: { updated_at: null } });
    const set = await tokensOf(server, alice, claims, { app: 'bank' });
    assert.equal(typeof (await userinfo(server, set.access_token, 'bank')).json.updated_at, 'number');
  });

  it('is remembered while the user signs in', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(authorizationUrl(server, wish({ userinfo: { email: null } })));
    const set = await tokensFrom(server, await logIn(visitor, page));
    assert.equal((await userinfo(server, set.access_token)).json.email, 'alice@example.com');
  });
});

describe('acr (row 21, OIDC Core 5.5.1.1)', () => {
  let ours: string;
  before(async () => {
    ours = (await get(`${server.at()}/.well-known/openid-configuration`)).json.acr_values_supported[0];
  });
  const acrOf = async (fields: Fields) => claimsOf((await tokensOf(server, alice, fields)).id_token).acr;
  const other = 'urn:example:gold';

  it('is always told (accounts contract)', async () => assert.equal(await acrOf({}), ours));
  it('is returned when acr_values names it, alone or among others', async () => {
    assert.equal(await acrOf({ acr_values: ours }), ours);
    assert.equal(await acrOf({ acr_values: `${other} ${ours}` }), ours);
  });
  it('is voluntary in acr_values: unknown values are no error', async () => {
    assert.equal(await acrOf({ acr_values: other }), ours);
  });
  it('is returned when the parameter claims requests it', async () => {
    for (const acr of [null, { essential: true }, { value: other }, { essential: true, values: [other, ours] }]) {
      assert.equal(await acrOf(wish({ id_token: { acr } })), ours);
    }
  });
  for (const acr of [
    { essential: true, value: other },
    { essential: true, values: [other] },
    { essential: true, values: [] },
  ]) {
    it(`as essential and not ours is refused: ${JSON.stringify(acr)}`, async () => {
      const seen = await alice.go(authorizationUrl(server, wish({ id_token: { acr } })));
      assertSentBack(server, seen, { error: 'unmet_authentication_requirements' });
    });
  }
});

describe('a sub that the client insists on (OIDC Core 5.5.1)', () => {
  for (const member of ['id_token', 'userinfo']) {
    const demand = (value: string, more: Fields = {}) =>
      authorizationUrl(server, wish({ [member]: { sub: { value } } }, more));

    it(`${member}: goes on when it is the signed-in user`, async () => {
      assert(delivered(await alice.go(demand(subs.alice, { prompt: 'none' }))).fields.code);
    });

    it(`${member}: login_required when it is another, with prompt=none`, async () => {
      assertSentBack(server, await alice.go(demand(subs.bob, { prompt: 'none' })), { error: 'login_required' });
    });

    it(`${member}: asks for a login, and answers for no other user`, async () => {
      const visitor = await signedIn(server);
      const page = await visitor.follow(demand(subs.bob));
      assert(atLogin(page));
      assertSentBack(server, await logIn(visitor, page, 'alice'), { error: 'login_required' });
      const again = await visitor.follow(demand(subs.bob));
      const set = await tokensFrom(server, await logIn(visitor, again, 'bob'));
      assert.equal(claimsOf(set.id_token).sub, subs.bob);
    });
  }

  it('and an id_token_hint of another user: no user can be both', async () => {
    const { id_token } = await asking({});
    const fields = wish({ id_token: { sub: { value: subs.bob } } }, { id_token_hint: id_token, prompt: 'none' });
    assertSentBack(server, await alice.go(authorizationUrl(server, fields)), { error: 'login_required' });
  });
});
