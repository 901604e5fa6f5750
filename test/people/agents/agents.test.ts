import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { explanationOf } from '../../audit/explain/cases/world.ts';
import { register } from '../../build/assistant.ts';
import { assertRefused, basic, claimsOf, introspect, isActive, token, WEB } from '../../build/client.ts';
import { aClient, anApplication, aUser, type ClientInput } from '../../build/fixture.ts';
import { anOperatorClient, type OperatorClient } from '../../build/operator.ts';
import { bob, signedIn } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { formWith, type Seen } from '../../build/visitor.ts';

const ORDERS = 'https://orders.shop.example';
const STOCK = 'urn:shop:stock';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const SECRET = 'agent-secret-1';
const apis = [
  { identifier: ORDERS, name: 'Orders', scopes: { 'orders:read': 'Read orders' } },
  { identifier: STOCK, name: 'Stock', scopes: { 'stock:read': 'Read the stock' } },
];

function client(client_id: string, over: ClientInput = {}): ClientInput {
  return { client_id, client_secret: SECRET, grant_types: ['client_credentials'], scope: 'orders:read', ...over };
}

const agent = (client_id: string, owner: ClientInput['owner'], over: ClientInput = {}) =>
  client(client_id, { client_type: 'agent', owner, ...over });

const WEB_ACCESS = { apis: [ORDERS, STOCK], scope: 'openid orders:read' };

const server = suiteServer({
  applications: [
    anApplication({
      apis,
      token_exchange: [{ from: ORDERS, to: STOCK, scopes: ['stock:read'] }],
      access: { users: ['alice', 'bob', 'gone'], groups: ['support'] },
      clients: [
        aClient({ ...WEB_ACCESS, grant_types: ['authorization_code', 'client_credentials'] }),
        client('orders-api', { apis: [ORDERS], grant_types: [EXCHANGE], scope: 'openid stock:read' }),
        agent('buyer', { user: 'Alice' }, { client_name: 'Buyer' }),
        agent('signer', { user: 'alice' }, { access_token_format: 'jwt' }),
        agent('helper', { group: 'support' }),
        agent('relay', { user: 'alice' }, { apis: [ORDERS], grant_types: [EXCHANGE], scope: 'openid stock:read' }),
        agent('orphan', { user: 'gone' }),
        agent('by-address', { user: 'alice@example.com' }),
      ],
    }),
    anApplication({ code: 'other', name: 'Other', apis, clients: [agent('buyer', { user: 'bob' })] }),
  ],
  users: [
    aUser({ groups: ['Support'] }),
    bob({ groups: ['support'] }),
    bob({ username: 'gone', email: 'gone@example.com', phone_number: '+8613800000009' }),
  ],
});

const asking = (client_id: string, app?: string) =>
  token(server, { grant_type: 'client_credentials', scope: 'orders:read' }, { auth: basic(client_id, SECRET) }, app);
const tokenOf = async (client_id: string) => {
  const { status, json, text } = await asking(client_id);
  assert.equal(status, 200, text);
  return json.access_token as string;
};
const introspected = async (of: string) => (await introspect(server, { token: of })).json;
const PAGE = () => `${server.base}/account/agents`;
const rowOf = (page: Seen, name: string) =>
  (page.text.match(/<li>[\s\S]*?<\/li>/g) ?? []).find(text => text.includes(`value="${name}"`)) ?? '';
const actor = (client_id: string, act?: object) => ({ sub: client_id, client_id, ...(act && { act }) });

describe('the tokens of an agent say that it acts (modern contract: Agents; RFC 8693 section 4.1)', () => {
  it('in introspection and in a JWT; those of another client do not', async () => {
    const { sub, act } = await introspected(await tokenOf('buyer'));
    assert.deepEqual([sub, act], ['buyer', actor('buyer')]);
    const jwt = await tokenOf('signer');
    assert.deepEqual(claimsOf(jwt).act, actor('signer'));
    assert.deepEqual((await introspected(jwt)).act, actor('signer'));
    const plain = await token(server, { grant_type: 'client_credentials', scope: 'orders:read' }, { auth: WEB });
    assert.equal((await introspected(plain.json.access_token)).act, undefined);
  });

  const exchanged = async (subject_token: string, exchanger: string) => {
    const { status, json, text } = await token(
      server,
      {
        grant_type: EXCHANGE,
        subject_token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        audience: STOCK,
      },
      { auth: basic(exchanger, SECRET) },
    );
    assert.equal(status, 200, text);
    return (await introspected(json.access_token)).act;
  };

  it('also after an exchange by an API, which did nothing of its own', async () => {
    assert.deepEqual(await exchanged(await tokenOf('buyer'), 'orders-api'), actor('buyer'));
  });

  it('and an agent that exchanges is the newest that acted', async () => {
    assert.deepEqual(await exchanged(await tokenOf('buyer'), 'relay'), actor('relay', actor('buyer')));
    const plain = await token(server, { grant_type: 'client_credentials', scope: 'orders:read' }, { auth: WEB });
    assert.deepEqual(await exchanged(plain.json.access_token, 'relay'), actor('relay'));
  });
});

