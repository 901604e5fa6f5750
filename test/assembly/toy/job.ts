import type { Services } from '../../../src/services.ts';

export async function countGuests({ store, log }: Services): Promise<void> {
  log.info('guests.counted', { count: await store.countGuests() });
}
