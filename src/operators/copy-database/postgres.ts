import type { Client } from 'pg';
import { applicationOfPart, partSuffix } from '../../platform/store/application-parts.ts';
import { hasCitus } from '../../platform/store/citus/distribute.citus.ts';
import type { Placements } from '../../platform/store/citus/placement.ts';
import { OPEN_TIMEOUT_MS } from '../../platform/store/database-timeouts.ts';
import { hostsOf, type PostgresAddress } from '../../platform/store/postgres/database-hosts.ts';
import { asStoreFault } from '../../platform/store/postgres/faults.ts';
import { Hosts } from '../../platform/store/postgres/hosts.ts';
import { CHANNEL } from '../../platform/store/postgres/listener.ts';
import { migrate, schemaNumber } from '../../platform/store/postgres/migrate.postgres.ts';
import { migrations, SCHEMA_NUMBER } from '../../platform/store/postgres/migrations.ts';
import { type PartitionedTable, Partitions, partitionedTables } from '../../platform/store/postgres/partitions.ts';
import { refuseTransactionPooler } from '../../platform/store/postgres/pooler.ts';
import type { ColumnKind, CopyTable, StoreTables } from '../../platform/store/table.ts';
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

/** "copy" as a number: an advisory lock, shared in the source and exclusive in the target, so that no database is both. */
const LOCK = 0x636f7079;

const SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** Reads in one transaction, which sees the database as it was when the transaction began. */
export async function openPostgresSource({ hosts }: PostgresAddress, { placements }: StoreTables): Promise<CopySource> {
  const source = new Hosts(hosts, OPEN_TIMEOUT_MS);
  await refuseTransactionPooler(source);
  const client = await connect(source);
  return closedOnFault(client, async () => {
    const { rows } = await client.query("SELECT to_regclass('schema_migrations') IS NULL AS missing");
    if (rows[0].missing) throw new TransferRefused('the source holds no Gatehouse store');
    const number = await schemaNumber(client);
    if (number !== SCHEMA_NUMBER) {
      throw new TransferRefused(
        number < SCHEMA_NUMBER
          ? `the schema of the source is number ${number}, this release needs ${SCHEMA_NUMBER}: run "gatehouse migrate" on it first`
          : `the schema of the source is number ${number}, this release knows ${SCHEMA_NUMBER}: use a newer release`,
      );
    }
    await client.query('SELECT pg_advisory_lock_shared($1)', [LOCK]);
    const from = (await hasCitus(client)) ? withoutParts(placements) : nameOf;
    await client.query(SNAPSHOT);
    // Outside of the snapshot.
    const nodes = async () => {
      const watcher = await connect(source);
      const { rows } = await watcher.query(LIVE_NODES).finally(() => watcher.end());
      return liveNodes(rows);
    };
    return {
      rows: (table, after) => readRows(client, table, after, from),
      refresh: async () => {
        await client.query(`COMMIT; ${SNAPSHOT}`);
      },
      writtenSince: async () => (await nodes()).length > 0,
      liveNodes: nodes,
      close: () => client.end(),
    };
  });
}

export async function openPostgresTarget(
  { hosts: addresses }: PostgresAddress,
  tables: StoreTables,
): Promise<CopyTarget> {
  const citus = await isCitus(new Hosts(addresses, OPEN_TIMEOUT_MS));
  const hosts = hostsOf({ hosts: addresses, citus }, OPEN_TIMEOUT_MS);
  await migrate(hosts, migrations, tables);
  const client = await connect(hosts.direct);
  return closedOnFault(client, async () => {
    await refuseSecondCopy(client);
    return target(client, new Partitions(hosts.direct), citus, tables);
  });
}

/** Recognised without a setting: no node serves from the target before one starts on it, and that one asks for it. */
async function isCitus(hosts: Hosts): Promise<boolean> {
  const client = await connect(hosts);
  try {
    return await hasCitus(client);
  } finally {
    await client.end();
  }
}

