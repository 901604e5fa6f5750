import type { Services } from '../services.ts';

const BATCH = 500;
const MAX_BATCHES = 200;

/** Deletes what has ended, in batches small enough that no request notices. */
export async function purgeExpired({ store, clock, log }: Pick<Services, 'store' | 'clock' | 'log'>): Promise<void> {
  let rows = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const { deleted, complete, postponed } = await store.purge(clock.now(), BATCH);
    rows += deleted;
    if (complete || deleted === 0) {
      if (postponed.length > 0) log.info('purge.postponed', { tables: postponed.join(' ') });
      break;
    }
  }
  if (rows > 0) log.debug('purge.done', { rows });
}
