import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  type Answered,
  assertNotStored,
  assertRefused,
  aTokenSet,
  claimsOf,
  get,
  parameter,
  post,
  revoke,
  send,
  userinfo,
  WEB,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';

const BOB = { username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002' };
const PROFILE = { preferred_username: 'alice', nickname: 'Al', picture: 'https://example.com/a.png' };
/** The moment the fixed clock starts at. */
const UPDATED = { text: '2027-01-15 08:00:00', number: 1_800_000_000 };

describe('userinfo (interface 4.4; OIDC Core section 5.3)', () => {
  const clock = fixedClock(UPDATED.number);
  let url: string;
  const server = suiteServer({
    clock,
    applications: [
      anApplication(),
      anApplication({ code: 'bank', name: 'Bank' }),
      anApplication({ code: 'strict', name: 'Strict', strict_oidc: true }),
    ],
    users: [aUser(), aUser(BOB), { username: 'bare', password: PASSWORD }],
  });
  before(async () => {
    url = `${server.at()}/userinfo`;
  });

  const claims = async (over: Record<string, string>, app?: string) => {
    const { access_token } = await aTokenSet(server, over, undefined, app);
    const answered = await userinfo(server, access_token, app);
    assert.equal(answered.status, 200, answered.text);
    const { sub, ...rest } = answered.json;
    assert.match(sub, /./);
    return rest;
  };

  describe('claims by scope (row 53)', () => {
    const email = { email: 'alice@example.com', email_verified: true };
    const phone = { phone_number: '+8613800000001', phone_number_verified: true };
    const profile = { ...PROFILE, updated_at: UPDATED.text };
    for (const [scope, expected] of [
      ['openid', {}],
      ['openid profile', profile],
      ['openid email', email],
      ['openid phone', phone],
      ['openid profile email phone', { ...profile, ...email, ...phone }],
      ['email', email],
    ] as const) {
      it(`gives for ${scope}: sub ${Object.keys(expected).join(' ')}`, async () => {
        assert.deepEqual(await claims({ scope }), expected);
      });
    }

    it('gives "" for an unset nickname and phone number, and leaves out picture and email', async () => {
      assert.deepEqual(await claims({ username: 'bare' }), {
        preferred_username: 'bare',
        nickname: '',
        updated_at: UPDATED.text,
        phone_number: '',
        phone_number_verified: false,
      });
    });

    it('gives the same sub as the ID token, at every application', async () => {
      const subs = [];
      for (const app of ['shop', 'bank']) {
        const { access_token, id_token } = await aTokenSet(server, {}, undefined, app);
        subs.push((await userinfo(server, access_token, app)).json.sub, claimsOf(id_token).sub);
      }
      assert.equal(new Set(subs).size, 1);
    });

    it('shows a change of the profile at once', async () => {
      const { access_token } = await aTokenSet(server, { username: 'bob' });
      clock.advance(3);
      await server.provision({ users: [aUser({ ...BOB, nickname: 'Bobby' })] });
      const { nickname, updated_at } = (await userinfo(server, access_token)).json;
      assert.deepEqual([nickname, updated_at], ['Bobby', '2027-01-15 08:00:03']);
    });
  });

  describe('strict_oidc', () => {
    it('gives updated_at as a number and leaves out what is unset', async () => {
      assert.equal((await claims({}, 'strict')).updated_at, UPDATED.number);
      assert.deepEqual(await claims({ username: 'bare' }, 'strict'), {
        preferred_username: 'bare',
        updated_at: UPDATED.number,
      });
    });

    it('refuses a token without the scope openid', async () => {
      const { access_token } = await aTokenSet(server, { scope: 'email' }, undefined, 'strict');
      const answered = await userinfo(server, access_token, 'strict');
      assertRefused(answered, 403, 'insufficient_scope');
      assert.match(answered.headers.get('www-authenticate') ?? '', /^Bearer .*error="insufficient_scope"/);
    });
  });

  describe('how the token comes (row 54; RFC 6750 section 2)', () => {
    let access: string;
    before(async () => {
      access = (await aTokenSet(server)).access_token;
    });

    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
      it(`in the header, with the scheme ${scheme}`, async () => {
        const answered = await get(url, { authorization: `${scheme} ${access}` });
        assert.equal(answered.json.preferred_username, 'alice');
        assertNotStored(answered);
      });
    }

    it('by POST, in the header or in the form body', async () => {
      const bare = await send(url, { method: 'POST', headers: { authorization: `Bearer ${access}` } });
      const posted = await post(url, { access_token: access });
      for (const { json } of [bare, posted]) assert.equal(json.preferred_username, 'alice');
    });

    it('not in two places at once', async () => {
      const answered = await post(url, { access_token: access }, { auth: `Bearer ${access}` });
      assertRefused(answered, 400, 'invalid_request');
    });

    it('not twice in the body, also beside the header (RFC 6750 section 3.1)', async () => {
      for (const second of [access, 'other', '']) {
        for (const auth of [undefined, `Bearer ${access}`]) {
          const answered = await post(url, `access_token=${access}&access_token=${second}`, { auth });
          assertRefused(answered, 400, 'invalid_request', parameter('access_token'));
        }
      }
    });

    const asksForToken = (answered: Answered) => {
      assertRefused(answered, 401, 'access_denied', 'Full authentication is required to access this resource');
      assertNotStored(answered);
      assert.match(answered.headers.get('www-authenticate') ?? '', /^Bearer realm="[^"]+"$/);
    };

    it('not at all: the challenge names no error', async () => asksForToken(await get(url)));
    it('not in the query', async () => asksForToken(await get(`${url}?access_token=${access}`)));
    it('not in the body of another content type', async () => {
      const headers = { 'content-type': 'application/json' };
      asksForToken(await post(url, JSON.stringify({ access_token: access }), { headers }));
    });
    for (const authorization of [WEB, 'Bearer', 'Token abc', '']) {
      it(`not as "${authorization}"`, async () => asksForToken(await get(url, { authorization })));
    }

    it('not with another method', async () => {
      const answered = await send(url, { method: 'DELETE', headers: { authorization: `Bearer ${access}` } });
      assert.equal(answered.status, 405);
      assert.match(answered.headers.get('allow') ?? '', /GET, .*POST|POST, .*GET/);
    });
  });

  describe('refuses as invalid_token (row 54)', () => {
    for (const [name, bad] of [
      ['an unknown token', async () => 'nonsense'],
      ['several words', async () => 'one two'],
      ['a refresh token', async () => (await aTokenSet(server)).refresh_token],
      ['an ID token', async () => (await aTokenSet(server)).id_token],
      ['a token of another application', async () => (await aTokenSet(server, {}, undefined, 'bank')).access_token],
      ['a revoked token', () => revoked()],
      ['a token of a disabled user', () => ofDisabledUser()],
      ['an expired token', () => expired()],
    ] as const) {
      it(name, async () => {
        const answered = await userinfo(server, await bad());
        assertRefused(answered, 401, 'invalid_token');
        assertNotStored(answered);
        assert.match(answered.headers.get('www-authenticate') ?? '', /^Bearer realm="[^"]+", error="invalid_token"/);
      });
    }

    async function revoked() {
      const { access_token } = await aTokenSet(server);
      await revoke(server, { token: access_token });
      return access_token;
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
});
