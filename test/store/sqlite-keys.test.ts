import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import { newGrantId } from '../../src/oauth/token/issue.ts';
import { keyOf, newCredential } from '../../src/platform/crypto/credential.ts';
import { systemRandom } from '../../src/platform/crypto/random.ts';
import { aFixture, DAY, NOW } from './contract/given.ts';
import { aFamily, rotation, type TokenPair } from './contract/given-tokens.ts';
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

describe('keys of codes and tokens in SQLite', () => {
  let folder: TemporaryFolder;
  beforeEach(() => {
    folder = temporaryFolder();
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

  /** Pages that new families write, where there are many already. */
  const pagesOfNewFamilies = async (name: string, family: () => Partial<TokenPair>) => {
    const file = folder.file(name);
    const store = openSqliteStore(file);
    const fixture = await aFixture(store);
    const add = () => aFamily(store, fixture, family());
    await Promise.all(Array.from({ length: FAMILIES }, add));
    const connection = new DatabaseSync(file);
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    connection.close();
    await Promise.all(Array.from({ length: ADDED }, add));
    const pages = pagesInWal(file);
    await store.close();
    return pages;
  };

  // How many pages they are depends on where the sequence numbers of the process stand: they may begin again in the middle of the new ones.
  it('have new families write few pages of those that keys in no order would write', async t => {
    const issuing = { random: systemRandom, clock: { now: () => NOW } };
    const ordered = await pagesOfNewFamilies('ordered.db', () => ({
      grantId: newGrantId(issuing),
      access: issued(NOW + 3600),
      refresh: issued(NOW + 30 * DAY),
    }));
    const scattered = await pagesOfNewFamilies('scattered.db', () => ({}));
    t.diagnostic(`${ADDED} new families: ${ordered} pages, ${scattered} with keys in no order`);
    assert(ordered < scattered / 2, `${ordered} pages instead of ${scattered}`);
  });
});
