import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import { storeTables } from '../../src/assembly/store-tables.ts';
import { StoreUnavailable } from '../../src/platform/store/faults.ts';
import { type Migration, migrations, SCHEMA_NUMBER } from '../../src/platform/store/postgres/migrations.ts';
import { CREATED, numberAfter, OLDEST_NUMBER } from '../../src/platform/store/schema/number.ts';
import type { Store } from '../../src/store.ts';
import { run } from '../assembly/run.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { TEST_SECRET } from '../build/test-server.ts';
import { until } from '../build/until.ts';
import { aFixture } from './contract/given.ts';
import { tokens } from './contract/given-tokens.ts';
import { underLoad } from './load.ts';

const PROGRAM = fileURLToPath(new URL('../../src/gatehouse.ts', import.meta.url));

/** What a later release may do: the one before goes on working with it. */
const next: readonly Migration[] = [
  ...migrations,
  { name: '900-note', sql: "ALTER TABLE grants ADD COLUMN note text NOT NULL DEFAULT 'none'" },
  {
    name: '901-more-notes',
    sql: ['codes', 'access_tokens', 'refresh_tokens', 'sessions', 'users', 'clients', 'signing_keys', 'logout_notices']
      .map(table => `ALTER TABLE ${table} ADD COLUMN note text;`)
      .join(''),
  },
  { name: '902-grants-by-note', index: 'grants_by_note', on: 'grants (note)' },
];

