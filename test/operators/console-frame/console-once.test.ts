import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadTables } from '../../../src/assembly/tables.ts';
import { capabilities } from '../../../src/capabilities.ts';
import { capability } from '../../../src/capability.ts';
import { actForm, openConsole, titleOf } from '../../build/in-console.ts';
import { atLogin, logIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { formWith, type Seen } from '../../build/visitor.ts';

const WEB = '/console/applications/shop/clients/web';

let loaded = false;
const console = suitePart(async () => {
  const load = async () => {
    loaded = true;
    return {};
  };
  const other = capability('other', { operations: [{ addresses: { '/other': { GET: 'getOther' } }, load }] });
  return openConsole({ tables: await loadTables([...capabilities, other]) });
});

const items = async (path: string) => (await console.owner.ask('GET', path)).json.items;
const secretIn = ({ text }: Seen) => /<p class="secret">.*?<code>([^<]*)</.exec(text)?.[1];
const apiKeyIn = ({ text }: Seen) => /<code>(gak_[^<]*)</.exec(text)?.[1];
const webhookSecretIn = ({ text }: Seen) => /<code>(whsec_[^<]*)</.exec(text)?.[1];

describe('a form of the console that is sent twice (admin.md: Idempotency-Key)', () => {
  it('makes one secret, and a reload of the answer shows it again', async () => {
    const { visitor, seen } = await console.inConsole(`${WEB}/secrets`);
    const form = actForm(seen, 'create');
    const first = await visitor.send(form, { previous_valid_for: '3600' });
    const second = await visitor.send(form, { previous_valid_for: '3600' });
    assert(secretIn(first), first.text);
    assert.equal(secretIn(second), secretIn(first));
    assert.equal((await items('/applications/shop/clients/web/secrets')).length, 2, 'the former one and one new');
    const third = await visitor.send(actForm(second, 'create'), { previous_valid_for: '3600' });
    assert.notEqual(secretIn(third), secretIn(first), 'the form of the answer is another one');
  });

  it('makes one of each also when both arrive at the same time (double click)', async () => {
    const { visitor, seen } = await console.inConsole('/console/api-keys');
    const form = actForm(seen, 'create');
    const values = { name: 'twice', role: 'auditor', days: '30' };
    const both = await Promise.all([visitor.send(form, values), visitor.send(form, values)]);
    const [one, other] = both.map(apiKeyIn);
    assert(one, both[0]?.text);
    assert.equal(other, one);
    const made = (await items('/api_keys')).filter(({ name }: { name: string }) => name === 'twice');
    assert.equal(made.length, 1);
  });

  it('loads the operations of its page, and no others', () => {
    assert.equal(loaded, false);
  });

  it('makes another one if a value was changed after going back', async () => {
    const { visitor, seen } = await console.inConsole('/console/api-keys');
    const form = actForm(seen, 'create');
    const one = apiKeyIn(await visitor.send(form, { name: 'first', role: 'auditor', days: '30' }));
    const other = apiKeyIn(await visitor.send(form, { name: 'second', role: 'auditor', days: '30' }));
    assert(one && other);
    assert.notEqual(one, other);
  });

  it('makes one client, one application, one user, one webhook, one operator', async () => {
    const { visitor, seen } = await console.inConsole('/console/applications/shop/clients/new');
    const values = {
      client_name: 'Twice',
      'grant_types.authorization_code': 'true',
      'scope.openid': 'true',
      token_endpoint_auth_method: 'client_secret_basic',
      redirect_uris: 'https://twice.example/callback',
    };
    const twice = async (form: ReturnType<typeof formWith>, sent: Record<string, string>) => {
      const first = await visitor.send(form, sent);
      const second = await visitor.send(form, sent);
      assert(first.status < 300, first.text);
      assert.equal(second.status, first.status, second.text);
      assert.equal(titleOf(second), titleOf(first));
      return [first, second] as const;
    };
    const [client, again] = await twice(formWith(seen, 'client_name'), values);
    assert(secretIn(client));
    assert.equal(secretIn(again), secretIn(client));
    const clients = await items('/applications/shop/clients');
    assert.equal(clients.filter((each: { client_name: string }) => each.client_name === 'Twice').length, 1);

    const page = (path: string) => visitor.go(console.at(path));
    await twice(formWith(await page('/console/applications/new'), 'code'), { code: 'twice', name: 'Twice' });
    await twice(formWith(await page('/console/users/new'), 'username'), { username: 'twice' });
    const hook = { url: 'https://twice.example/hook' };
    const [made, repeated] = await twice(actForm(await page('/console/webhooks/new'), 'create'), hook);
    assert(webhookSecretIn(made));
    assert.equal(webhookSecretIn(repeated), webhookSecretIn(made));
    assert.equal((await items('/webhooks')).length, 1);
    await twice(actForm(await page('/console/operators'), 'add'), { username: 'carol', role: 'auditor' });
  });

  it('rotates keys once, and sends one test', async () => {
    const { visitor, seen } = await console.inConsole('/console/applications/shop/keys');
    const keysBefore = (await items('/applications/shop/keys')).length;
    const form = actForm(seen, 'rotate');
    await visitor.send(form);
    await visitor.send(form);
    assert.equal((await items('/applications/shop/keys')).length, keysBefore + 1);
    const { id } = (await console.owner.ask('POST', '/webhooks', { url: 'https://test.example/hook' })).json;
    const test = actForm(await visitor.go(console.at(`/console/webhooks/${id}`)), 'test');
    await visitor.send(test);
    await visitor.send(test);
    assert.equal((await items(`/webhooks/${id}/deliveries`)).length, 1);
  });

  it('tells an operator whose role was lowered meanwhile nothing', async () => {
    await console.owner.ask('POST', '/operators', { username: 'bob', role: 'owner' });
    const { visitor, seen } = await console.inConsole('/console/api-keys', 'bob');
    const form = actForm(seen, 'create');
    const made = await visitor.send(form, { name: 'mine', role: 'auditor', days: '30' });
    assert(apiKeyIn(made), made.text);
    await console.owner.ask('PATCH', `/operators/${await console.subOf('bob')}`, { role: 'auditor' });
    const repeated = await visitor.send(form, { name: 'mine', role: 'auditor', days: '30' });
    assert.equal(repeated.status, 403);
    assert.equal(apiKeyIn(repeated), undefined);
  });

  it('acts once also when it had to wait for a sign-in in between', async () => {
    const { visitor, seen } = await console.inConsole(`${WEB}/secrets`);
    const form = actForm(seen, 'create');
    const first = await visitor.send(form, { previous_valid_for: '3600' });
    console.clock.advance(6 * 60);
    const asked = await visitor.send(form, { previous_valid_for: '3600' });
    assert(atLogin(asked), 'an authentication of six minutes ago is too old');
    const again = await visitor.send(actForm(await logIn(visitor, asked), 'create'));
    assert.equal(secretIn(again), secretIn(first));
  });
});
