import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createWebhookSender } from '../../../src/notify/webhooks/job.ts';
import { RETRY_DELAYS_SECONDS } from '../../../src/notify/webhooks/rules.ts';
import { startTestServer } from '../../build/test-server.ts';
import { deliveriesOf, remove, sealer, subscribe } from '../../build/webhooks.ts';
import { DAY, FAILURE, idsOf, useWebhookSender } from './webhooks-fixture.ts';

const at = useWebhookSender();

describe('webhooks: retries (at least once, the same webhook-id)', () => {
  it('after a status other than 2xx, with a longer delay each time, until it is taken', async () => {
    const { id } = await subscribe(at.server, at.receiver.address);
    const [event] = await at.seal(1);
    at.receiver.answer(FAILURE, { status: 404 }, { status: 429 });
    await at.sendAll();
    for (const [index, delay] of RETRY_DELAYS_SECONDS.slice(0, 3).entries()) {
      at.clock.advance(delay - 1);
      await at.sendAll();
      assert.equal(at.receiver.received.length, index + 1);
      at.clock.advance(1 + Math.ceil(delay / 10));
      await at.sendAll();
      assert.equal(at.receiver.received.length, index + 2);
    }
    assert.deepEqual(new Set(idsOf(at.receiver.received)), new Set([event]));
    const [delivery] = await deliveriesOf(at.server, id);
    assert.deepEqual([delivery?.state, delivery?.status, delivery?.attempts], ['delivered', 200, 4]);
    at.clock.advance(10 * DAY);
    await at.sendAll();
    assert.equal(at.receiver.received.length, 4);
  });

  it('after a refused connection; status and reason can be read', async () => {
    const { id } = await subscribe(at.server, at.receiver.address);
    await at.seal(1);
    await at.receiver.down();
    await at.sendAll();
    const [delivery] = await deliveriesOf(at.server, id);
    assert.equal(delivery?.status, undefined);
    assert.match(delivery?.reason ?? '', /ECONNREFUSED/);
    await at.receiver.up();
    at.clock.advance(6);
    await at.sendAll();
    assert.equal(at.receiver.received.length, 1);
  });

  it('not before the endpoint wants it: Retry-After', async () => {
    await subscribe(at.server, at.receiver.address);
    await at.seal(1);
    at.receiver.answer({ status: 503, retryAfter: '3600' });
    await at.sendAll();
    at.clock.advance(3599);
    await at.sendAll();
    assert.equal(at.receiver.received.length, 1);
    at.clock.advance(1);
    await at.sendAll();
    assert.equal(at.receiver.received.length, 2);
  });

  it('follow no redirect: it is a failure', async () => {
    const { id } = await subscribe(at.server, at.receiver.address);
    await at.seal(1);
    at.receiver.answer({ status: 302, location: at.other.address }, { status: 307, location: at.other.address });
    await at.sendAll();
    at.clock.advance(6);
    await at.sendAll();
    assert.deepEqual([at.receiver.received.length, at.other.received.length], [2, 0]);
    assert.equal((await deliveriesOf(at.server, id))[0]?.reason, 'status 307');
  });

  it('SSRF: a name that resolves to an address that is not public is refused after the lookup', async () => {
    const { port } = new URL(at.receiver.address);
    const strict = await startTestServer({ clock: at.clock });
    const own = createWebhookSender(strict.services);
    const { id } = await subscribe(strict, `http://localhost:${port}/hook`);
    await sealer(strict)(1);
    await at.sendAll(own);
    assert.equal(at.receiver.received.length, 0);
    assert.equal((await deliveriesOf(strict, id))[0]?.reason, 'the address is not public');
    await strict.close();
  });

  it('end after the last attempt, and the log says so', async () => {
    const { id } = await subscribe(at.server, at.receiver.address);
    const always = await subscribe(at.server, at.receiver.address, { eventTypes: ['key.rotated'] });
    await at.seal(1);
    // Without successes in between it would be paused: here another delivery of the same subscription is taken now and then.
    for (let attempt = 0; attempt <= RETRY_DELAYS_SECONDS.length; attempt++) {
      at.receiver.answer(FAILURE);
      await at.sendAll();
      await at.seal(1);
      await at.sendAll();
      at.clock.advance(Math.ceil((RETRY_DELAYS_SECONDS[attempt] ?? 0) * 1.1));
    }
    const failed = (await deliveriesOf(at.server, id)).filter(({ state }) => state === 'failed');
    const attempts = failed.map(({ attempts }) => attempts);
    assert.deepEqual(attempts, [RETRY_DELAYS_SECONDS.length + 1]);
    assert.match(at.server.logged(), /webhook\.undelivered/);
    await remove(at.server, always.id);
  });
});
