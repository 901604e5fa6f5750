import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import { StoreUnavailable } from '../../src/platform/store/faults.ts';
import { type Database, openDatabase } from '../../src/platform/store/sqlite/database.ts';
import { SCHEMA_NUMBER } from '../../src/platform/store/sqlite/migrations.ts';
import { endsBetween } from '../build/in-time.ts';
import { application, usedKey } from './contract/given.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

describe('the SQLite file', () => {
  let folder: TemporaryFolder;
  let path: string;
  const open: { close(): unknown }[] = [];
  const database = (): Database => {
    const db = openDatabase(path);
    open.push(db);
    return db;
  };
  const outsider = (): DatabaseSync => {
    const connection = new DatabaseSync(path);
    open.push(connection);
    return connection;
  };
  beforeEach(() => {
    folder = temporaryFolder();
    path = folder.file('gatehouse.db');
  });
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close();
    folder.remove();
  });

  for (const [pragma, value] of [
    ['synchronous', 2],
    ['journal_mode', 'wal'],
    ['foreign_keys', 1],
    ['busy_timeout', 25],
    ['user_version', SCHEMA_NUMBER],
  ] as const) {
    it(`is opened with ${pragma} = ${value}`, () => {
      const row: Record<string, unknown> = { ...database().prepare(`PRAGMA ${pragma}`).get() };
      assert.deepEqual(Object.values(row), [value]);
    });
  }

  it('is created in a folder that no other user can enter', () => {
    path = folder.file('new/deep/gatehouse.db');
    database();
    assert.equal(statSync(folder.file('new/deep')).mode & 0o777, 0o700);
  });

  it('is opened again with what it held, by the same release', async () => {
    const first = openSqliteStore(path);
    const app = application();
    await first.provision([{ kind: 'application', application: app }]);
    await first.close();
    const second = openSqliteStore(path);
    open.push(second);
    assert.deepEqual(await second.findApplication(app.code), app);
  });

  it('of a newer release is refused, and left as it is', () => {
    const newer = outsider();
    newer.exec(`PRAGMA user_version = ${SCHEMA_NUMBER + 1}`);
    const refusal = new RegExp(
      `cannot open the database .*gatehouse\\.db: .*schema is number ${SCHEMA_NUMBER + 1}.*newer release`,
    );
    assert.throws(() => openSqliteStore(path), isUnavailable(refusal));
    assert.equal(newer.prepare('PRAGMA user_version').get()?.user_version, SCHEMA_NUMBER + 1);
    assert.deepEqual(newer.prepare('SELECT name FROM sqlite_schema').all(), []);
  });

  it('that is no database at all is refused, with its name and the reason', () => {
    writeFileSync(path, 'This is a shopping list and no database. '.repeat(50));
    assert.throws(
      () => openSqliteStore(path),
      isUnavailable(/cannot open the database .*gatehouse\.db: .*not a database/),
    );
    assert.match(readFileSync(path, 'utf8'), /^This is a shopping list/);
  });

  it('whose folder cannot be made is refused, with its name and the reason', () => {
    writeFileSync(folder.file('occupied'), '');
    path = folder.file('occupied/gatehouse.db');
    assert.throws(() => openSqliteStore(path), isUnavailable(/cannot open the database .*occupied/));
  });

  it('with pages destroyed is refused, or its reads are, but never answered', async () => {
    const first = openSqliteStore(path);
    const app = application();
    await first.provision([{ kind: 'application', application: app }]);
    await first.close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xa5, 4096));
    await assert.rejects(
      async () => {
        const store = openSqliteStore(path);
        open.push(store);
        await store.findApplication(app.code);
      },
      isUnavailable(/malformed|corrupt|cannot open/),
    );
  });

  it('of another program with the same schema number is refused as unavailable', () => {
    outsider().exec(`CREATE TABLE recipes (name TEXT); PRAGMA user_version = ${SCHEMA_NUMBER}`);
    assert.throws(() => openSqliteStore(path), isUnavailable(/cannot open the database .*gatehouse\.db/));
  });

  describe('group commit', () => {
    const rows = (db: Database) =>
      db
        .prepare('SELECT name FROM applications ORDER BY name')
        .all()
        .map(row => row.name);
    const insert = (db: Database, code: string, name = code) =>
      db.prepare('INSERT INTO applications (code, name, settings) VALUES (?, ?, ?)').run(code, name, '{}');

    it('a failing write does not fail its neighbours, and leaves no trace', async () => {
      const db = database();
      const ours = new Error('a fault of our own');
      const outcomes = await Promise.allSettled([
        db.write(() => insert(db, 'a').changes),
        db.write(() => {
          insert(db, 'half');
          throw ours;
        }),
        db.write(() => insert(db, 'b').changes),
        db.write(() => insert(db, 'a', 'again').changes),
        db.write(() => insert(db, 'c').changes),
      ]);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
      );
      const [, own, , constraint] = outcomes;
      assert.equal(own?.status === 'rejected' && own.reason, ours);
      assert(constraint?.status === 'rejected' && constraint.reason instanceof StoreUnavailable);
      assert.deepEqual(rows(db), ['a', 'b', 'c']);
    });

    it('each write sees what those before it wrote, and answers its own value', async () => {
      const db = database();
      const counts = await Promise.all(
        ['a', 'b', 'c'].map(code =>
          db.write(() => {
            insert(db, code);
            return rows(db).length;
          }),
        ),
      );
      assert.deepEqual(counts, [1, 2, 3]);
    });

    it('a write is acknowledged only when another connection can see it', async () => {
      const db = database();
      const writes = db.write(() => insert(db, 'a'));
      const other = outsider();
      assert.deepEqual(other.prepare('SELECT code FROM applications').all(), []);
      await writes;
      assert.equal(other.prepare('SELECT code FROM applications').all().length, 1);
    });

    it('closing waits for the writes that were asked for', async () => {
      const db = openDatabase(path);
      const write = db.write(() => insert(db, 'a'));
      await db.close();
      await write;
      assert.equal(outsider().prepare('SELECT code FROM applications').all().length, 1);
    });

    it('a write waits while another process holds the lock, and reads do not', async () => {
      const db = database();
      const other = outsider();
      other.exec('BEGIN IMMEDIATE');
      const write = db.write(() => insert(db, 'a'));
      let done = false;
      void write.then(() => {
        done = true;
      });
      assert.deepEqual(await db.read(() => rows(db)), []);
      assert.equal(done, false);
      other.exec('COMMIT');
      await write;
      assert.deepEqual(rows(db), ['a']);
    });

    it('writes are refused as unavailable when the lock is held for too long, and work again after it', async () => {
      const db = openDatabase(path, { timeoutMs: 600 });
      const other = outsider();
      other.exec('BEGIN IMMEDIATE');
      const outcomes = await endsBetween(500, 60_000, () =>
        Promise.allSettled(['a', 'b'].map(code => db.write(() => insert(db, code)))),
      );
      for (const outcome of outcomes) {
        assert(outcome.status === 'rejected' && outcome.reason instanceof StoreUnavailable);
        assert.match(outcome.reason.message, /locked/);
      }
      other.exec('ROLLBACK');
      await db.write(() => insert(db, 'c'));
      assert.deepEqual(rows(db), ['c']);
      await db.close();
    });

    it('refuses more writes than it can hold, and serves those it took', async () => {
      const db = database();
      const asked = Array.from({ length: 10_050 }, (_, index) => db.write(() => index));
      const outcomes = await Promise.allSettled(asked);
      const refused = outcomes.filter(({ status }) => status === 'rejected');
      assert.equal(refused.length, 50);
      assert.deepEqual(outcomes[9_999], { status: 'fulfilled', value: 9_999 });
    });
  });

  it('loses no acknowledged write when its process is killed', async () => {
    const script = fileURLToPath(new URL('write-until-killed.ts', import.meta.url));
    const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    let acknowledged = '';
    child.stdout.on('data', chunk => {
      acknowledged += chunk;
      if (acknowledged.length > 500) child.kill('SIGKILL');
    });
    const [, signal] = await once(child, 'close');
    assert.equal(signal, 'SIGKILL');
    const store = openSqliteStore(path);
    open.push(store);
    // The last line may have been cut; every whole one was acknowledged.
    const codes = acknowledged.split('\n').slice(0, -1);
    assert(codes.length > 20);
    for (const code of codes) assert(await store.findApplication(code), `${code} is lost`);
    for (const code of codes)
      assert(!(await store.useOnce(usedKey(code), Buffer.alloc(8))), `${code} can be used again`);
    assert.equal(outsider().prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
  });
});

function isUnavailable(message: RegExp): (error: unknown) => boolean {
  return error => {
    assert(error instanceof StoreUnavailable, `not StoreUnavailable but ${String(error)}`);
    assert.match(error.message, message);
    return true;
  };
}
