import type { Store } from '../../store.ts';
import type { Metrics } from './instruments.ts';
import type { Log } from './log.ts';

const LOOK_MS = 1000;

/** Where the store is a cluster: says when one of its workers is lost, or back. The store itself looks (platform/store/citus/worker-pools.ts). */
export function watchCluster(store: Pick<Store, 'cluster'>, log: Log, metrics: Metrics): void {
  if (!store.cluster()) return;
  const lost = () => store.cluster()?.workers.filter(({ isReachable }) => !isReachable) ?? [];
  let known = new Map<number, string>();
  const look = () => {
    const now = new Map(lost().map(({ id, address }) => [id, address]));
    for (const { id, address, applications } of lost())
      if (!known.has(id)) log.warn('store.worker_lost', { worker: address, applications });
    for (const [id, address] of known) if (!now.has(id)) log.info('store.worker_back', { worker: address });
    known = now;
  };
  look();
  setInterval(look, LOOK_MS).unref();
  metrics.watch({
    name: 'gatehouse_database_workers_lost',
    help: 'Workers of the database cluster that do not answer.',
    aggregation: 'max',
    read: () => lost().length,
  });
}
