import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endsBetween } from '../../build/in-time.ts';
import { until } from '../../build/until.ts';
import { deliveriesOf, resume, subscribe } from '../../build/webhooks.ts';
import { FAILURE, idsOf, useWebhookSender } from './webhooks-fixture.ts';

const at = useWebhookSender();

describe('webhooks: order', () => {
  it('is kept where asked while one fails, and the others of the deployment go on', async () => {
    await subscribe(at.server, at.receiver.address, { ordered: true });
    await subscribe(at.server, at.other.address);
    const events = await at.seal(4);
    at.receiver.answer({ status: 200 }, FAILURE, FAILURE);
    await at.sendAll();
    const sent = () => idsOf(at.receiver.received);
    assert.deepEqual(sent(), events.slice(0, 2));
    assert.equal(at.other.received.length, 4);
    at.clock.advance(6);
    await at.sendAll();
    assert.deepEqual(sent(), [events[0], events[1], events[1]]);
    at.clock.advance(70);
    await at.sendAll();
    assert.deepEqual(sent(), [events[0], events[1], events[1], events[1], events[2], events[3]]);
  });

  it('where it is not asked, one that fails does not hold up the others', async () => {
    await subscribe(at.server, at.receiver.address);
    const events = await at.seal(8);
    at.receiver.answer(FAILURE);
    await at.sendAll();
    assert.deepEqual([...new Set(idsOf(at.receiver.received))].sort(), [...events].sort());
  });
});

describe('webhooks: one endpoint does not delay another', () => {
  it('an endpoint without an answer occupies its own places alone, and fails after 15 s', {
    timeout: 60_000,
  }, async () => {
    const slow = await subscribe(at.server, at.receiver.address);
    await subscribe(at.server, at.other.address);
    let release = () => {};
    const when = new Promise<void>(resolve => {
      release = resolve;
    });
    at.receiver.answer(...Array.from({ length: 10 }, () => ({ status: 200, when })));
    await at.seal(10);
    // A run does not wait for answers.
    await endsBetween(0, 10_000, () => at.sender.run());
    await until('the other endpoint has everything', async () => {
      await at.sender.run();
      return at.other.received.length === 10;
    });
    assert.equal(at.receiver.received.length, 5);
    await at.sender.idle();
    const reasons = (await deliveriesOf(at.server, slow.id)).flatMap(({ reason }) => reason ?? []);
    assert.deepEqual(new Set(reasons), new Set(['no complete answer within 15000 ms']));
    await at.sender.run();
    await until('the next attempt arrives', () => at.receiver.received.length > 5);
    assert.equal(at.receiver.received.length, 6, 'one at a time while it fails');
    release();
  });

  it('no more than 1000 deliveries wait; further events are enqueued when there is room', async () => {
    const { id } = await subscribe(at.server, at.receiver.address);
    await at.seal(1200);
    await at.receiver.down();
    await at.sender.run();
    await at.sender.idle();
    const { requestDelivery } = at.server.services.store;
    const waiting = () => requestDelivery(id, undefined, facts => ({ result: facts.waiting }), at.clock.now());
    assert.equal(await waiting(), 1000);
    await at.receiver.up();
    await resumeAll(id);
    const taken = () => new Set(idsOf(at.receiver.received)).size;
    await until('all are delivered', async () => {
      await at.sender.run();
      await at.sender.idle();
      return taken() === 1200;
    });
  });
});

/** Everything that waits is due, as after a pause. */
async function resumeAll(id: string): Promise<void> {
  const { store } = at.server.services;
  const current = (await store.findWebhook(id)) ?? assert.fail();
  const event = {
    id: `evt_${id}`,
    time: 1,
    type: 'webhook.updated',
    outcome: 'success',
    actor: { kind: 'system' },
  } as const;
  await store.changeWebhook(
    id,
    () => ({ result: undefined, write: { value: { ...current, pauseReason: 'operator' }, act: { event } } }),
    at.clock.now(),
  );
  await resume(at.server, id);
}
