import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused, aTokenSet, claimsOf, redeem, token, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { assertSentBack, type Delivered, delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aUser, CALLBACK } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, signIn, Visitor } from '../../build/visitor.ts';

/** The table at the end of the decisions, row by row: `shop` speaks the interface, `strict` OpenID Connect Core. */
const clock = fixedClock();
const signed = new Map<string, Visitor>();
const server = suiteServer(
  {
    clock,
    applications: [
      anApplication({ clients: [aClient({ redirect_uris: [CALLBACK] })] }),
      anApplication({ code: 'strict', name: 'Strict', strict_oidc: true }),
    ],
    users: [aUser(), { username: 'bare', password: aUser().password }],
  },
  async () => {
    for (const username of ['alice', 'bare']) {
      const visitor = new Visitor(server.base);
      await signIn(server, {}, { visitor, username });
      signed.set(username, visitor);
    }
  },
);

const ask = (app: string, fields: Fields, username = 'alice') =>
  (signed.get(username) ?? new Visitor(server.base)).go(authorizationUrl(server, fields, app));

async function infoOf(app: string, username: string, scope = 'openid profile phone') {
  const { access_token } = await aTokenSet(server, { username, scope }, undefined, app);
  return (await userinfo(server, access_token, app)).json;
}

async function idTokenOf(app: string, username: string) {
  const seen = await ask(app, { response_type: 'id_token', nonce: 'n' }, username);
  return claimsOf(delivered(seen).fields.id_token ?? '');
}

describe('updated_at', () => {
  it('shop: text, UTC, at userinfo; a number in the ID token (row 61)', async () => {
    const text = new Date(clock.now() * 1000).toISOString().replace('T', ' ').slice(0, 19);
    assert.equal((await infoOf('shop', 'alice')).updated_at, text);
    assert.equal((await idTokenOf('shop', 'alice')).updated_at, clock.now());
  });

  it('strict: number of seconds; at userinfo and in the ID token', async () => {
    assert.equal((await infoOf('strict', 'alice')).updated_at, clock.now());
    assert.equal((await idTokenOf('strict', 'alice')).updated_at, clock.now());
  });
});

describe('unset nickname and phone_number', () => {
  it('shop: empty text at userinfo, omitted in the ID token (row 61)', async () => {
    const { nickname, phone_number } = await infoOf('shop', 'bare');
    assert.deepEqual({ nickname, phone_number }, { nickname: '', phone_number: '' });
    const claims = await idTokenOf('shop', 'bare');
    assert.deepEqual(['nickname' in claims, 'phone_number' in claims], [false, false]);
  });

  it('strict: omitted', async () => {
    for (const claims of [await infoOf('strict', 'bare'), await idTokenOf('strict', 'bare')]) {
      assert.deepEqual(['nickname' in claims, 'phone_number' in claims], [false, false]);
    }
  });

  it('both: returned when they are set', async () => {
    for (const app of ['shop', 'strict']) {
      const { nickname, phone_number } = await infoOf(app, 'alice');
      assert.deepEqual({ nickname, phone_number }, { nickname: 'Al', phone_number: '+8613800000001' });
    }
  });
});

describe('id_token when the scope lacks openid', () => {
  const sets = async (app: string, scope: string) => {
    const byPassword = await aTokenSet(server, { scope }, undefined, app);
    const refresh = { grant_type: 'refresh_token', refresh_token: byPassword.refresh_token };
    const { code } = delivered(await ask(app, { scope })).fields;
    return [
      byPassword,
      (await token(server, refresh, undefined, app)).json,
      (await redeem(server, code, {}, undefined, app)).json,
    ];
  };

  it('shop: issued, by every grant', async () => {
    for (const set of await sets('shop', 'email')) assert.equal(claimsOf(set.id_token).aud, 'web');
  });

  it('strict: not issued, by any grant, and the rest of the token set is', async () => {
    for (const set of await sets('strict', 'email')) {
      const names = ['access_token', 'expires_in', 'refresh_token', 'scope', 'token_type'];
      assert.deepEqual(Object.keys(set).sort(), names);
    }
  });

  it('strict: issued with openid', async () => {
    for (const set of await sets('strict', 'openid')) assert.equal(claimsOf(set.id_token).aud, 'web');
  });
});

describe('userinfo with a token whose scope lacks openid', () => {
  it('shop: sub and what the scopes allow', async () => {
    const claims = await infoOf('shop', 'alice', 'email');
    assert.deepEqual(Object.keys(claims).sort(), ['email', 'email_verified', 'sub']);
  });

  it('strict: 403 insufficient_scope', async () => {
    const { access_token } = await aTokenSet(server, { scope: 'email' }, undefined, 'strict');
    const refused = await userinfo(server, access_token, 'strict');
    assertRefused(refused, 403, 'insufficient_scope');
    assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer .*error="insufficient_scope"/);
    assert((await infoOf('strict', 'alice', 'openid')).sub);
  });
});

