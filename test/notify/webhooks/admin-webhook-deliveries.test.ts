import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { useWebhookAdministration } from './admin-webhooks-fixture.ts';

const at = useWebhookAdministration();

describe('/api/v1/admin/webhooks/{id}/secrets', () => {
  it('POST makes a new secret; the former one signs too for as long as asked', async () => {
    const { json } = await at.created({ url: at.receiver.address, event_types: ['session.ended'] });
    const rotated = await at.owner.ask('POST', `/webhooks/${json.id}/secrets`, { previous_valid_for: 600 });
    assert.equal(rotated.status, 201, rotated.text);
    assert.deepEqual(Object.keys(rotated.json), ['secret']);
    await at.seal(1, { type: 'session.ended' });
    await at.send();
    const [received] = at.receiver.received;
    assert(received);
    const verify = (secret: string) =>
      new Verifier(secret).verify(received.body, received.headers as Record<string, string>);
    for (const secret of [json.secret, rotated.json.secret]) verify(secret);
    const again = await at.owner.ask('POST', `/webhooks/${json.id}/secrets`, { previous_valid_for: 0 });
    await at.seal(1, { type: 'session.ended' });
    await at.send();
    const next = at.receiver.received[1];
    assert(next);
    assert.equal(String(next.headers['webhook-signature']).split(' ').length, 1);
    new Verifier(again.json.secret).verify(next.body, next.headers as Record<string, string>);
  });
});

describe('/api/v1/admin/webhooks/{id}/deliveries', () => {
  it('GET lists what was sent, newest first, with status and reason; one of them with its body', async () => {
    const { json } = await at.created({ url: at.receiver.address, event_types: ['session.ended'] });
    const path = `/webhooks/${json.id}/deliveries`;
    at.receiver.answer({ status: 503 });
    const [failed] = await at.seal(1, { type: 'session.ended' });
    await at.send();
    const [taken] = await at.seal(1, { type: 'session.ended' });
    await at.send();
    const list = await at.owner.ask('GET', path);
    assert.deepEqual(
      list.json.items.map(({ event_id, state, status, reason, attempts }: Record<string, unknown>) => ({
        event_id,
        state,
        status,
        reason,
        attempts,
      })),
      [
        { event_id: taken, state: 'delivered', status: 200, reason: undefined, attempts: 1 },
        { event_id: failed, state: 'pending', status: 503, reason: 'status 503', attempts: 1 },
      ],
    );
    const pending = await at.owner.ask('GET', `${path}?state=pending`);
    assert.equal(pending.json.items.length, 1);
    assert.match(pending.json.items[0].next_attempt_at, /Z$/);
    const first = await at.owner.ask('GET', `${path}?limit=1`);
    const second = await at.owner.ask('GET', `${path}?limit=1&cursor=${first.json.next}`);
    assert.equal(second.json.items[0].event_id, failed);
    const one = await at.owner.ask('GET', `${path}/${list.json.items[0].id}`);
    assert.equal(one.json.body, at.receiver.received[1]?.body);
    assert.equal((await at.owner.ask('GET', `${path}/dlv_unknown`)).status, 404);
    assert.equal((await at.owner.ask('GET', `${path}?state=lost`)).status, 400);
  });

  it('redeliver sends a finished one again, with the same webhook-id and body', async () => {
    const { json } = await at.created({ url: at.receiver.address, event_types: ['session.ended'] });
    const path = `/webhooks/${json.id}/deliveries`;
    await at.seal(1, { type: 'session.ended' });
    await at.send();
    const [before] = (await at.owner.ask('GET', path)).json.items;
    const again = await at.owner.ask('POST', `${path}/${before.id}/redeliver`);
    assert.equal(again.status, 201, again.text);
    assert.notEqual(again.json.id, before.id);
    assert.deepEqual([again.json.event_id, again.json.state], [before.event_id, 'pending']);
    await at.send();
    const [one, two] = at.receiver.received;
    assert(one && two);
    assert.equal(two.headers['webhook-id'], one.headers['webhook-id']);
    assert.equal(two.body, one.body);
    assert.equal((await at.owner.ask('GET', path)).json.items.length, 2);
    assert.equal((await at.owner.ask('POST', `${path}/dlv_unknown/redeliver`)).status, 404);
  });

  it('redeliver sends one that waits at once, as the same delivery', async () => {
    const { json } = await at.created({ url: at.receiver.address, event_types: ['session.ended'] });
    const path = `/webhooks/${json.id}/deliveries`;
    at.receiver.answer({ status: 500 });
    await at.seal(1, { type: 'session.ended' });
    await at.send();
    const [before] = (await at.owner.ask('GET', path)).json.items;
    const again = await at.owner.ask('POST', `${path}/${before.id}/redeliver`);
    assert.equal(again.json.id, before.id);
    await at.send();
    assert.equal(at.receiver.received.length, 2);
    assert.equal((await at.owner.ask('GET', path)).json.items[0].state, 'delivered');
  });

  it('test sends webhook.test to the address, also where its type is not subscribed', async () => {
    const { json } = await at.created({ url: at.receiver.address, event_types: ['key.rotated'] });
    const test = await at.owner.ask('POST', `/webhooks/${json.id}/test`);
    assert.equal(test.status, 201, test.text);
    await at.send();
    const [received] = at.receiver.received;
    assert(received);
    const verified = new Verifier(json.secret).verify(received.body, received.headers as Record<string, string>);
    assert.deepEqual((verified as { data: unknown }).data, { webhook: json.id });
    const read = await at.owner.ask('GET', `/webhooks/${json.id}/deliveries/${test.json.id}`);
    assert.deepEqual([read.json.type, read.json.state, read.json.status], ['webhook.test', 'delivered', 200]);
  });

  it('a paused webhook sends nothing, neither a test nor a repetition (409), and everything when it is active again', async () => {
    const { json } = await at.created({ url: at.receiver.address, event_types: ['session.ended'], state: 'paused' });
    const path = `/webhooks/${json.id}`;
    assert.equal(json.pause_reason, 'operator');
    const events = await at.seal(2, { type: 'session.ended' });
    await at.send();
    assert.equal(at.receiver.received.length, 0);
    assert.equal((await at.owner.ask('POST', `${path}/test`)).status, 409);
    const resumed = await at.owner.ask('PATCH', path, { state: 'active' });
    assert.deepEqual([resumed.json.state, resumed.json.pause_reason], ['active', undefined]);
    await at.send();
    assert.deepEqual(at.receiver.received.map(({ headers }) => headers['webhook-id']).sort(), [...events].sort());
  });

  it('410 shows as paused with its reason; PATCH to active sends what waited', async () => {
    const { json } = await at.created({ url: at.receiver.address, event_types: ['session.ended'] });
    at.receiver.answer({ status: 410 });
    await at.seal(1, { type: 'session.ended' });
    await at.send();
    const paused = await at.owner.ask('GET', `/webhooks/${json.id}`);
    assert.deepEqual([paused.json.state, paused.json.pause_reason], ['paused', 'gone']);
    assert.match(paused.json.failing_since, /Z$/);
    const kept = await at.owner.ask('PATCH', `/webhooks/${json.id}`, { description: 'x' });
    assert.equal(kept.json.pause_reason, 'gone');
    const resumed = await at.owner.ask('PATCH', `/webhooks/${json.id}`, { state: 'active' });
    assert.deepEqual([resumed.json.state, resumed.json.failing_since], ['active', undefined]);
    assert.deepEqual((await at.owner.ask('GET', `/webhooks/${json.id}`)).json, resumed.json);
    await at.send();
    assert.equal(at.receiver.received.length, 2);
  });
});
