import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Maintained, pruneEvents, sealEvents } from '../events/maintain.ts';
import type { Services } from '../services.ts';

/** Small, so that a request never waits for long: the embedded store does nothing else meanwhile. */
const MAX_EVENTS_PER_BATCH = 200;
const MAX_BATCHES_PER_RUN = 200;
const DAY_SECONDS = 86_400;

type EventServices = Pick<Services, 'store' | 'ring' | 'clock' | 'log' | 'config'>;

/** Seals new events into the chain. Several machines may do so at once: one of them seals, the others find nothing. */
export async function sealNewEvents(services: EventServices, isStopped: () => boolean): Promise<void> {
  const hasUnsealed = async () => (await services.store.chainState()).unsealed !== undefined;
  if (!(await hasUnsealed())) return;
  await inBatches(services, isStopped, () => sealEvents(services, MAX_EVENTS_PER_BATCH));
}

/** Deletes events that are older than GATEHOUSE_EVENTS_RETENTION_DAYS. */
export async function pruneOldEvents(services: EventServices, isStopped: () => boolean): Promise<void> {
  const before = services.clock.now() - services.config.eventsRetentionDays * DAY_SECONDS;
  await inBatches(services, isStopped, () => pruneEvents(services, before, MAX_EVENTS_PER_BATCH));
}

async function inBatches(
  { log }: EventServices,
  isStopped: () => boolean,
  work: () => Promise<Maintained>,
): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES_PER_RUN && !isStopped(); batch++) {
    const outcome = await work();
    if (outcome.kind === 'broken') log.error('events.broken', { reason: outcome.reason });
    if (outcome.kind === 'broken' || outcome.count < MAX_EVENTS_PER_BATCH) return;
    await nextTurn();
  }
}