describe('the four errors of interface 7.2 in the implicit flow', () => {
  const bad: readonly (readonly [string, Fields])[] = [
    ['scope', { scope: 'openid "' }],
    ['scope', { response_type: 'id_token', scope: 'email' }],
    ['code_challenge', { code_challenge: 'x' }],
    ['code_challenge_method', { code_challenge: 'c'.repeat(43), code_challenge_method: 'plain' }],
    ['response_mode', { response_mode: 'web_message' }],
  ];
  const places: readonly (readonly [string, Delivered['place']])[] = [
    ['shop', 'query'],
    ['strict', 'fragment'],
  ];
  for (const [app, place] of places) {
    for (const [name, fields] of bad) {
      it(`${app}: ${JSON.stringify(fields)} in the ${place}`, async () => {
        const error = name === 'scope' ? 'invalid_scope' : 'invalid_request';
        const description = `OAuth 2.0 Parameter: ${name}`;
        const seen = await ask(app, { response_type: 'id_token token', nonce: 'n', ...fields });
        assertSentBack(server, seen, { error, description, place, app });
      });
    }

    it(`${app}: in the code flow they stay in the query`, async () => {
      for (const [, fields] of bad.filter(([, { response_type }]) => response_type === undefined)) {
        assert.equal(delivered(await ask(app, fields)).place, 'query');
      }
    });
  }
});

describe('unknown scopes', () => {
  it('shop: invalid_scope, and the log names the scope', async () => {
    const seen = await ask('shop', { scope: 'openid read:pets' });
    assertSentBack(server, seen, { error: 'invalid_scope', description: 'OAuth 2.0 Parameter: scope', app: 'shop' });
    assert.match(server.logged(), /"event":"auth.refused".*"reason":"scopeInvalid","detail":"read:pets"/);
  });

  it('strict: ignored, and the answer says what was granted', async () => {
    const { code } = delivered(await ask('strict', { scope: 'openid read:pets email' })).fields;
    assert.equal((await redeem(server, code, {}, undefined, 'strict')).json.scope, 'openid email');
    assert.equal((await aTokenSet(server, { scope: 'openid x' }, undefined, 'strict')).scope, 'openid');
    const { fields } = delivered(await ask('strict', { response_type: 'id_token', nonce: 'n', scope: 'openid x' }));
    assert.equal(fields.scope, 'openid');
  });

  it('both: offline_access and address are known, and a refresh token comes as before', async () => {
    for (const app of ['shop', 'strict']) {
      const { code } = delivered(await ask(app, { scope: 'openid offline_access address' })).fields;
      const set = (await redeem(server, code, {}, undefined, app)).json;
      assert.equal(set.scope, 'openid offline_access address');
      assert(set.refresh_token);
    }
  });
});

describe('where errors go', () => {
  const places: readonly (readonly [Fields, string])[] = [
    [{ response_type: undefined, response_mode: 'form_post' }, 'form_post'],
    [{ response_type: 'token' }, 'fragment'],
    [{ scope: 'openid "', response_mode: 'form_post' }, 'form_post'],
    [{ scope: 'openid "', response_mode: 'fragment' }, 'fragment'],
  ];
  for (const [fields, place] of places) {
    it(`${JSON.stringify(fields)}: shop: the query; strict: ${place}, where the response_mode says`, async () => {
      assert.equal(delivered(await ask('shop', fields)).place, 'query');
      assert.equal(delivered(await ask('strict', fields)).place, place);
    });
  }
});

describe('tokens with response_mode=query', () => {
  for (const response_type of ['id_token', 'id_token token']) {
    const asked = { response_type, nonce: 'n', response_mode: 'query' };
    it(`shop: allowed for ${response_type}`, async () => {
      const { place, fields } = delivered(await ask('shop', asked));
      assert.equal(place, 'query');
      assert(fields.id_token);
    });

    it(`strict: invalid_request for ${response_type}, in the fragment`, async () => {
      const description = 'OAuth 2.0 Parameter: response_mode';
      const expected = { error: 'invalid_request', description, place: 'fragment', app: 'strict' } as const;
      assertSentBack(server, await ask('strict', asked), expected);
    });
  }

  it('both: a code in the query is what the flow is about', async () => {
    for (const app of ['shop', 'strict']) {
      assert(delivered(await ask(app, { response_mode: 'query' })).fields.code);
    }
  });
});

describe('id_token token without nonce', () => {
  const asked = { response_type: 'id_token token' };
  it('shop: allowed', async () => {
    assert(delivered(await ask('shop', asked)).fields.id_token);
  });

  it('strict: invalid_request', async () => {
    const description = 'OAuth 2.0 Parameter: nonce';
    const expected = { error: 'invalid_request', description, place: 'fragment', app: 'strict' } as const;
    assertSentBack(server, await ask('strict', asked), expected);
    assert(delivered(await ask('strict', { ...asked, nonce: 'n' })).fields.id_token);
  });

  it('both: the code flow goes without', async () => {
    for (const app of ['shop', 'strict']) assert(delivered(await ask(app, {})).fields.code);
  });
});

describe('nothing else changes', () => {
  it('the claims that are set, the JSON form of errors and the authorization response are the same', async () => {
    const { updated_at: _, ...shop } = await infoOf('shop', 'alice');
    const { updated_at: __, ...strict } = await infoOf('strict', 'alice');
    assert.deepEqual(shop, strict);
    const [one, other] = [delivered(await ask('shop', {})), delivered(await ask('strict', {}))];
    assert.deepEqual(Object.keys(one.fields), Object.keys(other.fields));
    for (const app of ['shop', 'strict']) {
      const refused = await token(server, { grant_type: 'x' }, undefined, app);
      assertRefused(refused, 400, 'unsupported_grant_type', 'OAuth 2.0 Parameter: grant_type');
    }
  });
});
