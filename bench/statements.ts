import { Client } from 'pg';

/** How often PostgreSQL ran a statement for a database, from pg_stat_statements, which counts at once. */
const SETTINGS = { shared_preload_libraries: 'pg_stat_statements' } as const;
export const postgresSettings = { ...SETTINGS, max_connections: '200' };

const COUNT = `SELECT coalesce(sum(calls), 0)::float8 AS calls FROM pg_stat_statements
  WHERE dbid = (SELECT oid FROM pg_database WHERE datname = $1) AND query NOT IN ('BEGIN', 'COMMIT', 'ROLLBACK')`;

const watching = new Map<string, Promise<Client>>();

/** Asked through a database of its own, so that asking is not counted. */
export async function countStatements(url: string): Promise<number> {
  const database = new URL(url).pathname.slice(1);
  const server = Object.assign(new URL(url), { pathname: '/postgres' }).href;
  const client = watching.get(server) ?? watch(server);
  watching.set(server, client);
  const { rows } = await (await client).query(COUNT, [database]);
  return rows[0].calls;
}

async function watch(server: string): Promise<Client> {
  const client = new Client({ connectionString: server });
  client.on('error', () => {});
  await client.connect();
  await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  return client;
}

export async function endStatements(): Promise<void> {
  for (const client of watching.values()) await (await client).end();
  watching.clear();
}
