import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { aScene, aSession, DAY, NOW, token, tokens } from './contract/given.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

/** Access tokens, refresh tokens, codes, grants, sessions and their clients, spent login pages. */
const MOST_KINDS = 9;

describe('purge of the embedded store', () => {
  let folder: TemporaryFolder;
  let store: Store;
  beforeEach(() => {
    folder = temporaryFolder();
    store = openSqliteStore(folder.file('gatehouse.db'));
  });
  afterEach(async () => {
    await store.close();
    folder.remove();
  });

  const drain = async (now: number, limit: number) => {
    const rounds: number[] = [];
    do rounds.push(await store.purge(now, limit));
    while (rounds.at(-1) !== 0 && rounds.length < 100);
    return { rounds, total: rounds.reduce((sum, gone) => sum + gone, 0) };
  };

  it('goes in small batches, and removes every ended row', async () => {
    const scene = await aScene(store);
    for (let count = 0; count < 9; count++)
      await store.addGrant(scene.app, scene.grant, {
        ...tokens({ access: token(NOW + 60) }),
        refresh: count < 4 ? token(NOW + 60) : undefined,
      });
    const { rounds, total } = await drain(NOW + 3 * DAY, 2);
    // Nine grants, their nine access tokens and four refresh tokens.
    assert.equal(total, 22);
    for (const gone of rounds) assert(gone <= 2 * MOST_KINDS);
    assert(rounds.length > 4, 'nine of a kind at two a time');
  });

  it('removes sessions that were idle for too long', async () => {
    const scene = await aScene(store);
    for (let count = 0; count < 3; count++) await aSession(store, scene, { idleExpiresAt: NOW + 60 });
    await aSession(store, scene, { idleExpiresAt: NOW + 10 * DAY, expiresAt: NOW + 30 * DAY });
    // Three sessions, and the four login pages whose forms are too old to be sent again.
    assert.equal((await drain(NOW + 5 * DAY, 2)).total, 7);
  });
});
