import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { isLockTimeout } from './faults.ts';
import { type PartitionedTable, partitionedTables, partitionSchemes } from './partitions.ts';

export interface EndedPartition {
  readonly table: PartitionedTable;
  readonly name: string;
}

/** How long the purge waits for the lock on a partition. No request waits behind it. */
const LOCK_TIMEOUT_MS = 1000;
/** A transaction that holds its locks for this long is not one of a request. */
const LONG_TRANSACTION_MS = 250;

/**
 * Partitions whose last row has ended, table by table, oldest first. They are found by name: if a node died after DETACH, its
 * partition belongs to no table any more. A partition whose DETACH is pending comes first, because PostgreSQL detaches no other
 * partition of the table before it.
 */
export async function findEndedPartitions(client: Client, now: number): Promise<EndedPartition[]> {
  const { rows } = await client.query(
    `SELECT parent.relname AS "table", child.relname AS name
     FROM pg_class parent JOIN pg_class child ON child.relnamespace = parent.relnamespace AND child.relkind = 'r'
       AND child.relname ~ ('^' || parent.relname || '_[0-9]{10}$')
     LEFT JOIN pg_inherits link ON link.inhrelid = child.oid
     WHERE parent.oid = ANY ($1::regclass[]) ORDER BY coalesce(link.inhdetachpending, false) DESC, child.relname`,
    [partitionedTables],
  );
  return rows.filter(({ table, name }: EndedPartition) => {
    const { width, retentionSeconds } = partitionSchemes[table];
    return Number(name.slice(name.lastIndexOf('_') + 1)) + width + retentionSeconds <= now;
  });
}

/** False: a long transaction, such as pg_dump, uses the partition. The next purge tries again. */
export async function dropPartition(
  client: Client,
  partition: EndedPartition,
  isDistributed: boolean,
): Promise<boolean> {
  try {
    await client.query(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
    if (!(await detach(client, partition, isDistributed))) return false;
    await client.query(`DROP TABLE IF EXISTS ${partition.name}`);
    return true;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

async function detach(client: Client, { table, name }: EndedPartition, isDistributed: boolean): Promise<boolean> {
  const { rows } = await client.query(
    'SELECT inhdetachpending AS pending FROM pg_inherits WHERE inhrelid = to_regclass($1)',
    [name],
  );
  if (rows.length === 0) return true;
  // DETACH CONCURRENTLY cannot be undone once it has begun, and blocks the table's other partitions until it is finished.
  if (!rows[0].pending && (await isHeldByLongTransaction(client, [table, name]))) return false;
  // Citus knows no DETACH CONCURRENTLY of its own tables: requests wait for the moment of the change.
  const how = isDistributed ? '' : rows[0].pending ? 'FINALIZE' : 'CONCURRENTLY';
  await client.query(`ALTER TABLE ${table} DETACH PARTITION ${name} ${how}`);
  return true;
}

/** Found by comparing the locks twice: PostgreSQL does not show when a transaction of another role began. */
async function isHeldByLongTransaction(client: Client, tables: readonly string[]): Promise<boolean> {
  const holders = await lockHolders(client, tables);
  if (holders.size === 0) return false;
  await pause(LONG_TRANSACTION_MS);
  const later = await lockHolders(client, tables);
  return [...holders].some(holder => later.has(holder));
}

async function lockHolders(client: Client, tables: readonly string[]): Promise<Set<string>> {
  const { rows } = await client.query(
    `SELECT DISTINCT virtualtransaction FROM pg_locks
     WHERE relation = ANY ($1::regclass[]) AND pid <> pg_backend_pid()
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [tables],
  );
  return new Set(rows.map(row => row.virtualtransaction));
}
