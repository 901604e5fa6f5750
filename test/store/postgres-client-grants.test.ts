import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import type { TokenFamily } from '../../src/oauth/token/store.ts';
import type { Store } from '../../src/store.ts';
import { createMigratedDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { aFixture, type Fixture, NOW, unique } from './contract/given.ts';
import { token } from './contract/given-tokens.ts';

/** src/oauth/token/client-grants.postgres.ts: what the contract of all stores does not say. */
describe('the token of a client that acts for itself, on PostgreSQL', () => {
  let database: TestDatabase;
  let store: Store;
  let fixture: Fixture;
  before(async () => {
    database = await createMigratedDatabase();
    store = await openPostgresStore(database.address);
    fixture = await aFixture(store);
  });
  after(async () => {
    await store.close();
    await database.drop();
    await stopOwnServer();
  });

  const family: TokenFamily = {
    ...{ clientId: 'web', sub: 'web', scope: ['orders:read'], resources: undefined },
    ...{ authTime: NOW, amr: [], sid: undefined, claims: { userinfo: [], id_token: [] } },
  };
  const newTokens = () => ({
    ...{ grantId: unique('grant'), issuedAt: NOW, access: token(NOW + 600), refresh: undefined },
  });

  it('is written once where the attempt is repeated after a lost answer, also in one commit', async () => {
    const tokens = newTokens();
    const again = () => store.addTokenFamily(fixture.app, family, tokens);
    assert.deepEqual(await Promise.all([again(), again(), again()]), ['issued', 'issued', 'issued']);
    assert.equal(await again(), 'issued');
    assert.equal((await store.findAccessToken(fixture.app, tokens.access.hash, NOW))?.sub, 'web');
    const rows = await database.query(
      `SELECT count(*)::int AS grants FROM grants WHERE grant_id = '${tokens.grantId}'`,
    );
    assert.deepEqual(rows, [{ grants: 1 }]);
  });

  it('shares its transaction with the others of a commit', async () => {
    const all = Array.from({ length: 65 }, newTokens);
    await Promise.all(all.map(tokens => store.addTokenFamily(fixture.app, family, tokens)));
    const ids = all.map(({ grantId }) => `'${grantId}'`).join();
    const rows = await database.query(
      `SELECT count(*)::int AS grants, count(DISTINCT xmin::text)::int AS transactions FROM grants WHERE grant_id IN (${ids})`,
    );
    assert.equal(rows[0]?.grants, 65);
    // Each connection sends its first one at once; the others wait for these commits, and go together.
    assert(Number(rows[0]?.transactions) < 33, `${rows[0]?.transactions} transactions`);
  });
});
