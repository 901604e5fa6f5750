import { citusServer, createCitusDatabase, joinServers } from '../../scripts/citus.ts';
import type { PostgresServer } from '../../scripts/postgres.ts';
import { type Pair, promote, query, startPair } from '../faults/standby.ts';

/** A Citus cluster in which each server has a synchronous standby: what was acknowledged is on two servers. */
export interface ReplicatedCluster {
  /** Both hosts of the coordinator, as DATABASE_URL names them. */
  readonly url: string;
  /** The coordinator that serves at present. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Kills the worker that has the rows of this application. */
  killWorkerOf(app: string): Promise<void>;
  /** Its standby takes its place, as the operator's fail-over manager does it. */
  promoteWorker(): Promise<void>;
  killCoordinator(): Promise<void>;
  promoteCoordinator(): Promise<void>;
  remove(): Promise<void>;
}

const SETTINGS = {
  // The default is a minute: so long a prepared transaction of a broken connection would hold its locks.
  'citus.recover_2pc_interval': '1s',
  // Servers are killed here, not machines: what they wrote is there.
  fsync: 'off',
};
const NAME = 'gatehouse';

export async function startReplicatedCluster(): Promise<ReplicatedCluster> {
  const start = () => startPair(citusServer(SETTINGS));
  const coordinator = await start();
  const workers = [await start(), await start()];
  await joinServers(
    coordinator.primary,
    workers.map(({ primary }) => primary),
  );
  await createCitusDatabase(coordinator.primary.url, NAME);
  let serving = coordinator.primary;
  let killed: Pair | undefined;
  const onServing = (sql: string) => query(databaseOf(serving), sql);
  return {
    url: coordinator.url(NAME),
    query: onServing,
    async killWorkerOf(app) {
      const [place] = await onServing(
        `SELECT nodeport FROM citus_shards WHERE shardid = get_shard_id_for_distribution_column('grants', '${app}')`,
      );
      killed = workers.find(({ primary }) => primary.port === place?.nodeport);
      if (killed === undefined) throw new Error(`no worker has the rows of ${app}`);
      await killed.primary.kill();
    },
    async promoteWorker() {
      if (killed === undefined) throw new Error('no worker was killed');
      const { primary, standby } = killed;
      await promote(standby);
      await onServing(
        `SELECT citus_update_node(nodeid, '127.0.0.1', ${standby.port}) FROM pg_dist_node WHERE nodeport = ${primary.port}`,
      );
    },
    killCoordinator: () => serving.kill(),
    async promoteCoordinator() {
      await promote(coordinator.standby);
      serving = coordinator.standby;
      await onServing(`SELECT citus_set_coordinator_host('127.0.0.1', ${serving.port})`);
    },
    async remove() {
      for (const server of [coordinator, ...workers].flatMap(({ primary, standby }) => [primary, standby])) {
        await server.kill();
        await server.remove();
      }
    },
  };
}

function databaseOf({ port }: PostgresServer): string {
  return `postgres://postgres@127.0.0.1:${port}/${NAME}`;
}