/** A copy that was killed may hold the lock for some time: until the server notices that its connection is closed. */
async function refuseSecondCopy(client: CopyConnection): Promise<void> {
  const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS mine', [LOCK]);
  if (!rows[0].mine) {
    throw new TransferRefused('the target is the source itself, or another copy from it or to it is running');
  }
}

function target(client: CopyConnection, partitions: Partitions, isCitus: boolean, { copied }: StoreTables): CopyTarget {
  return {
    rows: async function* (table, after) {
      await client.query(SNAPSHOT);
      try {
        yield* readRows(client, table, after);
      } finally {
        await client.query('COMMIT');
      }
    },
    isEmpty: async () => {
      const each = copied.map(({ name }) => `EXISTS (SELECT 1 FROM ${name})`);
      const { rows } = await client.query(`SELECT ${each.join(' OR ')} AS used`);
      return !rows[0].used;
    },
    begunFrom: async () => {
      const { rows } = await client.query(`SELECT to_regclass('${MARK}') IS NOT NULL AS marked`);
      return rows[0].marked ? (await client.query(`SELECT source FROM ${MARK}`)).rows[0]?.source : undefined;
    },
    begin: async source => {
      await client.query(`BEGIN; DROP TABLE IF EXISTS ${MARK}; CREATE TABLE ${MARK} (source text NOT NULL)`);
      await client.query(`INSERT INTO ${MARK} VALUES ($1)`, [source]);
      await client.query('COMMIT');
    },
    lastKey: async table => {
      const order = orderOf(table).map(column => `${column} DESC`);
      const text = `SELECT ${table.key.join(', ')} FROM ${table.name} ORDER BY ${order.join(', ')} LIMIT 1`;
      return (await client.query({ text, rowMode: 'array' })).rows[0];
    },
    add: async (table, rows) => {
      if (isCitus) refuseParts(table, rows);
      await createPartitions(partitions, table, rows);
      await insertRows(client, table, rows);
    },
    remove: async ({ name, key, columns }, keys) => {
      const arraysOf = key.map((column, index) => {
        const { kind = 'text' } = columns.find(each => each.name === column) ?? {};
        return `$${index + 1}::${arrays[kind]}`;
      });
      const text = `DELETE FROM ${name} WHERE (${key.join(', ')}) IN (SELECT * FROM unnest(${arraysOf.join(', ')}))`;
      await client.query({ text, values: key.map((_, index) => keys.map(row => row[index])) });
    },
    clear: async () => {
      await client.query(`TRUNCATE ${copied.map(({ name }) => name).join(', ')} CASCADE`);
    },
    finish: () => finish(client),
    close: () => client.end(),
  };
}

/** The rows do not say in which part a grant is. */
function refuseParts(table: CopyTable, rows: readonly CopyRow[]): void {
  const column = keyColumn(table);
  if (rows.some(row => row[column] instanceof Uint8Array && partSuffix(row[column]) !== '')) {
    throw new TransferRefused(
      'an application of the source is spread over parts (GATEHOUSE_CITUS_SPREAD): copy the databases of the cluster with pg_dump',
    );
  }
}

/** Of the key of a credential. */
function keyColumn({ key, columns }: CopyTable): number {
  return columns.findIndex(({ name, kind }) => kind === 'bytes' && key.includes(name));
}

async function createPartitions(partitions: Partitions, table: CopyTable, rows: readonly CopyRow[]): Promise<void> {
  if (!(partitionedTables as readonly string[]).includes(table.name)) return;
  const column = keyColumn(table);
  const places = rows.map(row => [table.name as PartitionedTable, row[column] as Uint8Array] as const);
  await partitions.missing(...places);
}

const arrays: Readonly<Record<ColumnKind, string>> = {
  text: 'text[]',
  integer: 'bigint[]',
  boolean: 'boolean[]',
  bytes: 'bytea[]',
};

