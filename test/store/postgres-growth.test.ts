import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { Client } from 'pg';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import type { Store } from '../../src/store.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { until } from '../build/until.ts';
import { aFixture, DAY, type Fixture, NOW } from './contract/given.ts';
import { aSession, session } from './contract/given-sessions.ts';
import { aFamily, code, presentedCode, rotation, tokens } from './contract/given-tokens.ts';

/**
 * Plans are made once, and the statistics they are made by may be of a day on which the store was empty. Until PostgreSQL
 * counts again, which it does by itself a minute later, or never where that is switched off, the plan has to do.
 */
const PARTITIONED: ReadonlySet<string> = new Set(['access_tokens', 'refresh_tokens', 'codes']);
/** Beside those of the credentials that end then. */
const key = (end: number) => `int4send(${end}) || '\\x0000'::bytea || sha256(n::text::bytea)`;

describe('a plan that PostgreSQL made when the store was small', () => {
  const GROWN = 3000;
  const FEW = 300;
  let database: TestDatabase;
  let store: Store;
  beforeEach(async () => {
    database = await createDatabase();
    store = await openPostgresStore(database.address);
    // No autovacuum, so that no statistics are collected meanwhile.
    for (const table of Object.keys(growth)) {
      if (!PARTITIONED.has(table)) await database.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
    }
  });
  afterEach(() => database.drop());
  after(stopOwnServer);

  /** Of others, in the same application; $1 is its code, $2 the number of rows. */
  const growth = {
    users: `INSERT INTO users (sub, username, email_verified, phone_number_verified, disabled, updated_at)
      SELECT 'sub' || n, 'user' || n, false, false, false, 0 FROM generate_series(1, $2::int) AS n WHERE $1 <> ''`,
    login_names: `INSERT INTO login_names (login_name, sub)
      SELECT 'user' || n, 'sub' || n FROM generate_series(1, $2::int) AS n WHERE $1 <> ''`,
    clients: `INSERT INTO clients (app, client_id, metadata)
      SELECT $1, 'client' || n, '{}' FROM generate_series(1, $2::int) AS n`,
    grants: `INSERT INTO grants (app, grant_id, client_id, sub, scope, auth_time, amr, sid, expires_at)
      SELECT $1, 'other' || n, 'web', 'sub' || n, 'openid', 0, 'pwd', 'sid' || n, ${NOW + 60 * DAY}
      FROM generate_series(1, $2::int) AS n`,
    access_tokens: `INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, issued_at, expires_at)
      SELECT $1, ${key(NOW + 3600)}, 'other' || n, 'web', 'sub' || n, 'openid', 0, ${NOW + 3600}
      FROM generate_series(1, $2::int) AS n`,
    refresh_tokens: `INSERT INTO refresh_tokens (app, token_hash, grant_id, issued_at, expires_at)
      SELECT $1, ${key(NOW + 30 * DAY)}, 'other' || n, 0, ${NOW + 30 * DAY} FROM generate_series(1, $2::int) AS n`,
    codes: `INSERT INTO codes (app, code_hash, client_id, sub, scope, auth_time, amr, redirect_uri,
        client_authentication_required, expires_at)
      SELECT $1, ${key(NOW + 300)}, 'web', 'sub' || n, 'openid', 0, 'pwd', '', false, ${NOW + 300}
      FROM generate_series(1, $2::int) AS n`,
    revoked_grants: `INSERT INTO revoked_grants (app, grant_id, expires_at)
      SELECT $1, 'other' || n, ${NOW + 60 * DAY} FROM generate_series(1, $2::int) AS n`,
    consents: `INSERT INTO consents (sub, app, client_id, scope, given_at)
      SELECT 'sub' || n, $1, 'web', 'openid', 0 FROM generate_series(1, $2::int) AS n`,
    session_clients: `INSERT INTO session_clients (sid, app, client_id)
      SELECT 'sid' || n, $1, 'web' FROM generate_series(1, $2::int) AS n`,
    ended_sessions: `INSERT INTO ended_sessions (sid, expires_at)
      SELECT 'ended' || n, ${NOW + 60 * DAY} FROM generate_series(1, $2::int) AS n WHERE $1 <> ''`,
    spent_logins: `INSERT INTO spent_logins (pending_id, expires_at)
      SELECT 'pending' || n, ${NOW + 60 * DAY} FROM generate_series(1, $2::int) AS n WHERE $1 <> ''`,
  } as const;

  /** Everything that a request asks of the store, once. Two lookups of one turn go together. */
  const everything = async (fixture: Fixture) => {
    const { app, user } = fixture;
    const own = await aSession(store, fixture);
    const given = { ...fixture, grant: own.grant };
    const [one, other] = [await aFamily(store, given), await aFamily(store, given)];
    const put = code(own.grant);
    await store.addCode(app, put);
    return async () => {
      for (const pairs of [[one], [one, other]]) {
        await Promise.all(pairs.map(({ access }) => store.findAccessToken(app, access.hash, NOW, 'web')));
        await Promise.all(pairs.map(({ access }) => store.findTokenUser(app, access.hash, NOW)));
      }
      await store.findRefreshToken(app, one.refresh.hash, NOW, 'web');
      // Late enough that the grant has to be prolonged.
      const late = rotation(one.refresh.hash, { issuedAt: NOW + 5 * DAY, user: { isAllowed: undefined } });
      for (const kind of ['rotated', 'repeated']) {
        assert.equal((await store.rotateRefreshToken(app, late)).kind, kind);
      }
      assert.equal((await store.redeemCode(app, put.codeHash, presentedCode, tokens())).kind, 'redeemed');
      assert(await store.findAccount(user.username));
      assert(await store.useSession(own.idHash, NOW, NOW + 8 * 3600, { app, clientId: 'web' }));
      await store.revokeRefreshToken(app, other.refresh.hash, 'web', NOW);
      await store.openSession(session(user.sub, { replaces: own.idHash }), NOW);
      await store.addConsent(user.sub, app, 'web', ['openid'], NOW);
      await store.endSession({ sub: user.sub, sid: own.sid }, NOW);
    };
  };

  const connections = async () =>
    (
      await database.query(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()",
      )
    ).map(({ pid }) => pid);
  const rowsRead = async () => {
    const rows = await database.query(
      `SELECT regexp_replace(t.relname, '_[0-9]{10}$', '') AS name,
              (t.seq_tup_read + coalesce(sum(i.idx_tup_read), 0))::float8 AS read
       FROM pg_stat_user_tables t LEFT JOIN pg_stat_user_indexes i USING (relid)
       GROUP BY t.relid, t.relname, t.seq_tup_read`,
    );
    const read = new Map(Object.keys(growth).map(name => [name, 0]));
    for (const row of rows) {
      const before = read.get(row.name as string);
      if (before !== undefined) read.set(row.name as string, before + (row.read as number));
    }
    return read;
  };

  for (const counted of [false, true]) {
    it(`finds by key what has grown since, ${counted ? 'counted while small' : 'never counted'}`, async () => {
      const fixture = await aFixture(store);
      if (counted) {
        // With the partitions there and empty, as they are created ahead.
        await everything(fixture);
        await database.query(`TRUNCATE ${[...PARTITIONED].join()}`);
        await database.query('ANALYZE');
      }
      const [now, later] = [await everything(fixture), await everything(fixture)];
      // On every connection that there is.
      for (let count = 0; count < 3; count++) await (await everything(fixture))();
      await now();
      const grower = new Client({ connectionString: database.url });
      await grower.connect();
      for (const sql of Object.values(growth)) await grower.query(sql, [fixture.app, GROWN]);
      const { processID } = grower as unknown as { processID: number };
      await grower.end();
      await until('the one that added them is gone', async () => !(await connections()).includes(processID));
      const before = await rowsRead();
      await later();
      // With its end, every connection tells what it has read.
      await store.close();
      await until('every connection has ended', async () => (await connections()).length === 0);
      const read = [...(await rowsRead())].map(([name, all]) => [name, all - (before.get(name) ?? 0)] as const);
      assert.deepEqual(
        read.filter(([, rows]) => rows > FEW),
        [],
        'walked over',
      );
    });
  }
});
