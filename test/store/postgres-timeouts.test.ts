import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type PostgresServer, startPostgres } from '../../scripts/postgres.ts';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import { StoreUnavailable } from '../../src/platform/store/faults.ts';
import { connectDatabase, type Database } from '../../src/platform/store/postgres/database.ts';
import { hostsOf } from '../../src/platform/store/postgres/database-hosts.ts';
import { Hosts } from '../../src/platform/store/postgres/hosts.ts';
import { PipelinedConnection } from '../../src/platform/store/postgres/pipelined-connection.ts';
import { statement } from '../../src/platform/store/postgres/statement.ts';
import { withinRequest } from '../../src/platform/store/request-time.ts';
import type { Store } from '../../src/store.ts';
import { endsBetween } from '../build/in-time.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { until } from '../build/until.ts';
import { aFixture, digest, type Fixture, NOW } from './contract/given.ts';
import { aSession, session } from './contract/given-sessions.ts';
import { aFamily, alive, code, DEAD, presentedCode, rotation, tokens } from './contract/given-tokens.ts';
import { frozenPostgres } from './frozen-postgres.ts';

const ONE = statement('SELECT 1 AS one');
/** Where one request has to be in time while another is late: half of it may pass while a busy machine stands still. */
const LONG_MS = 8000;

after(stopOwnServer);

const assertRefused = (operation: () => Promise<unknown>) => assert.rejects(operation(), StoreUnavailable);

