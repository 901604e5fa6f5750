import type { Services } from '../../../src/services.ts';
import { coldGuests } from './queries.ts';

export async function countGuests({ store, log }: Services): Promise<void> {
  log.info('guests.counted', { count: (await coldGuests(store.cold).names()).length });
}
