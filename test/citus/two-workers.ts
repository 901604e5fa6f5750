import assert from 'node:assert/strict';
import { type CitusCluster, createCitusDatabase, setOnCitusDatabase, startCitus } from '../../scripts/citus.ts';
import type { PostgresServer } from '../../scripts/postgres.ts';
import { migratePostgres } from '../../src/assembly/store.postgres.ts';
import { postgresAddress } from '../build/citus.ts';
import { anApplication } from '../build/fixture.ts';
import { query } from '../faults/standby.ts';

/** A cluster of two workers, and two applications: one on each. */
export interface TwoWorkers {
  readonly url: string;
  readonly coordinator: PostgresServer;
  /** The worker that a test loses or freezes, and the one that stays. */
  readonly lost: PostgresServer;
  readonly healthy: PostgresServer;
  /** The application on the worker that is lost, and the one on the other. */
  readonly there: string;
  readonly here: string;
  query(sql: string): Promise<Record<string, unknown>[]>;
  remove(): Promise<void>;
}

const NAME = 'gatehouse';
const SHARDS = '4';

export async function startTwoWorkers(settings: Readonly<Record<string, string>> = {}): Promise<TwoWorkers> {
  const cluster = await startCitus({ settings: { fsync: 'off', ...settings } });
  const url = await createCitusDatabase(cluster.url, NAME);
  await setOnCitusDatabase(cluster.url, NAME, 'citus.shard_count', SHARDS);
  await migratePostgres(postgresAddress(url), { timeoutMs: 60_000 });
  const [lost, healthy] = cluster.workers as readonly [PostgresServer, PostgresServer];
  return {
    url,
    coordinator: cluster.coordinator,
    lost,
    healthy,
    there: await applicationOn(url, lost),
    here: await applicationOn(url, healthy),
    query: sql => query(url, sql),
    remove: () => removeAll(cluster),
  };
}

/** The first name that belongs on this worker. */
async function applicationOn(url: string, { port }: PostgresServer): Promise<string> {
  const names = Array.from({ length: 64 }, (_, index) => `shop${index}`);
  const [found] = await query(
    url,
    `SELECT name FROM unnest(ARRAY['${names.join("','")}']) AS name
     JOIN citus_shards ON shardid = get_shard_id_for_distribution_column('grants', name) WHERE nodeport = ${port} LIMIT 1`,
  );
  assert(found, 'a worker has no shard');
  return found.name as string;
}

/** A stopped process does not end by itself. */
async function removeAll(cluster: CitusCluster): Promise<void> {
  for (const server of [cluster.coordinator, ...cluster.workers]) server.signal('SIGCONT');
  await cluster.remove();
}

export function applicationsOf({ there, here }: TwoWorkers) {
  return [there, here].map(code => anApplication({ code, name: code }));
}
