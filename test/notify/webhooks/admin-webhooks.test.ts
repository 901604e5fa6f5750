import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anOperatorClient } from '../../build/operator.ts';
import { eventsAbout } from '../../build/sealed-events.ts';
import { HOOK, useWebhookAdministration } from './admin-webhooks-fixture.ts';

const at = useWebhookAdministration();
const pointers = (json: { errors: { pointer: string }[] }) => json.errors.map(({ pointer }) => pointer).sort();

describe('/api/v1/admin/webhooks (admin contract)', () => {
  it('POST creates one with its defaults; the secret is in this answer and in no other', async () => {
    const { json, headers } = await at.created();
    const { secret, created_at, ...rest } = json;
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.match(rest.id, /^whk_/);
    const { id } = rest;
    const fields = { url: HOOK, description: '', event_types: ['*'], ordered: false, state: 'active' };
    assert.deepEqual(rest, { id, ...fields });
    assert.match(headers.get('etag') ?? '', /^"/);
    const read = await at.owner.ask('GET', `/webhooks/${id}`);
    assert.deepEqual(read.json, { ...rest, created_at });
    const list = await at.owner.ask('GET', '/webhooks');
    assert.deepEqual(list.json, { items: [read.json], next: null });
    assert.equal(at.server.logged().includes(secret), false);
  });

  it('every fault at once, with its place', async () => {
    const refused = await at.owner.ask('POST', '/webhooks', {
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
      const bad = await at.owner.ask('POST', '/webhooks', { url });
      assert.deepEqual([bad.status, pointers(bad.json)], [400, ['/url']], url);
    }
    for (const event_types of [[], ['*', 'user.created'], ['user.created', 'user.created']]) {
      const bad = await at.owner.ask('POST', '/webhooks', { url: HOOK, event_types });
      assert.deepEqual([bad.status, pointers(bad.json)], [400, ['/event_types']], event_types.join());
    }
    const unknown = await at.owner.ask('POST', '/webhooks', { url: HOOK, application: 'nowhere' });
    assert.deepEqual([unknown.status, pointers(unknown.json)], [400, ['/application']]);
  });

  it('an address that is never reached is refused when it is made or changed, with the setting that allows it', async () => {
    const { json } = await at.created();
    for (const url of [
      'https://10.0.0.5/hooks',
      'https://[fd00::5]/hooks',
      'https://169.254.169.254/',
      'http://[::1]:9/',
    ]) {
      for (const refused of [
        await at.owner.ask('POST', '/webhooks', { url }),
        await at.owner.ask('PATCH', `/webhooks/${json.id}`, { url }),
      ]) {
        assert.deepEqual([refused.status, pointers(refused.json)], [400, ['/url']], url);
        assert.match(refused.json.errors[0].detail, /points to a private network.*GATEHOUSE_OUTBOUND_ALLOW/);
      }
    }
    const allowed = await at.owner.ask('PATCH', `/webhooks/${json.id}`, { url: 'http://127.0.0.1:9/' });
    assert.equal(allowed.status, 200);
    const byName = await at.owner.ask('PATCH', `/webhooks/${json.id}`, { url: 'http://localhost:9/' });
    assert.equal(byName.status, 200);
  });

  it('PATCH merges (RFC 7396), takes If-Match, and leaves the rest as it is', async () => {
    const { json, headers } = await at.created({ url: HOOK, application: 'shop', event_types: ['user.created'] });
    const path = `/webhooks/${json.id}`;
    const changed = await at.owner.ask('PATCH', path, { description: 'CRM', application: null, event_types: null });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(
      [changed.json.description, changed.json.application, changed.json.event_types, changed.json.url],
      ['CRM', undefined, ['*'], HOOK],
    );
    const stale = { 'if-match': headers.get('etag') ?? '' };
    assert.equal((await at.owner.ask('PATCH', path, { description: 'x' }, stale)).status, 412);
    assert.equal((await at.owner.ask('DELETE', path, undefined, stale)).status, 412);
    const fresh = { 'if-match': changed.headers.get('etag') ?? '' };
    assert.equal((await at.owner.ask('PATCH', path, { ordered: true }, fresh)).status, 200);
    for (const body of [{ id: 'whk_x' }, { secret: 'whsec_x' }, { created_at: null, url: null }])
      assert.equal((await at.owner.ask('PATCH', path, body)).status, 400, JSON.stringify(body));
  });

  it('an Idempotency-Key makes one webhook, however often the request is sent', async () => {
    const headers = { 'idempotency-key': 'once' };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => at.owner.ask('POST', '/webhooks', { url: HOOK }, headers)),
    );
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1, answers.map(({ text }) => text).join('\n'));
    assert.equal((await at.owner.ask('GET', '/webhooks')).json.items.length, 1);
    assert.equal((await at.owner.ask('POST', '/webhooks', { url: 'https://other.example/' }, headers)).status, 409);
  });

  it('at most 100 (409)', async () => {
    for (let count = 0; count < 100; count++) await at.created();
    assert.equal((await at.owner.ask('POST', '/webhooks', { url: HOOK })).status, 409);
  });

  it('lists in pages with a cursor', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) ids.push((await at.created()).json.id);
    const first = await at.owner.ask('GET', '/webhooks?limit=3');
    const second = await at.owner.ask('GET', `/webhooks?limit=3&cursor=${first.json.next}`);
    const seen = [...first.json.items, ...second.json.items].map(({ id }: { id: string }) => id);
    assert.deepEqual(seen, ids);
    assert.equal(second.json.next, null);
  });

  it('auditors and operators read; owners write (403)', async () => {
    const { json } = await at.created();
    for (const role of ['auditor', 'operator'] as const) {
      const reader = await anOperatorClient(at.server, { role });
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
    const limited = await anOperatorClient(at.server, { role: 'owner', applications: ['shop'] });
    const [all, bank, shop] = [
      await at.created(),
      await at.created({ url: HOOK, application: 'bank' }),
      await at.created({ url: HOOK, application: 'shop' }, limited),
    ];
    const { items } = (await limited.ask('GET', '/webhooks')).json;
    const ids = items.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, [shop.json.id]);
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

  it('a webhook that is given to an application shows and sends nothing of the others to who is limited to it', async () => {
    const limited = await anOperatorClient(at.server, { role: 'owner', applications: ['shop'] });
    const { id } = (await at.created({ url: at.receiver.address, event_types: ['session.ended'] })).json;
    const path = `/webhooks/${id}`;
    const [sent] = await at.seal(1, { type: 'session.ended', app: 'bank' });
    await at.send();
    at.receiver.answer({ status: 503 });
    const [own] = await at.seal(1, { type: 'session.ended', app: 'shop' });
    const [waiting] = await at.seal(1, { type: 'session.ended', app: 'bank' });
    await at.seal(1, { type: 'session.ended', app: undefined });
    await at.send();
    const before = (await at.owner.ask('GET', `${path}/deliveries`)).json.items;
    assert.equal(before.length, 4);
    assert.equal((await at.owner.ask('PATCH', path, { application: 'shop' })).status, 200);
    const left = (await limited.ask('GET', `${path}/deliveries`)).json.items;
    const eventIds = left.map(({ event_id }: { event_id: string }) => event_id);
    assert.deepEqual(eventIds, [own]);
    for (const event of [sent, waiting]) {
      const gone = before.find(({ event_id }: { event_id: string }) => event_id === event);
      assert.equal((await limited.ask('GET', `${path}/deliveries/${gone.id}`)).status, 404);
      assert.equal((await limited.ask('POST', `${path}/deliveries/${gone.id}/redeliver`)).status, 404);
    }
  });

  it('leaves an event of each act, without the secret and without path and query of the address', async () => {
    const { json } = await at.created();
    const path = `/webhooks/${json.id}`;
    await at.owner.ask('PATCH', path, { description: 'x' });
    await at.owner.ask('POST', `${path}/secrets`, {});
    await at.owner.ask('POST', `${path}/test`, {});
    await at.owner.ask('DELETE', path);
    const events = await eventsAbout(at.server.services.config.database.url, json.id);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['webhook.created', 'webhook.updated', 'webhook.updated', 'webhook.tested', 'webhook.deleted'],
    );
    const text = JSON.stringify(events);
    assert.match(text, /crm\.example/);
    for (const secret of [json.secret.slice(6), 's3cret', '/hooks']) assert.equal(text.includes(secret), false, secret);
  });
});
