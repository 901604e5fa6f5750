import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { confirmMode, distribute } from '../citus/distribute.citus.ts';
import type { WaitsFor } from '../database-timeouts.ts';
import { StoreUnavailable, StoreUnusable } from '../faults.ts';
import { CREATED, OLDEST_NUMBER, readSchema, whyRefused } from '../schema/number.ts';
import type { StoreTables } from '../table.ts';
import type { DatabaseHosts } from './database-hosts.ts';
import { sqlState, wasUndone } from './faults.ts';
import { end } from './hosts.ts';
import { type Migration, SCHEMA_NUMBER } from './migrations.ts';
import { checkPooler, refuseTransactionPooler } from './pooler.ts';
import { setRoleSettings } from './role-settings.ts';

/** "gate" as a number: the advisory lock under which one node at a time looks at and changes the schema. */
const LOCK = 0x67617465;

/** How often a node checks whether another node has finished its migrations. */
const POLL_MS = 100;

/** How long a migration waits for a table that another transaction uses. New requests queue behind it meanwhile. */
const LOCK_TIMEOUT_MS = 250;
const RETRY_MS = 500;
const LOCKED_TABLE_MS = 60_000;
/** SQLSTATE: another transaction held the lock for longer than LOCK_TIMEOUT_MS, or there was a deadlock with one. */
const IN_THE_WAY = ['55P03', '40P01'];

/**
 * Of nodes that start at the same time, the first migrates and the others find it done. Returns what it ran.
 * Behind a pooler by transaction, this is done past it, and the role gets the settings of requests.
 */
export async function migrate(
  found: DatabaseHosts,
  migrations: readonly Migration[],
  tables: StoreTables,
  waitsFor: WaitsFor = () => {},
): Promise<string[]> {
  const { hosts, direct } = found;
  waitsFor('it has not answered yet');
  await refuseTransactionPooler(direct, direct === hosts ? 'DATABASE_URL' : 'DATABASE_LISTEN_URL');
  const ran = await migrateOn(found, migrations, tables, waitsFor);
  if (direct !== hosts) await checkPooler(hosts, direct);
  return ran;
}

async function migrateOn(
  { direct, roleTimeoutMs, isCitus }: DatabaseHosts,
  migrations: readonly Migration[],
  tables: StoreTables,
  waitsFor: WaitsFor,
): Promise<string[]> {
  const client = await direct.connectForMaintenance();
  waitsFor(undefined);
  try {
    await confirmMode(client, isCitus);
    await takeTurn(client, waitsFor);
    waitsFor(undefined);
    const ran = await runMissing(client, migrations);
    ran.push(...(await createFurther(client, tables)));
    if (isCitus) ran.push(...(await distribute(client, tables.placements)));
    if (roleTimeoutMs !== undefined) await setRoleSettings(client, roleTimeoutMs);
    return ran;
  } finally {
    // Ends the connection and with it the lock.
    await end(client);
  }
}

/** Polls. CREATE INDEX CONCURRENTLY waits for every running statement, so a node that waited in one would block it. */
async function takeTurn(client: Client, waitsFor: WaitsFor): Promise<void> {
  while (true) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS mine', [LOCK]);
    if (rows[0].mine) return;
    waitsFor('another node is changing its schema');
    await pause(POLL_MS);
  }
}

async function runMissing(client: Client, migrations: readonly Migration[]): Promise<string[]> {
  const found = await schemaNumber(client);
  const isEmpty = found === 0;
  const number = isEmpty ? SCHEMA_NUMBER : found;
  const refusal = whyRefused(number, migrations);
  if (refusal !== undefined) throw new StoreUnusable(`the schema of the database ${refusal}`);
  const created: Migration[] = isEmpty ? [{ name: CREATED, sql: readSchema('postgres') }] : [];
  const missing = [...created, ...migrations.slice(number - OLDEST_NUMBER)];
  for (const [index, migration] of missing.entries()) {
    try {
      await run(client, migration, number - created.length + index + 1);
    } catch (error) {
      // The statement is at fault, or only the connection.
      const Fault = wasUndone(error) ? StoreUnusable : StoreUnavailable;
      throw new Fault(`migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
    }
  }
  return missing.map(({ name }) => name);
}

/** The tables of capabilities that the file of the schema does not have. */
async function createFurther(client: Client, { further }: StoreTables): Promise<string[]> {
  const created: string[] = [];
  for (const { name, create } of further) {
    const { rows } = await client.query('SELECT to_regclass($1) IS NULL AS missing', [name]);
    if (!rows[0].missing) continue;
    await client.query(create.postgres);
    created.push(name);
  }
  return created;
}

async function run(client: Client, migration: Migration, number: number): Promise<void> {
  if ('sql' in migration) return inTransaction(client, migration.sql, migration.name, number);
  await makeIndex(client, migration.index, migration.on);
  await inTransaction(client, '', migration.name, number);
}

/** Tries again, up to LOCKED_TABLE_MS, while another transaction holds the lock on a table. */
async function inTransaction(client: Client, sql: string, name: string, number: number): Promise<void> {
  const deadline = performance.now() + LOCKED_TABLE_MS;
  while (true) {
    try {
      await client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await client.query(sql);
      await client.query('INSERT INTO schema_migrations (number, name) VALUES ($1, $2)', [number, name]);
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK');
      if (!IN_THE_WAY.includes(sqlState(error) ?? '') || performance.now() > deadline) throw error;
    }
    await pause(RETRY_MS);
  }
}

/** Replaces an index that is invalid because its node died while building it. */
async function makeIndex(client: Client, name: string, on: string): Promise<void> {
  // No request waits behind these locks, so they need no timeout.
  await client.query('SET lock_timeout = 0');
  const { rows } = await client.query('SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)', [name]);
  if (rows[0]?.indisvalid) return;
  if (rows.length > 0) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
  await client.query(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
}

/** Of the last migration that the database has; 0: it is empty. */
export async function schemaNumber(client: Pick<Client, 'query'>): Promise<number> {
  // Only there: another program on the search path may have a table of this name.
  const { rows: tables } = await client.query(
    "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_migrations'",
  );
  if (tables.length === 0) return 0;
  const { rows } = await client.query('SELECT coalesce(max(number), 0) AS number FROM schema_migrations');
  return rows[0].number;
}
