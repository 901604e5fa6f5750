import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { aTokenSet, isActive, refresh } from '../build/client.ts';
import { aUser, PASSWORD } from '../build/fixture.ts';
import { runOn, stopOwnServer } from '../build/postgres.ts';
import { startTestServer } from '../build/test-server.ts';
import { partsContract } from '../store/contract/parts-contract.ts';
import { openPostgresDatabase } from '../store/postgres-database.ts';

after(stopOwnServer);

partsContract(openPostgresDatabase);

describe('a spread application on a cluster', () => {
  it('has its tokens on every worker, and each of them is found', async () => {
    const users = Array.from({ length: 60 }, (_, index) =>
      aUser({ username: `user${index}`, email: null, phone_number: null }),
    );
    const server = await startTestServer({ users, spread: { shop: 16 } });
    try {
      for (const { username } of users) {
        const first = await aTokenSet(server, { username, password: PASSWORD });
        const { json } = await refresh(server, first.refresh_token);
        assert.equal(await isActive(server, json.access_token), true);
      }
      const { database } = server.services.config;
      const rows = await runOn(database.url, PLACES);
      const counts = rows.map(({ tokens }) => Number(tokens));
      assert.equal(rows.length, 2, 'both workers');
      assert.equal(
        counts.reduce((sum, count) => sum + count),
        2 * users.length,
      );
      assert(Math.min(...counts) > 0);
    } finally {
      await server.close();
    }
  });
});

/** The access tokens of each worker. */
const PLACES = `SELECT nodename, nodeport, count(*) AS tokens FROM (
    SELECT get_shard_id_for_distribution_column('access_tokens', app) AS shardid FROM access_tokens) AS found
  JOIN citus_shards USING (shardid) GROUP BY nodename, nodeport`;
