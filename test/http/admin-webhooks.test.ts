import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { createWebhookSender, type WebhookSender } from '../../src/jobs/webhooks.ts';
import { anApplication } from '../build/fixture.ts';
import { anOperatorClient, type OperatorClient } from '../build/operator.ts';
import { openReceiver, type Receiver } from '../build/receiver.ts';
import { eventsAbout } from '../build/sealed-events.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { sealer } from '../build/webhooks.ts';

let server: TestServer;
let sender: WebhookSender;
let receiver: Receiver;
let owner: OperatorClient;
let seal: ReturnType<typeof sealer>;
before(async () => {
  receiver = await openReceiver();
  server = await startTestServer({
    applications: [anApplication(), anApplication({ code: 'bank', name: 'Bank' })],
    env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
  });
  sender = createWebhookSender(server.services);
  owner = await anOperatorClient(server);
  seal = sealer(server);
});
after(async () => {
  await server.close();
  await receiver.down();
});
afterEach(async () => {
  const { json } = await owner.ask('GET', '/webhooks?limit=200');
  for (const { id } of json.items) await owner.ask('DELETE', `/webhooks/${id}`);
  receiver.received.length = 0;
  receiver.answer();
});

const HOOK = 'https://crm.example/hooks?token=s3cret';
async function created(body: object = { url: HOOK }, by: OperatorClient = owner) {
  const made = await by.ask('POST', '/webhooks', body);
  assert.equal(made.status, 201, made.text);
  return made;
}
const send = async () => {
  await sender.run();
  await sender.idle();
};
const pointers = (json: { errors: { pointer: string }[] }) => json.errors.map(({ pointer }) => pointer).sort();

