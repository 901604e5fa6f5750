import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { TestServer } from './test-server.ts';

/** SQL on the database of a server, past its store. */
export interface DirectSql {
  query(sql: string): Promise<Record<string, unknown>[]>;
}

export function directSql({ services }: TestServer): DirectSql {
  const { database } = services.config;
  return { query: sql => (database.kind === 'sqlite' ? onSqlite(database.path, sql) : onPostgres(database.url, sql)) };
}

async function onSqlite(path: string, sql: string): Promise<Record<string, unknown>[]> {
  const connection = new DatabaseSync(path, { timeout: 5000 });
  try {
    return connection.prepare(sql).all() as Record<string, unknown>[];
  } finally {
    connection.close();
  }
}

async function onPostgres(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
