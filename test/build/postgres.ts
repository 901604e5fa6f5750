import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { type PostgresServer, startPostgres } from '../../scripts/postgres.ts';

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
  const server = on ?? (await serverUrl());
  const name = `gatehouse_${randomBytes(8).toString('hex')}`;
  await runOn(server, `CREATE DATABASE ${name}`);
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
  return {
    url,
    query: (sql, values) => runOn(url, sql, values),
    drop: async () => {
      await runOn(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** When the last test that used it is done. */
export async function stopOwnServer(): Promise<void> {
  await (await own)?.remove();
  own = undefined;
}

async function runOn(url: string, sql: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}
