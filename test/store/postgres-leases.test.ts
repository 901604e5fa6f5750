import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import type { Store } from '../../src/store.ts';
import { createMigratedDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { NOW } from './contract/given.ts';

const DUE = 20;
const TABLES = {
  logout_notices: {
    rows: `INSERT INTO logout_notices (app, client_id, sub, sid, due_at)
      SELECT 'shop', 'web', 'alice', 'a' || n, ${NOW} - 20 + n FROM generate_series(1, ${DUE}) n`,
    take: (store: Store) => store.takeLogoutNotices(NOW, NOW + 60, 1),
  },
  backchannel_pings: {
    rows: `SET session_replication_role = replica;
      INSERT INTO backchannel_pings (id, app, client_id, sealed, due_at, attempts, expires_at)
        SELECT 'p' || n, 'shop', 'web', '', ${NOW} - 20 + n, 0, ${NOW} + 600 FROM generate_series(1, ${DUE}) n`,
    take: (store: Store) => store.takePings(NOW, NOW + 60, 1),
  },
  mails: {
    rows: `INSERT INTO mails (id, sealed, due_at, attempts, created_at, expires_at)
      SELECT 'm' || n, '', ${NOW} - 20 + n, 0, ${NOW}, ${NOW} + 600 FROM generate_series(1, ${DUE}) n`,
    take: (store: Store) => store.takeMails(NOW, NOW + 60, 1),
  },
};

/** The server counts the rows of a queue when it is empty, plans to run a subquery for each of them, and keeps that plan: a subquery that locks rows gives others each time. */
describe('what a job takes to deliver, on PostgreSQL', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createMigratedDatabase();
    store = await openPostgresStore(database.address);
  });
  after(async () => {
    await store.close();
    await database.drop();
    await stopOwnServer();
  });

  for (const [table, { rows, take }] of Object.entries(TABLES)) {
    it(`is no more than was asked for, also where the table was empty when it was analyzed: ${table}`, async () => {
      await database.query(`DELETE FROM ${table}`);
      await database.query(`ANALYZE ${table}`);
      // After the fifth time a statement keeps its plan.
      for (let time = 0; time < 10; time++) assert.deepEqual(await take(store), []);
      await database.query(rows);
      assert.equal((await take(store)).length, 1);
      const [due] = await database.query(`SELECT count(*)::int AS count FROM ${table} WHERE due_at <= ${NOW}`);
      assert.equal(due?.count, DUE - 1);
    });
  }
});
