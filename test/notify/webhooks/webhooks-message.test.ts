import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { rotateWebhookSecrets } from '../../../src/notify/webhooks/secrets.ts';
import type { Received } from '../../build/receiver.ts';
import { deliveriesOf, subscribe } from '../../build/webhooks.ts';
import { useWebhookSender } from './webhooks-fixture.ts';

const at = useWebhookSender();

const verify = (secret: string, { body, headers }: Received) =>
  new Verifier(secret).verify(body, headers as Record<string, string>);

describe('webhooks: what is sent (Standard Webhooks 1.0.0)', () => {
  it('is a POST of JSON whose signature the reference library of the specification accepts', async () => {
    const { id, secret } = await subscribe(at.server, at.receiver.address);
    const [event] = await at.seal(1, {
      details: { amr: ['pwd'] },
      address: '192.0.2.1',
      requestId: 'req-1',
      userAgent: 'Browser/1',
    });
    await at.sendAll();
    const [received, ...more] = at.receiver.received;
    assert(received && more.length === 0);
    assert.equal(received.method, 'POST');
    assert.equal(received.headers['content-type'], 'application/json');
    assert.equal(received.headers['webhook-id'], event);
    assert.equal(received.headers['webhook-timestamp'], String(at.clock.now()));
    assert.match(String(received.headers['webhook-signature']), /^v1,[A-Za-z0-9+/]{43}=$/);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual(verify(secret, received), {
      type: 'user.login.succeeded',
      timestamp: new Date(at.clock.now() * 1000).toISOString(),
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
    const [delivery] = await deliveriesOf(at.server, id);
    assert.deepEqual([delivery?.state, delivery?.status, delivery?.attempts], ['delivered', 200, 1]);
  });

  it('is refused by the receiver when another secret signed it, or when the body or the id was changed on the way', async () => {
    const { secret } = await subscribe(at.server, at.receiver.address);
    const stranger = await subscribe(at.server, at.other.address);
    await at.seal(1);
    await at.sendAll();
    const [received] = at.receiver.received;
    assert(received);
    assert.throws(() => verify(stranger.secret, received));
    assert.throws(() => verify(secret, { ...received, body: `${received.body} ` }));
    assert.throws(() => verify(secret, { ...received, headers: { ...received.headers, 'webhook-id': 'evt_other' } }));
  });

  it('is signed with the new and the former secret after a rotation, until the time of the former one is over', async () => {
    const { id, secret: former } = await subscribe(at.server, at.receiver.address);
    const { services } = at.server;
    const current = (await services.store.findWebhook(id)) ?? assert.fail();
    const rotated = rotateWebhookSecrets(services, id, current.sealedSecrets, at.clock.now(), at.clock.now() + 100);
    await at.server.services.store.changeWebhook(
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
      at.clock.now(),
    );
    await at.seal(1);
    await at.sendAll();
    const [both] = at.receiver.received;
    assert(both);
    for (const secret of [former, rotated.secret]) verify(secret, both);
    at.clock.advance(100);
    await at.seal(1);
    await at.sendAll();
    const single = at.receiver.received[1];
    assert(single);
    verify(rotated.secret, single);
    assert.throws(() => verify(former, single));
  });

  it('is at most 16 KiB: what an event has beyond that is left out, and the body says so', async () => {
    const { secret } = await subscribe(at.server, at.receiver.address);
    await at.seal(1, { details: { text: 'x'.repeat(20_000) }, requestId: 'req-1' });
    await at.sendAll();
    const [received] = at.receiver.received;
    assert(received && received.body.length < 16_384);
    const { data } = verify(secret, received) as { data: Record<string, unknown> };
    assert.deepEqual([data.truncated, data.details, data.request_id], [true, undefined, 'req-1']);
  });

  it('goes to subscribers of its application and type, and to no other', async () => {
    await subscribe(at.server, at.receiver.address, { app: 'shop', eventTypes: ['session.ended'] });
    await subscribe(at.server, at.other.address, { app: 'bank' });
    await at.seal(1, { type: 'session.ended' });
    await at.seal(1, { type: 'key.rotated' });
    await at.sendAll();
    assert.deepEqual([at.receiver.received.length, at.other.received.length], [1, 0]);
  });

  it('a secret in the database cannot be read without the secret of the server', async () => {
    const { id, secret } = await subscribe(at.server, at.receiver.address);
    const { sealedSecrets } = (await at.server.services.store.findWebhook(id)) ?? assert.fail();
    const plain = secret.slice('whsec_'.length);
    for (const form of [plain, Buffer.from(plain, 'base64')])
      assert.equal(Buffer.from(sealedSecrets).includes(form), false);
  });
});
