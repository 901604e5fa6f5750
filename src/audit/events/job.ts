import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StartJob } from '../../platform/jobs/job.ts';
import type { Services } from '../../services.ts';
import { type Maintained, pruneEvents, sealEvents } from './maintain.ts';

/** Small, so that a request never waits for long: the embedded store does nothing else meanwhile. */
const MAX_EVENTS_PER_BATCH = 200;
const MAX_BATCHES_PER_RUN = 200;
const DAY_SECONDS = 86_400;

type EventServices = Pick<Services, 'store' | 'ring' | 'clock' | 'log' | 'config'>;

export interface EventJobs {
  /** Seals new events into the chain. Several machines may do so at once: one of them seals, the others find nothing. */
  seal(): Promise<void>;
  /** Deletes events that are older than GATEHOUSE_EVENTS_RETENTION_DAYS. */
  prune(): Promise<void>;
}

export function createEventJobs(services: EventServices, isStopped: () => boolean): EventJobs {
  const { store, clock, config } = services;
  const report = reportChanges(services);
  return {
    async seal() {
      if ((await store.chainState()).unsealed === undefined) return;
      await inBatches(isStopped, report, () => sealEvents(services, MAX_EVENTS_PER_BATCH));
    },
    async prune() {
      const before = clock.now() - config.eventsRetentionDays * DAY_SECONDS;
      await inBatches(isStopped, report, () => pruneEvents(services, before, MAX_EVENTS_PER_BATCH));
    },
  };
}

export const seal: StartJob = (services, { isStopped }) => ({ run: createEventJobs(services, isStopped).seal });
export const prune: StartJob = (services, { isStopped }) => ({ run: createEventJobs(services, isStopped).prune });

async function inBatches(
  isStopped: () => boolean,
  report: (outcome: Maintained) => void,
  work: () => Promise<Maintained>,
): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES_PER_RUN && !isStopped(); batch++) {
    const outcome = await work();
    report(outcome);
    if (outcome.kind === 'broken' || outcome.count < MAX_EVENTS_PER_BATCH) return;
    await nextTurn();
  }
}

/** A broken chain stays broken until an operator looks at it: each reason is logged once. */
function reportChanges({ log }: EventServices): (outcome: Maintained) => void {
  const reported = new Set<string>();
  return outcome => {
    if (outcome.kind !== 'broken' || reported.has(outcome.reason)) return;
    reported.add(outcome.reason);
    log.error('events.broken', { reason: outcome.reason });
  };
}
