import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { onCitus } from './citus.ts';
import type { TestServer } from './test-server.ts';

/** Whether any transaction on any table was committed between two calls. */
export interface WriteWatch {
  written(): Promise<boolean>;
  close(): Promise<void>;
}

export async function watchWrites(server: TestServer): Promise<WriteWatch> {
  const { database } = server.services.config;
  // What requests before left to be written.
  await server.services.recorder.drain();
  await server.services.refusals.flush();
  const { look, close } =
    database.kind === 'sqlite'
      ? watchSqlite(database.path)
      : await (onCitus ? watchCitus : watchPostgres)(database.url);
  let last = await look();
  return {
    async written() {
      const before = last;
      last = await look();
      return last !== before;
    },
    close,
  };
}

interface Watch {
  look(): Promise<string>;
  close(): Promise<void>;
}

/** SQLite counts the commits of other connections for every connection that is open (PRAGMA data_version). */
function watchSqlite(path: string): Watch {
  const database = new DatabaseSync(path, { readOnly: true });
  return {
    look: async () => String(database.prepare('PRAGMA data_version').get()?.data_version),
    close: async () => database.close(),
  };
}

/** In PostgreSQL every row names the transaction that wrote it. */
async function watchPostgres(url: string): Promise<Watch> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  const parts = rows.map(({ tablename }) => `SELECT '${tablename}' AS name, xmin::text AS writer FROM ${tablename}`);
  const digest = `SELECT md5(string_agg(name || writer, ',' ORDER BY name, writer)) AS state FROM (${parts.join(' UNION ALL ')}) AS rows`;
  return {
    look: async () => (await client.query(digest)).rows[0].state ?? '',
    close: () => client.end(),
  };
}

/** Of a row on a worker the writer is not known: its contents must do. Citus plans no statement on tables of all kinds at once. */
async function watchCitus(url: string): Promise<Watch> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `SELECT relname AS table FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  const look = async () => {
    const states: string[] = [];
    for (const { table } of rows) {
      const digest = `SELECT md5(string_agg(cells::text, ',' ORDER BY cells::text)) AS state FROM ${table} AS cells`;
      states.push((await client.query(digest)).rows[0].state ?? '');
    }
    return states.join(' ');
  };
  return { look, close: () => client.end() };
}
