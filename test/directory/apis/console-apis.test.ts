import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { filledForm } from '../../build/console.ts';
import { aClient } from '../../build/fixture.ts';
import { actForm, suiteConsole, titleOf } from '../../build/in-console.ts';
import { formWith } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const ORDERS = 'https://api.shop.example/v1?all=a b'.replace(' ', '%20');
const STOCK = 'urn:shop:stock';
const SHOP = '/console/applications/shop';
const orders = {
  identifier: ORDERS,
  name: 'Orders API',
  scopes: { 'orders:read': 'Read your orders', list: 'List your orders' },
  require_dpop: true,
};
const stock = { identifier: STOCK, name: 'Stock API', scopes: { list: 'List the stock' } };
const pathOf = (identifier: string) => `${SHOP}/apis/${encodeURIComponent(identifier)}`;

const console = suiteConsole({
  shop: { apis: [orders, stock], clients: [aClient(), aClient({ client_id: 'second' })] },
});

const stored = async () => (await console.owner.ask('GET', '/applications/shop')).json.apis;
const reset = () => console.owner.ask('PATCH', '/applications/shop', { apis: [orders, stock] });

describe('the APIs of an application in the console (modern contract, APIs)', () => {
  it('are listed on its page, each with its identifier and scopes', async () => {
    const { seen } = await console.inConsole(`${SHOP}/apis`);
    assert.match(seen.text, /<strong>Orders API<\/strong>/);
    assert(seen.text.includes(`href="${pathOf(STOCK)}"`));
    assert.match(seen.text, /<code>orders:read<\/code>/);
    assert(seen.text.includes(`href="${SHOP}/apis/new"`));
  });

  it('are not offered to the built-in application, which has none', async () => {
    const { seen } = await console.inConsole('/console/applications/gatehouse');
    assert.equal(seen.status, 200);
    assert.doesNotMatch(seen.text, /\/console\/applications\/gatehouse\/apis/);
    const { visitor } = await console.inConsole(SHOP);
    assert.equal((await visitor.go(console.at('/console/applications/gatehouse/apis'))).status, 404);
  });

  it('one is added, with a text for each scope; faults stand beside their fields', async () => {
    const { visitor, seen } = await console.inConsole(`${SHOP}/apis/new`);
    const typed = { name: 'Files API', scopes: 'files:read = Read your files\n\nfiles=all = Change = all' };
    const faulty = await visitor.send(filledForm(seen, 'identifier'), { ...typed, identifier: '/files' });
    assert.equal(faulty.status, 400);
    assert.match(faulty.text, /id="identifier-fault">must be an absolute URI/);
    assert.match(faulty.text, />files:read = Read your files\n/);

    const wrong = { ...typed, identifier: 'https://files.example', scopes: 'openid = x' };
    const wrongScope = await visitor.send(filledForm(faulty, 'identifier'), wrong);
    assert.match(wrongScope.text, /id="scopes-fault">openid: is a scope of the server itself/);
    const twice = await visitor.send(filledForm(wrongScope, 'identifier'), { ...wrong, scopes: 'a = x\na = y' });
    assert.match(twice.text, /id="scopes-fault">a is listed twice/);

    const made = await visitor.send(filledForm(twice, 'identifier'), {
      ...typed,
      identifier: 'https://files.example',
      access_token_format: 'jwt',
      access_token_ttl: '600',
      require_dpop: 'true',
    });
    assert.match(made.text, /Created\./);
    assert.deepEqual((await stored()).at(-1), {
      ...{ identifier: 'https://files.example', name: 'Files API' },
      scopes: { 'files:read': 'Read your files', 'files=all': 'Change = all' },
      ...{ access_token_format: 'jwt', access_token_ttl: 600, require_dpop: true },
    });
    await reset();
  });

  it('one is changed, and keeps its identifier, which the form does not show', async () => {
    const { visitor, seen } = await console.inConsole(pathOf(ORDERS));
    assert.equal(titleOf(seen), 'Orders API');
    assert.doesNotMatch(seen.text, /name="identifier"/);
    const form = filledForm(seen, 'access_token_ttl');
    assert.equal(form.fields.get('require_dpop'), 'true');
    assert.equal(form.fields.get('scopes'), 'orders:read = Read your orders\nlist = List your orders');
    const saved = await visitor.send(form, { name: 'Orders', access_token_ttl: '60', access_token_format: 'opaque' });
    assert.match(saved.text, /Saved\./);
    assert.deepEqual(await stored(), [
      { ...orders, name: 'Orders', access_token_ttl: 60, access_token_format: 'opaque' },
      { ...stock, require_dpop: false },
    ]);
    const emptied = filledForm(await visitor.go(console.at(pathOf(ORDERS))), 'access_token_ttl');
    emptied.fields.delete('require_dpop');
    await visitor.send(emptied, { access_token_ttl: '', access_token_format: '' });
    assert.deepEqual((await stored())[0], { ...orders, name: 'Orders', require_dpop: false });
    await reset();
  });

  it('a form that was opened before another change is not saved', async () => {
    const { visitor, seen } = await console.inConsole(pathOf(ORDERS));
    await console.owner.ask('PATCH', '/applications/shop', { apis: [{ ...orders, name: 'By another' }, stock] });
    await withStatus(400, visitor.send(filledForm(seen, 'access_token_ttl'), { name: 'Mine' }));
    assert.equal((await stored())[0].name, 'By another');
    await reset();
  });

  it('one is removed by typing its identifier', async () => {
    const { visitor, seen } = await console.inConsole(pathOf(STOCK));
    const wrong = await withStatus(400, visitor.send(actForm(seen, 'delete'), { confirm: 'Stock API' }));
    assert.match(wrong.text, /That does not match the identifier of the API/);
    await visitor.send(actForm(wrong, 'delete'), { confirm: STOCK });
    assert.deepEqual(await stored(), [orders]);
    assert.equal((await visitor.go(console.at(pathOf(STOCK)))).status, 404);
    await reset();
  });

  it('an auditor sees them and can change nothing', async () => {
    const { visitor, seen } = await console.inConsole(pathOf(ORDERS), 'bob', 'auditor');
    assert.equal(titleOf(seen), 'Orders API');
    assert.doesNotMatch(seen.text, /<button type="submit">Save/);
    await withStatus(403, visitor.send(formWith(seen, 'access_token_ttl'), { name: 'Mine' }));
    assert.equal((await stored())[0].name, 'Orders API');
  });
});

