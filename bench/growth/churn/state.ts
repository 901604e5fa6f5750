import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { DatabaseAddress } from '../../../src/config.ts';
import { tables } from '../../../src/store/transfer.ts';

/** What has come of a store. */
export interface State {
  readonly rows: Readonly<Record<string, number>>;
  /** On the disk. */
  readonly megabytes: number;
}

/** Those that only an operator fills stay what they are. */
const counted = tables
  .map(({ name }) => name)
  .filter(name => !/^(applications|clients|client_origins|signing_keys|users|login_names)$/.test(name));

export function stateOf(address: DatabaseAddress): State | Promise<State> {
  return address.kind === 'sqlite' ? stateOfFile(address.path) : stateOfDatabase(address.url);
}

function stateOfFile(path: string): State {
  const db = new DatabaseSync(path, { readOnly: true });
  const rows = counted.map(name => [name, Number(db.prepare(`SELECT count(*) AS n FROM ${name}`).get()?.n)]);
  db.close();
  const bytes = [path, `${path}-wal`].reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0);
  return { rows: Object.fromEntries(rows), megabytes: bytes / 2 ** 20 };
}

async function stateOfDatabase(url: string): Promise<State> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const ask = async (query: string) => Number((await client.query(query)).rows[0].n);
  const rows: [string, number][] = [];
  for (const name of counted) rows.push([name, await ask(`SELECT count(*) AS n FROM ${name}`)]);
  const bytes = await ask('SELECT pg_database_size(current_database()) AS n');
  await client.end();
  return { rows: Object.fromEntries(rows), megabytes: bytes / 2 ** 20 };
}
