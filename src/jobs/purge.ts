import type { Services } from '../services.ts';

const BATCH = 500;
const MOST_BATCHES = 200;

/** Deletes what has ended, in batches small enough that no request notices. */
export async function purgeExpired({ store, clock, log }: Pick<Services, 'store' | 'clock' | 'log'>): Promise<void> {
  let total = 0;
  for (let batch = 0; batch < MOST_BATCHES; batch++) {
    const gone = await store.purge(clock.now(), BATCH);
    total += gone;
    if (gone < BATCH) break;
  }
  if (total > 0) log.debug('purge.done', { rows: total });
}