describe('/account/agents shows the agents that a person answers for', () => {
  it('with what each may without asking, and in which application', async () => {
    const page = await (await signedIn(server)).follow(PAGE());
    assert.match(rowOf(page, 'buyer'), /<strong>Buyer<\/strong> · Shop/);
    assert.match(rowOf(page, 'buyer'), /Read orders/);
    assert.match(rowOf(page, 'relay'), /Nothing without asking/, 'it has no client_credentials');
    assert.equal(page.text.split('name="stop" value="buyer"').length, 2, 'that of bob at another application is his');
  });

  it('alone by the user name, and in a group by its exact name', async () => {
    const alice = await (await signedIn(server)).follow(PAGE());
    assert.equal(rowOf(alice, 'helper'), '', 'Support is not support');
    assert.equal(rowOf(alice, 'by-address'), '', 'an address is no user name');
    const page = await (await signedIn(server, 'bob')).follow(PAGE());
    assert.match(rowOf(page, 'helper'), /group support/);
    assert.equal(rowOf(page, 'signer'), '');
    const access = await (await signedIn(server, 'gone')).follow(`${server.base}/account/access`);
    assert.match(access.text, /href="\/account\/agents"/);
  });
});

describe('an owner stops an agent', () => {
  let owner: OperatorClient;
  before(async () => {
    owner = await anOperatorClient(server);
  });
  const press = async (what: 'stop' | 'start', client_id: string, username = 'alice') => {
    const visitor = await signedIn(server, username);
    return visitor.send(formWith(await visitor.follow(PAGE()), `${what}" value="${client_id}`));
  };
  const eventsOf = async (type: string) =>
    (await owner.ask('GET', `/events?type=${type}`)).json.items.map(({ client }: { client: string }) => client);

  it('which ends its tokens, and it gets no others until it is started again', async () => {
    const held = [await tokenOf('buyer'), await tokenOf('buyer')];
    const page = await press('stop', 'buyer');
    assert.match(rowOf(page, 'buyer'), /Stopped <time/);
    for (const each of held) assert.equal(await isActive(server, each), false);
    const refused = await asking('buyer');
    assertRefused(refused, 400, 'unauthorized_client', 'The owner of this agent has stopped it.');
    assert.match(JSON.stringify(await explanationOf(server, refused)), /\/account\/agents/);
    assert.equal((await asking('buyer', 'other')).status, 200, 'the agent of another application goes on');
    await press('start', 'buyer');
    assert.equal(await isActive(server, await tokenOf('buyer')), true);
    assert.equal(await isActive(server, held[0] as string), false, 'what ended stays ended');
    assert.deepEqual([await eventsOf('agent.stopped'), await eventsOf('agent.started')], [['buyer'], ['buyer']]);
  });

  it('also when the agent is asking meanwhile: of a hundred tokens none is good', async () => {
    const asked = Array.from({ length: 100 }, () => asking('signer'));
    await press('stop', 'signer');
    const answers = await Promise.all(asked);
    for (const { json } of answers.filter(({ status }) => status === 200)) {
      assert.equal(await isActive(server, json.access_token), false);
    }
    assertRefused(await asking('signer'), 400, 'unauthorized_client');
    await press('start', 'signer');
  });

  it('and an apply file or a change by an operator does not start it', async () => {
    await press('stop', 'buyer');
    const path = '/applications/shop/clients/buyer';
    assert.equal((await owner.ask('PATCH', path, { client_name: 'Buyer 2' })).status, 200);
    assertRefused(await asking('buyer'), 400, 'unauthorized_client');
    await press('start', 'buyer');
  });

  it('everybody in the group that owns it', async () => {
    assert.match(rowOf(await press('stop', 'helper', 'bob'), 'helper'), /Stopped/);
    assertRefused(await asking('helper'), 400, 'unauthorized_client');
    await press('start', 'helper', 'bob');
  });

  it('and nobody else: a form of another person, or of another site, changes nothing', async () => {
    const visitor = await signedIn(server, 'bob');
    const form = formWith(await visitor.follow(PAGE()), 'stop" value="helper');
    await visitor.send(form, { stop: 'buyer', app: 'shop' });
    assert.equal((await asking('buyer')).status, 200);
    const foreign = await visitor.send(form, {}, { origin: 'https://evil.example' });
    assert.equal(foreign.status, 403);
    assert.equal((await asking('helper')).status, 200);
    await visitor.go(`${PAGE()}?app=shop&stop=helper`);
    assert.equal((await asking('helper')).status, 200);
  });
});

