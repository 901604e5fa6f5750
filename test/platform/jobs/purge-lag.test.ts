import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { Client } from 'pg';
import { startSharedJobs } from '../../../src/assembly/jobs.ts';
import { get } from '../../build/client.ts';
import { sampleOf } from '../../build/exposition.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../../build/postgres.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';

const TOKEN = 'a-token-for-the-collector';
/** src/platform/store/purge.postgres.ts. */
const PURGE_LOCK = 0x73776570;
const HOUR = 3600;

after(stopOwnServer);

describe('gatehouse_purge_lag_seconds of a node on PostgreSQL', () => {
  let database: TestDatabase;
  const servers: TestServer[] = [];
  const stops: (() => void)[] = [];
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) stop();
    for (const server of servers.splice(0)) await server.close();
    await database.drop();
  });

  const startNode = async () => {
    const server = await startTestServer({ env: { DATABASE_URL: database.url, GATEHOUSE_METRICS_TOKEN: TOKEN } });
    servers.push(server);
    return server;
  };
  /** As after the job has run once. */
  const lagOf = async (server: TestServer) => {
    stops.push(startSharedJobs(server.services));
    const collect = async () => (await get(`${server.base}/metrics`, { authorization: `Bearer ${TOKEN}` })).text;
    const looked = { operation: 'lastCompletePurge' };
    await until('the job has run', async () => /operation="lastCompletePurge"/.test(await collect()));
    assert(sampleOf(await collect(), 'gatehouse_store_operation_duration_seconds_count', looked) > 0);
    return sampleOf(await collect(), 'gatehouse_purge_lag_seconds');
  };
  const twoHoursAgo = 'UPDATE purge_state SET completed_at = extract(epoch FROM now())::bigint - 7200';

  it('that cannot purge because another node is at it is the real one, and not its own idleness', async () => {
    const node = await startNode();
    await database.query(twoHoursAgo);
    const other = new Client(database.url);
    await other.connect();
    await other.query('SELECT pg_advisory_lock($1)', [PURGE_LOCK]);
    const lag = await lagOf(node);
    await other.end();
    assert(lag > HOUR && lag < 3 * HOUR, `${lag} s`);
  });

  it('is that of the node that purged, also on the others', async () => {
    const [one, other] = [await startNode(), await startNode()];
    await database.query(twoHoursAgo);
    assert((await lagOf(one)) < HOUR);
    assert((await lagOf(other)) < HOUR);
  });

  it('grows as long as a backup keeps ended partitions from being dropped, and the log says which', async () => {
    const node = await startNode();
    await database.query(`CREATE TABLE access_tokens_0086400000 PARTITION OF access_tokens
      FOR VALUES FROM ('\\x05265c00') TO ('\\x0527ad80')`);
    await database.query(twoHoursAgo);
    const dump = new Client(database.url);
    await dump.connect();
    await dump.query('BEGIN; LOCK TABLE access_tokens IN ACCESS SHARE MODE');
    const lag = await lagOf(node);
    await dump.end();
    assert(lag > HOUR, `${lag} s`);
    assert.match(node.logged(), /"event":"purge\.postponed","tables":"access_tokens_0086400000"/);
  });
});
