import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../scripts/free-port.ts';
import { sampleOf } from '../build/exposition.ts';
import {
  ALICE,
  APPLICATION,
  basic,
  type Caller,
  eventually,
  isAlive,
  pidsIn,
  useWorkers,
  WORKERS,
} from './workers-fixture.ts';

describe('several processes on one port (issue 4, point 5)', () => {
  const workers = useWorkers();

  it('lose no acknowledged token when one is killed under load, and it is replaced', async t => {
    const { start, apply, calling, oneAtEach } = workers;
    await apply(APPLICATION);
    const server = await start();
    const seeds = await Promise.all(
      Array.from({ length: 6 }, () => calling().token({ grant_type: 'password', ...ALICE })),
    );
    const kept: string[] = [];
    let failed = 0;
    let done = false;
    const load = seeds.map(async ({ json }) => {
      let refreshToken = json.refresh_token;
      let caller = calling();
      while (!done) {
        try {
          const { status, json, text } = await caller.token({
            grant_type: 'refresh_token',
            refresh_token: refreshToken,
          });
          assert.equal(status, 200, text);
          refreshToken = json.refresh_token;
          kept.push(json.access_token);
          await pause(3);
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          // The connection broke with its worker; the retry is answered by another one.
          failed++;
          caller = calling();
        }
      }
    });
    const moreLoad = async () => {
      const enough = kept.length + 20;
      await eventually(() => kept.length > enough, 'load');
    };
    for (let kill = 0; kill < 2; kill++) {
      await moreLoad();
      const [victim = 0] = pidsIn(server).filter(isAlive);
      process.kill(victim, 'SIGKILL');
      await eventually(() => pidsIn(server).length === WORKERS + kill + 1, 'a replacement');
    }
    await moreLoad();
    done = true;
    await Promise.all(load);
    const checked = await Promise.all(
      (await oneAtEach()).map(async caller => {
        let lost = 0;
        for (const token of kept) if (!(await caller.introspect(token)).json.active) lost++;
        return lost;
      }),
    );
    t.diagnostic(
      `2 workers killed; ${kept.length} token sets acknowledged, ${failed} requests broken off, lost ${checked}`,
    );
    assert.deepEqual(checked, Array(WORKERS).fill(0));
    assert.equal(pidsIn(server).filter(isAlive).length, WORKERS);
  });

  it('write one SQLite file at the same time, and no write is lost or refused', async t => {
    const { start, apply, oneAtEach } = workers;
    await apply(APPLICATION);
    await start();
    const each = await oneAtEach();
    const { json } = await (each[0] as Caller).token({ grant_type: 'password', ...ALICE });
    assert(json.access_token);
    const lines = await Promise.all(
      each
        .flatMap(caller => Array.from({ length: 4 }, () => caller))
        .map(async caller => {
          let { json, status } = await caller.token({ grant_type: 'password', ...ALICE });
          const tokens: string[] = [];
          const faults: number[] = status === 200 ? [] : [status];
          for (let count = 0; count < 25; count++) {
            const answered = await caller.token({ grant_type: 'refresh_token', refresh_token: json.refresh_token });
            if (answered.status !== 200) faults.push(answered.status);
            else {
              json = answered.json;
              tokens.push(json.access_token);
            }
          }
          return { tokens, faults };
        }),
    );
    const tokens = lines.flatMap(line => line.tokens);
    const faults = lines.flatMap(line => line.faults);
    let lost = 0;
    for (const [index, token] of tokens.entries()) {
      if (!(await (each[index % WORKERS] as Caller).introspect(token)).json.active) lost++;
    }
    t.diagnostic(`${WORKERS} writers, ${tokens.length} writes acknowledged, ${faults.length} refused, ${lost} lost`);
    assert.deepEqual({ tokens: tokens.length, faults, lost }, { tokens: 300, faults: [], lost: 0 });
  });

  it('see what "gatehouse apply" changed', async () => {
    const { start, apply, oneAtEach } = workers;
    await apply(APPLICATION);
    await start();
    const each = await oneAtEach();
    const works = async (caller: Caller, secret: string) =>
      (await caller.introspect('none', basic('web', secret))).status === 200;
    for (const caller of each) assert(await works(caller, 'web-secret-1'));
    const [application] = structuredClone(APPLICATION.applications);
    const [client] = application?.clients ?? [];
    if (client) client.client_secret = 'web-secret-2';
    await apply({ applications: [application] });
    for (const caller of each) {
      await eventually(() => works(caller, 'web-secret-2'), 'the new secret');
      assert.equal(await works(caller, 'web-secret-1'), false);
    }
  });

  it('count failed logins together: the limit is that of one', async t => {
    const { start, apply, oneAtEach } = workers;
    await apply(APPLICATION);
    await start();
    const statuses: number[] = [];
    for (const caller of await oneAtEach()) {
      for (let count = 0; count < 6; count++) {
        statuses.push((await caller.token({ grant_type: 'password', username: 'mallory', password: 'guess' })).status);
      }
    }
    const throttled = statuses.filter(status => status === 429).length;
    t.diagnostic(`18 guesses at ${WORKERS} workers: ${throttled} throttled`);
    assert.equal(throttled, 8);
  });

  it('count guesses at a client secret together, and all know the address where it was right', async () => {
    const { start, apply, oneAtEach } = workers;
    await apply(APPLICATION);
    await start();
    const each = await oneAtEach();
    const tried = async (caller: Caller, secret: string) =>
      (await caller.introspect('none', basic('web', secret))).status;
    const statuses: number[] = [];
    for (const caller of each) {
      for (let count = 0; count < 12; count++) statuses.push(await tried(caller, `a wrong secret ${count}`));
    }
    // 30 at once, and one more every five seconds that the test takes.
    const throttled = statuses.filter(status => status === 429).length;
    assert(throttled > 0 && statuses.slice(0, 24).every(status => status === 401), statuses.join(' '));

    await eventually(async () => (await tried(each[0] as Caller, 'web-secret-1')) === 200, 'an attempt is free again');
    for (let count = 0; count < 40; count++) await tried(each[1] as Caller, `another wrong secret ${count}`);
    assert.equal(await tried(each[1] as Caller, 'another wrong secret'), 429);
    for (const caller of each) assert.equal(await tried(caller, 'web-secret-1'), 200);
  });

  it('have their metrics collected together, and a worker that died stays counted', async () => {
    const { port, start, oneAtEach } = workers;
    const metricsPort = await freePort();
    const token = 'a-token-for-the-collector';
    const server = await start({ GATEHOUSE_METRICS_PORT: String(metricsPort), GATEHOUSE_METRICS_TOKEN: token });
    const authorization = `Bearer ${token}`;
    const collect = async (address = metricsPort) =>
      (await fetch(`http://127.0.0.1:${address}/metrics`, { headers: { authorization } })).text();
    for (const caller of await oneAtEach()) for (let count = 0; count < 5; count++) await caller.get('/docs/errors');
    const asked = (text: string) =>
      sampleOf(text, 'gatehouse_request_duration_seconds_count', { route: '/docs/errors', status: '2xx' });
    const purges = (text: string) =>
      sampleOf(text, 'gatehouse_store_operation_duration_seconds_count', { operation: 'purge' });
    await eventually(async () => purges(await collect()) > 0, 'a purge');
    const first = await collect();
    assert.equal(asked(first), 15);
    assert.equal(purges(first), 1, 'one worker purges, and it does so when it starts');
    assert.equal(asked(await collect(port)), 15, 'the main port shows those of all workers too');
    process.kill(pidsIn(server)[0] ?? 0, 'SIGKILL');
    await eventually(() => pidsIn(server).length === WORKERS + 1, 'a replacement');
    const text = await collect();
    assert.equal(asked(text), 15);
    assert.equal(sampleOf(text, 'gatehouse_workers'), WORKERS);
    assert.equal(sampleOf(text, 'gatehouse_workers_replaced_total'), 1);
    // The first that came up was the one that purged.
    await eventually(async () => purges(await collect()) === 2, 'another worker purges');
  });

  it('show metrics also while one of them is stuck, and no count goes backwards', async () => {
    const { start, oneAtEach } = workers;
    const token = 'a-token-for-the-collector';
    const server = await start({ GATEHOUSE_METRICS_TOKEN: token });
    const each = await oneAtEach();
    for (const caller of each) await caller.get('/docs/errors');
    const asked = (text: string) =>
      sampleOf(text, 'gatehouse_request_duration_seconds_count', { route: '/docs/errors', status: '2xx' });
    const collect = async (caller: Caller) =>
      asked((await caller.get('/metrics', { authorization: `Bearer ${token}` })).text);
    for (const caller of each) assert.equal(await collect(caller), WORKERS);
    const stuck = pidsIn(server)[0] ?? 0;
    process.kill(stuck, 'SIGSTOP');
    try {
      const counts: number[] = [];
      const collecting = each.map(async caller => counts.push(await collect(caller)));
      await eventually(() => counts.length === WORKERS - 1, 'the others answer');
      process.kill(stuck, 'SIGCONT');
      await Promise.all(collecting);
      assert.deepEqual(counts, Array(WORKERS).fill(WORKERS));
    } finally {
      process.kill(stuck, 'SIGCONT');
    }
  });
});
