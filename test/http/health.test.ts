import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createReadiness } from '../../src/observe/readiness.ts';
import { StoreUnavailable } from '../../src/store/faults.ts';
import type { Store } from '../../src/store/store.ts';
import { get, send } from '../build/client.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';

const SECRETIVE = 'password authentication failed for user "g" at db.internal:5432';

describe('health (issue 4, point 8)', () => {
  /** What the store answers when it is asked whether it is well. */
  let check: () => Promise<void>;
  let asked = 0;
  let touched = 0;
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      wrapStore: store =>
        new Proxy(store, {
          get(target, name: keyof Store) {
            touched++;
            if (name !== 'check') return target[name];
            return () => {
              asked++;
              return check();
            };
          },
        }),
    });
    check = async () => {};
  });
  after(() => server.close());

  /** Longer than an answer is shared. */
  const afterwards = () => pause(400);
  const readyz = () => get(`${server.base}/readyz`);

  it('/healthz is ok as long as the process answers, and asks nothing of the store', async () => {
    check = async () => {
      throw new StoreUnavailable(SECRETIVE);
    };
    touched = 0;
    const { status, text, headers } = await get(`${server.base}/healthz`);
    assert.equal(status, 200);
    assert.equal(text, 'ok\n');
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(touched, 0);
    assert.equal((await send(`${server.base}/healthz`, { method: 'HEAD' })).status, 200);
    assert.equal((await send(`${server.base}/healthz`, { method: 'DELETE' })).status, 405);
  });

  it('/readyz is ready when the real store can be written', async () => {
    const own = await startTestServer();
    try {
      const { status, json } = await get(`${own.base}/readyz`);
      assert.equal(status, 200);
      assert.deepEqual(json, { status: 'ready' });
    } finally {
      await own.close();
    }
  });

  it('/readyz says 503 with one word when the store refuses; why goes to the log alone', async () => {
    await afterwards();
    check = async () => {
      throw new StoreUnavailable(SECRETIVE);
    };
    const { status, text } = await readyz();
    assert.equal(status, 503);
    assert.deepEqual(JSON.parse(text), { status: 'unready', reason: 'store_unavailable' });
    assert(server.logged().includes(JSON.stringify(SECRETIVE)), 'the log must say why');
    await afterwards();
    check = async () => {};
    assert.equal((await readyz()).status, 200);
    assert.match(server.logged(), /"event":"store.ready"/);
  });

  it('/readyz answers within about two seconds also when the store does not', async () => {
    await afterwards();
    check = () => new Promise(() => {});
    const began = performance.now();
    const { status, json } = await readyz();
    const took = performance.now() - began;
    assert.equal(status, 503);
    assert.equal(json.reason, 'store_slow');
    assert(took > 1500 && took < 4000, `${Math.round(took)} ms`);
    await afterwards();
    check = async () => {};
    assert.equal((await readyz()).status, 200);
  });

  it('a flood of probes is a few questions to the store', async t => {
    await afterwards();
    asked = 0;
    const answers = await Promise.all(Array.from({ length: 200 }, readyz));
    assert(answers.every(({ status }) => status === 200));
    t.diagnostic(`200 probes, ${asked} questions to the store`);
    assert(asked >= 1 && asked < 20, `${asked} questions`);
  });

  it('/readyz is 503 from the moment draining begins, also for a probe that was on its way', async () => {
    let answer = () => {};
    const store = {
      check: () =>
        new Promise<void>(resolve => {
          answer = resolve;
        }),
      cluster: () => undefined,
    };
    const readiness = createReadiness(store, server.services.log);
    const onItsWay = readiness.unready();
    readiness.drain();
    answer();
    assert.equal(await onItsWay, 'draining');
    assert.equal(await readiness.unready(), 'draining');
  });
});
