import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/free-port.ts';
import { claimsOf } from '../build/client.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { until } from '../build/until.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { type Given, given } from './given.ts';
import { type NodeProcess, PATIENT, startNode } from './nodes.ts';
import { type Answer, authorize, introspect, passwordGrant, redeem, refresh } from './wire.ts';

const TEN_MINUTES = 600;
/** Longer than a busy machine takes from the token to the lookups of it. */
const TTL = 15;
const preload = [fileURLToPath(new URL('shifted-clock.ts', import.meta.url))];
const now = () => Math.floor(Date.now() / 1000);

describe('the wall clock of a node is set while it runs', { concurrency: true }, () => {
  let database: TestDatabase;
  let start: Given;
  let right: NodeProcess;
  const wrong = new Map<string, NodeProcess>();
  before(async () => {
    database = await createDatabase();
    start = await given(database.url, { access_token_ttl: TTL });
    const base = `http://127.0.0.1:${await freePort()}`;
    const node = async (wrongBy: number, jumps: boolean) => {
      const env = { CLOCK_WRONG_BY: String(wrongBy), CLOCK_JUMPS: String(jumps), LOG_LEVEL: 'info', ...PATIENT };
      return startNode({ databaseUrl: database.url, env, preload }, await freePort(), base);
    };
    right = await startNode({ databaseUrl: database.url, env: PATIENT }, await freePort(), base);
    for (const seconds of [TEN_MINUTES, -TEN_MINUTES]) {
      const jumping = await node(seconds, true);
      wrong.set(`jumped by ${seconds} s`, jumping);
      wrong.set(`started ${seconds} s wrong`, await node(seconds, false));
      jumping.signal('SIGUSR2');
      await until('the node goes by the clock of the database', async () => Math.abs(await wrongness(jumping)) <= 2);
    }
  });
  after(async () => {
    await Promise.all([right, ...wrong.values()].map(node => node?.kill()));
    await start?.close();
    await database?.drop();
    await stopOwnServer();
  });

  /** Seconds by which what a node issues now is wrong. */
  const wrongness = async (node: NodeProcess) => {
    const { json } = await passwordGrant(node);
    return claimsOf(json.id_token).iat - now();
  };
  const isActive = async (node: NodeProcess, token: string) => (await introspect(node, token)).json.active;
  const assertGiven = (answer: Answer) => assert.equal(answer.outcome, 200, answer.text);

  for (const name of [-TEN_MINUTES, TEN_MINUTES].flatMap(by => [`jumped by ${by} s`, `started ${by} s wrong`])) {
    it(`${name}: tokens live as long as the database says, on every node`, async () => {
      const bad = wrong.get(name) as NodeProcess;
      const began = now();
      const byRight = await passwordGrant(right);
      const byWrong = await passwordGrant(bad);
      const [from, to] = [began - 2, now() + 2];
      for (const answer of [byRight, byWrong]) {
        assertGiven(answer);
        const { iat, exp } = claimsOf(answer.json.id_token);
        assert(iat >= from && iat <= to, `iat is ${iat}, not between ${from} and ${to}`);
        assert.equal(typeof exp, 'number');
        for (const node of [right, bad]) assert.equal(await isActive(node, answer.json.access_token), true);
      }
      // A whole visit: session, code, refresh, each on the node with the wrong clock.
      const asked = await authorize(bad, start.cookie);
      assert.equal(asked.outcome, 302, asked.text);
      const set = await redeem(bad, asked.code);
      assertGiven(set);
      assertGiven(await refresh(bad, set.json.refresh_token));
      assertGiven(await refresh(right, byWrong.json.refresh_token));
      await until('their time is over', () => now() > to + TTL);
      for (const answer of [byRight, byWrong])
        for (const node of [right, bad]) assert.equal(await isActive(node, answer.json.access_token), false);
    });
  }

  it('the wrong clocks were wrong indeed', async () => {
    for (const [name, node] of wrong) {
      const before = node.output().length;
      await redeem(node, 'gac_unknown');
      const loggedTime = () => /"time":"([^"]+)"/.exec(node.output().slice(before))?.[1] ?? '';
      await until('it is in the log', () => loggedTime() !== '');
      const time = loggedTime();
      const by = Math.round((Date.parse(time) - Date.now()) / 1000);
      assert(Math.abs(by) > TEN_MINUTES / 2, `${name}: by ${by} s`);
    }
  });
});

describe('the wall clock jumps under the embedded store', () => {
  for (const seconds of [TEN_MINUTES, -TEN_MINUTES]) {
    it(`by ${seconds} s: it goes on`, async t => {
      const folder = temporaryFolder();
      const databaseUrl = `sqlite:${folder.file('gatehouse.db')}`;
      const start = await given(databaseUrl);
      const port = await freePort();
      const env = { CLOCK_WRONG_BY: String(seconds), CLOCK_JUMPS: 'true', ...PATIENT };
      const node = await startNode({ databaseUrl, env, preload }, port, `http://127.0.0.1:${port}`);
      t.after(async () => {
        await node.kill();
        await start.close();
        folder.remove();
      });
      const before = await passwordGrant(node);
      node.signal('SIGUSR2');
      await until('the clock has jumped', async () => {
        const { outcome, json, text } = await passwordGrant(node);
        assert.equal(outcome, 200, text);
        return Math.abs(claimsOf(json.id_token).iat - now()) > TEN_MINUTES / 2;
      });
      assert.equal((await introspect(node, before.json.access_token)).json.active, true);
      const asked = await authorize(node, start.cookie);
      assert.equal(asked.outcome, 302, asked.text);
      const set = await redeem(node, asked.code);
      assert.equal(set.outcome, 200, set.text);
      const renewed = await refresh(node, before.json.refresh_token);
      assert.equal(renewed.outcome, 200, renewed.text);
      const by = claimsOf(set.json.id_token).iat - now();
      assert(Math.abs(by - seconds) < TEN_MINUTES / 2, `the clock is wrong by ${by} s`);
      assert.equal(await node.stop(), 0);
      t.diagnostic(`${by} s by its own clock: 5 of 5 requests served, stopped with exit code 0`);
    });
  }
});
