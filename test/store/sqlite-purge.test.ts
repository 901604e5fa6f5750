import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import type { Store } from '../../src/store.ts';
import { until } from '../build/until.ts';
import { aFixture, credentialKey, DAY, NOW } from './contract/given.ts';
import { aSession } from './contract/given-sessions.ts';
import { token, tokens } from './contract/given-tokens.ts';
import { underLoad } from './load.ts';
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
    do rounds.push((await store.purge(now, limit)).deleted);
    while (rounds.at(-1) !== 0 && rounds.length < 100);
    return { rounds, total: rounds.reduce((sum, gone) => sum + gone, 0) };
  };

  it('goes in small batches, and removes every ended row', async () => {
    const fixture = await aFixture(store);
    for (let count = 0; count < 9; count++)
      await store.addTokenFamily(fixture.app, fixture.grant, {
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
    const fixture = await aFixture(store);
    for (let count = 0; count < 3; count++) await aSession(store, fixture, { idleExpiresAt: NOW + 60 });
    await aSession(store, fixture, { idleExpiresAt: NOW + 10 * DAY, expiresAt: NOW + 30 * DAY });
    // Three sessions, and the four login pages whose forms are too old to be sent again.
    assert.equal((await drain(NOW + 5 * DAY, 2)).total, 7);
  });

  it('leaves room for requests between its batches', async t => {
    addEnded(folder.file('gatehouse.db'), 5000);
    const load = await underLoad([store], 4);
    let [gone, batches, servedBetween] = [0, 0, 0];
    for (let batch = -1; batch !== 0; gone += batch, batches++) {
      const before = load.durations.length;
      batch = (await store.purge(NOW, 500)).deleted;
      await until('a request is served', () => load.durations.length > before);
      servedBetween++;
    }
    await load.stop();
    t.diagnostic(`${gone} rows in ${batches} batches, ${load.durations.length} requests beside them`);
    assert(gone >= 10_000);
    assert.equal(servedBetween, batches);
  });
});

/** So many grants that ended long ago, each with an access token. */
function addEnded(path: string, count: number): void {
  const connection = new DatabaseSync(path);
  const grant = connection.prepare(
    `INSERT INTO grants (app, grant_id, client_id, sub, scope, auth_time, amr, sid, expires_at)
     VALUES ('shop', ?, 'web', 'somebody', 'openid', 0, 'pwd', ?, ?)`,
  );
  const access = connection.prepare(
    `INSERT INTO access_tokens (app, token_hash, grant_id, client_id, sub, scope, issued_at, expires_at)
     VALUES ('shop', ?, ?, 'web', 'somebody', 'openid', 0, ?)`,
  );
  connection.exec('BEGIN');
  for (let index = 0; index < count; index++) {
    const end = NOW - 30 * DAY + (index % DAY);
    grant.run(`grant-${index}`, `sid-${index}`, end);
    access.run(credentialKey(end), `grant-${index}`, end);
  }
  connection.exec('COMMIT');
  connection.close();
}
