import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Client } from 'pg';
import type { Event } from '../../src/audit/events/rules.ts';

const COLUMNS =
  'id, time, type, outcome, actor_kind, actor, subject, app, client_id, address, user_agent, request_id, details, seq';

/** Writes events as the job leaves them that seals them: the first has the number `firstSeq`, and no number is missing. */
export async function addSealedEvents(url: string, events: readonly Event[], firstSeq: number): Promise<void> {
  const rows = events.map((event, index) => toRow(event, firstSeq + index));
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path !== undefined) insertIntoSqlite(path, rows);
  else await insertIntoPostgres(url, rows);
  // The reads of one turn of the event loop share a snapshot of SQLite.
  await nextTurn();
}

/** The types of the events about one object, in the order in which they were written. */
export async function eventTypesOf(url: string, subject: string): Promise<string[]> {
  return (await eventsAbout(url, subject)).map(({ type }) => String(type));
}

/** The rows of the events about one object. */
export async function eventsAbout(url: string, subject: string): Promise<Record<string, unknown>[]> {
  const text = `SELECT ${COLUMNS} FROM events WHERE subject = $1 ORDER BY id`;
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path === undefined) {
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(text, [subject]);
    await client.end();
    return rows;
  }
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare(text).all({ $1: subject });
  database.close();
  return rows;
}

type Row = (string | number | null)[];

function toRow(event: Event, seq: number): Row {
  const { id, time, type, outcome, actor, subject, app, clientId, address, userAgent, requestId, details } = event;
  const texts = [actor.id, subject, app, clientId, address, userAgent, requestId].map(text => text ?? null);
  return [id, time, type, outcome, actor.kind, ...texts, details === undefined ? null : JSON.stringify(details), seq];
}

function insertIntoSqlite(path: string, rows: readonly Row[]): void {
  const database = new DatabaseSync(path, { timeout: 5000 });
  const insert = database.prepare(`INSERT INTO events (${COLUMNS}) VALUES (${'?, '.repeat(13)}?)`);
  database.exec('BEGIN IMMEDIATE');
  for (const row of rows) insert.run(...row);
  database.exec('COMMIT');
  database.close();
}

async function insertIntoPostgres(url: string, rows: readonly Row[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const places = Array.from({ length: 14 }, (_, index) => `$${index + 1}`).join(', ');
  await client.query('BEGIN');
  for (const row of rows) await client.query(`INSERT INTO events (${COLUMNS}) VALUES (${places})`, row);
  await client.query('COMMIT');
  await client.end();
}
