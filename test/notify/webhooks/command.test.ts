import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createWebhookSender } from '../../../src/notify/webhooks/job.ts';
import { commandSettings, gatehouse, runCommand } from '../../build/command.ts';
import { openReceiver } from '../../build/receiver.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer } from '../../build/test-server.ts';

const ALLOWED = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' };

describe('gatehouse webhooks (admin contract: command line)', () => {
  const receiver = suitePart(() => openReceiver());
  const server = suitePart(() => startTestServer({ env: ALLOWED }));

  const run = async (...args: string[]) => {
    const { code, out, err } = await runCommand(['webhooks', ...args, '--json'], {
      ...commandSettings(server),
      ...ALLOWED,
    });
    assert.equal(code, 0, err);
    return JSON.parse(out);
  };
  const send = async () => {
    const sender = createWebhookSender(server.services);
    await sender.run();
    await sender.idle();
  };

  it('create, update, test, deliveries, redeliver and delete do what the admin API does', async () => {
    const types = ['--event-types', 'user.created,user.deleted'];
    const { id, secret, ...made } = await run('create', receiver.address, '--application', 'shop', ...types);
    assert.match(secret, /^whsec_/);
    assert.deepEqual([made.application, made.event_types], ['shop', ['user.created', 'user.deleted']]);
    const changed = await run('update', id, '--ordered', 'true', '--event-types', 'null', '--description', 'CRM');
    assert.deepEqual([changed.ordered, changed.event_types, changed.description], [true, ['*'], 'CRM']);

    const test = await run('test', id);
    assert.deepEqual([test.type, test.state], ['webhook.test', 'pending']);
    await send();
    assert.equal(receiver.received.length, 1);
    const { items } = await run('deliveries', id, '--state', 'delivered');
    assert.deepEqual(
      items.map((delivery: { id: string }) => delivery.id),
      [test.id],
    );
    assert.equal((await run('delivery', id, test.id)).body, receiver.received[0]?.body);
    await run('redeliver', id, test.id);
    await send();
    assert.equal(receiver.received[1]?.headers['webhook-id'], test.event_id);

    const { out } = await gatehouse(server, 'webhooks', 'list');
    assert.match(out, new RegExp(id));
    assert.equal(out.includes(secret), false);
    assert.match((await run('new-secret', id)).secret, /^whsec_/);
    await run('delete', id);
    assert.deepEqual(await run('list'), { items: [], next: null });
  });

  it('a value that is not allowed exits 65 and names its option, as does what does not exist', async () => {
    const refused = await gatehouse(server, 'webhooks', 'create', 'http://crm.example/', '--event-types', 'no.such');
    assert.equal(refused.code, 65);
    assert.match(refused.err, /--url: must use https/);
    assert.match(refused.err, /--event-types\/0: must be a type of event/);
    for (const args of [
      ['get', 'whk_x'],
      ['test', 'whk_x'],
      ['redeliver', 'whk_x', 'dlv_x'],
    ])
      assert.equal((await gatehouse(server, 'webhooks', ...args)).code, 65, args.join(' '));
    assert.equal((await gatehouse(server, 'webhooks', 'create')).code, 64);
  });
});
