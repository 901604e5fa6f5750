import { setImmediate as turn } from 'node:timers/promises';
import { rotateDueKeys } from '../keys/rotation.ts';
import type { Services } from '../services.ts';
import { deliverLogoutNotices } from './deliveries.ts';
import { purgeExpired } from './purge.ts';

const REFRESH_MS = 500;
const PURGE_MS = 60_000;
const DELIVERY_MS = 1000;
const KEYS_MS = 3_600_000;

/** What happens without a request. Answers a function that stops it. */
export function startJobs(services: Services): () => void {
  const stops = [startOwnJobs(services), startSharedJobs(services)];
  return () => {
    for (const stop of stops) stop();
  };
}

/** What every process does for itself. */
export function startOwnJobs(services: Services): () => void {
  const age = services.metrics.age({
    name: 'gatehouse_registry_refresh_age_seconds',
    help: 'Since the caches of applications, clients and keys last looked for news; the worst of the workers.',
    aggregation: 'max',
  });
  const refresh = job(services, 'registry.refresh', async () => {
    if (await services.registry.refresh()) services.signer.forget();
    age.reset();
  });
  services.store.onRegistryChange(refresh);
  const timer = every(REFRESH_MS, refresh);
  return () => clearInterval(timer);
}

/** What one process does for all on its machine. It does no harm when others do it too, as on several machines. */
export function startSharedJobs(services: Services): () => void {
  // Of many nodes one purges at a time: the store knows when the last of them was done.
  let lastPurge = services.clock.now();
  services.metrics.watch({
    name: 'gatehouse_purge_lag_seconds',
    help: 'Since everything that had ended was last deleted, by whichever node.',
    aggregation: 'min',
    read: () => Math.max(0, services.clock.now() - lastPurge),
  });
  const purge = job(services, 'purge', async () => {
    try {
      await purgeExpired(services);
    } finally {
      lastPurge = await services.store.lastCompletePurge();
    }
  });
  const deliver = job(services, 'deliveries', () => deliverLogoutNotices(services));
  let stopped = false;
  const rotate = job(services, 'keys', () => rotateAllKeys(services, () => stopped));
  const timers = [every(PURGE_MS, purge), every(DELIVERY_MS, deliver), every(KEYS_MS, rotate)];
  return () => {
    stopped = true;
    timers.forEach(clearInterval);
  };
}

/**
 * One application in a turn of the event loop: the embedded store answers at once, and all of many in one go would keep every
 * request waiting. Past the cache, which is for those that are used.
 */
async function rotateAllKeys(services: Services, isOver: () => boolean): Promise<void> {
  for (const code of await services.store.applicationCodes()) {
    await turn();
    if (isOver()) return;
    const application = await services.store.findApplication(code);
    if (application) await rotateDueKeys(services, application);
  }
}

/** One run at a time, and once more when it was asked for meanwhile; a fault is logged and the next run tries again. */
function job({ log }: Services, name: string, work: () => Promise<void>): () => void {
  let running = false;
  let asked = false;
  const run = async (): Promise<void> => {
    asked = running;
    if (running) return;
    running = true;
    try {
      await work();
    } catch (error) {
      log.warn('job.failed', { job: name, message: (error as Error).message });
    } finally {
      running = false;
    }
    if (asked) await run();
  };
  return () => void run();
}

function every(milliseconds: number, run: () => void): NodeJS.Timeout {
  run();
  return setInterval(run, milliseconds).unref();
}