describe('/api/v1/admin/webhooks (admin contract)', () => {
  it('POST creates one with its defaults; the secret is in this answer and in no other', async () => {
    const { json, headers } = await created();
    const { secret, created_at, ...rest } = json;
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.match(rest.id, /^whk_/);
    const { id } = rest;
    const fields = { url: HOOK, description: '', event_types: ['*'], ordered: false, state: 'active' };
    assert.deepEqual(rest, { id, ...fields });
    assert.match(headers.get('etag') ?? '', /^"/);
    const read = await owner.ask('GET', `/webhooks/${id}`);
    assert.deepEqual(read.json, { ...rest, created_at });
    const list = await owner.ask('GET', '/webhooks');
    assert.deepEqual(list.json, { items: [read.json], next: null });
    assert.equal(server.logged().includes(secret), false);
  });

  it('every fault at once, with its place', async () => {
    const refused = await owner.ask('POST', '/webhooks', {
      url: 'http://crm.example/',
      event_types: ['user.created', 'no.such'],
      ordered: 'yes',
      state: 'broken',
      colour: 'red',
    });
    assert.equal(refused.status, 400);
    assert.deepEqual(pointers(refused.json), ['/colour', '/event_types/1', '/ordered', '/state', '/url']);
    const addresses = [
      'ftp://crm.example/',
      'https://user:pw@crm.example/',
      'https://crm.example/#x',
      '/hooks',
      'javascript:alert(1)',
    ];
    for (const url of [...addresses, `https://crm.example/${'x'.repeat(2000)}`]) {
      const bad = await owner.ask('POST', '/webhooks', { url });
      assert.deepEqual([bad.status, pointers(bad.json)], [400, ['/url']], url);
    }
    for (const event_types of [[], ['*', 'user.created'], ['user.created', 'user.created']]) {
      const bad = await owner.ask('POST', '/webhooks', { url: HOOK, event_types });
      assert.deepEqual([bad.status, pointers(bad.json)], [400, ['/event_types']], event_types.join());
    }
    const unknown = await owner.ask('POST', '/webhooks', { url: HOOK, application: 'nowhere' });
    assert.deepEqual([unknown.status, pointers(unknown.json)], [400, ['/application']]);
  });

  it('PATCH merges (RFC 7396), takes If-Match, and leaves the rest as it is', async () => {
    const { json, headers } = await created({ url: HOOK, application: 'shop', event_types: ['user.created'] });
    const path = `/webhooks/${json.id}`;
    const changed = await owner.ask('PATCH', path, { description: 'CRM', application: null, event_types: null });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(
      [changed.json.description, changed.json.application, changed.json.event_types, changed.json.url],
      ['CRM', undefined, ['*'], HOOK],
    );
    const stale = { 'if-match': headers.get('etag') ?? '' };
    assert.equal((await owner.ask('PATCH', path, { description: 'x' }, stale)).status, 412);
    assert.equal((await owner.ask('DELETE', path, undefined, stale)).status, 412);
    const fresh = { 'if-match': changed.headers.get('etag') ?? '' };
    assert.equal((await owner.ask('PATCH', path, { ordered: true }, fresh)).status, 200);
    for (const body of [{ id: 'whk_x' }, { secret: 'whsec_x' }, { created_at: null, url: null }])
      assert.equal((await owner.ask('PATCH', path, body)).status, 400, JSON.stringify(body));
  });

  it('an Idempotency-Key makes one webhook, however often the request is sent', async () => {
    const headers = { 'idempotency-key': 'once' };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => owner.ask('POST', '/webhooks', { url: HOOK }, headers)),
    );
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1, answers.map(({ text }) => text).join('\n'));
    assert.equal((await owner.ask('GET', '/webhooks')).json.items.length, 1);
    assert.equal((await owner.ask('POST', '/webhooks', { url: 'https://other.example/' }, headers)).status, 409);
  });

  it('at most 100 (409)', async () => {
    for (let count = 0; count < 100; count++) await created();
    assert.equal((await owner.ask('POST', '/webhooks', { url: HOOK })).status, 409);
  });

  it('lists in pages with a cursor', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.push((await created()).json.id);
    const first = await owner.ask('GET', '/webhooks?limit=3');
    const second = await owner.ask('GET', `/webhooks?limit=3&cursor=${first.json.next}`);
    const seen = [...first.json.items, ...second.json.items].map(({ id }: { id: string }) => id);
    assert.deepEqual(seen, ids);
    assert.equal(second.json.next, null);
  });

  it('auditors and operators read; owners write (403)', async () => {
    const { json } = await created();
    for (const role of ['auditor', 'operator'] as const) {
      const reader = await anOperatorClient(server, { role });
      assert.equal((await reader.ask('GET', '/webhooks')).status, 200);
      assert.equal((await reader.ask('GET', `/webhooks/${json.id}/deliveries`)).status, 200);
      for (const [method, path, body] of [
        ['POST', '', { url: HOOK }],
        ['PATCH', `/${json.id}`, { description: 'x' }],
        ['DELETE', `/${json.id}`, undefined],
        ['POST', `/${json.id}/secrets`, {}],
        ['POST', `/${json.id}/test`, {}],
        ['POST', `/${json.id}/deliveries/dlv_x/redeliver`, {}],
      ] as const)
        assert.equal((await reader.ask(method, `/webhooks${path}`, body)).status, 403, `${role} ${method} ${path}`);
    }
  });

  it('a caller that is limited to an application sees and makes webhooks of it alone (404)', async () => {
    const limited = await anOperatorClient(server, { role: 'owner', applications: ['shop'] });
    const [all, bank, shop] = [
      await created(),
      await created({ url: HOOK, application: 'bank' }),
      await created({ url: HOOK, application: 'shop' }, limited),
    ];
    const { items } = (await limited.ask('GET', '/webhooks')).json;
    assert.deepEqual(
      items.map(({ id }: { id: string }) => id),
      [shop.json.id],
    );
    for (const { id } of [all.json, bank.json]) {
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { description: 'x' }],
        ['DELETE', '', undefined],
        ['POST', '/secrets', {}],
        ['POST', '/test', {}],
        ['GET', '/deliveries', undefined],
        ['GET', '/deliveries/dlv_x', undefined],
        ['POST', '/deliveries/dlv_x/redeliver', {}],
      ] as const)
        assert.equal((await limited.ask(method, `/webhooks/${id}${path}`, body)).status, 404, `${method} ${path}`);
    }
    for (const body of [{ url: HOOK }, { url: HOOK, application: 'bank' }])
      assert.deepEqual(pointers((await limited.ask('POST', '/webhooks', body)).json), ['/application']);
    for (const application of [null, 'bank']) {
      const moved = await limited.ask('PATCH', `/webhooks/${shop.json.id}`, { application });
      assert.deepEqual([moved.status, pointers(moved.json)], [400, ['/application']]);
    }
  });

  it('leaves an event of each act, without the secret and without path and query of the address', async () => {
    const { json } = await created();
    const path = `/webhooks/${json.id}`;
    await owner.ask('PATCH', path, { description: 'x' });
    await owner.ask('POST', `${path}/secrets`, {});
    await owner.ask('POST', `${path}/test`, {});
    await owner.ask('DELETE', path);
    const events = await eventsAbout(server.services.config.database.url, json.id);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['webhook.created', 'webhook.updated', 'webhook.updated', 'webhook.tested', 'webhook.deleted'],
    );
    const text = JSON.stringify(events);
    assert.match(text, /crm\.example/);
    for (const secret of [json.secret.slice(6), 's3cret', '/hooks']) assert.equal(text.includes(secret), false, secret);
  });
});

