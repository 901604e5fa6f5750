import { RESTORABLE_SECONDS } from '../../directory/clients/rules.ts';
import type { Services } from '../../services.ts';

const MAX_ROWS_PER_BATCH = 500;
const MAX_BATCHES_PER_RUN = 200;

/** Deletes expired rows, in batches small enough not to delay requests. */
export async function purgeExpired({ store, clock, log }: Pick<Services, 'store' | 'clock' | 'log'>): Promise<void> {
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