/** One array for each column: one statement, one round trip and one commit for the batch. */
async function insertRows(
  client: CopyConnection,
  { name, columns }: CopyTable,
  rows: readonly CopyRow[],
): Promise<void> {
  const names = columns.map(column => column.name).join(', ');
  const values = columns.map(({ kind }, index) => `$${index + 1}::${arrays[kind]}`).join(', ');
  const text = `INSERT INTO ${name} (${names}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest(${values}) ON CONFLICT DO NOTHING`;
  await client.query({ name: `copy-${name}`, text, values: columns.map((_, index) => rows.map(row => row[index])) });
}

/** New logout notices are numbered after the copied ones. Nodes that are already running read the registry again. */
async function finish(client: CopyConnection): Promise<void> {
  await client.query(
    `BEGIN;
     SELECT setval(pg_get_serial_sequence('logout_notices', 'id'), max(id)) FROM logout_notices HAVING max(id) IS NOT NULL;
     UPDATE registry_version SET version = version + 1;
     DROP TABLE IF EXISTS ${MARK};
     NOTIFY ${CHANNEL};
     COMMIT;
     ANALYZE`,
  );
}

/** Through a cursor: the server keeps the rows, and hands them out in batches. */
async function* readRows(
  client: CopyConnection,
  table: CopyTable,
  after?: CopyRow,
  from = nameOf,
): AsyncGenerator<readonly CopyRow[]> {
  const order = orderOf(table).join(', ');
  const behind = after ? `WHERE (${order}) > (${after.map((_, index) => `$${index + 1}`).join(', ')})` : '';
  const names = table.columns.map(column => column.name).join(', ');
  const select = `SELECT ${names} FROM ${from(table)} ${behind} ORDER BY ${order}`;
  await client.query(`DECLARE copied NO SCROLL CURSOR FOR ${select}`, after as CopyValue[] | undefined);
  try {
    while (true) {
      const { rows } = await client.query<CopyValue[]>({ text: `FETCH ${BATCH} FROM copied`, rowMode: 'array' });
      if (rows.length > 0) yield rows;
      if (rows.length < BATCH) return;
    }
  } finally {
    await client.query('CLOSE copied');
  }
}

function nameOf({ name }: CopyTable): string {
  return name;
}

/**
 * A table of a cluster, with applications instead of their parts (platform/store/application-parts.ts), as every other store has them. A client may take
 * part in a session by several parts.
 */
function withoutParts(placements: Placements): (table: CopyTable) => string {
  return ({ name, columns }) => {
    if (!hasParts(placements, name)) return name;
    const values = columns.map(column => (column.name === 'app' ? `${applicationOfPart('app')} AS app` : column.name));
    return `(SELECT DISTINCT ${values.join(', ')} FROM ${name}) AS ${name}`;
  };
}

/** Not on the worker of the application, and yet by its parts. */
const ON_COORDINATOR_BY_PARTS = ['waiting_revocations'];

function hasParts(placements: Placements, table: string): boolean {
  const placement = placements[table];
  return (typeof placement === 'object' && placement.by === 'app') || ON_COORDINATOR_BY_PARTS.includes(table);
}

/** Text is compared byte by byte as in SQLite, whatever the collation of the database. */
function orderOf({ key, columns }: CopyTable): string[] {
  const texts = new Set(columns.flatMap(({ name, kind }) => (kind === 'text' ? [name] : [])));
  return key.map(name => (texts.has(name) ? `${name} COLLATE "C"` : name));
}

type CopyConnection = Pick<Client, 'query' | 'end'>;

/** A connection that throws its faults as faults of the store. */
async function connect(hosts: Hosts): Promise<CopyConnection> {
  const client = await hosts.connectForMaintenance();
  const query = async (...args: [string]) => {
    try {
      return await client.query(...args);
    } catch (error) {
      throw asStoreFault(error);
    }
  };
  return { query: query as unknown as Client['query'], end: () => client.end() };
}

async function closedOnFault<T>(client: CopyConnection, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await client.end();
    throw error;
  }
}
