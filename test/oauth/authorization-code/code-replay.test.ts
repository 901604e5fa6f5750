import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import {
  type Answered,
  aCode,
  aPkcePair,
  assertRefused,
  basic,
  isActive,
  redeem,
  refresh,
  userinfo,
  WEB,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, aPublicClient } from '../../build/fixture.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer, type TestServer } from '../../build/test-server.ts';
import { type Fields, Visitor } from '../../build/visitor.ts';

const CODE_INVALID = 'The authorization code is invalid or has expired.';
const SPA_CALLBACK = 'https://spa.example/cb';
const { verifier, asked: PKCE } = aPkcePair();
const PROOF = { code_verifier: verifier };

/** RFC 6749 section 4.1.2 and 10.5. */
describe('a code is redeemed once (row 38)', () => {
  const clock = fixedClock();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  const onOneFile = { clock, env: { DATABASE_URL: `sqlite:${join(folder, 'shared.db')}` } };
  const server = suiteServer({
    ...onOneFile,
    clients: [aClient(), aClient({ client_id: 'other' }), aPublicClient()],
  });
  // A second server on the same store, as with several processes or nodes.
  const neighbour = suiteServer({ ...onOneFile, applications: [], users: [] });
  const alice = suitePart(() => new Visitor(server.base));
  after(() => rmSync(folder, { recursive: true, force: true }));

  const code = (fields: Fields = {}) => aCode(server, fields, { visitor: alice });
  const spaCode = () => code({ client_id: 'spa', redirect_uri: SPA_CALLBACK, ...PKCE });
  const SPA = { client_id: 'spa', redirect_uri: SPA_CALLBACK, ...PROOF };

  type Refused = readonly [status: number, error: string];
  const GRANT: Refused = [400, 'invalid_grant'];

  interface Replay {
    readonly name: string;
    readonly over?: Fields;
    readonly auth?: string;
    readonly seconds?: number;
  }

  const first = async (presented: string) => {
    const { status, json, text } = await redeem(server, presented, PROOF);
    assert.equal(status, 200, text);
    return json;
  };

  describe('its own client, shown a second time, ends every token that came from it', () => {
    const replays: readonly Replay[] = [
      { name: 'by the secret', over: PROOF, auth: WEB },
      { name: 'by the secret, without a verifier', auth: WEB },
      { name: 'by the secret, with a wrong redirect_uri', over: { redirect_uri: SPA_CALLBACK }, auth: WEB },
      { name: 'by the verifier alone', over: PROOF },
      { name: 'by the verifier and client_id', over: { ...PROOF, client_id: 'web' } },
      { name: 'after the code would have expired', over: PROOF, auth: WEB, seconds: 301 },
    ];
    for (const { name, over = {}, auth, seconds = 0 } of replays) {
      it(name, async () => {
        const presented = await code(PKCE);
        const set = await first(presented);
        const next = (await refresh(server, set.refresh_token)).json;
        clock.advance(seconds);
        assertRefused(await redeem(server, presented, over, { auth }), 400, 'invalid_grant', CODE_INVALID);
        for (const dead of [set.access_token, next.access_token, next.refresh_token]) {
          assert.equal(await isActive(server, dead), false);
        }
        assert.equal((await userinfo(server, set.access_token)).status, 401);
        assertRefused(await refresh(server, next.refresh_token), 400, 'invalid_grant');
      });
    }

    it('a public client, by its verifier', async () => {
      const presented = await spaCode();
      const { json } = await redeem(server, presented, SPA, {});
      assert.equal(await isActive(server, json.access_token), true);
      assertRefused(await redeem(server, presented, SPA, {}), 400, 'invalid_grant', CODE_INVALID);
      assert.equal(await isActive(server, json.access_token), false);
    });

    it('and only those: another login of the same user stays', async () => {
      const other = await first(await code(PKCE));
      const presented = await code(PKCE);
      await first(presented);
      assertRefused(await redeem(server, presented, PROOF), 400, 'invalid_grant', CODE_INVALID);
      assert.equal(await isActive(server, other.access_token), true);
    });
  });

  describe('a replay by any other caller changes nothing', () => {
    const wrong = { code_verifier: aPkcePair().verifier };
    const replays: readonly (Replay & { readonly refused?: Refused })[] = [
      { name: 'another client with its own secret', over: PROOF, auth: basic('other', 'web-secret-1') },
      { name: 'the right verifier under another client_id', over: { ...PROOF, client_id: 'other' } },
      { name: 'a wrong verifier alone', over: wrong },
      { name: 'a wrong verifier with the right client_id', over: { ...wrong, client_id: 'web' } },
      { name: 'a wrong secret', over: PROOF, auth: basic('web', 'wrong'), refused: [401, 'invalid_client'] },
      { name: 'no proof at all', refused: [401, 'access_denied'] },
    ];
    for (const { name, over = {}, auth, refused = GRANT } of replays) {
      it(name, async () => {
        const presented = await code(PKCE);
        const set = await first(presented);
        assertRefused(await redeem(server, presented, over, { auth }), ...refused);
        assert.equal(await isActive(server, set.access_token), true);
        assert.equal((await refresh(server, set.refresh_token)).status, 200);
      });
    }

    it('a verifier for a code that was asked without a challenge', async () => {
      const presented = await code();
      const { json } = await redeem(server, presented);
      assertRefused(await redeem(server, presented, PROOF, {}), 400, 'invalid_grant', CODE_INVALID);
      assert.equal(await isActive(server, json.access_token), true);
    });
  });

  describe('of twenty redemptions at once exactly one succeeds', () => {
    const race = async (redemption: (at: TestServer) => Promise<Answered>) => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, turn) => redemption(turn % 2 ? neighbour : server)),
      );
      const [winner, ...more] = answers.filter(({ status }) => status === 200);
      assert(winner, 'no redemption succeeded');
      assert.equal(more.length, 0);
      for (const answered of answers) {
        if (answered !== winner) assertRefused(answered, 400, 'invalid_grant', CODE_INVALID);
      }
      // The others were replays by the client itself.
      assert.equal(await isActive(server, winner.json.access_token), false);
    };

    it('by the secret, on two servers', async () => {
      const presented = await code();
      await race(at => redeem(at, presented));
    });

    it('by the verifier alone, on two servers', async () => {
      const presented = await spaCode();
      await race(at => redeem(at, presented, SPA, {}));
    });
  });
});
