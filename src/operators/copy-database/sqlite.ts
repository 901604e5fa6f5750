import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { consentWithdrawn } from '../../oauth/authorization-code/revoke.sqlite.ts';
import { OPEN_TIMEOUT_MS } from '../../platform/store/database-timeouts.ts';
import { connect } from '../../platform/store/sqlite/database.ts';
import { asStoreFault, openingFault } from '../../platform/store/sqlite/faults.ts';
import { SCHEMA_NUMBER } from '../../platform/store/sqlite/migrations.ts';
import type { CopyTable, StoreTables } from '../../platform/store/table.ts';
import {
  type CopyRow,
  type CopySource,
  type CopyTarget,
  type CopyValue,
  LIVE_NODES,
  liveNodes,
  MARK,
  TransferRefused,
} from './store.ts';

const BATCH = 2000;

/** Reads in one transaction, which sees the file as it was when the transaction began, and changes nothing in it. */
export function openSqliteSource(path: string): CopySource {
  if (!existsSync(path)) throw new TransferRefused(`there is no database ${path}`);
  const connection = openForReading(path);
  const watcher = openForReading(path);
  // data_version grows with every commit of another connection. A connection inside a transaction would not see it grow.
  const commits = () => Number(watcher.prepare('PRAGMA data_version').get()?.data_version);
  try {
    let before = commits();
    connection.exec('BEGIN');
    refuseOtherSchema(connection, path);
    return {
      rows: (table, after) => readRows(connection, table, after),
      refresh: async () => {
        before = commits();
        connection.exec('COMMIT; BEGIN');
      },
      writtenSince: async () => commits() !== before,
      liveNodes: async () => liveNodes(watcher.prepare(LIVE_NODES).all()),
      close: async () => {
        connection.close();
        watcher.close();
      },
    };
  } catch (error) {
    connection.close();
    watcher.close();
    throw error instanceof TransferRefused ? error : openingFault(path, error);
  }
}

function openForReading(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly: true });
  } catch (error) {
    throw openingFault(path, error);
  }
}

function refuseOtherSchema(connection: DatabaseSync, path: string): void {
  const number = Number(connection.prepare('PRAGMA user_version').get()?.user_version);
  if (number === SCHEMA_NUMBER) return;
  throw new TransferRefused(
    number < SCHEMA_NUMBER
      ? `the schema of ${path} is number ${number}, this release needs ${SCHEMA_NUMBER}: run "gatehouse migrate" on it first`
      : `the schema of ${path} is number ${number}, this release knows ${SCHEMA_NUMBER}: use a newer release`,
  );
}

export function openSqliteTarget(path: string, { copied, further }: StoreTables, openMs = OPEN_TIMEOUT_MS): CopyTarget {
  const { connection } = connect(path, { openMs, further });
  connection.exec(`PRAGMA busy_timeout = ${OPEN_TIMEOUT_MS}`);
  const atomically = (work: () => void) => {
    connection.exec('BEGIN IMMEDIATE');
    try {
      work();
      connection.exec('COMMIT');
    } catch (error) {
      if (connection.isTransaction) connection.exec('ROLLBACK');
      throw asStoreFault(error);
    }
  };
  return {
    rows: (table, after) => readRows(connection, table, after),
    isEmpty: async () =>
      copied.every(({ name }) => connection.prepare(`SELECT 1 FROM ${name} LIMIT 1`).get() === undefined),
    begunFrom: async () => {
      const marked = connection.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(MARK);
      return marked && (connection.prepare(`SELECT source FROM ${MARK}`).get()?.source as string | undefined);
    },
    begin: async source =>
      atomically(() => {
        connection.exec(`DROP TABLE IF EXISTS ${MARK}; CREATE TABLE ${MARK} (source TEXT NOT NULL) STRICT`);
        connection.prepare(`INSERT INTO ${MARK} VALUES (?)`).run(source);
      }),
    lastKey: async ({ name, key }) => {
      const last = connection.prepare(
        `SELECT ${key.join(', ')} FROM ${name} ORDER BY ${key.map(column => `${column} DESC`).join(', ')} LIMIT 1`,
      );
      last.setReturnArrays(true);
      return last.get() as unknown as CopyRow | undefined;
    },
    add: async (table, rows) => atomically(() => insertRows(connection, table, rows)),
    remove: async ({ name, key }, keys) => {
      const row = connection.prepare(`DELETE FROM ${name} WHERE ${key.map(column => `${column} = ?`).join(' AND ')}`);
      atomically(() => {
        for (const values of keys) row.run(...values.map(cellOf));
      });
    },
    clear: async () =>
      atomically(() => {
        for (const { name } of copied.toReversed()) connection.exec(`DELETE FROM ${name}`);
      }),
    finish: async () =>
      atomically(() => {
        connection.exec(`DROP TABLE IF EXISTS ${MARK}; UPDATE registry_version SET version = version + 1`);
      }),
    close: async () => connection.close(),
  };
}

function insertRows(connection: DatabaseSync, { name, columns }: CopyTable, rows: readonly CopyRow[]): void {
  const insert = connection.prepare(
    `INSERT OR IGNORE INTO ${name} (${columns.map(column => column.name).join(', ')})
     VALUES (${columns.map(() => '?').join(', ')})`,
  );
  for (const row of rows) insert.run(...row.map(cellOf));
}

const cellOf = (cell: CopyValue) => (typeof cell === 'boolean' ? Number(cell) : cell);

const SESSION_ENDED =
  'codes.grant_id IS NULL AND EXISTS (SELECT 1 FROM ended_sessions WHERE ended_sessions.sid = codes.sid)';
/**
 * Codes that redeemCode of this store refuses by other tables. PostgreSQL would accept them: there, codes end with their
 * session or consent.
 */
const LEFT_OUT: Readonly<Record<string, string>> = { codes: `(${SESSION_ENDED} OR ${consentWithdrawn('codes')})` };

async function* readRows(
  connection: DatabaseSync,
  table: CopyTable,
  after?: CopyRow,
): AsyncGenerator<readonly CopyRow[]> {
  const { name, columns, key } = table;
  const keys = key.join(', ');
  const behind = after ? `(${keys}) > (${key.map(() => '?').join(', ')})` : 'true';
  const select = connection.prepare(
    `SELECT ${columns.map(column => column.name).join(', ')} FROM ${name} WHERE ${behind} AND NOT ${LEFT_OUT[name] ?? 'false'} ORDER BY ${keys}`,
  );
  select.setReturnArrays(true);
  const booleans = columns.flatMap(({ kind }, index) => (kind === 'boolean' ? [index] : []));
  let batch: CopyRow[] = [];
  for (const row of select.iterate(...((after ?? []) as (string | number | Uint8Array)[]))) {
    const cells = row as unknown as CopyValue[];
    for (const index of booleans) if (cells[index] !== null) cells[index] = cells[index] === 1;
    batch.push(cells);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
