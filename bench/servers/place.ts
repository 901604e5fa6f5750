import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { createCitusDatabase, startCitus } from '../../scripts/citus.ts';
import { startPostgres } from '../../scripts/postgres.ts';
import { type DatabaseAddress, parseDatabaseAddress } from '../../src/platform/config/database-address.ts';
import type { Target, ValueFiles } from '../fixture.ts';
import type { StoreName } from '../options.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const GATEHOUSE = 'gatehouse';

export interface Started {
  readonly target: Target;
  /** From the start of the process to its first answer. */
  readonly milliseconds: number;
  readonly stop: () => Promise<void>;
}

/** Where servers keep their data: files in `folder`, and where there is a PostgreSQL, in databases of their own there. */
export interface Place {
  readonly folder: string;
  readonly postgres?: {
    readonly url: string;
    readonly pid: number;
    /** It is the coordinator of a Citus cluster with these workers. */
    readonly workerPids?: readonly number[];
  };
}

/** An empty one, on PostgreSQL with a server and an empty database for Gatehouse. */
export async function openPlace(
  store: StoreName,
  settings: Readonly<Record<string, string>> = {},
  binaries?: string,
): Promise<Place & { close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const postgres = store === 'postgres' ? await startPostgres({ settings, ...(binaries && { binaries }) }) : undefined;
  if (postgres) await createDatabase(postgres.url, GATEHOUSE);
  const close = async () => {
    await postgres?.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  return { folder, ...(postgres && { postgres }), close };
}

/** The same on a Citus cluster. */
export async function openCitusPlace(
  workers: number,
  shards: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<Place & { close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  const cluster = await startCitus({ workers, settings: { ...settings, 'citus.shard_count': String(shards) } });
  await createCitusDatabase(cluster.url, GATEHOUSE);
  const close = async () => {
    await cluster.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  const { url, coordinator } = cluster;
  return { folder, postgres: { url, pid: coordinator.pid, workerPids: cluster.workers.map(({ pid }) => pid) }, close };
}

/** An empty database, or a copy of another that has no connection; its address. */
export async function createDatabase(server: string, name: string, copyOf?: string): Promise<string> {
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}${copyOf === undefined ? '' : ` TEMPLATE ${copyOf}`}`);
  await client.end();
  return databaseUrl({ url: server }, name);
}

/** The address of a database of that name. */
export function databaseUrl(postgres: { readonly url: string }, name: string): string {
  return Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href;
}

/** The store of that name, as DATABASE_URL has it. */
export function storeUrl(place: Place, name: string): string {
  return place.postgres ? databaseUrl(place.postgres, name) : `sqlite:${join(place.folder, `${name}.db`)}`;
}

export function storeAddress(place: Place, name: string): DatabaseAddress {
  const address = parseDatabaseAddress(storeUrl(place, name));
  if (!address) throw new Error(`${storeUrl(place, name)} is no address of a store`);
  return address.kind === 'postgres' && place.postgres?.workerPids ? { ...address, citus: true } : address;
}

/** What load.ts needs to know of the database behind a server. */
export function databaseOf({ postgres }: Place, name: string): Pick<Target, 'database'> {
  if (!postgres) return {};
  const { pid, workerPids } = postgres;
  return { database: { pid, ...(workerPids && { workerPids }), url: databaseUrl(postgres, name) } };
}

export function valueFiles(folder: string, name: string): ValueFiles {
  const file = (kind: string) => join(folder, `${name}-${kind}.txt`);
  return {
    access: file('access'),
    refresh: file('refresh'),
    codes: file('codes'),
    sessions: file('sessions'),
    logouts: file('logouts'),
  };
}
