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
  const refresh = job(services, 'registry.refresh', async () => {
    if (await services.registry.refresh()) services.signer.forget();
  });
  services.store.onRegistryChange(refresh);
  const timers = [
    every(REFRESH_MS, refresh),
    every(
      PURGE_MS,
      job(services, 'purge', () => purgeExpired(services)),
    ),
    every(
      DELIVERY_MS,
      job(services, 'deliveries', () => deliverLogoutNotices(services)),
    ),
    every(
      KEYS_MS,
      job(services, 'keys', () => rotateAllKeys(services)),
    ),
  ];
  return () => timers.forEach(clearInterval);
}

async function rotateAllKeys(services: Services): Promise<void> {
  for (const code of await services.store.applicationCodes()) {
    const application = await services.registry.application(code);
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
