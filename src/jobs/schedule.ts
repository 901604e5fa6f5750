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
  const timers = [
    every(services, 'registry.refresh', REFRESH_MS, async () => {
      if (await services.registry.refresh()) services.signer.forget();
    }),
    every(services, 'purge', PURGE_MS, () => purgeExpired(services)),
    every(services, 'deliveries', DELIVERY_MS, () => deliverLogoutNotices(services)),
    every(services, 'keys', KEYS_MS, () => rotateAllKeys(services)),
  ];
  return () => timers.forEach(clearInterval);
}

async function rotateAllKeys(services: Services): Promise<void> {
  for (const code of await services.store.applicationCodes()) {
    const application = await services.registry.application(code);
    if (application) await rotateDueKeys(services, application);
  }
}

/** One run at a time; a fault is logged and the next run tries again. */
function every({ log }: Services, name: string, milliseconds: number, job: () => Promise<void>): NodeJS.Timeout {
  let running = false;
  const run = async () => {
    if (running) return;
    running = true;
    try {
      await job();
    } catch (error) {
      log.warn('job.failed', { job: name, message: (error as Error).message });
    } finally {
      running = false;
    }
  };
  void run();
  return setInterval(run, milliseconds).unref();
}
