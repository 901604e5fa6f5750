import { RESTORABLE_SECONDS } from '../../directory/applications/rules.ts';
import type { Services } from '../../services.ts';
import type { StartJob } from './job.ts';

const MAX_ROWS_PER_BATCH = 500;
const MAX_BATCHES_PER_RUN = 200;

/** Only one of many nodes purges at a time, so the time of the last complete purge is read from the store. */
export const purge: StartJob = services => {
  const { metrics, clock, store } = services;
  let lastPurge = clock.now();
  metrics.watch({
    name: 'gatehouse_purge_lag_seconds',
    help: 'Seconds since a node last completed a purge of expired rows.',
    aggregation: 'min',
    read: () => Math.max(0, clock.now() - lastPurge),
  });
  return {
    run: async () => {
      try {
        await purgeExpired(services);
      } finally {
        lastPurge = await store.lastCompletePurge();
      }
    },
  };
};

/** Deletes expired rows, in batches small enough not to delay requests. */
async function purgeExpired({ store, clock, log }: Pick<Services, 'store' | 'clock' | 'log'>): Promise<void> {
  let rows = 0;
  for (let batch = 0; batch < MAX_BATCHES_PER_RUN; batch++) {
    const { deleted, complete, postponed } = await store.purge(clock.now(), MAX_ROWS_PER_BATCH);
    rows += deleted;
    if (complete || deleted === 0) {
      if (postponed.length > 0) log.info('purge.postponed', { tables: postponed.join(' ') });
      break;
    }
  }
  if (rows > 0) log.debug('purge.done', { rows });
  for (const app of await store.removeDeletedApplications(clock.now() - RESTORABLE_SECONDS)) {
    log.info('application.removed', { app });
  }
}
