import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import { migrations } from '../../src/platform/store/sqlite/schema/migrations.ts';
import { run } from '../assembly/run.ts';
import { until } from '../build/until.ts';
import { underLoad } from './load.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

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

  it('gatehouse migrate runs them apart from starting, once however many do it together, and says which', async () => {
    const program = fileURLToPath(new URL('../../src/gatehouse.ts', import.meta.url));
    const ran = await Promise.all(
      Array.from({ length: 4 }, () => run(process.execPath, [program, 'migrate'], { DATABASE_URL: `sqlite:${path}` })),
    );
    assert.deepEqual(
      ran.map(({ code, err }) => [code, err]),
      ran.map(() => [0, '']),
    );
    const done = 'The schema is up to date.\n';
    const first = `${migrations.map(({ name }) => `${name}\n`).join('')}${done}`;
    assert.deepEqual(ran.map(({ out }) => out).sort(), [first, ...Array(3).fill(done)].sort());
    assert.equal(number(), migrations.length);
  });

  it('that fail leave nothing half done, and the next start goes on', async () => {
    await openSqliteStore(path).close();
    const half = { name: '900-half', sql: 'CREATE TABLE half (id INTEGER); SELECT no_such_function()' };
    assert.throws(() => openSqliteStore(path, { known: [...migrations, half] }), /no such function/);
    assert.equal(number(), migrations.length);
    assert.equal(look("SELECT 1 FROM sqlite_schema WHERE name = 'half'"), undefined);
    await openSqliteStore(path, { known: [...migrations, { ...half, sql: 'CREATE TABLE half (id INTEGER)' }] }).close();
    assert.equal(number(), migrations.length + 1);
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
    assert.equal(number(), next.length);
    await renewed.close();
    await old.close();
  });
});
