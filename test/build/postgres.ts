import { hash, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { type PostgresServer, startPostgres } from '../../scripts/postgres.ts';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import type { PostgresAddress } from '../../src/platform/store/postgres/database-hosts.ts';
import { migrations } from '../../src/platform/store/postgres/migrations.ts';
import { readSchema } from '../../src/platform/store/schema/number.ts';
import { citusDatabases, citusSchema, onCitus, postgresAddress } from './citus.ts';

/** A database of its own on a real server: the one of TEST_DATABASE_URL, which `npm test` sets, or one for this process. */
export interface TestDatabase {
  readonly url: string;
  /** As a store opens it. */
  readonly address: PostgresAddress;
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  drop(): Promise<void>;
}

let own: Promise<PostgresServer> | undefined;

async function serverUrl(): Promise<string> {
  if (process.env.TEST_DATABASE_URL) return process.env.TEST_DATABASE_URL;
  own ??= startPostgres({ settings: { fsync: 'off', max_connections: '400' } });
  return (await own).url;
}

export async function createDatabase(on?: string): Promise<TestDatabase> {
  return create(on ?? (await serverUrl()));
}

/** With the tables, and nothing in them: for the many tests that are not about the start on an empty database. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  const server = await serverUrl();
  return create(server, await template(server));
}

async function create(server: string, like?: string): Promise<TestDatabase> {
  const name = `gatehouse_${randomBytes(8).toString('hex')}`;
  await (like === undefined ? databases.create(server, name) : databases.copy(server, like, name));
  const url = databaseUrl(server, name);
  return {
    url,
    address: postgresAddress(url),
    query: (sql, values) => runOn(url, sql, values),
    drop: () => databases.drop(server, name),
  };
}

/** What is done on one server, or on each server of a Citus cluster. */
const databases: typeof citusDatabases = onCitus
  ? citusDatabases
  : {
      create: (server, name) => act(server, `CREATE DATABASE ${name}`),
      copy: (server, from, name) => act(server, `CREATE DATABASE ${name} TEMPLATE ${from}`),
      drop: (server, name) => act(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
      rename: (server, name, to) => act(server, `ALTER DATABASE ${name} RENAME TO ${to}`),
    };

async function act(server: string, sql: string): Promise<void> {
  await runOn(server, sql);
}

function databaseUrl(server: string, name: string): string {
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

/** Any number: the lock of the database that has the template made. */
const TEMPLATE_LOCK = 7_130_244;

/** The first of all processes makes it: a copy takes less time than creating the schema. */
async function template(server: string): Promise<string> {
  const name = `gatehouse_template_${hash('sha256', JSON.stringify([readSchema('postgres'), migrations, citusSchema])).slice(0, 16)}`;
  const client = await connect(server);
  try {
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rows } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rows.length === 0) await makeTemplate(server, name);
  } finally {
    await client.end();
  }
  return name;
}

/** It gets its name when it is complete. */
async function makeTemplate(server: string, name: string): Promise<void> {
  const draft = `${name}_draft`;
  await databases.drop(server, draft);
  await databases.create(server, draft);
  // Opened once, so that it has the partitions of these days too.
  await (await openPostgresStore(postgresAddress(databaseUrl(server, draft)), { timeoutMs: 60_000 })).close();
  await databases.rename(server, draft, name);
}

/** When the last test that used it is done. */
export async function stopOwnServer(): Promise<void> {
  await (await own)?.remove();
  own = undefined;
}

async function runOn(url: string, sql: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
  const client = await connect(url);
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<Client> {
  // The role may have the timeouts of Gatehouse (test:pgbouncer), which are not for the questions of a test.
  const client = new Client({ connectionString: url, options: '-c statement_timeout=0' });
  client.on('error', () => {});
  await client.connect();
  return client;
}
