import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import { newGrantId } from '../../src/oauth/token/issue.ts';
import { tables } from '../../src/operators/copy-database/store.ts';
import { keyOf, newCredential } from '../../src/platform/crypto/credential.ts';
import { systemRandom } from '../../src/platform/crypto/random.ts';
import { migrations } from '../../src/platform/store/sqlite/schema/migrations.ts';
import {
  ALIVE,
  aFamily,
  aFixture,
  alive,
  CALLBACK,
  code,
  DAY,
  NOW,
  presentedCode,
  rotation,
  type TokenPair,
  tokens,
} from './contract/given.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

const FAMILIES = 2000;
const ROTATED = 50;
const ADDED = 50;
/** The header of a WAL, and its frames: a page each, with the number of the page in front of it (SQLite's file format, section 4). */
const WAL_HEADER = 32;
const FRAME = 4096 + 24;

/** Different pages in the WAL of a database: a page that two commits wrote counts once. */
function pagesInWal(database: string): number {
  const wal = readFileSync(`${database}-wal`);
  const pages = new Set<number>();
  for (let at = WAL_HEADER; at + FRAME <= wal.length; at += FRAME) pages.add(wal.readUInt32BE(at));
  return pages.size;
}

/** With a real key: what is issued one after the other has keys one after the other. */
function issued(expiresAt: number) {
  return { hash: keyOf(newCredential('refresh', expiresAt, systemRandom)), expiresAt };
}

/** The rows of a store as the first release had them: its tables, and of the rows what those have columns for. */
function writeAsFirstRelease(path: string, present: string): void {
  const connection = new DatabaseSync(path);
  connection.exec(`${migrations[0]?.sql} DELETE FROM registry_version; PRAGMA user_version = 1`);
  connection.prepare('ATTACH ? AS present').run(present);
  // What others refer to first.
  for (const table of ['registry_version', ...tables.map(({ name }) => name)]) {
    const columns = connection.prepare("SELECT name FROM pragma_table_info(?, 'main')").all(table);
    if (columns.length === 0) continue;
    const names = columns.map(({ name }) => name).join(', ');
    connection.exec(`INSERT INTO main.${table} (${names}) SELECT ${names} FROM present.${table}`);
  }
  connection.close();
}

describe('keys of codes and tokens in SQLite', () => {
  let folder: TemporaryFolder;
  let path: string;
  beforeEach(() => {
    folder = temporaryFolder();
    path = folder.file('gatehouse.db');
  });
  afterEach(() => folder.remove());

  /** Pages written by refreshes at the same time, of tokens picked from all over the table. */
  const pagesWritten = async (applications: number) => {
    const store = openSqliteStore(folder.file(`${applications}.db`));
    const families: { app: string; pair: TokenPair }[] = [];
    for (let count = 0; count < applications; count++) {
      const fixture = await aFixture(store);
      const added = Array.from({ length: FAMILIES / applications }, () =>
        aFamily(store, fixture, { access: issued(NOW + 3600), refresh: issued(NOW + 30 * DAY) }),
      );
      families.push(...(await Promise.all(added)).map(pair => ({ app: fixture.app, pair })));
    }
    const connection = new DatabaseSync(folder.file(`${applications}.db`));
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    connection.close();
    const picked = families.filter((_, index) => index % (FAMILIES / ROTATED) === 0);
    await Promise.all(
      picked.map(({ app, pair }) => {
        const successors = [issued(NOW + 30 * DAY).hash];
        const turn = rotation(pair.refresh.hash, { access: issued(NOW + 3600), successors });
        return store.rotateRefreshToken(app, turn);
      }),
    );
    const pages = pagesInWal(folder.file(`${applications}.db`));
    await store.close();
    return pages;
  };

  it('have fifty applications write hardly more pages than one', async t => {
    const [one, fifty] = [await pagesWritten(1), await pagesWritten(ROTATED)];
    t.diagnostic(`${ROTATED} refreshes: ${one} pages of one application, ${fifty} of ${ROTATED}`);
    assert(fifty < 1.5 * one, `${fifty} pages instead of ${one}`);
  });

  it('have new families write few pages, however many there are already', async t => {
    const file = folder.file('families.db');
    const store = openSqliteStore(file);
    const fixture = await aFixture(store);
    const issuing = { random: systemRandom, clock: { now: () => NOW } };
    const add = () => {
      const grantId = newGrantId(issuing);
      return aFamily(store, fixture, { grantId, access: issued(NOW + 3600), refresh: issued(NOW + 30 * DAY) });
    };
    await Promise.all(Array.from({ length: FAMILIES }, add));
    const connection = new DatabaseSync(file);
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    connection.close();
    await Promise.all(Array.from({ length: ADDED }, add));
    const pages = pagesInWal(file);
    await store.close();
    t.diagnostic(`${ADDED} new families: ${pages} pages`);
    assert(pages < ADDED, `${pages} pages`);
  });

  it('of an older release are put in the new order, and all they open stays open (002)', async () => {
    const present = openSqliteStore(folder.file('present.db'));
    const [here, there] = [await aFixture(present), await aFixture(present)];
    const pairs = [await aFamily(present, here), await aFamily(present, there)] as const;
    const put = code(here.grant);
    await present.addCode(here.app, put);
    await present.close();
    writeAsFirstRelease(path, folder.file('present.db'));

    const store = openSqliteStore(path);
    assert.deepEqual(await alive(store, here.app, pairs[0]), ALIVE);
    assert.deepEqual(await alive(store, there.app, pairs[1]), ALIVE);
    const presented = { ...presentedCode, redirectUri: CALLBACK };
    assert.equal((await store.redeemCode(here.app, put.codeHash, presented, tokens())).kind, 'redeemed');
    assert((await store.purge(NOW + 100 * DAY, 100)).deleted > 0);
    await store.close();
    const connection = new DatabaseSync(path);
    for (const table of ['codes', 'access_tokens', 'refresh_tokens']) {
      assert.equal(connection.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows, 0);
      const key = connection.prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk').all(table);
      assert.deepEqual(
        key.map(({ name }) => name),
        [table === 'codes' ? 'code_hash' : 'token_hash', 'app'],
      );
    }
    connection.close();
  });
});
