import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { type PostgresServer, startPostgres } from '../../scripts/postgres.ts';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import type { Store } from '../../src/store.ts';
import { createDatabase, type TestDatabase } from '../build/postgres.ts';
import { until } from '../build/until.ts';
import { aFixture, DAY, NOW } from './contract/given.ts';
import { percentile, underLoad } from './load.ts';

/**
 * PostgreSQL logs every wait for a lock that lasts longer than deadlock_timeout (log_lock_waits). So pauses of a busy machine are
 * not counted.
 */
describe('purge of PostgreSQL under load', () => {
  /** Long beside any lock of a request; a busy machine may keep a backend that holds one from its processor. */
  const DEADLOCK_TIMEOUT_MS = 1000;
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

  it('the log shows a request that waits for more than a second', async () => {
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

  it('drops partitions with many rows and 20,000 grants, and no request waits for it', async t => {
    await fill(database);
    const load = await underLoad(stores);
    // Registering what the load asks for takes turns, whether something is purged or not.
    const before = waitsOfRequests().length;
    await until('the load works', () => load.durations.length > 20);
    // As the job does on every node, one of which finds something to do.
    await until('everything is purged', async () =>
      (await Promise.all(stores.map(store => store.purge(NOW, 5000)))).some(({ complete }) => complete),
    );
    await load.stop();

    t.diagnostic(`${load.durations.length} requests, slowest ${percentile(load.durations, 1)} ms`);
    for (const { table, rows } of await left(database)) assert.equal(rows, 0, `left of ${table}`);
    assert.deepEqual(waitsOfRequests().slice(before), []);
  });
});

/** Rows that ended in the weeks before, as many as a busy day leaves. */
async function fill(database: TestDatabase): Promise<void> {
  const ROWS = 20_000;
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
