import type { Store } from '../../store.ts';
import type { ClusterState } from '../store/contract.ts';
import type { Log } from './log.ts';

/** Whether load balancers may send requests to this process (GET /readyz). The endpoint is public, so a check must be cheap. */
export interface Readiness {
  /** The reason why not; undefined: ready. */
  unready(): Promise<Unready | undefined>;
  /** Which workers of a database cluster answer; undefined: the store is none. */
  cluster(): ClusterState | undefined;
  /** From now on the process is not ready. */
  drain(): void;
}

export type Unready = 'draining' | 'store_unavailable' | 'store_slow' | 'workers_unreachable';

const CHECK_TIMEOUT_MS = 2000;
/** Probes that arrive within this time after a check share its result. */
const RESULT_REUSED_MS = 250;

export function createReadiness(store: Pick<Store, 'check' | 'cluster'>, log: Log): Readiness {
  let draining = false;
  let currentCheck: Promise<Unready | undefined> | undefined;
  let lastOutcome: Unready | undefined;

  const check = async () => {
    const outcome = await checkStore(store, message => {
      if (lastOutcome === undefined) log.warn('store.unready', { message });
    });
    if (outcome === undefined && lastOutcome !== undefined) log.info('store.ready');
    lastOutcome = outcome;
    setTimeout(() => {
      currentCheck = undefined;
    }, RESULT_REUSED_MS).unref();
    return outcome;
  };

  return {
    unready: async () => {
      if (draining) return 'draining';
      currentCheck ??= check();
      const outcome = (await currentCheck) ?? unreadyCluster(store.cluster());
      return draining ? 'draining' : outcome;
    },
    cluster: () => store.cluster(),
    drain: () => {
      draining = true;
    },
  };
}

/**
 * Every node sees the same workers, so one that is not ready because of them is replaced by none: it is ready as long as at least half of
 * the applications are served.
 */
function unreadyCluster(cluster: ClusterState | undefined): Unready | undefined {
  if (!cluster) return undefined;
  const lost = cluster.workers.filter(({ isReachable }) => !isReachable);
  const unserved = lost.reduce((sum, { applications }) => sum + applications, 0);
  return 2 * unserved > cluster.applications ? 'workers_unreachable' : undefined;
}

/** The message of a failure goes to the log and not into the reply, which is public. */
async function checkStore(
  store: Pick<Store, 'check'>,
  onFailure: (message: string) => void,
): Promise<Unready | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>(resolve => {
    timer = setTimeout(resolve, CHECK_TIMEOUT_MS, 'late');
  });
  try {
    if ((await Promise.race([store.check(), late])) !== 'late') return undefined;
    onFailure(`the store did not answer within ${CHECK_TIMEOUT_MS} ms`);
    return 'store_slow';
  } catch (error) {
    onFailure((error as Error).message);
    return 'store_unavailable';
  } finally {
    clearTimeout(timer);
  }
}
