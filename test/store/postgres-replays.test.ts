import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { StoreUnavailable } from '../../src/store/faults.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createMigratedDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { until } from '../build/until.ts';
import {
  aFixture,
  alive,
  code,
  DEAD,
  type Fixture,
  NOW,
  presentedCode,
  rotation,
  type TokenPair,
  token,
  tokens,
} from './contract/given.ts';

/** Shorter than the lock that the test holds. */
const TIMEOUT_MS = 1000;

describe('attack: a code or refresh token is replayed while the database does not let its family be revoked', () => {
  let database: TestDatabase;
  let store: Store;
  let fixture: Fixture;
  let holder: Client;
  before(async () => {
    database = await createMigratedDatabase();
    store = await openPostgresStore(database.address, { timeoutMs: TIMEOUT_MS });
    fixture = await aFixture(store);
    holder = new Client({ connectionString: database.url });
    await holder.connect();
  });
  after(async () => {
    await holder.end();
    await store.close();
    await database.drop();
    await stopOwnServer();
  });

  /** The replay is refused for want of the database, and its consequence comes when the database lets it. */
  const assertRevokedLater = async (pair: TokenPair, replay: () => Promise<unknown>) => {
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM grants WHERE app = $1 AND grant_id = $2 FOR UPDATE', [fixture.app, pair.grantId]);
    await assert.rejects(replay(), StoreUnavailable);
    await holder.query('ROLLBACK');
    await until('the family is revoked', async () => {
      const { access, refresh } = await alive(store, fixture.app, pair);
      return !access && !refresh;
    });
    assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
  };

  it('the revocation of the family of a code is not lost (RFC 6749 section 4.1.2)', async () => {
    const put = code(fixture.grant);
    await store.addCode(fixture.app, put);
    const pair = tokens();
    const redeem = (issued: TokenPair) => store.redeemCode(fixture.app, put.codeHash, presentedCode, issued);
    assert.equal((await redeem(pair)).kind, 'redeemed');
    await assertRevokedLater(pair, () => redeem(tokens()));
  });

  it('the revocation of the family of a refresh token is not lost (RFC 9700 section 4.14.2)', async () => {
    const put = code(fixture.grant);
    await store.addCode(fixture.app, put);
    const pair = tokens();
    assert.equal((await store.redeemCode(fixture.app, put.codeHash, presentedCode, pair)).kind, 'redeemed');
    const first = rotation(pair.refresh.hash, { access: token(NOW + 3600) });
    assert.equal((await store.rotateRefreshToken(fixture.app, first)).kind, 'rotated');
    const second = rotation(first.successors[0] as Uint8Array, { access: token(NOW + 3600) });
    assert.equal((await store.rotateRefreshToken(fixture.app, second)).kind, 'rotated');
    await assertRevokedLater(pair, () =>
      store.rotateRefreshToken(fixture.app, rotation(pair.refresh.hash, { access: token(NOW + 3600) })),
    );
  });
});