describe('an agent acts only while somebody answers for it', () => {
  const WITHOUT = 'The owner of this agent has no access to this application any more.';
  let owner: OperatorClient;
  before(async () => {
    owner = await anOperatorClient(server);
  });
  const subOf = async (login: string) => (await owner.ask('GET', `/users?q=${login}`)).json.items[0].sub;

  it('not after its owner is disabled, may not enter the application any more, or is deleted', async () => {
    const path = `/users/${await subOf('gone')}`;
    assert.equal((await asking('orphan')).status, 200);
    await owner.ask('PATCH', path, { disabled: true });
    assertRefused(await asking('orphan'), 400, 'unauthorized_client', WITHOUT);
    await owner.ask('PATCH', path, { disabled: false });
    const access = (users: string[]) =>
      owner.ask('PATCH', '/applications/shop', { access: { users, groups: ['support'] } });
    await access(['alice', 'bob']);
    assertRefused(await asking('orphan'), 400, 'unauthorized_client', WITHOUT);
    await access(['alice', 'bob', 'gone']);
    assert.equal((await asking('orphan')).status, 200);
    await owner.ask('DELETE', path);
    assertRefused(await asking('orphan'), 400, 'unauthorized_client', WITHOUT);
  });

  it('not where the owner is named by an address: that is no user name', async () => {
    assertRefused(await asking('by-address'), 400, 'unauthorized_client', WITHOUT);
  });
});

describe('the registration of an agent', () => {
  let owner: OperatorClient;
  before(async () => {
    owner = await anOperatorClient(server);
  });
  const CLIENTS = '/applications/shop/clients';
  const make = (over: object) => owner.ask('POST', CLIENTS, { preset: 'machine', client_type: 'agent', ...over });

  it('keeps the owner as names are compared, and shows it', async () => {
    const { status, json, text } = await make({ owner: { user: 'ALICE' } });
    assert.equal(status, 201, text);
    assert.deepEqual([json.client_type, json.owner], ['agent', { user: 'alice' }]);
  });

  const faulty: Readonly<Record<string, readonly [over: object, pointer: string]>> = {
    'no owner': [{}, '/owner'],
    'two owners': [{ owner: { user: 'alice', group: 'support' } }, '/owner'],
    'an owner of an ordinary client': [{ client_type: undefined, owner: { user: 'alice' } }, '/owner'],
    'a public client': [
      { owner: { user: 'alice' }, preset: 'spa', redirect_uris: ['https://spa.example/cb'] },
      '/token_endpoint_auth_method',
    ],
    'another kind': [{ client_type: 'robot' }, '/client_type'],
    'a group with an invisible character': [{ owner: { group: 'sup\u200bport' } }, '/owner'],
  };
  for (const [what, [over, pointer]] of Object.entries(faulty)) {
    it(`refuses ${what}`, async () => {
      const { status, json, text } = await make(over);
      assert.equal(status, 400, text);
      assert(
        json.errors.some((one: { pointer: string }) => one.pointer.startsWith(pointer)),
        text,
      );
    });
  }

  it('is for operators alone: a client that registers itself becomes none', async () => {
    await owner.ask('PATCH', '/applications/other', { dynamic_registration: 'open' });
    const metadata = { client_type: 'agent', owner: { user: 'bob' }, redirect_uris: ['https://agent.example/cb'] };
    const { status, json, text } = await register(server, metadata, 'other');
    assert.equal(status, 201, text);
    assert.equal(json.client_type, undefined);
  });
});
