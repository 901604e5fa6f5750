import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { until } from '../build/until.ts';
import { type Given, given } from './given.ts';
import { type Cluster, type NodeProcess, startCluster } from './nodes.ts';
import { introspect, redeem } from './wire.ts';

describe('attack: a code is replayed, its family cannot be revoked now, and the node that saw it is killed', () => {
  let database: TestDatabase;
  let start: Given;
  let cluster: Cluster;
  let holder: Client;
  before(async () => {
    database = await createDatabase();
    start = await given(database.url);
    cluster = await startCluster({ databaseUrl: database.url }, 2);
    // This one is started when the first has been killed.
    await cluster.nodes[1]?.kill();
    holder = new Client({ connectionString: database.url });
    await holder.connect();
  });
  after(async () => {
    await holder?.end();
    await cluster?.stop();
    await start?.close();
    await database?.drop();
    await stopOwnServer();
  });

  it('another node revokes the family, and records it once (RFC 6749 section 4.1.2)', async () => {
    const [saw, next] = cluster.nodes as readonly [NodeProcess, NodeProcess];
    const [code = ''] = await start.addCodes(1);
    const redeemed = await redeem(saw, code);
    assert.equal(redeemed.outcome, 200, redeemed.text);
    await holder.query('BEGIN');
    // One application, or on Citus one part of it, for each statement that locks rows.
    for (const { app } of await database.query('SELECT DISTINCT app FROM grants'))
      await holder.query('SELECT 1 FROM grants WHERE app = $1 FOR UPDATE', [app]);
    const replayed = await redeem(saw, code);
    assert.equal(replayed.outcome, 503, replayed.text);
    await saw.kill();
    await until('the log says it', () => saw.output().includes('waits in the database'));
    assert.equal((await database.query('SELECT 1 FROM waiting_revocations')).length, 1);
    await holder.query('ROLLBACK');
    await next.start();
    await until('the family is revoked', async () => {
      const { json } = await introspect(next, redeemed.json.access_token);
      return json?.active === false;
    });
    await until('nothing waits', async () => {
      const rows = await database.query('SELECT 1 FROM waiting_revocations');
      return rows.length === 0;
    });
    const events = await database.query(`SELECT details FROM events WHERE type = 'code.replayed'`);
    assert.equal(events.length, 1);
  });
});
