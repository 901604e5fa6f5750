import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RETRY_DELAYS_SECONDS } from '../../../src/notify/webhooks/rules.ts';
import { eventTypesOf } from '../../build/sealed-events.ts';
import { resume, subscribe } from '../../build/webhooks.ts';
import { DAY, FAILURE, failures, idsOf, useWebhookSender } from './webhooks-fixture.ts';

const at = useWebhookSender();

describe('webhooks: pausing', () => {
  /** Lets it fail until the first attempt that is a day after the first. */
  async function failForADay(): Promise<void> {
    at.receiver.answer(...failures(50));
    for (const delay of [0, ...RETRY_DELAYS_SECONDS.slice(0, 8)]) {
      at.clock.advance(Math.ceil(delay * 1.1));
      await at.sendAll();
    }
  }

  it('an endpoint that fails for a day is paused; an event is written and the log warns', async () => {
    const { id } = await subscribe(at.server, at.receiver.address);
    await at.seal(1);
    await failForADay();
    const webhook = await at.server.services.store.findWebhook(id);
    assert.equal(webhook?.pauseReason, 'failing');
    assert.deepEqual(await eventTypesOf(at.server.services.config.database.url, id), ['webhook.paused']);
    assert.match(at.server.logged(), /"level":"warn","event":"webhook\.paused","webhook":"whk_/);
    const attempts = at.receiver.received.length;
    assert.equal(attempts, 9);
    await at.seal(3);
    at.clock.advance(30 * DAY);
    await at.sendAll();
    assert.equal(at.receiver.received.length, attempts, 'nothing is sent while it is paused');
  });

  it('resuming sends what waited, and the events since: none is lost', async () => {
    const { id } = await subscribe(at.server, at.receiver.address, { ordered: true });
    const first = await at.seal(1);
    await failForADay();
    const since = await at.seal(3);
    at.receiver.received.length = 0;
    at.receiver.answer();
    await resume(at.server, id);
    await at.sendAll();
    assert.deepEqual(idsOf(at.receiver.received), [...first, ...since]);
  });

  it('a success in between ends the count', async () => {
    const { id } = await subscribe(at.server, at.receiver.address);
    await at.seal(1);
    at.receiver.answer(FAILURE);
    await at.sendAll();
    at.clock.advance(DAY - 10);
    await at.sendAll();
    at.receiver.answer(FAILURE);
    await at.seal(1);
    await at.sendAll();
    at.clock.advance(20);
    at.receiver.answer(FAILURE);
    await at.sendAll();
    assert.equal((await at.server.services.store.findWebhook(id))?.pauseReason, undefined);
  });

  it('410 Gone pauses at once (Standard Webhooks, "Delivery success and failure")', async () => {
    const { id } = await subscribe(at.server, at.receiver.address);
    await at.seal(1);
    at.receiver.answer({ status: 410 });
    await at.sendAll();
    assert.equal((await at.server.services.store.findWebhook(id))?.pauseReason, 'gone');
    at.clock.advance(DAY);
    await at.sendAll();
    assert.equal(at.receiver.received.length, 1);
  });
});
