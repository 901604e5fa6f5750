import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { agentsOwnedBy } from '../../../src/people/agents/owned.ts';
import { aSigningPair } from '../../build/assertion.ts';
import { changeRegistration, registered } from '../../build/assistant.ts';
import { aCode, aPkcePair, assertRefused, basic, isActive, redeem, token } from '../../build/client.ts';
import { aClient, anApplication, aUser, CALLBACK, type ClientInput } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { signedIn } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const agent = (client_id: string): ClientInput =>
  aClient({
    ...{ client_id, client_type: 'agent', owner: { user: 'alice' }, redirect_uris: [CALLBACK] },
    grant_types: ['authorization_code', 'implicit', 'client_credentials'],
    scope: 'openid orders:read',
    response_types: ['code', 'id_token', 'id_token token', 'code token'],
  });

const ORDERS = 'https://orders.shop.example';
const STOCK = 'urn:shop:stock';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const SECRET = 'web-secret-1';

const server = suiteServer({
  applications: [
    anApplication({ code: 'bazaar', name: 'Bazaar', dynamic_registration: 'open' }),
    anApplication({
      apis: [
        { identifier: ORDERS, name: 'Orders', scopes: { 'orders:read': 'Read orders' } },
        { identifier: STOCK, name: 'Stock', scopes: { 'stock:read': 'Read the stock' } },
      ],
      token_exchange: [{ from: ORDERS, to: STOCK, scopes: ['stock:read'] }],
      clients: [
        aClient({ apis: [STOCK] }),
        agent('buyer'),
        aClient({ client_id: 'orders-api', apis: [ORDERS], grant_types: [EXCHANGE], scope: 'openid stock:read' }),
      ],
    }),
  ],
  users: [aUser()],
});

const PAGE = () => `${server.base}/account/agents`;

async function press(what: 'stop' | 'start', client_id: string) {
  const visitor = await signedIn(server);
  return visitor.send(formWith(await visitor.follow(PAGE()), `${what}" value="${client_id}`));
}

describe('attack: whoever hides an agent from its owner', () => {
  it('a client that registers itself, with keys that look like an agent of the owner, takes no place in the list', async () => {
    const key = { ...aSigningPair('ES256', 'k').publicJwk, client_type: 'agent', owner: { user: 'alice' } };
    await registered(
      server,
      {
        redirect_uris: ['https://assistant.example/cb'],
        ...{ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key] } },
      },
      'bazaar',
    );
    const alice = await server.services.store.findAccount('alice');
    assert(alice);
    const [first] = await agentsOwnedBy(server.services, alice, 1);
    assert.equal(first?.agent.client_id, 'buyer');
  });
});

describe('an agent that is stopped gets nothing through the browser either (modern contract: Agents)', () => {
  for (const response_type of ['code', 'id_token', 'id_token token', 'code token']) {
    it(`by response_type=${response_type}`, async () => {
      await press('stop', 'buyer');
      const visitor = await signedIn(server);
      const asked = {
        client_id: 'buyer',
        response_type,
        redirect_uri: CALLBACK,
        scope: 'openid',
        nonce: 'n',
        state: 's',
      };
      const refused = await visitor.follow(authorizationUrl(server, asked));
      assert.match(refused.location ?? refused.text, /error=unauthorized_client/);
      assert.doesNotMatch(refused.location ?? '', /(code|_token)=/);
      await press('start', 'buyer');
      const given = await visitor.follow(authorizationUrl(server, asked));
      assert.match(given.location ?? given.text, /[?#&](code|access_token|id_token)=/);
    });
  }
});

describe('attack: an agent that escapes from its owner', () => {
  it('by its own registration, which it replaces, after an operator has made it an agent', async () => {
    const operator = await anOperatorClient(server);
    const metadata = { redirect_uris: ['https://assistant.example/cb'] };
    const client = await registered(server, metadata, 'bazaar');
    const path = `/applications/bazaar/clients/${client.client_id}`;
    const made = await operator.ask('PATCH', path, { client_type: 'agent', owner: { user: 'alice' } });
    assert.equal(made.status, 200, made.text);
    for (const over of [{}, { client_type: null, owner: null }, { client_type: 'agent', owner: { user: 'eve' } }]) {
      await changeRegistration(client, { ...metadata, ...over });
      const { client_type, owner } = (await operator.ask('GET', path)).json;
      assert.deepEqual([client_type, owner], ['agent', { user: 'alice' }]);
    }
  });
});

describe('an agent proves who it is (docs/agents.md)', () => {
  it('also with a code: the verifier alone, which every client may send, is not enough', async () => {
    const { verifier, asked } = aPkcePair();
    const code = await aCode(server, { client_id: 'buyer', scope: 'openid', ...asked });
    assertRefused(await redeem(server, code, { code_verifier: verifier }, {}), 401, 'access_denied');
    const named = { code_verifier: verifier, client_id: 'buyer' };
    assertRefused(await redeem(server, code, named, {}), 401, 'access_denied');
    await withStatus(200, redeem(server, code, named, { auth: basic('buyer', SECRET) }));
  });
});

describe('what others have made of the tokens of an agent', () => {
  it('ends with them: a token that an API has exchanged one for, when the agent is stopped', async () => {
    const asked = { grant_type: 'client_credentials', scope: 'orders:read' };
    const own = await withStatus(200, token(server, asked, { auth: basic('buyer', SECRET) }));
    const exchange = {
      ...{ grant_type: EXCHANGE, subject_token: own.json.access_token, audience: STOCK },
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    };
    const made = await withStatus(200, token(server, exchange, { auth: basic('orders-api', SECRET) }));
    assert.equal(await isActive(server, made.json.access_token), true);
    await press('stop', 'buyer');
    assert.equal(await isActive(server, made.json.access_token), false);
    await press('start', 'buyer');
  });
});
