import type { Services } from '../services.ts';

const BATCH = 500;
const MOST_BATCHES = 200;

/** Deletes what has ended, in batches small enough that no request notices. False: there is more to do. */
export async function purgeExpired({ store, clock, log }: Pick<Services, 'store' | 'clock' | 'log'>): Promise<boolean> {
  let total = 0;
  let gone = BATCH;
  for (let batch = 0; batch < MOST_BATCHES && gone >= BATCH; batch++) {
    gone = await store.purge(clock.now(), BATCH);
    total += gone;
  }
  if (total > 0) log.debug('purge.done', { rows: total });
  return gone < BATCH;
}
