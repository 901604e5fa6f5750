import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { storeTables } from '../../src/assembly/store-tables.ts';
import { finishRevocations } from '../../src/oauth/revoke/job.ts';
import { copy } from '../../src/operators/copy-database/copy.ts';
import { openTransfer } from '../../src/operators/copy-database/open-transfer.ts';
import { parseDatabaseAddress } from '../../src/platform/config/database-address.ts';
import { aTokenSet, isActive, refresh } from '../build/client.ts';
import { aUser, PASSWORD } from '../build/fixture.ts';
import { createDatabase, createMigratedDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { startTestServer } from '../build/test-server.ts';
import { partsContract } from '../store/contract/parts-contract.ts';
import { openPostgresDatabase } from '../store/postgres-database.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

after(stopOwnServer);

partsContract(openPostgresDatabase);

/** The access tokens of each worker. */
const PLACES = `SELECT nodename, nodeport, count(*) AS tokens FROM (
    SELECT get_shard_id_for_distribution_column('access_tokens', app) AS shardid FROM access_tokens) AS found
  JOIN citus_shards USING (shardid) GROUP BY nodename, nodeport`;

const users = Array.from({ length: 60 }, (_, index) =>
  aUser({ username: `user${index}`, email: null, phone_number: null }),
);

describe('a spread application on a cluster', () => {
  const tokens: { readonly access_token: string; readonly refresh_token: string }[] = [];
  let database: TestDatabase;
  before(async () => {
    database = await createMigratedDatabase();
    const server = await startTestServer({ users, spread: { shop: 16 }, env: { DATABASE_URL: database.url } });
    for (const { username } of users) {
      const { refresh_token } = await aTokenSet(server, { username, password: PASSWORD });
      tokens.push((await refresh(server, refresh_token)).json);
    }
    for (const { access_token } of tokens) assert.equal(await isActive(server, access_token), true);
    const { sub } = (await server.services.store.findAccount('user0')) ?? assert.fail();
    await database.query(
      `INSERT INTO waiting_revocations (app, grant_id, replayed_at, due_at, attempts)
       SELECT app, grant_id, 1, 1, 0 FROM grants WHERE sub = $1`,
      [sub],
    );
    // A copy reads the cluster as it is at each moment.
    await server.close();
  });
  after(() => database.drop());

  it('has its tokens on every worker', async () => {
    const rows = await database.query(PLACES);
    assert.equal(rows.length, 2);
    assert.equal(
      rows.reduce((sum, row) => sum + Number(row.tokens), 0),
      2 * users.length,
    );
  });

  const addressOf = (url: string) => parseDatabaseAddress(url) ?? assert.fail(url);
  const copyTo = async (url: string) => {
    const transfer = await openTransfer(addressOf(database.url), addressOf(url), storeTables());
    try {
      return await copy(transfer, () => {});
    } finally {
      await transfer.source.close();
      await transfer.target.close();
    }
  };

  it('can be copied to a store that has no parts, and its tokens are good there', async () => {
    const folder = temporaryFolder();
    const url = `sqlite:${folder.file('copied.db')}`;
    assert.equal((await copyTo(url)).kind, 'copied');
    const copied = await startTestServer({ applications: [], users: [], env: { DATABASE_URL: url } });
    try {
      for (const { access_token, refresh_token } of tokens) {
        assert.equal(await isActive(copied, access_token), true);
        assert.equal((await refresh(copied, refresh_token)).status, 200);
      }
      await finishRevocations(copied.services, () => false);
      assert.equal(await isActive(copied, tokens[0]?.access_token ?? ''), false, 'a revocation that waits is lost');
    } finally {
      await copied.close();
      folder.remove();
    }
  });

  it('is not copied to another cluster, which could not find its tokens: the text says what to do', async () => {
    const other = await createDatabase();
    try {
      await assert.rejects(copyTo(other.url), /spread over parts.*pg_dump/);
    } finally {
      await other.drop();
    }
  });
});
