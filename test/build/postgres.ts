import { hash, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { type PostgresServer, startPostgres } from '../../scripts/postgres.ts';
import { DEFAULT_TIMEOUT_MS } from '../../src/store/database-timeouts.ts';
import type { PostgresAddress } from '../../src/store/postgres/connection/database-hosts.ts';
import { migratePostgres } from '../../src/store/postgres/postgres-store.ts';
import { migrations } from '../../src/store/postgres/schema/migrations.ts';

/** A database of its own on a real server: the one of TEST_DATABASE_URL, which `npm test` sets, or one for this process. */
export interface TestDatabase {
  readonly url: string;
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  drop(): Promise<void>;
}

let own: Promise<PostgresServer> | undefined;

async function serverUrl(): Promise<string> {
  if (process.env.TEST_DATABASE_URL) return process.env.TEST_DATABASE_URL;
  own ??= startPostgres({ settings: { fsync: 'off', max_connections: '200' } });
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

async function create(server: string, like = 'template1'): Promise<TestDatabase> {
  const name = `gatehouse_${randomBytes(8).toString('hex')}`;
  await runOn(server, `CREATE DATABASE ${name} TEMPLATE ${like}`);
  const url = databaseUrl(server, name);
  return {
    url,
    query: (sql, values) => runOn(url, sql, values),
    drop: async () => {
      await runOn(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/**
 * The settings by which a server finds this database. `npm run test:pgbouncer` sets TEST_PGBOUNCER_URL, a pooler in front of
 * the server of TEST_DATABASE_URL: requests then go through it, whichever of the two addresses the test has.
 */
export function databaseSettings(url: string): { DATABASE_URL: string; DATABASE_LISTEN_URL?: string } {
  const { TEST_PGBOUNCER_URL: pooler, TEST_DATABASE_URL: server } = process.env;
  if (!pooler || !server || ![pooler, server].some(known => new URL(known).host === hostOf(url))) {
    return { DATABASE_URL: url };
  }
  const { pathname } = new URL(url);
  return {
    DATABASE_URL: Object.assign(new URL(pooler), { pathname }).href,
    DATABASE_LISTEN_URL: Object.assign(new URL(server), { pathname }).href,
  };
}

/** Empty for a list of hosts, and for a file of SQLite. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}

/** The same as an address of the store. */
export function storeAddress(url: string, roleTimeoutMs = DEFAULT_TIMEOUT_MS): PostgresAddress {
  const { DATABASE_URL, DATABASE_LISTEN_URL: direct } = databaseSettings(url);
  return { hosts: [DATABASE_URL], ...(direct !== undefined && { direct: { hosts: [direct], roleTimeoutMs } }) };
}

function databaseUrl(server: string, name: string): string {
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}

/** Any number: the lock of the database that has the template made. */
const TEMPLATE_LOCK = 7_130_244;

/** The first of all processes makes it: a copy takes half the time of the migrations. */
async function template(server: string): Promise<string> {
  const name = `gatehouse_template_${hash('sha256', JSON.stringify(migrations)).slice(0, 16)}`;
  const client = await connect(server);
  try {
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rows } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rows.length === 0) await makeTemplate(client, server, name);
  } finally {
    await client.end();
  }
  return name;
}

/** It gets its name when it is complete. */
async function makeTemplate(client: Client, server: string, name: string): Promise<void> {
  const draft = `${name}_draft`;
  await client.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${draft}`);
  await migratePostgres({ hosts: [databaseUrl(server, draft)] }, { timeoutMs: 60_000 });
  await client.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
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
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}
