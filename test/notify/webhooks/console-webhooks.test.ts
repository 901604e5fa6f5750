import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { createWebhookSender } from '../../../src/notify/webhooks/job.ts';
import { anApplication } from '../../build/fixture.ts';
import { actForm, contentOf, openConsole, titleOf } from '../../build/in-console.ts';
import { atLogin, logIn } from '../../build/people.ts';
import { openReceiver } from '../../build/receiver.ts';
import { suitePart } from '../../build/suite-part.ts';

const receiver = suitePart(() => openReceiver());
const console = suitePart(() =>
  openConsole({
    applications: [anApplication(), anApplication({ code: 'bank', name: 'Bank' })],
    env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
  }),
);
const sender = suitePart(() => createWebhookSender(console.server.services));
afterEach(async () => {
  const { json } = await console.owner.ask('GET', '/webhooks?limit=200');
  for (const { id } of json.items) await console.owner.ask('DELETE', `/webhooks/${id}`);
  receiver.received.length = 0;
  receiver.answer();
});

const send = async () => {
  await sender.run();
  await sender.idle();
};
const aWebhook = async (over: object = {}) => {
  // Of a type that does not happen here: only tests are delivered.
  const body = { url: receiver.address, event_types: ['code.replayed'], ...over };
  const made = await console.owner.ask('POST', '/webhooks', body);
  assert.equal(made.status, 201, made.text);
  return { ...made.json, path: `/console/webhooks/${made.json.id}` };
};

