import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StartJob } from '../../platform/jobs/job.ts';
import type { Services } from '../../services.ts';
import { keyEvent } from './key-event.ts';
import { rotateDueKeys } from './rotation.ts';

/** Keys ahead, while applications wait for theirs. */
export const makeSpareKeys: StartJob = ({ signer }) => ({ run: () => signer.makeSpareKeys() });

/**
 * Handles one application per turn of the event loop. The embedded store is synchronous, so a loop over thousands of applications
 * would block all requests. It reads from the store and not through the cache, which would evict applications that are in use.
 */
export async function rotateAllKeys(services: Services, isStopped: () => boolean): Promise<void> {
  // Their first keys are made by `keys.pending`, which takes its time.
  const pending = new Set(await services.store.pendingKeys(Number.MAX_SAFE_INTEGER));
  for (const code of await services.store.applicationCodes()) {
    await nextTurn();
    if (isStopped()) return;
    if (pending.has(code)) continue;
    const application = await services.store.findApplication(code);
    if (application)
      await rotateDueKeys(services, application, key => ({ event: keyEvent(services, 'key.rotated', key) }));
  }
}