describe('migrations of PostgreSQL', () => {
  let database: TestDatabase;
  const stores: Store[] = [];
  const open = async (known = migrations) => {
    const store = await openPostgresStore(database.address, { known });
    stores.push(store);
    return store;
  };
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    await database.drop();
  });
  after(stopOwnServer);

  const migrate = () =>
    run(process.execPath, [PROGRAM, 'migrate'], { DATABASE_URL: database.url, GATEHOUSE_SECRET: TEST_SECRET });
  const applied = async () =>
    (await database.query('SELECT name FROM schema_migrations ORDER BY number')).map(row => row.name);
  /** Of a database that this release created. */
  const names = (list: readonly Migration[]) => [CREATED, ...list.slice(migrations.length).map(({ name }) => name)];
  const relations = async () =>
    (await database.query("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY relname"))
      .map(row => row.relname)
      .join();

  it('run once when ten nodes start together on an empty database', async () => {
    const ten = await Promise.all(Array.from({ length: 10 }, () => open(next)));
    assert.deepEqual(await applied(), names(next));
    await Promise.all(ten.map(store => store.check()));
  });

  it('run once when ten nodes of the next release start together', async () => {
    await open();
    await Promise.all(Array.from({ length: 10 }, () => open(next)));
    assert.deepEqual(await applied(), names(next));
  });

  it('refuse a newer schema with one line, and change nothing', async () => {
    await open(next);
    const before = await relations();
    await assert.rejects(open(), (error: Error) => {
      assert(error instanceof StoreUnavailable);
      const numbers = [numberAfter(next), SCHEMA_NUMBER];
      assert.equal(
        error.message,
        `the schema of the database is number ${numbers[0]}, this release knows ${numbers[1]}: use a newer release`,
      );
      return true;
    });
    assert.deepEqual(await applied(), names(next));
    assert.equal(await relations(), before);
  });

  it('refuse a schema from before the oldest that they begin with, and change nothing', async () => {
    await database.query(
      `CREATE TABLE schema_migrations (number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
       INSERT INTO schema_migrations (number, name) VALUES (${OLDEST_NUMBER - 1}, '030-owner-link')`,
    );
    const before = await relations();
    const { code, err } = await migrate();
    assert.equal(code, 69);
    assert.equal(
      err,
      `the schema of the database is number ${OLDEST_NUMBER - 1}, this release migrates from ${OLDEST_NUMBER} on: ` +
        'run "gatehouse migrate" of an earlier release first\n',
    );
    assert.equal(await relations(), before);
  });

  it('have nothing to do on a database of the last migration from before the first release', async () => {
    await open();
    await database.query(`UPDATE schema_migrations SET number = ${OLDEST_NUMBER}, name = '031-waiting-revocations'`);
    const before = await relations();
    await (await open()).check();
    assert.deepEqual(await applied(), ['031-waiting-revocations', ...names(migrations).slice(1)]);
    assert.equal(await relations(), before);
  });

  it('create a database whose start was interrupted after its first table', async () => {
    await database.query(
      'CREATE TABLE schema_migrations (number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    await (await open()).check();
    assert.deepEqual(await applied(), names(migrations));
  });

  it('that fail leave nothing half done, and the next start goes on', async () => {
    const good: Migration = { name: '900-good', sql: 'CREATE TABLE good (id integer)' };
    const bad: Migration = { name: '901-bad', sql: 'CREATE TABLE half (id integer); SELECT 1 / 0' };
    const mended: Migration = { name: '901-bad', sql: 'CREATE TABLE half (id integer)' };
    await assert.rejects(open([...migrations, good, bad]), /migration 901-bad failed: division by zero/);
    assert.deepEqual(await applied(), names([...migrations, good]));
    assert.deepEqual(await database.query("SELECT to_regclass('half') AS half"), [{ half: null }]);
    await open([...migrations, good, mended]);
    assert.deepEqual(await applied(), names([...migrations, good, mended]));
  });

  it('make an index again that was left unfinished', async () => {
    const first = await open();
    const { app, grant } = await aFixture(first);
    for (let count = 0; count < 2; count++) await first.addTokenFamily(app, grant, tokens());
    // Two grants have the same user: a unique index on it cannot be finished.
    await assert.rejects(database.query('CREATE UNIQUE INDEX CONCURRENTLY grants_by_note ON grants (sub)'));
    await open([...migrations, { name: '900-index', index: 'grants_by_note', on: 'grants (scope)' }]);
    const [index] = await database.query(
      "SELECT indisvalid, indisunique FROM pg_index WHERE indexrelid = 'grants_by_note'::regclass",
    );
    assert.deepEqual(index, { indisvalid: true, indisunique: false });
  });

  it('of the next release run while nodes of this one serve, which go on beside it', async t => {
    const old = [await open(), await open()];
    const load = await underLoad(old);
    await until('work', () => load.durations.length > 20);
    const before = load.durations.length;
    const renewed = await open(next);
    const both = await underLoad([renewed]);
    const during = load.durations.length - before;
    await until('both releases serve', () => both.durations.length > 20);
    await both.stop();
    await load.stop();
    assert.deepEqual(await applied(), names(next));
    for (const store of old) await store.check();
    t.diagnostic(
      `${load.durations.length} requests of the old release, ${during} of them while the migrations ran, ` +
        `${both.durations.length} of the new one: none failed`,
    );
  });

  it('wait for a long transaction without making requests wait for them', async () => {
    const old = await open();
    const report = new Client({ connectionString: database.url });
    await report.connect();
    await report.query('BEGIN; SELECT count(*) FROM grants');
    const load = await underLoad([old]);
    const renewing = open(next);
    await until('the migration waits for the report', async () => {
      const rows = await database.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'CREATE|ALTER'",
      );
      return rows.length > 0;
    });
    const before = load.durations.length;
    await until('requests are served beside it', () => load.durations.length > before + 50);
    assert.deepEqual(await applied(), names(migrations), 'nothing was in the way of the migration');
    await report.query('COMMIT');
    await report.end();
    await renewing;
    await load.stop();
    assert.deepEqual(await applied(), names(next));
  });

  it('gatehouse migrate creates an empty database apart from starting, and says so', async () => {
    const first = await migrate();
    assert.equal(first.code, 0, first.err);
    assert.equal(
      first.out,
      [...names(migrations), ...storeTables().further.map(({ name }) => name), 'The schema is up to date.', ''].join(
        '\n',
      ),
    );
    assert.deepEqual(await applied(), names(migrations));
    assert.equal((await migrate()).out, 'The schema is up to date.\n');
    await database.query("INSERT INTO schema_migrations (number, name) VALUES (999, 'later')");
    const refused = await migrate();
    assert.equal(refused.code, 69);
    assert.match(refused.err, /^the schema of the database is number 999.*use a newer release\n$/);
  });
});
