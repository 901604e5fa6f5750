import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused, aTokenSet, claimsOf, introspect, isActive, refresh, WEB } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { anApplication } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { withStatus } from '../../build/with-status.ts';

const INVALID = 'The refresh token is invalid or expired.';

describe('refresh tokens of one login, as time goes by', () => {
  const clock = fixedClock();
  const server = suiteServer({
    clock,
    applications: [
      anApplication(),
      anApplication({ code: 'brief', name: 'Brief', refresh_token_ttl: 1000, refresh_family_ttl: 1500 }),
      anApplication({ code: 'briefest', name: 'Briefest', refresh_token_ttl: 1000, refresh_family_ttl: 60 }),
    ],
  });

  const refused = async (token: string) => assertRefused(await refresh(server, token), 400, 'invalid_grant', INVALID);

  describe('lifetime (row 43)', () => {
    it('is 30 days, to the second, and begins anew with each rotation', async () => {
      const day = 86_400;
      const [first, late] = [await aTokenSet(server), await aTokenSet(server)];
      clock.advance(30 * day - 1);
      const next = await withStatus(200, refresh(server, first.refresh_token));
      clock.advance(1);
      await refused(late.refresh_token);
      assert.equal(await isActive(server, late.refresh_token), false);
      clock.advance(30 * day - 2);
      assert.equal((await refresh(server, next.json.refresh_token)).status, 200);
    });

    it('ends with the family, refresh_family_ttl after the login, however often it is refreshed (row 41)', async () => {
      const first = await aTokenSet(server, {}, undefined, 'brief');
      const login = clock.now();
      const again = (token: string) => refresh(server, token, {}, { auth: WEB }, 'brief');
      clock.advance(900);
      const second = (await again(first.refresh_token)).json;
      const told = await introspect(server, { token: second.refresh_token }, { auth: WEB }, 'brief');
      assert.equal(told.json.exp, login + 1500);
      clock.advance(599);
      const third = await withStatus(200, again(second.refresh_token));
      clock.advance(1);
      assertRefused(await again(third.json.refresh_token), 400, 'invalid_grant', INVALID);
      assert.equal(await isActive(server, third.json.refresh_token, { auth: WEB }, 'brief'), false);
    });

    it('of the last access token is its own: the end of the family ends its refresh tokens', async () => {
      const { refresh_token } = await aTokenSet(server, {}, undefined, 'brief');
      clock.advance(900);
      const { json: second } = await refresh(server, refresh_token, {}, { auth: WEB }, 'brief');
      clock.advance(599);
      const { json: last } = await withStatus(200, refresh(server, second.refresh_token, {}, { auth: WEB }, 'brief'));
      assert.equal(last.expires_in, 3600);
      clock.advance(3599);
      assert.equal(await isActive(server, last.refresh_token, { auth: WEB }, 'brief'), false);
      assert.equal(await isActive(server, last.access_token, { auth: WEB }, 'brief'), true);
      clock.advance(1);
      assert.equal(await isActive(server, last.access_token, { auth: WEB }, 'brief'), false);
    });

    it('is the life of the family where that is shorter than the one of a token', async () => {
      const { refresh_token } = await aTokenSet(server, {}, undefined, 'briefest');
      const told = await introspect(server, { token: refresh_token }, { auth: WEB }, 'briefest');
      assert.equal(told.json.exp - told.json.iat, 60);
    });

    it('of a family is 180 days by default (row 41)', async () => {
      const day = 86_400;
      let { refresh_token } = await aTokenSet(server);
      for (let month = 0; month < 6; month++) {
        clock.advance(30 * day - 1);
        const { json } = await withStatus(200, refresh(server, refresh_token));
        refresh_token = json.refresh_token;
      }
      clock.advance(5);
      assert.equal(await isActive(server, refresh_token), true);
      clock.advance(1);
      await refused(refresh_token);
    });
  });

  describe('what the log tells (row 41)', () => {
    const lines = () =>
      server
        .logged()
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line));
    const since = async (work: () => Promise<unknown>) => {
      const before = lines().length;
      await work();
      return lines().slice(before);
    };
    const subOf = (set: { id_token: string }) => claimsOf(set.id_token).sub;

    it('of a repeat: refresh.repeated, with client, user and address', async () => {
      const set = await aTokenSet(server);
      assert.deepEqual(await since(() => refresh(server, set.refresh_token)), []);
      const [line, ...more] = await since(() => refresh(server, set.refresh_token));
      const { time, request, ...told } = line;
      assert.match(request, /./);
      const about = { app: 'shop', client: 'web', sub: subOf(set), address: '127.0.0.1' };
      assert.deepEqual(told, { level: 'info', event: 'refresh.repeated', ...about });
      assert.deepEqual(more, []);
    });

    it('of a reuse: refresh.reused as a warning, with client, user and address', async () => {
      const set = await aTokenSet(server);
      await refresh(server, set.refresh_token);
      clock.advance(30);
      const [line, refusal, ...more] = await since(() => refused(set.refresh_token));
      const { time, request, ...told } = line;
      const about = { app: 'shop', client: 'web', sub: subOf(set), address: '127.0.0.1' };
      assert.deepEqual(told, { level: 'warn', event: 'refresh.reused', ...about });
      assert.deepEqual([refusal.request, refusal.reason], [request, 'refreshTokenReused']);
      assert.deepEqual(more, []);
    });

    for (const [reason, made] of [
      ['refreshTokenInvalid', async () => 'garbage'],
      [
        'refreshTokenExpired',
        async () => {
          const { refresh_token } = await aTokenSet(server);
          clock.advance(30 * 86_400);
          return refresh_token;
        },
      ],
    ] as const) {
      it(`of a refusal: the reason ${reason}, which the client is not told`, async () => {
        const token = await made();
        const told = await since(() => refused(token));
        assert.deepEqual(
          told.map(line => [line.event, line.reason]),
          [['request.refused', reason]],
        );
      });
    }
  });
});
