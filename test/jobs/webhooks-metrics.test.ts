import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSharedJobs } from '../../src/jobs/schedule.ts';
import { sampleOf } from '../build/exposition.ts';
import { until } from '../build/until.ts';
import { subscribe } from '../build/webhooks.ts';
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
});
