import type { Store } from '../store/store.ts';
import type { Log } from './log.ts';

/** May this process be sent requests? Asked by load balancers, every few seconds, and by anybody who finds the address. */
export interface Readiness {
  /** Undefined: yes. */
  unready(): Promise<Unready | undefined>;
  /** From now on, no. */
  drain(): void;
}

export type Unready = 'draining' | 'store_unavailable' | 'store_slow';

const PATIENCE_MS = 2000;
/** Many probes within this time are one question to the store. */
const SHARED_MS = 250;

export function createReadiness(store: Pick<Store, 'check'>, log: Log): Readiness {
  let draining = false;
  let present: Promise<Unready | undefined> | undefined;
  let before: Unready | undefined;

  const ask = async () => {
    const outcome = await verdict(store, message => {
      if (before === undefined) log.warn('store.unready', { message });
    });
    if (outcome === undefined && before !== undefined) log.info('store.ready');
    before = outcome;
    setTimeout(() => {
      present = undefined;
    }, SHARED_MS).unref();
    return outcome;
  };

  return {
    unready: async () => {
      if (draining) return 'draining';
      present ??= ask();
      const outcome = await present;
      return draining ? 'draining' : outcome;
    },
    drain: () => {
      draining = true;
    },
  };
}

/** Why not goes to the log, where only the operator reads it. */
async function verdict(store: Pick<Store, 'check'>, why: (message: string) => void): Promise<Unready | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>(resolve => {
    timer = setTimeout(resolve, PATIENCE_MS, 'late');
  });
  try {
    if ((await Promise.race([store.check(), late])) !== 'late') return undefined;
    why(`the store did not answer within ${PATIENCE_MS} ms`);
    return 'store_slow';
  } catch (error) {
    why((error as Error).message);
    return 'store_unavailable';
  } finally {
    clearTimeout(timer);
  }
}
