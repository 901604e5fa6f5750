import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  aCode,
  aPkcePair,
  assertRefused,
  aTokenSet,
  basic,
  claimsOf,
  introspect,
  isActive,
  redeem,
  refresh,
  userinfo,
  WEB,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, anApplication, aPublicClient, aUser } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { withStatus } from '../../build/with-status.ts';

const INVALID = 'The refresh token is invalid or expired.';
const SECRET = 'web-secret-1';
const EAGER = { auth: basic('eager', SECRET) };
const STEADY = { auth: basic('steady', SECRET) };
const SLOW = { auth: basic('slow', SECRET) };
const BOB = { username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002' };

describe('refresh token grant', () => {
  const clock = fixedClock();
  const server = suiteServer({
    clock,
    applications: [
      anApplication({
        clients: [
          aClient(),
          aClient({ client_id: 'other' }),
          aClient({ client_id: 'eager', refresh_token_grace: 0 }),
          aClient({ client_id: 'slow', refresh_token_grace: 120 }),
          aClient({ client_id: 'steady', refresh_token_rotation: false }),
          aPublicClient(),
          aPublicClient({ client_id: 'app', redirect_uris: ['https://app.example/cb'] }),
        ],
      }),
      anApplication({ code: 'bank', name: 'Bank' }),
    ],
    users: [aUser(), aUser(BOB)],
  });

  const spaSet = async () => {
    const { verifier, challenge } = aPkcePair();
    const asked = { client_id: 'spa', redirect_uri: 'https://spa.example/cb' };
    const code = await aCode(server, { ...asked, code_challenge: challenge, code_challenge_method: 'S256' });
    return (await redeem(server, code, { ...asked, code_verifier: verifier }, {})).json;
  };
  const refused = async (token: string, sending = { auth: WEB }) =>
    assertRefused(await refresh(server, token, {}, sending), 400, 'invalid_grant', INVALID);

  describe('rotation and grace (row 41; RFC 9700 section 4.14.2)', () => {
    it('gives a new access token and a new refresh token', async () => {
      const set = await aTokenSet(server);
      const next = await withStatus(200, refresh(server, set.refresh_token));
      assert.notEqual(next.json.refresh_token, set.refresh_token);
      assert.notEqual(next.json.access_token, set.access_token);
      assert.deepEqual(Object.keys(next.json).sort(), Object.keys(set).sort());
      assert.equal((await userinfo(server, next.json.access_token)).status, 200);
      assert.equal((await refresh(server, next.json.refresh_token)).status, 200);
    });

    it('gives the same successor to a retry within the grace period, and a living access token each time', async () => {
      const { refresh_token } = await aTokenSet(server);
      const first = (await refresh(server, refresh_token)).json;
      clock.advance(29);
      const second = (await refresh(server, refresh_token)).json;
      assert.equal(second.refresh_token, first.refresh_token);
      assert.notEqual(second.access_token, first.access_token);
      for (const { access_token } of [first, second]) assert.equal(await isActive(server, access_token), true);
      assert.equal((await refresh(server, first.refresh_token)).status, 200);
    });

    it('gives the same successor to ten requests at once', async () => {
      const { refresh_token } = await aTokenSet(server);
      const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(server, refresh_token)));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
      assert.equal(new Set(answers.map(({ json }) => json.refresh_token)).size, 1);
      assert.equal(new Set(answers.map(({ json }) => json.access_token)).size, 10);
    });

    it('a stolen token shown within the grace period, after the owner used its successor, ends the family', async () => {
      const set = await aTokenSet(server);
      const second = (await refresh(server, set.refresh_token)).json;
      const third = (await refresh(server, second.refresh_token)).json;
      // The third has not been used: the answer with it may be the one that was lost.
      assert.equal((await refresh(server, second.refresh_token)).json.refresh_token, third.refresh_token);
      await refused(set.refresh_token);
      for (const { access_token, refresh_token } of [set, second, third]) {
        assert.equal(await isActive(server, access_token), false);
        assert.equal(await isActive(server, refresh_token), false);
      }
      await refused(third.refresh_token);
    });

    it('gives public clients 10 seconds by default', async () => {
      for (const [seconds, status] of [
        [9, 200],
        [10, 400],
      ] as const) {
        const { refresh_token } = await spaSet();
        await refresh(server, refresh_token, { client_id: 'spa' }, {});
        clock.advance(seconds);
        assert.equal((await refresh(server, refresh_token, { client_id: 'spa' }, {})).status, status);
      }
    });

    it('takes use after the grace period for theft and ends the family', async () => {
      const set = await aTokenSet(server);
      const next = (await refresh(server, set.refresh_token)).json;
      clock.advance(30);
      await refused(set.refresh_token);
      await refused(next.refresh_token);
      for (const dead of [set.access_token, next.access_token, next.refresh_token]) {
        assert.equal(await isActive(server, dead), false);
      }
    });

    it('does not prolong the grace period by a retry', async () => {
      const { refresh_token } = await aTokenSet(server);
      await refresh(server, refresh_token);
      clock.advance(29);
      assert.equal((await refresh(server, refresh_token)).status, 200);
      clock.advance(29);
      await refused(refresh_token);
    });

    it('leaves the other logins of the user alone when a family ends', async () => {
      const [stolen, other] = [await aTokenSet(server), await aTokenSet(server)];
      await refresh(server, stolen.refresh_token);
      clock.advance(30);
      await refused(stolen.refresh_token);
      assert.equal((await refresh(server, other.refresh_token)).status, 200);
    });

    it('takes the grace period of the client', async () => {
      const { refresh_token } = await aTokenSet(server, {}, SLOW);
      await refresh(server, refresh_token, {}, SLOW);
      clock.advance(119);
      assert.equal((await refresh(server, refresh_token, {}, SLOW)).status, 200);
      clock.advance(1);
      await refused(refresh_token, SLOW);
    });

    it('ends the family at the second use when the grace period is 0', async () => {
      const { refresh_token } = await aTokenSet(server, {}, EAGER);
      const next = (await refresh(server, refresh_token, {}, EAGER)).json;
      await refused(refresh_token, EAGER);
      await refused(next.refresh_token, EAGER);
      assert.equal(await isActive(server, next.access_token), false);
    });

    it('returns the same refresh token when rotation is off', async () => {
      const { refresh_token } = await aTokenSet(server, {}, STEADY);
      for (const seconds of [0, 31, 3600]) {
        clock.advance(seconds);
        const { json } = await refresh(server, refresh_token, {}, STEADY);
        assert.equal(json.refresh_token, refresh_token);
        assert.equal(await isActive(server, json.access_token, STEADY), true);
      }
      assert.equal(await isActive(server, refresh_token, STEADY), true);
    });

    it('shows a rotated token as inactive at once, grace or not', async () => {
      const { refresh_token } = await aTokenSet(server);
      assert.equal(await isActive(server, refresh_token), true);
      const next = (await refresh(server, refresh_token)).json.refresh_token;
      const answered = await introspect(server, { token: refresh_token, token_type_hint: 'refresh_token' });
      assert.deepEqual(answered.json, { active: false });
      assert.equal(await isActive(server, next), true);
    });
  });

  describe('scope (row 39; RFC 6749 section 6)', () => {
    it('narrows this access token and not the grant', async () => {
      const set = await aTokenSet(server, { scope: 'openid profile email' });
      const narrow = (await refresh(server, set.refresh_token, { scope: 'openid email' })).json;
      assert.equal(narrow.scope, 'openid email');
      assert.equal((await introspect(server, { token: narrow.access_token })).json.scope, 'openid email');
      assert.deepEqual(Object.keys((await userinfo(server, narrow.access_token)).json).sort(), [
        'email',
        'email_verified',
        'sub',
      ]);
      const whole = (await refresh(server, narrow.refresh_token)).json;
      assert.equal(whole.scope, 'openid profile email');
      assert.equal((await userinfo(server, whole.access_token)).json.preferred_username, 'alice');
    });

    for (const scope of ['openid profile email phone', 'phone', 'nonsense', 'openid nonsense', 'OPENID', '"']) {
      it(`refuses the wider or unknown scope ${scope}, and does not rotate`, async () => {
        const { refresh_token } = await aTokenSet(server, { scope: 'openid email' });
        const answered = await refresh(server, refresh_token, { scope });
        assertRefused(answered, 400, 'invalid_scope', 'OAuth 2.0 Parameter: scope');
        assert.equal(await isActive(server, refresh_token), true);
      });
    }
  });

  describe('whose token (rows 4, 35)', () => {
    it('refuses another client, and that does the family no harm, rotated or not', async () => {
      const other = { auth: basic('other', SECRET) };
      const set = await aTokenSet(server);
      await refused(set.refresh_token, other);
      const next = (await refresh(server, set.refresh_token)).json;
      clock.advance(60);
      await refused(set.refresh_token, other);
      assert.equal((await refresh(server, next.refresh_token)).status, 200);
    });

    it('refuses a token of another application', async () => {
      await refused((await aTokenSet(server, {}, undefined, 'bank')).refresh_token);
    });

    it('lets a public client refresh by its client_id', async () => {
      const set = await spaSet();
      const next = await withStatus(200, refresh(server, set.refresh_token, { client_id: 'spa' }, {}));
      assert.equal(claimsOf(next.json.id_token).aud, 'spa');
      const again = await refresh(server, set.refresh_token, { client_id: 'spa' }, {});
      assert.equal(again.json.refresh_token, next.json.refresh_token);
    });

    it('refuses the token of a public client to every other', async () => {
      const { refresh_token } = await spaSet();
      assertRefused(await refresh(server, refresh_token, { client_id: 'app' }, {}), 400, 'invalid_grant', INVALID);
      await refused(refresh_token);
      assertRefused(await refresh(server, refresh_token, { client_id: 'nobody' }, {}), 401, 'invalid_client');
      assertRefused(await refresh(server, refresh_token, {}, {}), 401, 'access_denied');
      assert.equal((await refresh(server, refresh_token, { client_id: 'spa' }, {})).status, 200);
    });

    it('needs the secret of a client that has one', async () => {
      const { refresh_token } = await aTokenSet(server);
      assertRefused(await refresh(server, refresh_token, { client_id: 'web' }, {}), 401, 'access_denied');
      assert.equal(await isActive(server, refresh_token), true);
    });
  });

  for (const [name, made] of [
    ['garbage', async () => 'garbage'],
    ['an access token', async () => (await aTokenSet(server)).access_token],
    ['an ID token', async () => (await aTokenSet(server)).id_token],
    ['an authorization code', () => aCode(server)],
  ] as const) {
    it(`refuses ${name} as a refresh token (interface 7.1)`, async () => refused(await made()));
  }

  it('is dead while its user is disabled', async () => {
    const set = await aTokenSet(server, { username: 'bob' });
    await server.provision({ users: [aUser({ ...BOB, disabled: true })] });
    await refused(set.refresh_token);
    for (const dead of [set.access_token, set.refresh_token]) assert.equal(await isActive(server, dead), false);
  });
});
