import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { migrateSqlite, openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import { storeTables } from '../../src/assembly/store-tables.ts';
import { openSqliteTarget } from '../../src/operators/copy-database/sqlite.ts';
import { application } from './contract/given.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the files of the embedded store are for their owner alone, whatever the umask says', () => {
  let folder: TemporaryFolder;
  let umask: number;
  beforeEach(() => {
    folder = temporaryFolder();
    umask = process.umask(0);
  });
  afterEach(() => {
    process.umask(umask);
    folder.remove();
  });

  it('the database, its WAL and its shared memory are 0600, and a folder that is made for them 0700', async () => {
    const path = folder.file('data/deeper/gatehouse.db');
    const store = openSqliteStore(path);
    await store.provision([{ kind: 'application', application: application() }]);
    for (const file of [path, `${path}-wal`, `${path}-shm`]) assert.equal(modeOf(file), '600', file);
    for (const made of [dirname(path), folder.file('data')]) assert.equal(modeOf(made), '700', made);
    await store.close();
  });

  for (const [by, open] of [
    ['gatehouse migrate', (path: string) => void migrateSqlite(path, 1000)],
    ['gatehouse copy', (path: string) => openSqliteTarget(path, storeTables()).close()],
  ] as const) {
    it(`so it is when they are made by ${by}`, async () => {
      const path = folder.file('gatehouse.db');
      await open(path);
      assert.equal(modeOf(path), '600');
    });
  }

  it('what was there before keeps its mode: the folder may be shared, and a file may be meant for others', async () => {
    const shared = folder.file('shared');
    mkdirSync(shared, { mode: 0o755 });
    const path = `${shared}/gatehouse.db`;
    writeFileSync(path, '');
    chmodSync(path, 0o640);
    const store = openSqliteStore(path);
    assert.equal(modeOf(shared), '755');
    assert.equal(modeOf(path), '640');
    await store.close();
  });

  it('a database in memory makes no file', async () => {
    await openSqliteStore(':memory:').close();
    assert.equal(existsSync(':memory:'), false);
  });
});