describe('a client and the APIs of its application', () => {
  const settings = `${SHOP}/clients/web/permissions`;
  const client = async () => (await console.owner.ask('GET', '/applications/shop/clients/web')).json;

  it('its form offers their scopes, each with the names of its APIs', async () => {
    const { seen } = await console.inConsole(settings);
    assert.match(seen.text, />orders:read \(Orders API\)<\/label>/);
    assert.match(seen.text, />list \(Orders API, Stock API\)<\/label>/);
    assert.match(seen.text, />openid<\/label>/);
  });

  it('gets a scope, and the tokens that it may introspect; a form without changes changes nothing', async () => {
    const { visitor, seen } = await console.inConsole(settings);
    const form = filledForm(seen, 'require_consent');
    const saved = await visitor.send(form, { 'scope.orders:read': 'true', [`apis.${STOCK}`]: 'true' });
    assert.match(saved.text, /Saved\./);
    const { scope, apis } = await client();
    assert.deepEqual([scope, apis], ['openid profile email phone orders:read', [STOCK]]);

    const before = await client();
    await visitor.send(filledForm(await visitor.go(console.at(settings)), 'require_consent'), {});
    assert.deepEqual(await client(), before);
    const none = filledForm(await visitor.go(console.at(settings)), 'require_consent');
    none.fields.delete(`apis.${STOCK}`);
    await visitor.send(none, {});
    assert.equal((await client()).apis, undefined);
  });
});
