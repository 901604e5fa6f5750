/**
 * A real Citus cluster on loopback for tests and measurements: a coordinator and workers, each a PostgreSQL server with the
 * extension. `npm run citus -- 2` starts one with two workers, prints the address of its coordinator and runs until it is interrupted.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { type PostgresServer, type PostgresSettings, startPostgres } from './postgres.ts';

export type Citus =
  | { readonly kind: 'found'; readonly binaries: string }
  | { readonly kind: 'missing'; readonly advice: string };

export interface CitusSettings {
  readonly workers?: number;
  /** Settings of postgresql.conf, for every server. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly isInMemory?: boolean;
}

export interface CitusCluster {
  /** The database `postgres` of the coordinator. It has the extension and knows the workers. */
  readonly url: string;
  readonly coordinator: PostgresServer;
  readonly workers: readonly PostgresServer[];
  remove(): Promise<void>;
}

/** One server of a cluster, as pg_dist_node names it. */
interface ClusterNode {
  readonly host: string;
  readonly port: number;
}

const MAX_CONNECTIONS = 1000;
const TERMINATION_MS = 20_000;
const CITUS_SETTINGS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_connections: String(MAX_CONNECTIONS),
  // A transaction on several workers is a prepared transaction on each; Citus asks for twice the connections.
  max_prepared_transactions: String(2 * MAX_CONNECTIONS),
  // Citus has a background worker in each database, and each test file has a database.
  max_worker_processes: '128',
  'citus.local_hostname': '127.0.0.1',
  'citus.node_conninfo': 'sslmode=prefer',
  'citus.enable_statistics_collection': 'off',
} as const;

export const CITUS_ADVICE =
  'Citus is missing. It needs PostgreSQL 15 with the extension citus 13.2: the folder of its programs in CITUS_BINARIES, or ' +
  'installed in /usr/lib/postgresql/15. Where there is no package, `npm run citus:build -- FOLDER` builds it from the ' +
  'public source of Citus v13.2 in FOLDER.';

/** The folder with the programs of a PostgreSQL that has the extension: CITUS_BINARIES, or the newest that is installed. */
export function findCitus(): Citus {
  const chosen = process.env.CITUS_BINARIES;
  const candidates = chosen ? [chosen] : globSync('/usr/lib/postgresql/*/bin').sort().reverse();
  const binaries = candidates.find(hasCitus);
  return binaries === undefined ? { kind: 'missing', advice: CITUS_ADVICE } : { kind: 'found', binaries };
}

function hasCitus(binaries: string): boolean {
  const config = join(binaries, 'pg_config');
  // Without the development package there is no pg_config, and the libraries lie beside the programs.
  const asked = existsSync(config) ? spawnSync(config, ['--pkglibdir'], { encoding: 'utf8' }).stdout.trim() : undefined;
  return existsSync(join(asked ?? join(dirname(binaries), 'lib'), 'citus.so'));
}

/** How a server of a cluster is started. */
export function citusServer(settings: Readonly<Record<string, string>> = {}): PostgresSettings {
  const citus = findCitus();
  if (citus.kind === 'missing') throw new Error(citus.advice);
  return { binaries: citus.binaries, settings: { ...CITUS_SETTINGS, ...settings } };
}

export async function startCitus(options: CitusSettings = {}): Promise<CitusCluster> {
  const { workers = 2, settings = {}, isInMemory = false } = options;
  const start = () => startPostgres({ ...citusServer(settings), isInMemory });
  const coordinator = await start();
  const others: PostgresServer[] = [];
  for (let count = 0; count < workers; count++) others.push(await start());
  await joinServers(coordinator, others);
  return {
    url: coordinator.url,
    coordinator,
    workers: others,
    remove: async () => {
      await Promise.all([coordinator, ...others].map(server => server.remove()));
    },
  };
}

/** Makes a cluster of running servers, in their databases `postgres`. */
export function joinServers(coordinator: PostgresServer, workers: readonly PostgresServer[]): Promise<void> {
  return joinNodes(
    coordinator.url,
    workers.map(({ port }) => ({ host: '127.0.0.1', port })),
  );
}

/** Makes a database of this name on every server of the cluster, with the extension and the same workers. */
export async function createCitusDatabase(cluster: string, name: string): Promise<string> {
  const workers = await workersOf(cluster);
  await onEvery(cluster, workers, `CREATE DATABASE ${name}`);
  const url = databaseUrl(cluster, name);
  await joinNodes(url, workers);
  return url;
}

/** A copy of a database on every server. Nobody may be connected to it, not even the maintenance daemon of Citus. */
export async function copyCitusDatabase(cluster: string, from: string, name: string): Promise<void> {
  await onEvery(cluster, await workersOf(cluster), `CREATE DATABASE ${name} TEMPLATE ${from}`);
}

/** For the sessions that begin after it, on the coordinator: it makes the shards. */
export async function setOnCitusDatabase(cluster: string, name: string, setting: string, value: string): Promise<void> {
  await runOn(cluster, client => client.query(`ALTER DATABASE ${name} SET ${setting} = '${value}'`));
}

/** Ends the connections to it first, also that of the maintenance daemon, which the next connection starts again. */
export async function renameCitusDatabase(cluster: string, name: string, to: string): Promise<void> {
  const workers = await workersOf(cluster);
  const connected = `SELECT pg_terminate_backend(pid, ${TERMINATION_MS}) FROM pg_stat_activity WHERE datname = '${name}'`;
  await onEvery(cluster, workers, connected);
  await onEvery(cluster, workers, `ALTER DATABASE ${name} RENAME TO ${to}`);
}

export async function dropCitusDatabase(cluster: string, name: string): Promise<void> {
  await onEvery(cluster, await workersOf(cluster), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

/** The extension on each server first: the coordinator copies its metadata to a worker that is added. */
async function joinNodes(coordinator: string, workers: readonly ClusterNode[]): Promise<void> {
  await onEvery(coordinator, workers, 'CREATE EXTENSION IF NOT EXISTS citus');
  const { hostname, port } = new URL(coordinator);
  await runOn(coordinator, async client => {
    await client.query('SELECT citus_set_coordinator_host($1, $2)', [hostname, Number(port)]);
    for (const worker of workers) await client.query('SELECT citus_add_node($1, $2)', [worker.host, worker.port]);
  });
}

/** On the coordinator, or on any server of the cluster. */
export async function workersOf(cluster: string): Promise<ClusterNode[]> {
  const sql = 'SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid <> 0 ORDER BY nodeid';
  return runOn(cluster, async client => (await client.query<{ host: string; port: number }>(sql)).rows);
}

async function onEvery(coordinator: string, workers: readonly ClusterNode[], sql: string): Promise<void> {
  const urls = [coordinator, ...workers.map(worker => nodeUrl(coordinator, worker))];
  await Promise.all(urls.map(url => runOn(url, client => client.query(sql))));
}

function nodeUrl(coordinator: string, { host, port }: ClusterNode): string {
  return Object.assign(new URL(coordinator), { hostname: host, port: String(port) }).href;
}

function databaseUrl(server: string, name: string): string {
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

async function runOn<T>(url: string, act: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

if (import.meta.main) {
  const cluster = await startCitus({ workers: Number(process.argv[2] ?? 2), settings: { fsync: 'off' } });
  process.stdout.write(`${cluster.url}\n`);
  const alive = setInterval(() => {}, 60_000);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, async () => {
      clearInterval(alive);
      await cluster.remove();
    });
}
