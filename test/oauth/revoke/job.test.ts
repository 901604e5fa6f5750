import { describe, it } from 'node:test';
import { startSharedJobs } from '../../../src/assembly/jobs.ts';
import { sampleOf } from '../../build/exposition.ts';
import { suiteServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';

describe('gatehouse_revocations_waiting (docs/operations.md)', () => {
  const server = suiteServer();

  it('counts the revocations that wait', async () => {
    const { store, clock, metrics } = server.services;
    // Not due yet: the job leaves it.
    const replayedAt = clock.now() + 3600;
    await store.addRevocation({ part: 'shop', grantId: 'a', replayedAt, event: undefined });
    const stop = startSharedJobs(server.services);
    const value = async () => sampleOf(await metrics.exposition(), 'gatehouse_revocations_waiting', {});
    await until('it is counted', async () => (await value()) === 1);
    await stop();
  });
});
