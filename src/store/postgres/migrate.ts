import type { Client } from 'pg';
import { StoreUnavailable } from '../store.ts';
import { end, type Hosts } from './hosts.ts';
import type { Migration } from './migrations.ts';

/** "gate" as a number: the advisory lock under which one node at a time looks at and changes the schema. */
const LOCK = 0x67617465;

/** Nodes that start together take turns: the first migrates, the others find it done. */
export async function migrate(hosts: Hosts, migrations: readonly Migration[]): Promise<void> {
  const client = await hosts.connectForMaintenance();
  try {
    // Waits for as long as another node needs for its migrations.
    await client.query('SET lock_timeout = 0');
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    await client.query('SET lock_timeout = 2000');
    await runMissing(client, migrations);
  } finally {
    // Ends the connection and with it the lock.
    await end(client);
  }
}

async function runMissing(client: Client, migrations: readonly Migration[]): Promise<void> {
  await client.query(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
       number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
  );
  const done = await schemaNumber(client);
  refuseNewer(done, migrations.length);
  for (const [index, { name, sql }] of migrations.entries()) {
    if (index < done) continue;
    await client.query('BEGIN');
    await client.query(sql);
    await client.query('INSERT INTO schema_migrations (number, name) VALUES ($1, $2)', [index + 1, name]);
    await client.query('COMMIT');
  }
}

async function schemaNumber(client: Client): Promise<number> {
  const { rows } = await client.query('SELECT coalesce(max(number), 0) AS number FROM schema_migrations');
  return rows[0].number;
}

export function refuseNewer(done: number, known: number): void {
  if (done > known) {
    throw new StoreUnavailable(
      `the schema of the database is number ${done}, this release knows ${known}: use a newer release`,
    );
  }
}
