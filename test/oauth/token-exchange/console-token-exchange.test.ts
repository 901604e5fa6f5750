import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { filledForm } from '../../build/console.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { suiteConsole } from '../../build/in-console.ts';
import { formWith } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const ORDERS = 'https://orders.shop.example';
const STOCK = 'urn:shop:stock';
const SHOP = '/console/applications/shop';
const apis = [
  { identifier: ORDERS, name: 'Orders API', scopes: { 'orders:read': 'Read your orders' } },
  { identifier: STOCK, name: 'Stock API', scopes: { list: 'List the stock', write: 'Change it' } },
];
const policy = { from: ORDERS, to: STOCK, scopes: ['list', 'write'] };

const console = suiteConsole({
  applications: [anApplication({ apis, clients: [aClient()] }), anApplication({ code: 'plain', name: 'Plain' })],
});
beforeEach(() => console.owner.ask('PATCH', '/applications/shop', { apis, token_exchange: [policy] }));

const stored = async () => (await console.owner.ask('GET', '/applications/shop')).json;

describe('token exchange and step-up in the console (modern contract)', () => {
  it('policies are lines of the form of an application with APIs', async () => {
    const { visitor, seen } = await console.inConsole(`${SHOP}/advanced`);
    assert(seen.text.includes(`>${ORDERS} ${STOCK} list write</textarea>`));
    const form = filledForm(seen, 'token_exchange');
    const saved = await visitor.send(form, {
      token_exchange: `${ORDERS} ${STOCK} list\n\n web  ${ORDERS}  orders:read `,
    });
    assert.equal(saved.status, 200);
    assert.deepEqual((await stored()).token_exchange, [
      { from: ORDERS, to: STOCK, scopes: ['list'] },
      { from: 'web', to: ORDERS, scopes: ['orders:read'] },
    ]);
    await visitor.send(filledForm(saved, 'token_exchange'), { token_exchange: '' });
    assert.deepEqual((await stored()).token_exchange, []);
  });

  it('are not offered where there is no API', async () => {
    const { seen } = await console.inConsole('/console/applications/plain/advanced');
    assert.doesNotMatch(seen.text, /name="token_exchange"/);
  });

  it('a fault stands beside the field, and what was typed stays', async () => {
    const { visitor, seen } = await console.inConsole(`${SHOP}/advanced`);
    const typed = `${ORDERS} ${STOCK} everything`;
    const faulty = await withStatus(400, visitor.send(filledForm(seen, 'token_exchange'), { token_exchange: typed }));
    assert.match(faulty.text, /id="token_exchange-fault">scopes: everything is no scope of urn:shop:stock/);
    assert(faulty.text.includes(`>${typed}</textarea>`));
  });

  it('an API is removed together with its policies; a scope that a policy names is not', async () => {
    const { visitor, seen } = await console.inConsole(`${SHOP}/apis/${encodeURIComponent(STOCK)}`);
    const faulty = await visitor.send(filledForm(seen, 'scopes'), { scopes: 'list = List the stock' });
    assert.match(faulty.text, /id="scopes-fault">token_exchange: write is no scope of urn:shop:stock/);
    await withStatus(200, visitor.send(formWith(seen, 'confirm'), { confirm: STOCK }));
    const left = await stored();
    assert.deepEqual([left.apis.length, left.token_exchange], [1, []]);
  });

  it('userinfo demands a class and an age of the login, until the fields are emptied (RFC 9470)', async () => {
    const { visitor, seen } = await console.inConsole(`${SHOP}/advanced`);
    const values = { userinfo_acr_values: 'phr 2', userinfo_max_age: '300' };
    const saved = await visitor.send(filledForm(seen, 'userinfo_max_age'), values);
    const { userinfo_acr_values, userinfo_max_age } = await stored();
    assert.deepEqual([userinfo_acr_values, userinfo_max_age], [['phr', '2'], 300]);
    assert.match(saved.text, /name="userinfo_acr_values"[^>]*value="phr 2"/);
    const faulty = await visitor.send(filledForm(saved, 'userinfo_max_age'), { userinfo_acr_values: '3' });
    assert.match(faulty.text, /id="userinfo_acr_values-fault">must be one of 1, 2, phr/);
    await visitor.send(filledForm(saved, 'userinfo_max_age'), { userinfo_acr_values: '', userinfo_max_age: '' });
    const cleared = await stored();
    assert.deepEqual([cleared.userinfo_acr_values, cleared.userinfo_max_age], [undefined, undefined]);
  });

  it('a new application is made without them', async () => {
    const { visitor, seen } = await console.inConsole('/console/applications/new');
    await withStatus(200, visitor.send(filledForm(seen, 'code'), { code: 'fresh', name: 'Fresh' }));
    assert.equal((await console.owner.ask('GET', '/applications/fresh')).json.userinfo_max_age, undefined);
  });

  it('the grant is a choice of a client, in both languages', async () => {
    const settings = `${SHOP}/clients/web/permissions`;
    const { visitor, seen } = await console.inConsole(settings);
    assert.match(seen.text, /Token exchange: an API gets tokens for another one/);
    const grant = 'urn:ietf:params:oauth:grant-type:token-exchange';
    await withStatus(200, visitor.send(filledForm(seen, 'require_consent'), { [`grant_types.${grant}`]: 'true' }));
    const client = (await console.owner.ask('GET', '/applications/shop/clients/web')).json;
    assert(client.grant_types.includes(grant));
  });
});
