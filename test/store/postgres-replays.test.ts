import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { Client } from 'pg';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import { FIND_ISSUED } from '../../src/oauth/refresh/rotation.postgres.ts';
import { finishRevocations } from '../../src/oauth/revoke/job.ts';
import { createLog } from '../../src/platform/observe/log.ts';
import { StoreUnavailable } from '../../src/platform/store/faults.ts';
import type { Store } from '../../src/store.ts';
import { databaseSettings, storeAddress } from '../build/database-settings.ts';
import { createMigratedDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { until } from '../build/until.ts';
import { type DatabaseProxy, startProxy } from '../faults/proxy.ts';
import { anEvent } from './contract/events.ts';
import { aFixture, type Fixture, NOW } from './contract/given.ts';
import {
  ALIVE,
  alive,
  code,
  DEAD,
  presentedCode,
  rotation,
  type TokenPair,
  token,
  tokens,
} from './contract/given-tokens.ts';

/** Shorter than the lock that the test holds. */
const TIMEOUT_MS = 1000;

describe('attack: a code or refresh token is replayed while the database does not let its family be revoked', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let store: Store;
  /** Of another node. */
  let other: Store;
  let fixture: Fixture;
  let holder: Client;
  before(async () => {
    database = await createMigratedDatabase();
    proxy = await startProxy(databaseSettings(database.url).DATABASE_URL);
    other = await openPostgresStore(database.address, { timeoutMs: TIMEOUT_MS });
    fixture = await aFixture(other);
    holder = new Client({ connectionString: database.url });
    await holder.connect();
  });
  after(async () => {
    await holder.end();
    await other.close();
    await proxy.close();
    await database.drop();
    await stopOwnServer();
  });
  beforeEach(async () => {
    store = await openPostgresStore(
      { ...storeAddress(database.url, TIMEOUT_MS), hosts: [proxy.url] },
      { timeoutMs: TIMEOUT_MS },
    );
  });
  afterEach(() => store.close());

  const WAITS = /the revocation of the replayed grant .* waits in the (database|memory of this process)$/;
  /** Says where the revocation waits: in the database, or in the memory of the process. */
  const placeAfter = async (replay: () => Promise<unknown>) => {
    const fault = await replay().then(
      () => assert.fail('the replay was answered'),
      error => error,
    );
    assert(fault instanceof StoreUnavailable, String(fault));
    return WAITS.exec(fault.message)?.[1] ?? assert.fail(fault.message);
  };
  const events = async () =>
    (await database.query(`SELECT id FROM events WHERE type IN ('code.replayed', 'refresh.reused')`)).map(
      ({ id }) => id,
    );
  /** By its family: a row that was written twice, because the first answer was lost, may remain of another test. */
  const isWaiting = async ({ grantId }: TokenPair) =>
    (await database.query('SELECT 1 FROM waiting_revocations WHERE grant_id = $1', [grantId])).length > 0;
  let logged = '';
  const log = createLog('debug', false, line => {
    logged += line;
  });
  /** What the job of a node does every second; each call is later than the lease of the one before. */
  let now = NOW;
  const runJob = (node: Store) => {
    now += 3600;
    return finishRevocations({ store: node, log, clock: { now: () => now } }, () => false);
  };
  const lockGrant = async ({ grantId }: TokenPair) => {
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM grants WHERE app = $1 AND grant_id = $2 FOR UPDATE', [fixture.app, grantId]);
  };

  const aRedeemedCode = async () => {
    const put = code(fixture.grant);
    await store.addCode(fixture.app, put);
    const pair = tokens();
    const event = anEvent({ type: 'code.replayed', outcome: 'denied', app: fixture.app });
    const redeem = (issued: TokenPair) =>
      store.redeemCode(fixture.app, put.codeHash, presentedCode, issued, () => event);
    assert.equal((await redeem(pair)).kind, 'redeemed');
    return { pair, event, replay: () => redeem(tokens()) };
  };
  const aRotatedToken = async () => {
    const { pair } = await aRedeemedCode();
    const first = rotation(pair.refresh.hash, { access: token(NOW + 3600) });
    assert.equal((await store.rotateRefreshToken(fixture.app, first)).kind, 'rotated');
    const second = rotation(first.successors[0] as Uint8Array, { access: token(NOW + 3600) });
    assert.equal((await store.rotateRefreshToken(fixture.app, second)).kind, 'rotated');
    const event = anEvent({ type: 'refresh.reused', outcome: 'denied', app: fixture.app });
    const again = rotation(pair.refresh.hash, { access: token(NOW + 3600), event: () => event });
    return { pair, event, replay: () => store.rotateRefreshToken(fixture.app, again) };
  };

  for (const [what, replayed] of [
    ['a code (RFC 6749 section 4.1.2)', aRedeemedCode],
    ['a refresh token (RFC 9700 section 4.14.2)', aRotatedToken],
  ] as const) {
    it(`the revocation of the family of ${what} waits in the database, and another node finishes it once`, async () => {
      const { pair, event, replay } = await replayed();
      await lockGrant(pair);
      assert.equal(await placeAfter(replay), 'database');
      logged = '';
      await runJob(other);
      assert.match(logged, /"event":"revocation.postponed"/);
      assert(await isWaiting(pair));
      assert.equal((await alive(other, fixture.app, pair)).access, true);
      await holder.query('ROLLBACK');
      await Promise.all([runJob(store), runJob(other)]);
      await runJob(store);
      assert.deepEqual(await alive(other, fixture.app, pair), DEAD);
      assert.equal(await isWaiting(pair), false);
      assert.equal((await events()).filter(id => id === event.id).length, 1);
      assert.match(logged, /"event":"revocation.finished"/);
    });
  }

  it('while not even the row can be written, the revocation waits in memory, and is written when that is possible', async () => {
    const { pair, replay } = await aRedeemedCode();
    await lockGrant(pair);
    await holder.query('LOCK TABLE waiting_revocations IN ACCESS EXCLUSIVE MODE');
    assert.equal(await placeAfter(replay), 'memory of this process');
    await holder.query('ROLLBACK');
    await until('the row is written', () => isWaiting(pair));
    await runJob(other);
    assert.deepEqual(await alive(other, fixture.app, pair), DEAD);
  });

  it('a process that stops writes the rows that it has in memory', async () => {
    const { pair, replay } = await aRedeemedCode();
    const leaving = store;
    await lockGrant(pair);
    await holder.query('LOCK TABLE waiting_revocations IN ACCESS EXCLUSIVE MODE');
    assert.equal(await placeAfter(replay), 'memory of this process');
    await holder.query('ROLLBACK');
    await leaving.close();
    assert(await isWaiting(pair));
    await runJob(other);
    assert.deepEqual(await alive(other, fixture.app, pair), DEAD);
  });

  it('the database is lost while the server looks whether the request itself rotated the token: nothing is lost', async () => {
    const { pair, replay } = await aRotatedToken();
    proxy.shut();
    const cut = proxy.cutAfter(Buffer.from(FIND_ISSUED.name), 'sent');
    assert.equal(await placeAfter(replay), 'memory of this process');
    await cut;
    assert.notDeepEqual(await alive(other, fixture.app, pair), DEAD);
    proxy.open();
    await until('the row is written', () => isWaiting(pair));
    await runJob(other);
    assert.deepEqual(await alive(other, fixture.app, pair), DEAD);
  });

  it('a replay that revokes at once leaves no row', async () => {
    const { pair, event, replay } = await aRedeemedCode();
    assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
    assert.deepEqual(await replay(), { kind: 'refused', verdict: 'replayed' });
    assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
    assert.equal(await isWaiting(pair), false);
    assert((await events()).includes(event.id));
  });
});
