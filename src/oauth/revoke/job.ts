import { StoreUnavailable } from '../../platform/store/faults.ts';
import type { Services } from '../../services.ts';
import type { WaitingRevocation } from './store.ts';

const MAX_CONCURRENT = 50;
const MAX_BATCHES_PER_RUN = 20;
/** When a revocation that failed is tried again, by any node. */
const RETRY_SECONDS = 5;

type RevocationServices = Pick<Services, 'store' | 'clock' | 'log'>;

/** Repeats revocations that failed where a replay was seen. A node that dies in between leaves them to the others. */
export async function finishRevocations(services: RevocationServices, isStopped: () => boolean): Promise<void> {
  const { store, clock } = services;
  for (let batch = 0; batch < MAX_BATCHES_PER_RUN && !isStopped(); batch++) {
    const now = clock.now();
    const taken = await store.takeRevocations(now, now + RETRY_SECONDS, MAX_CONCURRENT);
    await Promise.all(taken.map(each => finish(services, each)));
    if (taken.length < MAX_CONCURRENT) return;
  }
}

/** Logged at its first failure and at its end: `gatehouse_revocations_waiting` tells of what is in between. */
async function finish({ store, log }: RevocationServices, waiting: WaitingRevocation): Promise<void> {
  const { app, grantId: grant, attempts } = waiting;
  try {
    await store.finishRevocation(waiting);
    log.info('revocation.finished', { app, grant, attempts });
  } catch (error) {
    const { message } = error as Error;
    if (!(error instanceof StoreUnavailable)) log.error('revocation.fault', { app, grant, attempts, message });
    else if (attempts === 1) log.warn('revocation.postponed', { app, grant, message });
  }
}
