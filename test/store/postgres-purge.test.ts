import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type PostgresServer, startPostgres } from '../../scripts/postgres.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createDatabase, type TestDatabase } from '../build/postgres.ts';
import { until } from '../build/until.ts';
import { aFixture, DAY, NOW } from './contract/given.ts';
import { percentile, underLoad } from './load.ts';

/**
 * PostgreSQL logs every wait for a lock that lasts longer than deadlock_timeout (log_lock_waits). So pauses of a busy machine are
 * not counted.
 */
describe('purge of PostgreSQL under load', () => {
  const DEADLOCK_TIMEOUT_MS = 50;
  let server: PostgresServer;
  let database: TestDatabase;
  const stores: Store[] = [];
  before(async () => {
    server = await startPostgres({
      settings: {
        fsync: 'off',
        deadlock_timeout: `${DEADLOCK_TIMEOUT_MS}ms`,
        log_lock_waits: 'on',
        logging_collector: 'on',
        log_directory: 'log',
        log_filename: 'postgres.log',
        log_line_prefix: '%p ',
      },
    });
    database = await createDatabase(server.url);
    for (let count = 0; count < 2; count++) stores.push(await openPostgresStore(database.address));
  });
  after(async () => {
    for (const store of stores) await store.close();
    await server.remove();
  });

  /** The statements that waited for a lock for longer than the patience. */
  const waits = (): string[] => {
    const lines = readFileSync(join(server.folder, 'log', 'postgres.log'), 'utf8').split('\n');
    return lines.flatMap((line, index) => {
      const pid = /^(\d+) LOG: .* still waiting for /.exec(line)?.[1];
      if (pid === undefined) return [];
      const rest = lines.slice(index).find(each => each.startsWith(`${pid} STATEMENT:`));
      return [rest?.replace(/^\d+ STATEMENT: +/, '') ?? line];
    });
  };
  const isOfPurge = (statement: string) => /^(ALTER|DROP) TABLE|^DELETE FROM \w+ WHERE ctid/.test(statement);
  const waitsOfRequests = () => waits().filter(statement => !isOfPurge(statement));

  it('the log shows a request that waits for more than 50 ms', async () => {
    const [store] = stores;
    assert(store);
    const fixture = await aFixture(store);
    const blocker = new Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE access_tokens IN ACCESS EXCLUSIVE MODE');
    const asking = store.findAccessToken(fixture.app, new Uint8Array(38), NOW);
    await until('the wait is in the log', () => waitsOfRequests().length > 0);
    await blocker.query('COMMIT');
    await blocker.end();
    await asking;
    assert.equal(waitsOfRequests().length, 1);
  });

  it('drops partitions with many rows and 100,000 grants, and no request waits for it', async t => {
    await fill(database);
    const quiet = await underLoad(stores);
    await pause(1500);
    await quiet.stop();

    const load = await underLoad(stores);
    // Registering what the load asks for takes turns, whether something is purged or not.
    const before = waitsOfRequests().length;
    const begun = performance.now();
    // As the job does on every node, one of which finds something to do.
    let batches = 0;
    while ((await Promise.all(stores.map(store => store.purge(NOW, 500)))).some(({ deleted }) => deleted > 0))
      batches++;
    const took = performance.now() - begun;
    await load.stop();

    const own = waits().length - waitsOfRequests().length;
    const figures = ({ durations }: { durations: readonly number[] }) =>
      `${durations.length} requests, median ${percentile(durations, 0.5)}, 99 % ${percentile(durations, 0.99)}, slowest ${percentile(durations, 1)} ms`;
    t.diagnostic(`without purge: ${figures(quiet)}`);
    t.diagnostic(
      `with purge (${batches} batches in ${took.toFixed(0)} ms, which itself waited ${own} times): ${figures(load)}`,
    );
    for (const { table, rows } of await left(database)) assert.equal(rows, 0, `left of ${table}`);
    assert.deepEqual(waitsOfRequests().slice(before), []);
  });
});

/** Rows that ended in the weeks before, as many as a busy day leaves. */
async function fill(database: TestDatabase): Promise<void> {
  const ROWS = 100_000;
  const key = (end: string) =>
    `decode(lpad(to_hex(${end}), 8, '0') || md5(i::text) || md5((-i)::text) || 'abcd', 'hex')`;
  const past = `${NOW - 20 * DAY} + i % ${3 * DAY}`;
  const from = `FROM generate_series(1, ${ROWS}) AS i`;
  const starts = Array.from({ length: 5 }, (_, index) => NOW - 21 * DAY + index * DAY);
  for (const [table, width] of [
    ['access_tokens', DAY],
    ['codes', DAY],
    ['refresh_tokens', 7 * DAY],
    ['sessions', 7 * DAY],
  ] as const) {
    for (const start of new Set(starts.map(second => second - (second % width)))) {
      const bound = (second: number) => `'\\x${second.toString(16)}'`;
      await database.query(
        `CREATE TABLE IF NOT EXISTS ${table}_${start} PARTITION OF ${table} FOR VALUES FROM (${bound(start)}) TO (${bound(start + width)})`,
      );
    }
  }
  await database.query(`INSERT INTO access_tokens
    SELECT 'shop', ${key(past)}, 'grant-' || i, 'web', 'sub', 'openid', NULL, 0, ${past} ${from}`);
  await database.query(`INSERT INTO refresh_tokens
    SELECT 'shop', ${key(past)}, 'grant-' || i, 0, ${past} ${from}`);
  await database.query(`INSERT INTO sessions
    SELECT ${key(past)}, 'sid-' || i, 'sub', 0, 'pwd', 'pending-' || i, ${past}, ${past} ${from}`);
  await database.query(`INSERT INTO session_clients SELECT 'sid-' || i, 'shop', 'web' ${from}`);
  await database.query(`INSERT INTO grants
    SELECT 'shop', 'grant-' || i, 'web', 'sub', 'openid', 0, 'pwd', 'sid-' || i, NULL, NULL, ${past} ${from}`);
  await database.query('ANALYZE');
}

async function left(database: TestDatabase): Promise<{ table: string; rows: number }[]> {
  const counts: { table: string; rows: number }[] = [];
  for (const table of ['access_tokens', 'refresh_tokens', 'sessions', 'session_clients', 'grants']) {
    const [row] = await database.query(
      `SELECT count(*) FROM ${table} WHERE ${table === 'session_clients' ? "app = 'shop'" : `expires_at < ${NOW}`}`,
    );
    counts.push({ table, rows: Number(row?.count) });
  }
  return counts;
}