describe('connections to PostgreSQL', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  const connections = async () => {
    const [row] = await database.query(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'gatehouse'",
    );
    return row?.count;
  };

  it('that come about after they were closed do not stay', async () => {
    const connection = new PipelinedConnection(new Hosts([database.url], 5000));
    const connecting = connection.connect();
    await connection.close();
    await connecting;
    await until('no connection is left', async () => (await connections()) === 0);
  });

  it('take every timeout of the server from the one setting', async () => {
    const client = await new Hosts([database.url], 2000).connect();
    const { rows } = await client.query(
      `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
              current_setting('idle_in_transaction_session_timeout') AS idle`,
    );
    await client.end();
    assert.deepEqual(rows, [{ statement: '2s', lock: '500ms', idle: '4s' }]);
  });

  it('do not limit the time of what an operator asks for: a client with very many grants can be deleted', async () => {
    const store = await openPostgresStore(database.address, { timeoutMs: 3000 });
    const fixture = await aFixture(store);
    const pair = await aFamily(store, fixture);
    // Stands for millions of them: every grant of this client takes its time.
    await database.query(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(4); RETURN NEW; END $$`);
    await database.query('CREATE TRIGGER slow BEFORE UPDATE ON grants FOR EACH ROW EXECUTE FUNCTION slow()');
    assert.equal(await store.deleteClient(fixture.app, 'web', NOW), true);
    assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
    await store.close();
  });
});

describe('a write that waits for a lock', () => {
  let database: TestDatabase;
  let db: Database;
  let holder: Client;
  beforeEach(async () => {
    database = await createDatabase();
    await database.query('CREATE TABLE counters (name text PRIMARY KEY, value integer NOT NULL DEFAULT 0)');
    await database.query("INSERT INTO counters SELECT 'c' || n FROM generate_series(1, 100) AS n");
    db = connectDatabase(hostsOf({ hosts: [database.url] }, LONG_MS), {});
    await db.connect();
    holder = new Client({ connectionString: database.url });
    await holder.connect();
    await holder.query("BEGIN; UPDATE counters SET value = 0 WHERE name = 'c1'");
  });
  afterEach(async () => {
    await holder.end();
    await db.close();
    await database.drop();
  });
  const INCREMENT = statement('UPDATE counters SET value = value + 1 WHERE name = $1 RETURNING value');

  it('gets it although lock_timeout passed several times, as long as it has time itself', async () => {
    const waiting = db.write(INCREMENT, ['c1']);
    // Twice lock_timeout, which is a quarter of the timeout.
    await pause(LONG_MS * 0.55);
    await holder.query('COMMIT');
    assert.deepEqual(await waiting, [{ value: 1 }]);
  });

  it('fails alone: the writes that came with it, and share its commit, are done', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => db.write(INCREMENT, [`c${index + 1}`])),
    );
    const failed = outcomes.flatMap((outcome, index) => (outcome.status === 'rejected' ? [`c${index + 1}`] : []));
    assert.deepEqual(failed, ['c1']);
  });
});

describe('a frozen PostgreSQL', () => {
  const TIMEOUT_MS = 1000;

  it('is waited for no longer than the timeout: not once for the answer and once more to connect', async t => {
    const { db } = await frozenPostgres(t, TIMEOUT_MS);
    // Not at once: some find the connections given up, and try to connect.
    const turn = () => [
      ...Array.from({ length: 4 }, () => () => db.write(ONE)),
      () => db.read(ONE),
      () => db.transaction(run => run(ONE)),
    ];
    const refused: Promise<void>[] = [];
    for (let time = 0; time < 40; time++) {
      refused.push(
        ...turn().map(operation => endsBetween(TIMEOUT_MS / 2, TIMEOUT_MS * 1.8, () => assertRefused(operation))),
      );
      await pause(50);
    }
    await Promise.all(refused);
  });

  for (const [kind, ask] of [
    ['writes', (db: Database) => db.write(ONE)],
    ['reads', (db: Database) => db.read(ONE)],
  ] as const) {
    it(`fails the ${kind} whose time is over, and none of the fresh ones beside them`, async t => {
      const { server, db } = await frozenPostgres(t, LONG_MS);
      const old = Array.from({ length: 50 }, () => assertRefused(() => ask(db)));
      await pause(LONG_MS * 0.8);
      const fresh = Array.from({ length: 50 }, () => ask(db));
      await Promise.all(old);
      server.signal('SIGCONT');
      for (const rows of await Promise.all(fresh)) assert.deepEqual(rows, [{ one: 1 }]);
    });
  }

  it('fails an old request at its own time in the write it shares with fresh ones, which are done', async t => {
    const { server, db } = await frozenPostgres(t, LONG_MS);
    // Takes the connections, so that what follows shares a commit.
    const before = Array.from({ length: 4 }, () => db.write(ONE));
    const receivedAt = performance.now() - LONG_MS * 0.7;
    const old = Array.from({ length: 20 }, () => withinRequest(receivedAt, () => assertRefused(() => db.write(ONE))));
    const fresh = Array.from({ length: 20 }, () => db.write(ONE));
    // The fresh ones have more than half of their time left.
    await Promise.all(old);
    server.signal('SIGCONT');
    for (const rows of await Promise.all([...before, ...fresh])) assert.deepEqual(rows, [{ one: 1 }]);
  });

  it('fails a request at once that has no time left', async t => {
    const { db } = await frozenPostgres(t, TIMEOUT_MS);
    const receivedAt = performance.now() - TIMEOUT_MS;
    await endsBetween(0, TIMEOUT_MS / 2, () =>
      withinRequest(receivedAt, async () => {
        await assertRefused(() => db.write(ONE));
        await assertRefused(() => db.read(ONE));
        await assertRefused(() => db.transaction(run => run(ONE)));
      }),
    );
  });

  it('fails what started long ago, and what is fresh is done on another connection when it goes on later', async t => {
    const { server, db } = await frozenPostgres(t, LONG_MS);
    const old = Array.from({ length: 20 }, () => assertRefused(() => db.read(ONE)));
    await pause(LONG_MS * 0.9);
    const fresh = Array.from({ length: 20 }, () => db.read(ONE));
    await Promise.all(old);
    // By now the silent connections were given up.
    await pause(1000);
    server.signal('SIGCONT');
    for (const rows of await Promise.all(fresh)) assert.deepEqual(rows, [{ one: 1 }]);
  });

  it('lets only so many operations wait', async t => {
    const { db } = await frozenPostgres(t, TIMEOUT_MS);
    const outcomes = await Promise.allSettled(Array.from({ length: 30_000 }, () => db.write(ONE)));
    const refusedAtOnce = outcomes.filter(
      outcome => outcome.status === 'rejected' && /too many/.test((outcome.reason as Error).message),
    ).length;
    assert(refusedAtOnce >= 30_000 - 4 * (2000 + 64), `${refusedAtOnce} were refused at once`);
  });
});

describe('the time of one operation is for all of its steps and retries:', () => {
  let server: PostgresServer;
  let database: TestDatabase;
  let store: Store;
  let fixture: Fixture;
  beforeEach(async () => {
    server = await startPostgres({ settings: { fsync: 'off' } });
    database = await createDatabase(server.url);
    store = await openPostgresStore(database.address, { timeoutMs: LONG_MS });
    fixture = await aFixture(store);
  });
  afterEach(async () => {
    server.signal('SIGCONT');
    await store.close();
    await server.remove();
  });

  it('an old request fails at its own time in the batch of lookups it shares with fresh ones, which are answered', async () => {
    const pair = await aFamily(store, fixture);
    const { app } = fixture;
    server.signal('SIGSTOP');
    const receivedAt = performance.now() - LONG_MS * 0.7;
    const old = withinRequest(receivedAt, () => assertRefused(() => store.findAccessToken(app, pair.access.hash, NOW)));
    const fresh = Array.from({ length: 5 }, () => store.findAccessToken(app, pair.access.hash, NOW));
    // The fresh ones have more than half of their time left.
    await old;
    server.signal('SIGCONT');
    for (const token of await Promise.all(fresh)) assert.equal(token?.clientId, 'web');
  });

  it('every operation of a request on a frozen server', async () => {
    const { app, user, grant } = fixture;
    const own = await aSession(store, fixture);
    const pair = await aFamily(store, fixture);
    server.signal('SIGSTOP');
    const operations: Readonly<Record<string, () => Promise<unknown>>> = {
      addCode: () => store.addCode(app, code(grant)),
      redeemCode: () => store.redeemCode(app, code(grant).codeHash, presentedCode, tokens()),
      addTokenFamily: () => aFamily(store, fixture),
      rotateRefreshToken: () => store.rotateRefreshToken(app, rotation(pair.refresh.hash)),
      findAccessToken: () => store.findAccessToken(app, pair.access.hash, NOW),
      findRefreshToken: () => store.findRefreshToken(app, pair.refresh.hash, NOW),
      findTokenUser: () => store.findTokenUser(app, digest(), NOW),
      openSession: () => store.openSession(session(user.sub, { replaces: own.idHash }), NOW),
      useSession: () => store.useSession(own.idHash, NOW, NOW + 8 * 3600),
      endSession: () => store.endSession({ idHash: own.idHash }, NOW),
      withdrawConsent: () => store.withdrawConsent(user.sub, app, 'web', NOW),
      findAccount: () => store.findAccount(user.username),
      check: () => store.check(),
    };
    await Promise.all(
      Object.entries(operations).map(([name, operation]) =>
        endsBetween(0, LONG_MS * 1.8, () => assertRefused(operation)).catch(error => assert.fail(`${name}: ${error}`)),
      ),
    );
  });
});
