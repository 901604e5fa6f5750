import type { Client } from 'pg';
import type { ClusterState, PurgeOutcome } from './contract.ts';
import { dropPartition, findEndedPartitions } from './postgres/ended-partitions.ts';
import { asStoreFault } from './postgres/faults.ts';
import { end, type Hosts } from './postgres/hosts.ts';
import { type Partitions, partitionedTables } from './postgres/partitions.ts';
import type { Purge, StoreTables } from './table.ts';

/** "swep" as a number: the advisory lock under which one node at a time purges. */
const LOCK = 0x73776570;

const ELSEWHERE: PurgeOutcome = { deleted: 0, complete: false, postponed: [] };

/** The database that is purged. */
interface Purged {
  readonly isCitus: boolean;
  cluster(): ClusterState | undefined;
}

export function purger(
  hosts: Hosts,
  partitions: Partitions,
  db: Purged,
  tables: StoreTables,
): (now: number, limit: number) => Promise<PurgeOutcome> {
  const { placements } = tables;
  const kinds = kindsOf(tables);
  return async (now, limit) => {
    // Who changes a table of all workers holds its lock until the last of them has answered.
    const hasLost = db.cluster()?.workers.some(({ isReachable }) => !isReachable) ?? false;
    const isOnWorkers = (table: string) => db.isCitus && placements[table] !== 'coordinator';
    const within: Scope = {
      isCitus: db.isCitus,
      has: table => !hasLost || placements[table] === 'coordinator',
      isOnWorkers,
    };
    const client = await hosts.connectForMaintenance();
    try {
      const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS mine', [LOCK]);
      if (!rows[0].mine) return ELSEWHERE;
      await partitions.createAhead(client, now, within.has);
      const dropped = await dropEndedPartitions(client, now, within);
      const counts = await deleteEndedRows(client, kinds, now, limit, within);
      const complete = !hasLost && dropped.postponed.length === 0 && counts.every(count => count < limit);
      if (complete) await client.query('UPDATE purge_state SET completed_at = $1', [now]);
      // Explicitly: the server notices the end of the connection a moment later, and until then no other node could purge.
      await client.query('SELECT pg_advisory_unlock($1)', [LOCK]);
      const deleted = counts.reduce((sum, count) => sum + count, dropped.used);
      return { deleted, complete, postponed: dropped.postponed };
    } catch (error) {
      throw asStoreFault(error);
    } finally {
      await end(client);
    }
  };
}

/** Which tables are purged now. */
interface Scope {
  readonly isCitus: boolean;
  has(table: string): boolean;
  isOnWorkers(table: string): boolean;
}

async function dropEndedPartitions(
  client: Client,
  now: number,
  { has, isOnWorkers }: Scope,
): Promise<{ used: number; postponed: string[] }> {
  let used = 0;
  const postponed: string[] = [];
  const inUse = new Set<string>();
  for (const partition of await findEndedPartitions(client, now)) {
    const { table, name } = partition;
    // The clients of sessions are on the workers.
    if (!has(table === 'sessions' ? 'session_clients' : table)) continue;
    if (inUse.has(table)) {
      postponed.push(name);
      continue;
    }
    if (table === 'sessions') await removeClientsOfSessions(client, name);
    const { rows } = await client.query(`SELECT EXISTS (SELECT 1 FROM ${name}) AS used`);
    if (await dropPartition(client, partition, isOnWorkers(table))) used += rows[0].used ? 1 : 0;
    else {
      postponed.push(name);
      inUse.add(table);
    }
  }
  return { used, postponed };
}

const SESSIONS_AT_ONCE = 500;

/** Deletes which clients took part in the expired sessions of a partition: no logout notice will be sent for them. */
async function removeClientsOfSessions(client: Client, partition: string): Promise<void> {
  let last = Buffer.alloc(0);
  while (true) {
    const { rows } = await client.query(
      `SELECT id_hash, sid FROM ${partition} WHERE id_hash > $1 ORDER BY id_hash LIMIT ${SESSIONS_AT_ONCE}`,
      [last],
    );
    await client.query('DELETE FROM session_clients WHERE sid = ANY ($1::text[])', [rows.map(row => row.sid)]);
    if (rows.length < SESSIONS_AT_ONCE) return;
    last = rows.at(-1).id_hash;
  }
}

/** Returns how many rows of each kind it deleted. */
async function deleteEndedRows(
  client: Client,
  kinds: readonly Kind[],
  now: number,
  limit: number,
  { isCitus, has }: Scope,
): Promise<number[]> {
  const counts: number[] = [];
  const deleteSome = isCitus ? deleteUpToAnEnd : deleteUnlocked;
  for (const kind of kinds.filter(({ table }) => has(table)))
    counts.push(await deleteSome(client, kind, now - (kind.afterSeconds ?? 0), limit));
  return counts;
}

interface Kind extends Purge {
  readonly table: string;
}

/** Small tables whose rows are deleted in batches, one commit each. The next purge deletes rows that are locked now. */
function kindsOf({ purged }: StoreTables): readonly Kind[] {
  const partitioned: readonly string[] = partitionedTables;
  const inBatches = purged.filter(({ name, only }) => only !== 'sqlite' && !partitioned.includes(name));
  return inBatches.flatMap(({ name, purge }) => ('with' in purge ? [] : [{ table: name, ...purge }]));
}

async function deleteUnlocked(client: Client, { table, ended }: Kind, before: number, limit: number): Promise<number> {
  const { rowCount } = await client.query(
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM ${table} WHERE ${ended} < $1 ORDER BY ${ended} LIMIT $2 FOR UPDATE SKIP LOCKED))`,
    [before, limit],
  );
  return rowCount ?? 0;
}

/** On Citus a row has no address that counts for all workers. The limit is exceeded by the rows that end in the same second. */
async function deleteUpToAnEnd(client: Client, { table, ended }: Kind, before: number, limit: number): Promise<number> {
  const { rows } = await client.query(
    `SELECT ${ended} AS last FROM ${table} WHERE ${ended} < $1 ORDER BY ${ended} OFFSET $2 LIMIT 1`,
    [before, limit - 1],
  );
  const last = rows[0]?.last ?? before - 1;
  const { rowCount } = await client.query(`DELETE FROM ${table} WHERE ${ended} <= $1`, [last]);
  return rowCount ?? 0;
}
