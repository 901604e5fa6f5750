import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unusedClientEvent } from '../../../src/oauth/registration/unused-client.ts';
import { TOKEN_EXCHANGE } from '../../../src/oauth/token-exchange/rules.ts';
import { PUBLIC, WITH_VERIFIER } from '../../build/assistant.ts';
import { redeem } from '../../build/client.ts';
import { eventsDuring } from '../../build/events.ts';
import { elsewhere } from '../../build/limits.ts';
import { withStatus } from '../../build/with-status.ts';
import { API, registrationOfFile } from './registration-fixture.ts';

const at = await registrationOfFile();

describe('attacks by registration', () => {
  it('mass assignment: fields that only operators set have no effect, at registration and later', async () => {
    const greedy = {
      ...PUBLIC,
      client_id: 'web',
      client_secret: 'chosen-by-the-client',
      origin: null,
      require_consent: false,
      require_pkce: false,
      apis: [API],
      grant_types: ['authorization_code', 'client_credentials', 'password', 'implicit', TOKEN_EXCHANGE],
      token_exchange: [{ from: 'a', to: 'b' }],
      access_token_format: 'jwt',
      refresh_token_rotation: false,
      refresh_token_grace: 120,
      id_token_claims: 'scope',
      backchannel_logout_uri: 'https://victim.example/',
      secret_hash: 'x',
      previous_secrets: [{ hash: 'x', expires_at: 9e9 }],
      __proto__: { require_consent: false },
    };
    const json = await at.registered(greedy);
    assert.notEqual(json.client_id, 'web');
    const assertModest = async () => {
      const client = await at.server.services.store.findClient('shop', json.client_id);
      assert(client);
      assert.equal(client.origin, 'dynamic_registration');
      assert.deepEqual(
        [client.require_consent, client.apis, client.grant_types, client.access_token_format, client.secret_hash],
        [true, undefined, ['authorization_code'], 'opaque', undefined],
      );
      assert.deepEqual(
        [client.refresh_token_rotation, client.refresh_token_grace, client.backchannel_logout_uri],
        [true, 10, undefined],
      );
    };
    await assertModest();
    const body = { ...greedy, client_id: json.client_id, client_secret: undefined };
    await withStatus(200, at.manage(json.registration_client_uri, json.registration_access_token, 'PUT', body));
    await assertModest();
  });

  it('a list of 12,000 values is refused by its length: the schema took 20 ms to describe each fault', async () => {
    for (const field of ['default_acr_values', 'grant_types']) {
      const { json } = await withStatus(400, at.register({ ...PUBLIC, [field]: Array(8000).fill('x') }));
      assert.match(json.error_description, new RegExp(`${field}: must have at most 100 values`));
    }
  });

  it('a flood from one network is told to wait; others are not affected', async () => {
    const network = elsewhere();
    const answers = await Promise.all(Array.from({ length: 50 }, () => at.register(PUBLIC, { headers: network })));
    assert.equal(answers.filter(({ status }) => status === 201).length, 20);
    const refused = answers.find(({ status }) => status === 429);
    assert(Number(refused?.headers.get('retry-after')) > 0);
    assert.equal((await at.register()).status, 201);
  });

  it('a flood from many networks fills an application up to its limit; what nobody has used makes room, what is used stays', async () => {
    const { store } = at.server.services;
    const app = 'other';
    const used = await at.registered(PUBLIC, { app });
    await redeem(
      at.server,
      await at.codeFor(used.client_id, {}, app),
      { client_id: used.client_id, ...WITH_VERIFIER },
      {},
      app,
    );
    const client = await store.findClient(app, used.client_id);
    assert(client);
    const [event] = await store.listEvents({ types: ['client.created'] }, { after: undefined, limit: 1 });
    assert(event);
    const count = async () => (await store.clientsOf(app)).filter(({ origin }) => origin !== undefined).length;
    const maxClients = (await count()) + 3;
    const add = (name: string) => {
      const createdAt = at.clock.now();
      const registration = { client: { ...client, client_id: name }, tokenHash: Buffer.from(name), createdAt };
      const limits = { maxClients, unusedSince: createdAt - 3600 };
      const deleted = (_: string, id: string) => unusedClientEvent(at.server.services, app, id);
      return store.registerClient(app, { ...registration, ...limits, event: { ...event, id: `evt_${name}` }, deleted });
    };
    for (const name of ['flood-1', 'flood-2', 'flood-3']) assert.equal(await add(name), 'registered');
    assert.equal(await add('flood-4'), 'full', 'they are new');
    assert.equal(await count(), maxClients);
    at.clock.advance(3601);
    const version = await store.registryVersion();
    const before = (await store.clientsOf(app)).map(({ client_id }) => client_id);
    const evicted = await eventsDuring(at.server, 'client.deleted', async () => {
      assert.equal(await add('flood-5'), 'registered');
    });
    const left = new Set((await store.clientsOf(app)).map(({ client_id }) => client_id));
    assert.deepEqual(evicted.map(({ clientId }) => clientId).sort(), before.filter(id => !left.has(id)).sort());
    for (const { actor, details } of evicted) {
      assert.deepEqual([actor.kind, details], ['system', { reason: 'unused' }]);
    }
    assert((await store.registryVersion()) > version, 'every node forgets them');
    assert(await store.findClient(app, used.client_id), 'one that a user has agreed to is not evicted');
    assert.equal(await store.findClient(app, 'flood-1'), undefined);
  });
});
