import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRecorder, type RecorderLimits } from '../../../src/audit/events/recorder.ts';
import type { Event } from '../../../src/audit/events/rules.ts';
import { systemRandom } from '../../../src/platform/crypto/random.ts';
import { createLog } from '../../../src/platform/observe/log.ts';
import { StoreUnavailable } from '../../../src/platform/store/faults.ts';
import type { Store } from '../../../src/store.ts';
import { fixedClock } from '../../build/clock.ts';
import { withEmbeddedStore } from '../../build/embedded-store.ts';
import { until } from '../../build/until.ts';

const FAILED = { type: 'user.login.failed', outcome: 'failure', actor: { kind: 'user' } } as const;
const REFUSED = { type: 'client.authentication.failed', outcome: 'failure', actor: { kind: 'client' } } as const;

describe('the recorder of events without a transaction: bounded, in batches, off the way of requests', () => {
  const withRecorder = (limits: Partial<RecorderLimits>, test: (parts: ReturnType<typeof partsOf>) => Promise<void>) =>
    withEmbeddedStore(store => test(partsOf(store, limits)));

  function partsOf(store: Store, limits: Partial<RecorderLimits>) {
    const clock = fixedClock();
    const batches: number[] = [];
    let fault: Error | undefined;
    let logged = '';
    const log = createLog('debug', false, line => {
      logged += line;
    });
    const recordEvents = async (events: readonly Event[]) => {
      batches.push(events.length);
      if (fault) throw fault;
      await store.recordEvents(events);
    };
    const deps = { store: { ...store, recordEvents }, clock, random: systemRandom, log };
    const recorder = createRecorder(deps, { perAppAndMinute: 5, maxWaiting: 100, flushMs: 5, ...limits });
    const listed = async (...types: Event['type'][]) =>
      store.listEvents(types.length === 0 ? {} : { types }, { after: undefined, limit: 1000 });
    const fail = (with_: Error | undefined) => {
      fault = with_;
    };
    return { recorder, clock, batches, listed, fail, logged: () => logged };
  }

  it('writes what was recorded at the same time in one batch, without being asked', () =>
    withRecorder({}, async ({ recorder, batches, listed }) => {
      for (const app of ['shop', 'bank', undefined]) recorder.record({ ...FAILED, app });
      await until('they are written', async () => (await listed()).length === 3);
      assert.deepEqual(batches, [3]);
    }));

  it('writes so many of an application and minute; the rest is one event that counts them by type', () =>
    withRecorder({}, async ({ recorder, clock, listed }) => {
      for (let index = 0; index < 8; index++) recorder.record({ ...FAILED, app: 'shop' });
      for (let index = 0; index < 4; index++) recorder.record({ ...REFUSED, app: 'shop' });
      for (let index = 0; index < 5; index++) recorder.record({ ...FAILED, app: 'bank' });
      await until('they are written', async () => (await listed()).length === 10);
      assert.deepEqual(await listed('events.dropped'), [], 'the minute is not over');
      clock.advance(60);
      await until('the rest is counted', async () => (await listed('events.dropped')).length === 1);
      const [dropped] = await listed('events.dropped');
      const minute = new Date(Math.floor((clock.now() - 60) / 60) * 60_000).toISOString();
      assert.deepEqual(dropped?.details, {
        minute,
        types: { 'user.login.failed': 3, 'client.authentication.failed': 4 },
      });
      assert.deepEqual([dropped?.app, dropped?.actor.kind], ['shop', 'system']);
      recorder.record({ ...FAILED, app: 'shop' });
      await recorder.drain();
      assert.equal((await listed('user.login.failed')).length, 11, 'a new minute has its own bound');
    }));

  it('loses nothing at the end: drain writes what waits, and the count of the rest', () =>
    withRecorder({ flushMs: 3_600_000 }, async ({ recorder, listed }) => {
      for (let index = 0; index < 9; index++) recorder.record({ ...FAILED, app: 'shop' });
      await recorder.drain();
      assert.equal((await listed('user.login.failed')).length, 5);
      assert.deepEqual((await listed('events.dropped'))[0]?.details?.types, { 'user.login.failed': 4 });
    }));

  it('keeps events while the store fails, in order and within a bound, and writes them later', () =>
    withRecorder({ perAppAndMinute: 1000, maxWaiting: 20 }, async ({ recorder, batches, listed, fail, logged }) => {
      fail(new StoreUnavailable('the database is away'));
      for (let index = 0; index < 10; index++) recorder.record({ ...FAILED, app: 'shop', requestId: `req-${index}` });
      await until('it was tried twice', async () => batches.length >= 2);
      assert.match(logged(), /"events\.delayed".*"waiting":10/);
      for (let index = 10; index < 30; index++) recorder.record({ ...FAILED, app: 'shop', requestId: `req-${index}` });
      await assert.rejects(recorder.drain(), StoreUnavailable);
      fail(undefined);
      await recorder.drain();
      const written = (await listed('user.login.failed')).reverse().map(({ requestId }) => requestId);
      assert.deepEqual(
        written,
        Array.from({ length: 20 }, (_, index) => `req-${index}`),
      );
      assert.deepEqual((await listed('events.dropped'))[0]?.details?.types, { 'user.login.failed': 10 });
    }));
});
