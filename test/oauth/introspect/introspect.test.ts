import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  aCode,
  aPkcePair,
  assertNotStored,
  assertRefused,
  aTokenSet,
  basic,
  introspect,
  post,
  redeem,
  refresh,
  revoke,
  type Sending,
  send,
  WEB,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, anApplication, aPublicClient, aUser } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';

const SECRET = 'web-secret-1';
const NEEDED = 'Full authentication is required to access this resource';
const FAILED = 'Client authentication failed. Either the client or the client credentials are invalid.';
const TOKEN_MISSING = 'OAuth 2.0 Token Introspection Parameter: token';
const OTHER = basic('other', SECRET);
const BOB = { username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002' };

describe('introspection (interface 4.3; RFC 7662)', () => {
  const clock = fixedClock();
  let url: string;
  let access: string;
  let refreshToken: string;
  const server = suiteServer({
    clock,
    applications: [
      anApplication({ clients: [aClient(), aClient({ client_id: 'other' }), aPublicClient()] }),
      anApplication({ code: 'bank', name: 'Bank', clients: [aClient({ client_id: 'teller' })] }),
    ],
    users: [aUser(), aUser(BOB)],
  });
  before(async () => {
    url = `${server.at()}/introspect`;
    const set = await aTokenSet(server, { scope: 'openid email' });
    access = set.access_token;
    refreshToken = set.refresh_token;
  });

  const sees = async (target: string, init: Omit<RequestInit, 'method'> = {}) => {
    const answered = await send(target, { method: 'POST', headers: { authorization: WEB }, ...init });
    assert.equal(answered.json?.active, true, answered.text);
  };

  describe('where the parameters come from (row 50)', () => {
    it('takes them from the form body', () => sees(url, formBody(`token=${access}&token_type_hint=access_token`)));
    it('takes them from the query, with no body and no content type', () =>
      sees(`${url}?token=${access}&token_type_hint=access_token`));
    it('takes one from the body and one from the query', async () => {
      await sees(`${url}?token_type_hint=access_token`, formBody(`token=${access}`));
      await sees(`${url}?token=${access}`, formBody('token_type_hint=access_token'));
    });

    for (const [name, query, body] of [
      ['token in body and query', 'token=a', 'token=a'],
      ['token_type_hint in body and query', 'token_type_hint=access_token', 'token=a&token_type_hint=access_token'],
      ['token twice in the body', '', 'token=a&token=a'],
      ['token twice in the query', 'token=a&token=b', ''],
      ['token_type_hint twice', '', 'token=a&token_type_hint=access_token&token_type_hint=access_token'],
      ['token with a broken encoding', '', 'token=%zz'],
    ] as const) {
      it(`refuses ${name}`, async () => {
        assertRefused(await post(`${url}?${query}`, body, { auth: WEB }), 400, 'invalid_request');
      });
    }

    for (const hint of ['access_token', 'refresh_token', 'id_token', 'nonsense', '', undefined]) {
      it(`finds either token with the hint ${hint} (RFC 7662 section 2.1)`, async () => {
        for (const token of [access, refreshToken]) {
          assert.equal((await introspect(server, { token, token_type_hint: hint })).json.active, true);
        }
      });
    }

    it('names the missing token (interface 7.1)', async () => {
      for (const body of ['', 'token=', 'token_type_hint=access_token']) {
        assertRefused(await introspect(server, body), 400, 'invalid_request', TOKEN_MISSING);
      }
      const bare = await send(url, { method: 'POST', headers: { authorization: WEB } });
      assertRefused(bare, 400, 'invalid_request', TOKEN_MISSING);
    });

    it('refuses a body of another content type', async () => {
      const answered = await post(url, `{"token":"${access}"}`, {
        auth: WEB,
        headers: { 'content-type': 'application/json' },
      });
      assertRefused(answered, 400, 'invalid_request');
    });

    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
      it(`refuses ${method}`, async () => {
        const answered = await send(`${url}?token=${access}`, { method, headers: { authorization: WEB } });
        assert.equal(answered.status, 405);
        assert.match(answered.headers.get('allow') ?? '', /\bPOST\b/);
      });
    }
  });

  describe('the callers that may introspect (row 51)', () => {
    it('a client by Basic, for the tokens of every client of the application', async () => {
      assert.equal((await introspect(server, { token: access }, { auth: OTHER })).json.client_id, 'web');
    });

    it('a client by client_secret_post', async () => {
      const body = { token: access, client_id: 'other', client_secret: SECRET };
      assert.equal((await introspect(server, body, {})).json.active, true);
    });

    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      it(`a live access token (${scheme}), for the access tokens of its own client alone`, async () => {
        const mine = { auth: `${scheme} ${access}` };
        const theirs = { auth: `${scheme} ${(await aTokenSet(server, {}, { auth: OTHER })).access_token}` };
        assert.equal((await introspect(server, { token: access }, mine)).json.active, true);
        assert.deepEqual((await introspect(server, { token: access }, theirs)).json, { active: false });
      });
    }

    for (const [name, auth] of [
      ['nothing', () => undefined],
      ['a bearer token that is none', () => 'Bearer nonsense'],
      ['a refresh token as bearer', () => `Bearer ${refreshToken}`],
      ['the scheme Bearer alone', () => 'Bearer'],
      ['another scheme', () => 'Digest x'],
    ] as const) {
      it(`refuses ${name} as access_denied`, async () => {
        const answered = await introspect(server, { token: access }, { auth: auth() });
        assertRefused(answered, 401, 'access_denied', NEEDED);
        assertNotStored(answered);
        assert.match(answered.headers.get('www-authenticate') ?? '', /^Basic realm="/);
      });
    }

    it('refuses a public client, which cannot authenticate', async () => {
      const answered = await introspect(server, { token: access, client_id: 'spa' }, {});
      assertRefused(answered, 401, 'access_denied', NEEDED);
    });

    it('refuses a bearer token of another application or a revoked one', async () => {
      const bank = { auth: basic('teller', SECRET) };
      const foreign = (await aTokenSet(server, {}, bank, 'bank')).access_token;
      const revoked = (await aTokenSet(server)).access_token;
      await revoke(server, { token: revoked });
      for (const token of [foreign, revoked]) {
        assertRefused(await introspect(server, { token: access }, { auth: `Bearer ${token}` }), 401, 'access_denied');
      }
    });

    for (const [name, auth] of [
      ['a wrong secret', basic('web', 'wrong')],
      ['an unknown client', basic('nobody', SECRET)],
      ['a client of another application', basic('teller', SECRET)],
      ['malformed Basic', 'Basic !!!'],
    ] as const) {
      it(`refuses ${name} as invalid_client`, async () => {
        assertRefused(await introspect(server, { token: access }, { auth }), 401, 'invalid_client', FAILED);
      });
    }

    it('does not take credentials from the query', async () => {
      const answered = await post(`${url}?client_id=web&client_secret=${SECRET}`, { token: access });
      assertRefused(answered, 401, 'access_denied', NEEDED);
    });

    it('refuses two methods at once', async () => {
      for (const auth of [WEB, `Bearer ${access}`]) {
        const body = { token: access, client_id: 'web', client_secret: SECRET };
        assertRefused(await introspect(server, body, { auth }), 400, 'invalid_request');
      }
    });

    it('looks at the caller before the token', async () => {
      assertRefused(await introspect(server, {}, {}), 401, 'access_denied', NEEDED);
    });
  });

  describe('a refresh token passed off as an access token at a resource server (rows 51 and 52)', () => {
    const seenAs = async (token: string, sending: Sending, hint?: string) =>
      (await introspect(server, { token, token_type_hint: hint }, sending)).text;

    for (const hint of ['access_token', 'refresh_token', undefined]) {
      it(`is inactive for every other client, with the hint ${hint}`, async () => {
        assert.equal(await seenAs(refreshToken, { auth: OTHER }, hint), '{"active":false}');
      });

      it(`is inactive for every bearer, also of its own client, with the hint ${hint}`, async () => {
        for (const client of [WEB, OTHER]) {
          const auth = `Bearer ${(await aTokenSet(server, {}, { auth: client })).access_token}`;
          assert.equal(await seenAs(refreshToken, { auth }, hint), '{"active":false}');
        }
      });
    }

    it('is active for its own client, by Basic and by client_secret_post', async () => {
      assert.equal((await introspect(server, { token: refreshToken })).json.active, true);
      const posted = { token: refreshToken, client_id: 'web', client_secret: SECRET };
      assert.equal((await introspect(server, posted, {})).json.active, true);
    });

    it('is inactive for every caller when it belongs to a public client, which has no credentials', async () => {
      const { verifier, challenge } = aPkcePair();
      const asked = { client_id: 'spa', redirect_uri: 'https://spa.example/cb' };
      const code = await aCode(server, { ...asked, code_challenge: challenge, code_challenge_method: 'S256' });
      const set = (await redeem(server, code, { ...asked, code_verifier: verifier }, {})).json;
      for (const auth of [WEB, OTHER, `Bearer ${set.access_token}`]) {
        assert.equal(await seenAs(set.refresh_token, { auth }), '{"active":false}');
      }
      assert.equal((await introspect(server, { token: set.access_token })).json.active, true);
      assert.equal((await refresh(server, set.refresh_token, { client_id: 'spa' }, {})).status, 200);
    });
  });

  describe('what it tells (row 52; interface 2; RFC 9470 section 6.2)', () => {
    for (const [kind, token, lifetime, more] of [
      ['access', () => access, 3600, { token_type: 'Bearer', auth_time: 1_800_000_000, amr: ['pwd'], acr: '1' }],
      ['refresh', () => refreshToken, 2_592_000, {}],
    ] as const) {
      it(`of a live ${kind} token`, async () => {
        const answered = await introspect(server, { token: token() });
        assertNotStored(answered);
        const { sub, ...told } = answered.json;
        assert.deepEqual(told, {
          active: true,
          client_id: 'web',
          iat: clock.now(),
          exp: clock.now() + lifetime,
          scope: 'openid email',
          token_use: `${kind}_token`,
          iss: server.at(),
          aud: server.at(),
          ...more,
        });
        assert.match(sub, /./);
      });
    }

    for (const [name, dead] of [
      ['an unknown token', async () => 'nonsense'],
      ['a token with one letter changed', async () => access.replace(/.$/, last => (last === 'A' ? 'B' : 'A'))],
      ['an authorization code', () => aCode(server)],
      ['an ID token', async () => (await aTokenSet(server)).id_token],
      ['a revoked access token', async () => revoked((await aTokenSet(server)).access_token)],
      ['a revoked refresh token', async () => revoked((await aTokenSet(server)).refresh_token)],
      ['a rotated refresh token', async () => rotated((await aTokenSet(server)).refresh_token)],
      [
        'a token of another application',
        async () => (await aTokenSet(server, {}, { auth: basic('teller', SECRET) }, 'bank')).access_token,
      ],
      ['a token of a disabled user', () => ofDisabledUser()],
      ['an expired access token', () => expired()],
    ] as const) {
      it(`of ${name}: exactly {"active":false}`, async () => {
        const answered = await introspect(server, { token: await dead() });
        assert.equal(answered.status, 200, answered.text);
        assert.equal(answered.text, '{"active":false}');
        assertNotStored(answered);
      });
    }
  });

  async function revoked(token: string) {
    assert.equal((await revoke(server, { token })).status, 200);
    return token;
  }

  async function rotated(token: string) {
    assert.equal((await refresh(server, token)).status, 200);
    return token;
  }

  async function ofDisabledUser() {
    const { access_token } = await aTokenSet(server, { username: 'bob' });
    await server.provision({ users: [aUser({ ...BOB, disabled: true })] });
    return access_token;
  }

  async function expired() {
    const { access_token } = await aTokenSet(server);
    clock.advance(3600);
    return access_token;
  }
});

function formBody(body: string): Omit<RequestInit, 'method'> {
  return { body, headers: { authorization: WEB, 'content-type': 'application/x-www-form-urlencoded' } };
}
