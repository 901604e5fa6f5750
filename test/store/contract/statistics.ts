import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StatisticsStep, Tallies } from '../../../src/audit/statistics/rules.ts';
import type { CountedBatch, CountedHour } from '../../../src/audit/statistics/store.ts';
import type { Store } from '../../../src/store.ts';
import { aFixture, DAY, NOW, type OpenStore, race, unique } from './given.ts';
import { openForSuite } from './open-store.ts';

const HOUR = NOW - (NOW % 3600);
const TODAY = NOW - (NOW % DAY);

const logins = (succeeded: number): Tallies => ({ logins: { succeeded } });

function aBatch(hours: readonly CountedHour[], over: Partial<CountedBatch> = {}): CountedBatch {
  return { writer: unique('writer'), seq: 1, hours, ...over };
}

export function statisticsContract(open: OpenStore): void {
  describe('statistics', () => {
    const { store, another } = openForSuite(open);

    const listed = async (step: StatisticsStep, apps?: readonly string[], from = TODAY - 500 * DAY, to = NOW + DAY) => {
      await nextTurn();
      return store.listStatistics({ step, apps, from, to });
    };
    const add = (hours: readonly CountedHour[], over?: Partial<CountedBatch>, at: Store = store) =>
      at.addStatistics(aBatch(hours, over), NOW);

    it('are added up by hour and by day, each application for itself', async () => {
      const [app, other] = [unique('app'), unique('app')];
      await add([
        { time: HOUR - 3600, app, tallies: { logins: { succeeded: 1, failed: 2 } } },
        { time: HOUR, app, tallies: { logins: { succeeded: 3 }, 'latency token': { 17: 4 } } },
        { time: HOUR, app: other, tallies: logins(100) },
      ]);
      await add([{ time: HOUR, app, tallies: { logins: { succeeded: 5 }, refusals: { codeExpired: 1 } } }]);
      const last = { logins: { succeeded: 8 }, refusals: { codeExpired: 1 }, 'latency token': { 17: 4 } };
      assert.deepEqual(await listed('hour', [app]), [
        { time: HOUR - 3600, tallies: { logins: { succeeded: 1, failed: 2 } } },
        { time: HOUR, tallies: last },
      ]);
      const day = { ...last, logins: { succeeded: 9, failed: 2 } };
      assert.deepEqual(await listed('day', [app]), [{ time: TODAY, tallies: day }]);
      const both = await listed('hour', [app, other], HOUR);
      assert.deepEqual(both, [{ time: HOUR, tallies: { ...last, logins: { succeeded: 108 } } }]);
      assert.deepEqual(await listed('hour', []), []);
    });

    it('of the whole deployment have what belongs to no application too', async () => {
      const time = HOUR - 5 * 3600;
      await add([
        { time, app: unique('app'), tallies: logins(1) },
        { time, app: unique('app'), tallies: logins(2) },
        { time, app: undefined, tallies: { logins: { succeeded: 4 }, 'latency /login': { 30: 1 } } },
      ]);
      assert.deepEqual(await listed('hour', undefined, time, time + 3600), [
        { time, tallies: { logins: { succeeded: 7 }, 'latency /login': { 30: 1 } } },
      ]);
    });

    it('are listed from the beginning of a time to before its end', async () => {
      const app = unique('app');
      await add([0, 1, 2, 3].map(at => ({ time: HOUR - at * 3600, app, tallies: logins(at + 1) })));
      const times = (await listed('hour', [app], HOUR - 2 * 3600, HOUR)).map(({ time }) => time);
      assert.deepEqual(times, [HOUR - 2 * 3600, HOUR - 3600]);
    });

    it('are added once when the answer was lost and the batch is sent again, also at the same time', async () => {
      const app = unique('app');
      const batch = aBatch([{ time: HOUR, app, tallies: logins(1) }], { seq: 7 });
      const stores = [store, await another()];
      await race(stores, 6, store => store.addStatistics(batch, NOW));
      await store.addStatistics({ ...batch, seq: 6 }, NOW);
      assert.deepEqual(await listed('hour', [app]), [{ time: HOUR, tallies: logins(1) }]);
      await store.addStatistics({ ...batch, seq: 8 }, NOW);
      assert.deepEqual(await listed('hour', [app]), [{ time: HOUR, tallies: logins(2) }]);
    });

    it('lose nothing when many processes add at the same time', async () => {
      const app = unique('app');
      const stores = [store, await another()];
      await race(stores, 20, store => add([{ time: HOUR, app, tallies: logins(1) }], {}, store));
      assert.deepEqual(await listed('hour', [app]), [{ time: HOUR, tallies: logins(20) }]);
      assert.deepEqual(await listed('day', [app]), [{ time: TODAY, tallies: logins(20) }]);
    });

    it('are purged: hours after 32 days, days after 400', async () => {
      const app = unique('app');
      const [oldHour, keptHour] = [HOUR - 33 * DAY, HOUR - 31 * DAY];
      await add([oldHour, keptHour].map(time => ({ time, app, tallies: logins(1) })));
      const [oldDay, keptDay] = [TODAY - 402 * DAY, TODAY - 399 * DAY];
      await add([oldDay, keptDay].map(time => ({ time, app, tallies: logins(1) })));
      await store.purge(NOW, 1000);
      const times = async (step: StatisticsStep) => (await listed(step, [app])).map(({ time }) => time);
      assert.deepEqual(await times('hour'), [keptHour]);
      assert.deepEqual(
        await times('day'),
        [keptDay, oldHour, keptHour].map(time => time - (time % DAY)),
      );
    });

    it('go with their application, and stay in the numbers of the deployment', async () => {
      const { app } = await aFixture(store);
      const time = HOUR - 7 * 3600;
      await add([{ time, app, tallies: logins(3) }]);
      await store.provision([{ kind: 'deleteApplication', app, now: NOW }]);
      assert.deepEqual(await store.removeDeletedApplications(NOW + 1), [app]);
      assert.deepEqual(await listed('hour', [app]), []);
      assert.deepEqual(await listed('hour', undefined, time, time + 1), [{ time, tallies: logins(3) }]);
    });
  });
}