describe('/api/v1/admin/webhooks/{id}/secrets', () => {
  it('POST makes a new secret; the former one signs too for as long as asked', async () => {
    const { json } = await created({ url: receiver.address, event_types: ['session.ended'] });
    const rotated = await owner.ask('POST', `/webhooks/${json.id}/secrets`, { previous_valid_for: 600 });
    assert.equal(rotated.status, 201, rotated.text);
    assert.deepEqual(Object.keys(rotated.json), ['secret']);
    await seal(1, { type: 'session.ended' });
    await send();
    const [received] = receiver.received;
    assert(received);
    const verify = (secret: string) =>
      new Verifier(secret).verify(received.body, received.headers as Record<string, string>);
    for (const secret of [json.secret, rotated.json.secret]) verify(secret);
    const again = await owner.ask('POST', `/webhooks/${json.id}/secrets`, { previous_valid_for: 0 });
    await seal(1, { type: 'session.ended' });
    await send();
    const next = receiver.received[1];
    assert(next);
    assert.equal(String(next.headers['webhook-signature']).split(' ').length, 1);
    new Verifier(again.json.secret).verify(next.body, next.headers as Record<string, string>);
  });
});

describe('/api/v1/admin/webhooks/{id}/deliveries', () => {
  it('GET lists what was sent, newest first, with status and reason; one of them with its body', async () => {
    const { json } = await created({ url: receiver.address, event_types: ['session.ended'] });
    const path = `/webhooks/${json.id}/deliveries`;
    receiver.answer({ status: 503 });
    const [failed] = await seal(1, { type: 'session.ended' });
    await send();
    const [taken] = await seal(1, { type: 'session.ended' });
    await send();
    const list = await owner.ask('GET', path);
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
    const pending = await owner.ask('GET', `${path}?state=pending`);
    assert.equal(pending.json.items.length, 1);
    assert.match(pending.json.items[0].next_attempt_at, /Z$/);
    const first = await owner.ask('GET', `${path}?limit=1`);
    const second = await owner.ask('GET', `${path}?limit=1&cursor=${first.json.next}`);
    assert.equal(second.json.items[0].event_id, failed);
    const one = await owner.ask('GET', `${path}/${list.json.items[0].id}`);
    assert.equal(one.json.body, receiver.received[1]?.body);
    assert.equal((await owner.ask('GET', `${path}/dlv_unknown`)).status, 404);
    assert.equal((await owner.ask('GET', `${path}?state=lost`)).status, 400);
  });

  it('redeliver sends a finished one again, with the same webhook-id and body', async () => {
    const { json } = await created({ url: receiver.address, event_types: ['session.ended'] });
    const path = `/webhooks/${json.id}/deliveries`;
    await seal(1, { type: 'session.ended' });
    await send();
    const [before] = (await owner.ask('GET', path)).json.items;
    const again = await owner.ask('POST', `${path}/${before.id}/redeliver`);
    assert.equal(again.status, 201, again.text);
    assert.notEqual(again.json.id, before.id);
    assert.deepEqual([again.json.event_id, again.json.state], [before.event_id, 'pending']);
    await send();
    const [one, two] = receiver.received;
    assert(one && two);
    assert.equal(two.headers['webhook-id'], one.headers['webhook-id']);
    assert.equal(two.body, one.body);
    assert.equal((await owner.ask('GET', path)).json.items.length, 2);
    assert.equal((await owner.ask('POST', `${path}/dlv_unknown/redeliver`)).status, 404);
  });

  it('redeliver sends one that waits at once, as the same delivery', async () => {
    const { json } = await created({ url: receiver.address, event_types: ['session.ended'] });
    const path = `/webhooks/${json.id}/deliveries`;
    receiver.answer({ status: 500 });
    await seal(1, { type: 'session.ended' });
    await send();
    const [before] = (await owner.ask('GET', path)).json.items;
    const again = await owner.ask('POST', `${path}/${before.id}/redeliver`);
    assert.equal(again.json.id, before.id);
    await send();
    assert.equal(receiver.received.length, 2);
    assert.equal((await owner.ask('GET', path)).json.items[0].state, 'delivered');
  });

  it('test sends webhook.test to the address, also where its type is not subscribed', async () => {
    const { json } = await created({ url: receiver.address, event_types: ['key.rotated'] });
    const test = await owner.ask('POST', `/webhooks/${json.id}/test`);
    assert.equal(test.status, 201, test.text);
    await send();
    const [received] = receiver.received;
    assert(received);
    const verified = new Verifier(json.secret).verify(received.body, received.headers as Record<string, string>);
    assert.deepEqual((verified as { data: unknown }).data, { webhook: json.id });
    const read = await owner.ask('GET', `/webhooks/${json.id}/deliveries/${test.json.id}`);
    assert.deepEqual([read.json.type, read.json.state, read.json.status], ['webhook.test', 'delivered', 200]);
  });

  it('a paused webhook sends nothing, neither a test nor a repetition (409), and everything when it is active again', async () => {
    const { json } = await created({ url: receiver.address, event_types: ['session.ended'], state: 'paused' });
    const path = `/webhooks/${json.id}`;
    assert.equal(json.pause_reason, 'operator');
    const events = await seal(2, { type: 'session.ended' });
    await send();
    assert.equal(receiver.received.length, 0);
    assert.equal((await owner.ask('POST', `${path}/test`)).status, 409);
    const resumed = await owner.ask('PATCH', path, { state: 'active' });
    assert.deepEqual([resumed.json.state, resumed.json.pause_reason], ['active', undefined]);
    await send();
    assert.deepEqual(receiver.received.map(({ headers }) => headers['webhook-id']).sort(), [...events].sort());
  });

  it('410 shows as paused with its reason; PATCH to active sends what waited', async () => {
    const { json } = await created({ url: receiver.address, event_types: ['session.ended'] });
    receiver.answer({ status: 410 });
    await seal(1, { type: 'session.ended' });
    await send();
    const paused = await owner.ask('GET', `/webhooks/${json.id}`);
    assert.deepEqual([paused.json.state, paused.json.pause_reason], ['paused', 'gone']);
    assert.match(paused.json.failing_since, /Z$/);
    const kept = await owner.ask('PATCH', `/webhooks/${json.id}`, { description: 'x' });
    assert.equal(kept.json.pause_reason, 'gone');
    const resumed = await owner.ask('PATCH', `/webhooks/${json.id}`, { state: 'active' });
    assert.deepEqual([resumed.json.state, resumed.json.failing_since], ['active', undefined]);
    assert.deepEqual((await owner.ask('GET', `/webhooks/${json.id}`)).json, resumed.json);
    await send();
    assert.equal(receiver.received.length, 2);
  });
});
