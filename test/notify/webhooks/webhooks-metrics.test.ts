import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSharedJobs } from '../../../src/assembly/jobs.ts';
import { RETRY_DELAYS_SECONDS } from '../../../src/notify/webhooks/rules.ts';
import { sampleOf } from '../../build/exposition.ts';
import { until } from '../../build/until.ts';
import { subscribe } from '../../build/webhooks.ts';
import { FAILURE, useWebhookSender } from './webhooks-fixture.ts';

const at = useWebhookSender();

describe('the metrics of webhooks (docs/operations.md)', () => {
  it('count what was delivered and postponed, and what waits', async () => {
    const { metrics, store } = at.server.services;
    const value = async (name: string, labels = {}) => sampleOf(await metrics.exposition(), name, labels);
    const attempts = (outcome: string) => value('gatehouse_webhook_attempts_total', { outcome });
    await subscribe(at.server, at.receiver.address, { eventTypes: ['key.rotated'] });
    at.receiver.answer(FAILURE);
    await at.seal(2, { type: 'key.rotated' });
    await at.sendAll();
    assert.deepEqual([await attempts('delivered'), await attempts('postponed'), await attempts('failed')], [1, 1, 0]);
    assert.equal(await store.countWaitingDeliveries(), 1);
    const stop = startSharedJobs(at.server.services);
    const waiting = () => value('gatehouse_webhook_deliveries_waiting');
    await until('the waiting ones are counted', async () => (await waiting()) === 1);
    await stop();
  });

  it('count as failed what is given up after its last attempt', async () => {
    const { metrics } = at.server.services;
    const attempts = async (outcome: string) =>
      sampleOf(await metrics.exposition(), 'gatehouse_webhook_attempts_total', { outcome });
    await subscribe(at.server, at.receiver.address, { eventTypes: ['key.rotated'] });
    await at.seal(1, { type: 'key.rotated' });
    for (const delay of [0, ...RETRY_DELAYS_SECONDS]) {
      assert.equal(await attempts('failed'), 0);
      at.clock.advance(Math.ceil(delay * 1.1));
      at.receiver.answer(FAILURE);
      await at.sendAll();
      // Another delivery succeeds, so the endpoint is not paused.
      await at.seal(1, { type: 'key.rotated' });
      await at.sendAll();
    }
    assert.deepEqual([await attempts('postponed'), await attempts('failed')], [RETRY_DELAYS_SECONDS.length, 1]);
  });
});
