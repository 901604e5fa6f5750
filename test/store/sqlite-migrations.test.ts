import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import { storeTables } from '../../src/assembly/store-tables.ts';
import { CREATED, OLDEST_NUMBER } from '../../src/platform/store/schema/number.ts';
import { migrations, SCHEMA_NUMBER } from '../../src/platform/store/sqlite/migrations.ts';
import { run } from '../assembly/run.ts';
import { until } from '../build/until.ts';
import { underLoad } from './load.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

const PROGRAM = fileURLToPath(new URL('../../src/gatehouse.ts', import.meta.url));

/** What a later release may do: the one before goes on working with it. */
const next = [
  ...migrations,
  {
    name: '900-note',
    sql: `ALTER TABLE grants ADD COLUMN note TEXT NOT NULL DEFAULT 'none'; ALTER TABLE codes ADD COLUMN note TEXT;
          CREATE INDEX grants_by_note ON grants (note)`,
  },
];

describe('migrations of SQLite', () => {
  let folder: TemporaryFolder;
  let path: string;
  beforeEach(() => {
    folder = temporaryFolder();
    path = folder.file('gatehouse.db');
  });
  afterEach(() => folder.remove());

  const look = (sql: string) => {
    const connection = new DatabaseSync(path);
    try {
      return connection.prepare(sql).get();
    } finally {
      connection.close();
    }
  };
  const number = () => look('PRAGMA user_version')?.user_version;

  it('gatehouse migrate creates an empty database apart from starting, once however many do it together, and says which', async () => {
    const ran = await Promise.all(
      Array.from({ length: 4 }, () => run(process.execPath, [PROGRAM, 'migrate'], { DATABASE_URL: `sqlite:${path}` })),
    );
    assert.deepEqual(
      ran.map(({ code, err }) => [code, err]),
      ran.map(() => [0, '']),
    );
    const done = 'The schema is up to date.\n';
    const created = [CREATED, ...storeTables().further.map(({ name }) => name)].join('\n');
    assert.deepEqual(ran.map(({ out }) => out).sort(), [`${created}\n${done}`, ...Array(3).fill(done)].sort());
    assert.equal(number(), SCHEMA_NUMBER);
  });

  it('run after the file of the schema on an empty database', async () => {
    await openSqliteStore(path, { known: next }).close();
    assert.equal(number(), SCHEMA_NUMBER + 1);
    assert(look("SELECT 1 FROM pragma_table_info('grants') WHERE name = 'note'"));
  });

  it('refuse a schema from before the oldest that they begin with, and change nothing', async () => {
    const connection = new DatabaseSync(path);
    connection.exec(`CREATE TABLE users (sub TEXT); PRAGMA user_version = ${OLDEST_NUMBER - 1}`);
    connection.close();
    const { code, err } = await run(process.execPath, [PROGRAM, 'migrate'], { DATABASE_URL: `sqlite:${path}` });
    assert.equal(code, 69);
    assert.equal(
      err,
      `cannot open the database ${path}: its schema is number ${OLDEST_NUMBER - 1}, this release migrates from ${OLDEST_NUMBER} on: ` +
        'run "gatehouse migrate" of an earlier release first\n',
    );
    assert.equal(number(), OLDEST_NUMBER - 1);
    assert.equal(look('SELECT count(*) AS tables FROM sqlite_schema')?.tables, 1);
  });

  it('that fail leave nothing half done, and the next start goes on', async () => {
    await openSqliteStore(path).close();
    const half = { name: '900-half', sql: 'CREATE TABLE half (id INTEGER); SELECT no_such_function()' };
    assert.throws(() => openSqliteStore(path, { known: [...migrations, half] }), /no such function/);
    assert.equal(number(), SCHEMA_NUMBER);
    assert.equal(look("SELECT 1 FROM sqlite_schema WHERE name = 'half'"), undefined);
    await openSqliteStore(path, { known: [...migrations, { ...half, sql: 'CREATE TABLE half (id INTEGER)' }] }).close();
    assert.equal(number(), SCHEMA_NUMBER + 1);
  });

  it('of the next release run while a process of this one serves, which goes on beside it', async t => {
    const old = openSqliteStore(path);
    const load = await underLoad([old]);
    const renewed = openSqliteStore(path, { known: next });
    const both = await underLoad([renewed]);
    const before = load.durations.length;
    await until('both serve', () => load.durations.length >= before + 100 && both.durations.length >= 100);
    await both.stop();
    await load.stop();
    t.diagnostic(`${load.durations.length} requests of the old release, ${both.durations.length} of the new one`);
    assert.equal(number(), SCHEMA_NUMBER + 1);
    await renewed.close();
    await old.close();
  });
});