describe('/console/webhooks', () => {
  it('says the next step where there is none, and lists the host alone: a path may hold a secret', async () => {
    const { visitor, seen } = await console.inConsole('/console/webhooks');
    assert.match(seen.text, /No webhooks yet/);
    assert.match(seen.text, /href="\/console\/webhooks\/new"/);
    await aWebhook({ url: 'https://crm.example/hooks?token=s3cret', description: 'To the CRM' });
    const list = await visitor.go(console.at('/console/webhooks'));
    assert.match(list.text, /<strong>crm\.example<\/strong>/);
    assert.match(list.text, /To the CRM/);
    assert(!list.text.includes('s3cret'));
  });

  it('creates one with chosen events, and shows its secret once', async () => {
    const { visitor, seen } = await console.inConsole('/console/webhooks/new');
    const typed = {
      description: 'Ours',
      application: 'bank',
      'type.user.created': 'true',
      'type.user.deleted': 'true',
    };
    const faulty = await visitor.send(actForm(seen, 'create'), { ...typed, url: 'ftp://x', application: 'nowhere' });
    assert.equal(faulty.status, 400);
    assert(faulty.text.includes('id="url-fault"'));
    assert.match(faulty.text, /name="type\.user\.created"[^>]* checked/);
    const made = await visitor.send(actForm(faulty, 'create'), { ...typed, url: 'https://crm.example/hooks' });
    const secret = /<code>(whsec_[^<]*)<\/code>/.exec(made.text)?.[1];
    assert(secret, made.text);
    const { items } = (await console.owner.ask('GET', '/webhooks')).json;
    assert.deepEqual(items[0].event_types, ['user.created', 'user.deleted']);
    assert.equal(items[0].application, 'bank');
    assert(!(await visitor.go(console.at(`/console/webhooks/${items[0].id}`))).text.includes(secret));
  });

  it('sends a test, shows what came of it, and sends a delivery again', async () => {
    const { path } = await aWebhook();
    const { visitor, seen } = await console.inConsole(path);
    assert.match(seen.text, /Nothing has been sent yet/);
    receiver.answer({ status: 500 });
    const waiting = await visitor.send(actForm(seen, 'test'));
    assert.match(waiting.text, /webhook\.test/);
    assert.match(waiting.text, /<span class="pill plain">Waiting/);
    await send();
    const failed = await visitor.go(console.at(path));
    assert.match(failed.text, /500/);
    assert.match(failed.text, /<span class="pill bad">Failing/);
    await visitor.send(actForm(failed, 'redeliver'));
    await send();
    const delivered = await visitor.go(console.at(`${path}?state=delivered`));
    assert.match(delivered.text, /<span class="pill ok">Delivered/);
    assert.equal(receiver.received.length, 2);
    assert.match((await visitor.go(console.at(`${path}?state=failed`))).text, /Nothing has been sent yet/);
    const address = /href="([^"]*\/deliveries\/[^"]*)"/.exec(delivered.text)?.[1] ?? '';
    const one = await visitor.go(console.at(address));
    assert.equal(titleOf(one), 'webhook.test');
    assert.match(one.text, /&quot;type&quot;: &quot;webhook\.test&quot;/);
    await visitor.send(actForm(one, 'redeliver'));
    await send();
    assert.equal(receiver.received.length, 3);
    assert.equal((await visitor.go(console.at(`${path}/deliveries/dlv_gone`))).status, 404);
  });

  it('changes settings, tells the second of two operators, pauses and resumes', async () => {
    const { id, path } = await aWebhook();
    const { visitor, seen } = await console.inConsole(path);
    const values = { url: 'https://new.example/hooks', description: 'Moved', ordered: 'true' };
    const saved = await visitor.send(actForm(seen, 'save'), values);
    assert.equal(titleOf(saved), 'new.example');
    const { json } = await console.owner.ask('GET', `/webhooks/${id}`);
    assert.deepEqual([json.event_types, json.ordered, json.description], [['*'], true, 'Moved']);
    assert.match((await visitor.send(actForm(seen, 'save'), values)).text, /Someone has changed this/);
    const paused = await visitor.send(actForm(saved, 'pause'));
    assert.match(paused.text, /<span class="pill plain">Paused/);
    const refused = await visitor.send(actForm(saved, 'test'));
    assert.match(refused.text, /role="alert"[^>]*>The webhook is paused/);
    const resumed = await visitor.send(actForm(paused, 'resume'));
    assert.match(resumed.text, /<span class="pill ok">Active/);
  });

  it('makes a new secret after a recent authentication, shown once; the former one signs as long as was said', async () => {
    const { secret: former, path } = await aWebhook();
    const { visitor, seen } = await console.inConsole(path);
    console.clock.advance(6 * 60);
    const asked = await visitor.send(actForm(seen, 'rotate'), { previous_valid_for: '3600' });
    assert(atLogin(asked));
    const made = await visitor.send(actForm(await logIn(visitor, asked), 'rotate'));
    const secret = /<code>(whsec_[^<]*)<\/code>/.exec(made.text)?.[1];
    assert(secret && secret !== former, made.text);
    await visitor.send(actForm(made, 'test'));
    await send();
    const signatures = String(receiver.received[0]?.headers['webhook-signature']).split(' ');
    assert.equal(signatures.length, 2);
    const faulty = await visitor.send(actForm(made, 'rotate'), { previous_valid_for: 'long' });
    assert(faulty.text.includes('id="previous_valid_for-fault"'));
  });

  it('deletes with the host typed; the page is then gone', async () => {
    const { id, path } = await aWebhook({ url: 'https://crm.example/hooks' });
    const { visitor, seen } = await console.inConsole(path);
    const wrong = await visitor.send(actForm(seen, 'delete'), { confirm: 'crm' });
    assert(wrong.text.includes('id="confirm-fault"'));
    const done = await visitor.send(actForm(wrong, 'delete'), { confirm: 'crm.example' });
    assert.equal(titleOf(done), 'Webhooks');
    assert.equal((await console.owner.ask('GET', `/webhooks/${id}`)).status, 404);
    assert.equal((await visitor.go(console.at(path))).status, 404);
    assert.equal((await visitor.send(actForm(seen, 'test'))).status, 404);
  });

  it('shows an operator deliveries and settings without buttons; a limited one sees those of its applications', async () => {
    const ours = await aWebhook({ application: 'shop' });
    const theirs = await aWebhook({ application: 'bank' });
    const { seen: full } = await console.inConsole(ours.path);
    const { visitor, seen } = await console.inConsole(ours.path, 'bob', 'operator');
    assert.equal(seen.status, 200);
    assert(!contentOf(seen).includes('<button type="submit"'));
    assert.equal((await visitor.send(actForm(full, 'pause'))).status, 403);
    const limited = { username: 'carol', role: 'owner', applications: ['shop'] };
    assert.equal((await console.owner.ask('POST', '/operators', limited)).status, 201);
    const carol = await console.inConsole(ours.path, 'carol');
    assert.equal(carol.seen.status, 200);
    assert.equal((await carol.visitor.go(console.at(theirs.path))).status, 404);
    const list = await carol.visitor.go(console.at('/console/webhooks'));
    assert(list.text.includes(ours.id) && !list.text.includes(theirs.id));
  });
});
