import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createReadiness } from '../../../src/platform/observe/readiness.ts';
import { StoreUnavailable } from '../../../src/platform/store/faults.ts';
import type { Store } from '../../../src/store.ts';
import { get, send } from '../../build/client.ts';
import { endsBetween } from '../../build/in-time.ts';
import { startTestServer, suiteServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';

const SECRETIVE = 'password authentication failed for user "g" at db.internal:5432';

describe('health (issue 4, point 8)', () => {
  /** What the store answers when it is asked whether it is well. */
  let check: () => Promise<void>;
  let asked = 0;
  let touched = 0;
  const server = suiteServer(() => ({
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
  }));
  before(async () => {
    check = async () => {};
  });

  const readyz = () => get(`${server.base}/readyz`);
  /** An answer is shared for a moment: the next one may still be the one before. */
  const untilAnswered = async (status: number) => {
    let answered = await readyz();
    await until(`/readyz says ${status}`, async () => {
      if (answered.status !== status) answered = await readyz();
      return answered.status === status;
    });
    return answered;
  };

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
    check = async () => {
      throw new StoreUnavailable(SECRETIVE);
    };
    const { text } = await untilAnswered(503);
    assert.deepEqual(JSON.parse(text), { status: 'unready', reason: 'store_unavailable' });
    assert(server.logged().includes(JSON.stringify(SECRETIVE)), 'the log must say why');
    check = async () => {};
    await untilAnswered(200);
    assert.match(server.logged(), /"event":"store.ready"/);
  });

  it('/readyz answers within about two seconds also when the store does not', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = asked;
    check = () => promise;
    const { json } = await endsBetween(1500, 4000, () => untilAnswered(503));
    assert.equal(json.reason, 'store_slow');
    assert(asked > before);
    resolve();
    check = async () => {};
    await untilAnswered(200);
  });

  it('a flood of probes is one question to the store', async () => {
    let questions = 0;
    const store = {
      check: async () => {
        questions++;
      },
      cluster: () => undefined,
    };
    const readiness = createReadiness(store, server.services.log);
    const answers = await Promise.all(Array.from({ length: 200 }, () => readiness.unready()));
    assert.deepEqual([new Set(answers), questions], [new Set([undefined]), 1]);
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
