import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StatisticsStep } from '../../../src/audit/statistics/rules.ts';
import { createStatisticsRecorder, type StatisticsLimits } from '../../../src/audit/statistics/statistics.ts';
import type { CountedBatch } from '../../../src/audit/statistics/store.ts';
import { systemRandom } from '../../../src/platform/crypto/random.ts';
import { createLog } from '../../../src/platform/observe/log.ts';
import { StoreUnavailable } from '../../../src/platform/store/faults.ts';
import type { Store } from '../../../src/store.ts';
import { fixedClock } from '../../build/clock.ts';
import { withEmbeddedStore } from '../../build/embedded-store.ts';
import { application } from '../../store/contract/given.ts';

const START = Date.parse('2027-01-15T08:59:00Z') / 1000;
const HOUR = 3600;
const THIS_HOUR = START - (START % HOUR);

describe('the recorder of statistics: counts in memory, bounded, added to the store once', () => {
  const withRecorder = (
    limits: Partial<StatisticsLimits>,
    test: (parts: ReturnType<typeof partsOf>) => Promise<void>,
  ) => withEmbeddedStore(store => test(partsOf(store, limits)));

  /** `fault`: what happens to a batch instead of, or after, its being added. */
  function partsOf(store: Store, limits: Partial<StatisticsLimits>) {
    const clock = fixedClock(START);
    const batches: CountedBatch[] = [];
    const faults: ('refused' | 'answer lost')[] = [];
    let logged = '';
    const log = createLog('debug', false, line => {
      logged += line;
    });
    const addStatistics = async (batch: CountedBatch, now: number) => {
      batches.push(batch);
      const fault = faults.shift();
      if (fault !== 'refused') await store.addStatistics(batch, now);
      if (fault) throw new StoreUnavailable(fault);
    };
    const registry = {
      cachedApplication: (code: string) => (code.startsWith('app') ? application({ code }) : undefined),
    };
    const recorder = createStatisticsRecorder(
      { store: { ...store, addStatistics }, clock, random: systemRandom, log, registry },
      { maxEntries: 100, maxHours: 24, maxBatch: 50, ...limits },
    );
    const listed = async (apps?: string[], step: StatisticsStep = 'hour') => {
      await nextTurn();
      return store.listStatistics({ step, apps, from: 0, to: START + 400 * 24 * HOUR });
    };
    const logins = async (apps?: string[]) =>
      (await listed(apps)).reduce((sum, { tallies }) => sum + (tallies.logins?.succeeded ?? 0), 0);
    return { recorder, clock, batches, faults, listed, logins, logged: () => logged };
  }

  it('each count belongs to its own hour, whenever it is written', () =>
    withRecorder({}, async ({ recorder, clock, listed }) => {
      recorder.loginSucceeded('app');
      clock.advance(120);
      recorder.loginFailed('app');
      await recorder.flush();
      assert.deepEqual(await listed(['app']), [
        { time: THIS_HOUR, tallies: { logins: { succeeded: 1 } } },
        { time: THIS_HOUR + HOUR, tallies: { logins: { failed: 1 } } },
      ]);
    }));

  it('durations belong to the hour of their answer, to the second, also right after a flush', () =>
    withRecorder({}, async ({ recorder, clock, listed }) => {
      recorder.answered('app', 'token', 0, 10);
      await recorder.flush();
      recorder.answered('app', 'token', 0, 10);
      clock.advance(60);
      recorder.answered('app', 'token', 1000, 1010);
      await recorder.flush();
      assert.deepEqual(await listed(['app']), [
        { time: THIS_HOUR, tallies: { 'latency token': { 26: 2 } } },
        { time: THIS_HOUR + HOUR, tallies: { 'latency token': { 26: 1 } } },
      ]);
    }));

  it('writes nothing where nothing was counted', () =>
    withRecorder({}, async ({ recorder, batches }) => {
      await recorder.flush();
      recorder.answered('', '/healthz', 0, 1);
      await recorder.flush();
      assert.deepEqual(batches, []);
    }));

  it('a code that names no application is never a key: it counts for the deployment alone', () =>
    withRecorder({}, async ({ recorder, batches, logins }) => {
      for (let at = 0; at < 1000; at++) recorder.refused(`made-up-${at}`, 'applicationUnknown');
      recorder.loginSucceeded(undefined);
      await recorder.flush();
      assert.deepEqual(
        batches.flatMap(({ hours }) => hours.map(({ app }) => app)),
        [undefined],
      );
      assert.equal(await logins(), 1);
      assert.equal(batches[0]?.hours[0]?.tallies.refusals?.applicationUnknown, 1000);
    }));

  it('more applications than there is room for count for the deployment, so that its numbers stay right', () =>
    withRecorder({ maxEntries: 3 }, async ({ recorder, batches, logins }) => {
      for (let at = 0; at < 10; at++) recorder.loginSucceeded(`app-${at}`);
      await recorder.flush();
      assert.equal(batches.flatMap(({ hours }) => hours).length, 4);
      assert.equal(await logins(), 10);
      assert.equal(await logins(['app-0', 'app-1', 'app-2']), 3);
      assert.equal(await logins(['app-9']), 0);
    }));

  it('many applications are written in transactions of limited size', () =>
    withRecorder({ maxBatch: 4 }, async ({ recorder, batches, logins }) => {
      for (let at = 0; at < 10; at++) recorder.loginSucceeded(`app-${at}`);
      await recorder.flush();
      assert.deepEqual(
        batches.map(({ hours, seq }) => [seq, hours.length]),
        [
          [1, 4],
          [2, 4],
          [3, 2],
        ],
      );
      assert.equal(await logins(), 10);
    }));

  for (const fault of ['refused', 'answer lost'] as const) {
    it(`a flush that fails (${fault}) neither loses nor doubles a count`, () =>
      withRecorder({ maxBatch: 1 }, async ({ recorder, faults, logins }) => {
        for (const app of ['app-a', 'app-b', 'app-c']) recorder.loginSucceeded(app);
        // From here on a batch fails twice, and the server goes on counting.
        await recorder.flush().then(() => faults.push(fault));
        for (const app of ['app-a', 'app-b', 'app-c']) recorder.loginSucceeded(app);
        await assert.rejects(recorder.flush(), StoreUnavailable);
        recorder.loginSucceeded('app-a');
        faults.push(fault);
        await assert.rejects(recorder.flush(), StoreUnavailable);
        recorder.loginSucceeded('app-b');
        await recorder.flush();
        assert.equal(await logins(['app-a']), 3);
        assert.equal(await logins(['app-b']), 3);
        assert.equal(await logins(['app-c']), 2);
        assert.equal(await logins(), 8);
      }));
  }

  it('two flushes at the same time write what was counted once', () =>
    withRecorder({}, async ({ recorder, logins }) => {
      recorder.loginSucceeded('app');
      await Promise.all([recorder.flush(), recorder.flush()]);
      assert.equal(await logins(['app']), 1);
    }));

  it('while the store is away, a day of hours stays in memory; what is older is given up with a line in the log', () =>
    withRecorder({ maxHours: 24 }, async ({ recorder, clock, faults, logins, logged }) => {
      recorder.loginSucceeded('app');
      faults.push('refused');
      await assert.rejects(recorder.flush(), StoreUnavailable);
      for (let hour = 0; hour < 30; hour++) {
        clock.advance(HOUR);
        recorder.loginSucceeded('app');
      }
      assert.equal(logged().match(/statistics\.lost/g)?.length, 6);
      assert.match(logged(), /2027-01-15T09:00:00/);
      await recorder.flush();
      assert.equal(await logins(['app']), 1 + 24);
    }));

  it('the routes of the admin API are one, those of the console too, and the names are those of the metrics', () =>
    withRecorder({}, async ({ recorder, listed }) => {
      recorder.answered('', '/api/v1/admin/users/{sub}', 5, 15);
      recorder.answered('', '/api/v1/admin/events', 5, 15);
      recorder.answered('', '/console', 5, 15);
      recorder.answered('', '/console/applications/{code}', 5, 15);
      recorder.answered('app', 'token', 5, 15);
      await recorder.flush();
      const [point] = await listed();
      assert.deepEqual(point?.tallies, {
        'latency /api/v1/admin': { 26: 2 },
        'latency /console': { 26: 2 },
        'latency token': { 26: 1 },
      });
    }));
});
