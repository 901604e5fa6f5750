import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { describe, it } from 'node:test';
import { startSharedJobs } from '../../../src/assembly/jobs.ts';
import { releaseVersion } from '../../../src/platform/release.ts';
import { gatehouse } from '../../build/command.ts';
import { anApplication } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';

describe('/api/v1/admin/status', () => {
  const server = suiteServer({ applications: [anApplication(), anApplication({ code: 'bank' })] });
  const owner = suitePart(() => anOperatorClient(server));

  const status = async () => {
    const { status, json, text } = await owner.ask('GET', '/status');
    assert.equal(status, 200, text);
    return json;
  };

  it('has the database with its size, latency and last migration, and what waits', async () => {
    const { database, queues } = await status();
    assert.equal(database.kind, server.services.config.database.kind);
    assert.match(database.version, /^\d+\.\d+/);
    assert(database.size_bytes > 100_000);
    assert(database.migration >= 9);
    assert(database.latency_ms >= 0);
    assert(queues.unsealed_events >= 1, 'no job seals them here');
    assert.deepEqual([queues.logout_notices, queues.webhook_deliveries], [0, 0]);
    const { id } = (await owner.ask('POST', '/webhooks', { url: 'https://hooks.example/' })).json;
    assert.equal((await owner.ask('POST', `/webhooks/${id}/test`)).status, 201);
    assert.equal((await status()).queues.webhook_deliveries, 1);
  });

  it('has each node from its start until it stops, with its version; the command line says the same', async () => {
    assert.deepEqual((await status()).nodes, []);
    const stop = startSharedJobs(server.services);
    await until('the node has reported', async () => (await status()).nodes.length === 1);
    const [node] = (await status()).nodes;
    assert.deepEqual(node, {
      host: hostname(),
      port: server.services.config.port,
      version: releaseVersion(),
      started_at: node.started_at,
      seen_at: node.seen_at,
      live: true,
    });
    const { code, out, err } = await gatehouse(server, 'status', '--json');
    assert.equal(code, 0, err);
    assert.deepEqual(JSON.parse(out).nodes, (await status()).nodes);
    assert.match((await gatehouse(server, 'status')).out, new RegExp(`Nodes\n.*\n${hostname()}`));
    await stop();
    assert.deepEqual((await status()).nodes, []);
  });

  it('says of a node that was not seen for three minutes that it is not live', async () => {
    const now = server.services.clock.now();
    const node = { host: 'lost.example', port: 3000, version: '1.0.0', startedAt: now - 3600, seenAt: now - 181 };
    await server.services.store.noteNode(node);
    const found = (await status()).nodes.find(({ host }: { host: string }) => host === 'lost.example');
    assert.equal(found.live, false);
  });

  it('is for every role, and not there for one that is limited to applications', async () => {
    const auditor = await anOperatorClient(server, { role: 'auditor' });
    assert.equal((await auditor.ask('GET', '/status')).status, 200);
    const limited = await anOperatorClient(server, { applications: ['bank'] });
    assert.equal((await limited.ask('GET', '/status')).status, 404);
  });
});
