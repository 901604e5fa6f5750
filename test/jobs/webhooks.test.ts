import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { createWebhookSender, type WebhookSender } from '../../src/jobs/webhooks.ts';
import { rotateWebhookSecrets } from '../../src/keys/webhook-secrets.ts';
import { RETRY_DELAYS_SECONDS } from '../../src/protocol/webhook.ts';
import { type FixedClock, fixedClock } from '../build/clock.ts';
import { openReceiver, type Received, type Receiver } from '../build/receiver.ts';
import { eventTypesOf } from '../build/sealed-events.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { until } from '../build/until.ts';
import { deliveriesOf, remove, resume, sealer, subscribe } from '../build/webhooks.ts';

const DAY = 86_400;
const FAILURE = { status: 500 };

let clock: FixedClock;
let server: TestServer;
let sender: WebhookSender;
let seal: ReturnType<typeof sealer>;
let receiver: Receiver;
let other: Receiver;
before(async () => {
  [receiver, other] = [await openReceiver(), await openReceiver()];
});
after(async () => {
  for (const each of [receiver, other]) await each.down();
});
beforeEach(async () => {
  clock = fixedClock(Math.floor(Date.now() / 1000));
  server = await startTestServer({ clock, env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' } });
  sender = createWebhookSender(server.services);
  seal = sealer(server);
});
afterEach(async () => {
  sender.stop();
  await sender.idle();
  await server.close();
  for (const each of [receiver, other]) {
    each.received.length = 0;
    each.answer();
  }
});

/** Sends until nothing is due, as the job does when it is woken. */
async function sendAll(by: WebhookSender = sender): Promise<void> {
  for (let before = -1; before !== receiver.received.length + other.received.length; ) {
    before = receiver.received.length + other.received.length;
    await by.run();
    await by.idle();
  }
}
const idsOf = (received: readonly Received[]) => received.map(({ headers }) => headers['webhook-id']);
const verify = (secret: string, { body, headers }: Received) =>
  new Verifier(secret).verify(body, headers as Record<string, string>);
const failures = (count: number) => Array.from({ length: count }, () => FAILURE);

describe('webhooks: what is sent (Standard Webhooks 1.0.0)', () => {
  it('is a POST of JSON whose signature the reference library of the specification accepts', async () => {
    const { id, secret } = await subscribe(server, receiver.address);
    const [event] = await seal(1, {
      details: { amr: ['pwd'] },
      address: '192.0.2.1',
      requestId: 'req-1',
      userAgent: 'Browser/1',
    });
    await sendAll();
    const [received, ...more] = receiver.received;
    assert(received && more.length === 0);
    assert.equal(received.method, 'POST');
    assert.equal(received.headers['content-type'], 'application/json');
    assert.equal(received.headers['webhook-id'], event);
    assert.equal(received.headers['webhook-timestamp'], String(clock.now()));
    assert.match(String(received.headers['webhook-signature']), /^v1,[A-Za-z0-9+/]{43}=$/);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual(verify(secret, received), {
      type: 'user.login.succeeded',
      timestamp: new Date(clock.now() * 1000).toISOString(),
      data: {
        id: event,
        outcome: 'success',
        actor: { kind: 'user', id: 'sub-1' },
        subject: 'sub-1',
        application: 'shop',
        client: 'web',
        address: '192.0.2.1',
        request_id: 'req-1',
        user_agent: 'Browser/1',
        details: { amr: ['pwd'] },
      },
    });
    const [delivery] = await deliveriesOf(server, id);
    assert.deepEqual([delivery?.state, delivery?.status, delivery?.attempts], ['delivered', 200, 1]);
  });

  it('is refused by the receiver when another secret signed it, or when the body or the id was changed on the way', async () => {
    const { secret } = await subscribe(server, receiver.address);
    const stranger = await subscribe(server, other.address);
    await seal(1);
    await sendAll();
    const [received] = receiver.received;
    assert(received);
    assert.throws(() => verify(stranger.secret, received));
    assert.throws(() => verify(secret, { ...received, body: `${received.body} ` }));
    assert.throws(() => verify(secret, { ...received, headers: { ...received.headers, 'webhook-id': 'evt_other' } }));
  });

  it('is signed with the new and the former secret after a rotation, until the time of the former one is over', async () => {
    const { id, secret: former } = await subscribe(server, receiver.address);
    const { services } = server;
    const current = (await services.store.findWebhook(id)) ?? assert.fail();
    const rotated = rotateWebhookSecrets(services, id, current.sealedSecrets, clock.now(), clock.now() + 100);
    await server.services.store.changeWebhook(
      id,
      () => ({
        result: undefined,
        write: {
          value: { ...current, sealedSecrets: rotated.sealed },
          act: {
            event: { id: 'evt_r', time: 1, type: 'webhook.updated', outcome: 'success', actor: { kind: 'system' } },
          },
        },
      }),
      clock.now(),
    );
    await seal(1);
    await sendAll();
    const [both] = receiver.received;
    assert(both);
    for (const secret of [former, rotated.secret]) verify(secret, both);
    clock.advance(100);
    await seal(1);
    await sendAll();
    const single = receiver.received[1];
    assert(single);
    verify(rotated.secret, single);
    assert.throws(() => verify(former, single));
  });

  it('is at most 16 KiB: what an event has beyond that is left out, and the body says so', async () => {
    const { secret } = await subscribe(server, receiver.address);
    await seal(1, { details: { text: 'x'.repeat(20_000) }, requestId: 'req-1' });
    await sendAll();
    const [received] = receiver.received;
    assert(received && received.body.length < 16_384);
    const { data } = verify(secret, received) as { data: Record<string, unknown> };
    assert.deepEqual([data.truncated, data.details, data.request_id], [true, undefined, 'req-1']);
  });

  it('goes to subscribers of its application and type, and to no other', async () => {
    await subscribe(server, receiver.address, { app: 'shop', eventTypes: ['session.ended'] });
    await subscribe(server, other.address, { app: 'bank' });
    await seal(1, { type: 'session.ended' });
    await seal(1, { type: 'key.rotated' });
    await sendAll();
    assert.deepEqual([receiver.received.length, other.received.length], [1, 0]);
  });

  it('a secret in the database cannot be read without the secret of the server', async () => {
    const { id, secret } = await subscribe(server, receiver.address);
    const { sealedSecrets } = (await server.services.store.findWebhook(id)) ?? assert.fail();
    const plain = secret.slice('whsec_'.length);
    for (const form of [plain, Buffer.from(plain, 'base64')])
      assert.equal(Buffer.from(sealedSecrets).includes(form), false);
  });
});

describe('webhooks: retries (at least once, the same webhook-id)', () => {
  it('after a status other than 2xx, with a longer delay each time, until it is taken', async () => {
    const { id } = await subscribe(server, receiver.address);
    const [event] = await seal(1);
    receiver.answer(FAILURE, { status: 404 }, { status: 429 });
    await sendAll();
    for (const [index, delay] of RETRY_DELAYS_SECONDS.slice(0, 3).entries()) {
      clock.advance(delay - 1);
      await sendAll();
      assert.equal(receiver.received.length, index + 1);
      clock.advance(1 + Math.ceil(delay / 10));
      await sendAll();
      assert.equal(receiver.received.length, index + 2);
    }
    assert.deepEqual(new Set(idsOf(receiver.received)), new Set([event]));
    const [delivery] = await deliveriesOf(server, id);
    assert.deepEqual([delivery?.state, delivery?.status, delivery?.attempts], ['delivered', 200, 4]);
    clock.advance(10 * DAY);
    await sendAll();
    assert.equal(receiver.received.length, 4);
  });

  it('after a refused connection; status and reason can be read', async () => {
    const { id } = await subscribe(server, receiver.address);
    await seal(1);
    await receiver.down();
    await sendAll();
    const [delivery] = await deliveriesOf(server, id);
    assert.equal(delivery?.status, undefined);
    assert.match(delivery?.reason ?? '', /ECONNREFUSED/);
    await receiver.up();
    clock.advance(6);
    await sendAll();
    assert.equal(receiver.received.length, 1);
  });

  it('not before the endpoint wants it: Retry-After', async () => {
    await subscribe(server, receiver.address);
    await seal(1);
    receiver.answer({ status: 503, retryAfter: '3600' });
    await sendAll();
    clock.advance(3599);
    await sendAll();
    assert.equal(receiver.received.length, 1);
    clock.advance(1);
    await sendAll();
    assert.equal(receiver.received.length, 2);
  });

  it('follow no redirect: it is a failure', async () => {
    const { id } = await subscribe(server, receiver.address);
    await seal(1);
    receiver.answer({ status: 302, location: other.address }, { status: 307, location: other.address });
    await sendAll();
    clock.advance(6);
    await sendAll();
    assert.deepEqual([receiver.received.length, other.received.length], [2, 0]);
    assert.equal((await deliveriesOf(server, id))[0]?.reason, 'status 307');
  });

  it('SSRF: a name that resolves to an address that is not public is refused after the lookup', async () => {
    const { port } = new URL(receiver.address);
    const strict = await startTestServer({ clock });
    const own = createWebhookSender(strict.services);
    const { id } = await subscribe(strict, `http://localhost:${port}/hook`);
    await sealer(strict)(1);
    await sendAll(own);
    assert.equal(receiver.received.length, 0);
    assert.equal((await deliveriesOf(strict, id))[0]?.reason, 'the address is not public');
    await strict.close();
  });

  it('end after the last attempt, and the log says so', async () => {
    const { id } = await subscribe(server, receiver.address);
    const always = await subscribe(server, receiver.address, { eventTypes: ['key.rotated'] });
    await seal(1);
    // Without successes in between it would be paused: here another delivery of the same subscription is taken now and then.
    for (let attempt = 0; attempt <= RETRY_DELAYS_SECONDS.length; attempt++) {
      receiver.answer(FAILURE);
      await sendAll();
      await seal(1);
      await sendAll();
      clock.advance(Math.ceil((RETRY_DELAYS_SECONDS[attempt] ?? 0) * 1.1));
    }
    const failed = (await deliveriesOf(server, id)).filter(({ state }) => state === 'failed');
    assert.deepEqual(
      failed.map(({ attempts }) => attempts),
      [RETRY_DELAYS_SECONDS.length + 1],
    );
    assert.match(server.logged(), /webhook\.undelivered/);
    await remove(server, always.id);
  });
});

describe('webhooks: order', () => {
  it('is kept where asked while one fails, and the others of the deployment go on', async () => {
    await subscribe(server, receiver.address, { ordered: true });
    await subscribe(server, other.address);
    const events = await seal(4);
    receiver.answer({ status: 200 }, FAILURE, FAILURE);
    await sendAll();
    const sent = () => idsOf(receiver.received);
    assert.deepEqual(sent(), events.slice(0, 2));
    assert.equal(other.received.length, 4);
    clock.advance(6);
    await sendAll();
    assert.deepEqual(sent(), [events[0], events[1], events[1]]);
    clock.advance(70);
    await sendAll();
    assert.deepEqual(sent(), [events[0], events[1], events[1], events[1], events[2], events[3]]);
  });

  it('where it is not asked, one that fails does not hold up the others', async () => {
    await subscribe(server, receiver.address);
    const events = await seal(8);
    receiver.answer(FAILURE);
    await sendAll();
    assert.deepEqual([...new Set(idsOf(receiver.received))].sort(), [...events].sort());
  });
});

describe('webhooks: pausing', () => {
  /** Lets it fail until the first attempt that is a day after the first. */
  async function failForADay(): Promise<void> {
    receiver.answer(...failures(50));
    for (const delay of [0, ...RETRY_DELAYS_SECONDS.slice(0, 8)]) {
      clock.advance(Math.ceil(delay * 1.1));
      await sendAll();
    }
  }

  it('an endpoint that fails for a day is paused; an event is written and the log warns', async () => {
    const { id } = await subscribe(server, receiver.address);
    await seal(1);
    await failForADay();
    const webhook = await server.services.store.findWebhook(id);
    assert.equal(webhook?.pauseReason, 'failing');
    assert.deepEqual(await eventTypesOf(server.services.config.database.url, id), ['webhook.paused']);
    assert.match(server.logged(), /"level":"warn","event":"webhook\.paused","webhook":"whk_/);
    const attempts = receiver.received.length;
    assert.equal(attempts, 9);
    await seal(3);
    clock.advance(30 * DAY);
    await sendAll();
    assert.equal(receiver.received.length, attempts, 'nothing is sent while it is paused');
  });

  it('resuming sends what waited, and the events since: none is lost', async () => {
    const { id } = await subscribe(server, receiver.address, { ordered: true });
    const first = await seal(1);
    await failForADay();
    const since = await seal(3);
    receiver.received.length = 0;
    receiver.answer();
    await resume(server, id);
    await sendAll();
    assert.deepEqual(idsOf(receiver.received), [...first, ...since]);
  });

  it('a success in between ends the count', async () => {
    const { id } = await subscribe(server, receiver.address);
    await seal(1);
    receiver.answer(FAILURE);
    await sendAll();
    clock.advance(DAY - 10);
    await sendAll();
    receiver.answer(FAILURE);
    await seal(1);
    await sendAll();
    clock.advance(20);
    receiver.answer(FAILURE);
    await sendAll();
    assert.equal((await server.services.store.findWebhook(id))?.pauseReason, undefined);
  });

  it('410 Gone pauses at once (Standard Webhooks, "Delivery success and failure")', async () => {
    const { id } = await subscribe(server, receiver.address);
    await seal(1);
    receiver.answer({ status: 410 });
    await sendAll();
    assert.equal((await server.services.store.findWebhook(id))?.pauseReason, 'gone');
    clock.advance(DAY);
    await sendAll();
    assert.equal(receiver.received.length, 1);
  });
});

describe('webhooks: one endpoint does not delay another', () => {
  it('an endpoint without an answer occupies its own places alone, and fails after 15 s', {
    timeout: 60_000,
  }, async () => {
    const slow = await subscribe(server, receiver.address);
    await subscribe(server, other.address);
    let release = () => {};
    const when = new Promise<void>(resolve => {
      release = resolve;
    });
    receiver.answer(...Array.from({ length: 10 }, () => ({ status: 200, when })));
    await seal(10);
    const startedAt = performance.now();
    await sender.run();
    assert(performance.now() - startedAt < 10_000, 'a run does not wait for answers');
    await until('the other endpoint has everything', async () => {
      await sender.run();
      return other.received.length === 10;
    });
    assert.equal(receiver.received.length, 5);
    await sender.idle();
    const reasons = (await deliveriesOf(server, slow.id)).flatMap(({ reason }) => reason ?? []);
    assert.deepEqual(new Set(reasons), new Set(['no complete answer within 15000 ms']));
    await sender.run();
    await until('the next attempt arrives', () => receiver.received.length > 5);
    assert.equal(receiver.received.length, 6, 'one at a time while it fails');
    release();
  });

  it('no more than 1000 deliveries wait; further events are enqueued when there is room', async () => {
    const { id } = await subscribe(server, receiver.address);
    await seal(1200);
    await receiver.down();
    await sender.run();
    await sender.idle();
    const { requestDelivery } = server.services.store;
    const waiting = () => requestDelivery(id, undefined, facts => ({ result: facts.waiting }), clock.now());
    assert.equal(await waiting(), 1000);
    await receiver.up();
    await resumeAll(id);
    const taken = () => new Set(idsOf(receiver.received)).size;
    await until('all are delivered', async () => {
      await sender.run();
      await sender.idle();
      return taken() === 1200;
    });
  });
});

/** Everything that waits is due, as after a pause. */
async function resumeAll(id: string): Promise<void> {
  const { store } = server.services;
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
    clock.now(),
  );
  await resume(server, id);
}
