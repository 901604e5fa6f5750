import type { Client } from 'pg';
import { CODE_KEPT } from '../retention.ts';
import { end, type Hosts } from './hosts.ts';
import { dropPart, endedParts, type Partitions } from './partitions.ts';

/** "swep" as a number: of many nodes one at a time cleans up, the others leave it to that one. */
const LOCK = 0x73776570;

/** Small tables that are cleaned row by row, in batches that each commit. What is just being used is left for next time. */
const kinds = [
  { table: 'grants', kept: CODE_KEPT },
  { table: 'revoked_grants', kept: CODE_KEPT },
  { table: 'ended_sessions', kept: 0 },
  { table: 'spent_logins', kept: 0 },
] as const;

export function purger(hosts: Hosts, partitions: Partitions): (now: number, limit: number) => Promise<number> {
  return async (now, limit) => {
    const client = await hosts.connectForMaintenance();
    try {
      const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS mine', [LOCK]);
      if (!rows[0].mine) return 0;
      await partitions.makeAhead(client, now);
      const gone = (await dropEndedParts(client, now)) + (await removeEndedRows(client, now, limit));
      // The server notices the end of the connection a moment later, and whoever asks next would be told that another is at it.
      await client.query('SELECT pg_advisory_unlock($1)', [LOCK]);
      return gone;
    } finally {
      await end(client);
    }
  };
}

async function dropEndedParts(client: Client, now: number): Promise<number> {
  let gone = 0;
  for (const { table, name } of await endedParts(client, now)) {
    if (table === 'sessions') await removeClientsOfSessions(client, name);
    const { rows } = await client.query(`SELECT EXISTS (SELECT 1 FROM ${name}) AS used`);
    await dropPart(client, table, name);
    if (rows[0].used) gone++;
  }
  return gone;
}

const SESSIONS_AT_ONCE = 500;

/** Which clients took part in sessions that nobody ended: there is nobody left to tell them about. */
async function removeClientsOfSessions(client: Client, part: string): Promise<void> {
  let last = Buffer.alloc(0);
  while (true) {
    const { rows } = await client.query(
      `SELECT id_hash, sid FROM ${part} WHERE id_hash > $1 ORDER BY id_hash LIMIT ${SESSIONS_AT_ONCE}`,
      [last],
    );
    await client.query('DELETE FROM session_clients WHERE sid = ANY ($1::text[])', [rows.map(row => row.sid)]);
    if (rows.length < SESSIONS_AT_ONCE) return;
    last = rows.at(-1).id_hash;
  }
}

async function removeEndedRows(client: Client, now: number, limit: number): Promise<number> {
  let gone = 0;
  for (const { table, kept } of kinds) {
    const { rowCount } = await client.query(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${table} WHERE expires_at < $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [now - kept, limit],
    );
    gone += rowCount ?? 0;
  }
  return gone;
}
