import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { startSharedJobs } from '../../../src/assembly/jobs.ts';
import { fixedClock } from '../../build/clock.ts';
import { anApplication } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';

const MADE_BY_APPLY = 16;

/** With ten thousand applications, what is done for each of them at the start and every hour is seconds of work. */
describe('the job that looks at the keys of all applications', () => {
  const codes = Array.from({ length: 30 }, (_, number) => `app-${number}`);
  let looked = 0;
  let lookedAt = new Set<string>();
  const clock = fixedClock();
  const server = suiteServer(() => ({
    clock,
    applications: codes.map(code => anApplication({ code })),
    wrapStore: store => ({
      ...store,
      signingKeys: app => {
        looked++;
        lookedAt.add(app);
        return store.signingKeys(app);
      },
    }),
  }));

  it('looks at one in a turn of the event loop, so that no request waits for all', async () => {
    const stop = startSharedJobs(server.services);
    const inTurns: number[] = [];
    while (looked < codes.length) {
      const before = looked;
      await turn();
      inTurns.push(looked - before);
    }
    stop();
    assert(Math.max(...inTurns) <= 1, `in one turn it looked at ${Math.max(...inTurns)}`);
  });

  it('keeps none in memory that no request needed', () => {
    assert.deepEqual(
      codes.filter(code => server.services.registry.cachedApplication(code)),
      [],
    );
  });

  it('records the event key.rotated of each key that it publishes', async () => {
    const { store } = server.services;
    const rotated = () => store.listEvents({ types: ['key.rotated'] }, { after: undefined, limit: 100 });
    assert.deepEqual(await rotated(), [], 'nothing was due until now');
    clock.advance(90 * 86_400);
    const stop = startSharedJobs(server.services);
    // The first keys of the other applications were left to the server, and are not due.
    await until('each key that is due has a successor', async () => (await rotated()).length >= MADE_BY_APPLY);
    await stop();
    for (const { app, subject, actor, outcome, details } of await rotated()) {
      assert.deepEqual([actor, outcome, details], [{ kind: 'system', id: undefined }, 'success', { alg: 'RS256' }]);
      assert((await store.signingKeys(app ?? '')).some(({ kid }) => kid === subject));
    }
  });

  it('ends when it is stopped', async () => {
    lookedAt = new Set();
    startSharedJobs(server.services)();
    for (let count = 0; count < 100; count++) await turn();
    // One, and the one that the job of the test before was at when it was stopped.
    assert(lookedAt.size <= 2, `it went on to look at ${[...lookedAt].join(', ')}`);
  });
});
