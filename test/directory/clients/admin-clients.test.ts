import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { basic, get, post } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { anApplication, CALLBACK } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { type Fields, signIn } from '../../build/visitor.ts';

const CLIENTS = '/applications/shop/clients';

describe('/api/v1/admin/applications/{code}/clients (admin contract)', () => {
  const clock = fixedClock();
  const server = suiteServer({ clock, applications: [anApplication(), anApplication({ code: 'bank' })] });
  const owner = suitePart(() => anOperatorClient(server));

  /** Whether the client authenticates: an unknown token is inactive, wrong credentials are 401. */
  const authenticates = async (clientId: string, secret: string) => {
    const answer = await post(`${server.at()}/introspect`, { token: 'x' }, { auth: basic(clientId, secret) });
    assert([200, 401].includes(answer.status), answer.text);
    return answer.status === 200;
  };
  const create = async (body: object) => {
    const made = await owner.ask('POST', CLIENTS, body);
    assert.equal(made.status, 201, made.text);
    return made.json;
  };

  it('POST makes a secret, shows it once, and the client works at once', async () => {
    const made = await create({ client_id: 'fresh' });
    assert(await authenticates('fresh', made.client_secret));
    const { json, text } = await owner.ask('GET', `${CLIENTS}/fresh`);
    assert(!text.includes(made.client_secret));
    const { client_secret: _, ...shown } = made;
    assert.deepEqual(json, shown);
    assert(!(await owner.ask('GET', CLIENTS)).text.includes('secret_hash'));
  });

  it('a public client has no secret', async () => {
    const made = await create({ client_id: 'app', token_endpoint_auth_method: 'none' });
    assert.equal(made.client_secret, undefined);
    assert.equal((await owner.ask('POST', `${CLIENTS}/app/secrets`)).status, 409);
  });

  it('PATCH keeps the secret, merges, and refuses what registration refuses, with its place', async () => {
    const { client_secret: secret } = await create({ client_id: 'changing', redirect_uris: ['https://a.example/'] });
    const changed = await owner.ask('PATCH', `${CLIENTS}/changing`, { require_pkce: true });
    assert.deepEqual([changed.json.require_pkce, changed.json.redirect_uris], [true, ['https://a.example/']]);
    assert(await authenticates('changing', secret));
    const refused = await owner.ask('PATCH', `${CLIENTS}/changing`, { redirect_uris: ['https://ok.example/', '/no'] });
    assert.deepEqual([refused.status, refused.json.errors[0].pointer], [400, '/redirect_uris/1']);
    for (const patch of [{ client_id: 'x' }, { client_secret: 'a-new-secret' }, { token_endpoint_auth_method: 'none' }])
      assert.equal((await owner.ask('PATCH', `${CLIENTS}/changing`, patch)).status, 409, JSON.stringify(patch));
  });

  it('require_pushed_authorization_requests counts from the next request on, and null takes it away (RFC 9126 section 6)', async () => {
    const { client_secret: secret } = await create({ client_id: 'pushing', redirect_uris: [CALLBACK] });
    const inBrowser = async (over: Fields = {}) =>
      delivered(await signIn(server, { client_id: 'pushing', ...over })).fields;
    assert((await inBrowser()).code);
    const patch = async (value: unknown) =>
      (await owner.ask('PATCH', `${CLIENTS}/pushing`, { require_pushed_authorization_requests: value })).json;
    assert.equal((await patch(true)).require_pushed_authorization_requests, true);
    assert.equal((await owner.ask('GET', `${CLIENTS}/pushing`)).json.require_pushed_authorization_requests, true);
    assert.equal((await inBrowser()).error, 'invalid_request');
    const request = { response_type: 'code', redirect_uri: CALLBACK };
    const { request_uri } = (await post(`${server.at()}/par`, request, { auth: basic('pushing', secret) })).json;
    assert((await inBrowser({ request_uri })).code);
    assert.equal((await patch('yes')).errors[0].pointer, '/require_pushed_authorization_requests');
    assert.equal((await patch(null)).require_pushed_authorization_requests, false);
    assert((await inBrowser()).code);
  });

  it('a client keeps a scope and an API that its application has lost, without effect, and gets no other one (docs/apis.md)', async () => {
    const orders = {
      identifier: 'https://api.shop.example',
      name: 'Orders',
      scopes: { 'orders:read': 'Read your orders' },
    };
    const apis = (given: object[]) => owner.ask('PATCH', '/applications/shop', { apis: given });
    assert.equal((await apis([orders])).status, 200);
    const scope = 'openid orders:read';
    await create({ client_id: 'losing', scope, apis: [orders.identifier] });
    assert.equal((await apis([])).status, 200);
    const patch = (body: object) => owner.ask('PATCH', `${CLIENTS}/losing`, body);
    for (const body of [{ client_name: 'Shop' }, { scope: `email ${scope}` }]) {
      const { status, text, json } = await patch(body);
      assert.equal(status, 200, text);
      assert.match(json.scope, /orders:read/);
      assert.deepEqual(json.apis, [orders.identifier]);
    }
    for (const [body, pointer] of [
      [{ scope: 'openid orders:read orders:write' }, '/scope'],
      [{ apis: [orders.identifier, 'https://other.example'] }, '/apis'],
    ] as const) {
      const refused = await patch(body);
      assert.deepEqual([refused.status, refused.json.errors[0].pointer], [400, pointer]);
    }
    assert.equal((await patch({ scope: 'openid', apis: [] })).status, 200);
    assert.equal((await patch({ scope })).status, 400, 'what it gave away does not come back');
  });

  it('an algorithm that the application had no key for gets one', async () => {
    await create({ client_id: 'curve', id_token_signed_response_alg: 'ES256' });
    const { keys } = (await get(`${server.at()}/jwks`)).json;
    assert(keys.some(({ alg }: { alg: string }) => alg === 'ES256'));
  });

  it('a new secret replaces the old one at once, or after previous_valid_for seconds', async () => {
    const { client_secret: first } = await create({ client_id: 'rolling' });
    assert(await authenticates('rolling', first), 'also from the cache of verified credentials');
    const second = (await owner.ask('POST', `${CLIENTS}/rolling/secrets`, { previous_valid_for: 3600 })).json;
    assert(await authenticates('rolling', first));
    assert(await authenticates('rolling', second.client_secret));
    const listed = (await owner.ask('GET', `${CLIENTS}/rolling/secrets`)).json.items;
    assert.deepEqual([listed.length, listed[0].id, listed[0].expires_at], [2, second.id, undefined]);
    assert.match(listed[1].expires_at, /^\d{4}-\d\d-\d\dT/);
    clock.advance(3601);
    assert(!(await authenticates('rolling', first)), 'the former secret has expired');
    const third = (await owner.ask('POST', `${CLIENTS}/rolling/secrets`)).json;
    assert(!(await authenticates('rolling', second.client_secret)));
    assert(await authenticates('rolling', third.client_secret));
  });

  it('a former secret can be ended at once; the current one cannot be deleted', async () => {
    const { client_secret: first } = await create({ client_id: 'leaked' });
    await owner.ask('POST', `${CLIENTS}/leaked/secrets`, { previous_valid_for: 3600 });
    const [current, former] = (await owner.ask('GET', `${CLIENTS}/leaked/secrets`)).json.items;
    assert.equal((await owner.ask('DELETE', `${CLIENTS}/leaked/secrets/${current.id}`)).status, 409);
    assert.equal((await owner.ask('DELETE', `${CLIENTS}/leaked/secrets/${former.id}`)).status, 204);
    assert(!(await authenticates('leaked', first)));
  });

  it('DELETE ends it, and a client of another application is not there', async () => {
    const { client_secret: secret } = await create({ client_id: 'leaving' });
    assert.equal((await owner.ask('GET', '/applications/bank/clients/leaving')).status, 404);
    assert.equal((await owner.ask('DELETE', '/applications/bank/clients/leaving')).status, 404);
    assert.equal((await owner.ask('DELETE', `${CLIENTS}/leaving`)).status, 204);
    assert(!(await authenticates('leaving', secret)));
    assert.equal((await owner.ask('DELETE', `${CLIENTS}/leaving`)).status, 404);
  });

  it('keys: rotate with an Idempotency-Key and two algorithms happens once, and is answered alike', async () => {
    await owner.ask('POST', '/applications', { code: 'twice', name: 'Twice' });
    await owner.ask('POST', '/applications/twice/clients', { client_id: 'es', id_token_signed_response_alg: 'ES256' });
    await owner.ask('POST', '/applications/twice/clients', { client_id: 'rs' });
    const rotate = () => owner.ask('POST', '/applications/twice/keys/rotate', {}, { 'idempotency-key': 'rotate-once' });
    const [first, second] = [await rotate(), await rotate()];
    assert.equal(first.status, 200, first.text);
    assert.equal(second.status, 200, second.text);
    assert.deepEqual(new Set(second.json.items.map(idOf)), new Set(first.json.items.map(idOf)));
    assert.equal((await owner.ask('GET', '/applications/twice/keys')).json.items.length, first.json.items.length);
    assert.equal(first.json.items.length, 4);
  });

  it('keys: three rotations at the same time with one Idempotency-Key make one key of each algorithm', async () => {
    for (let round = 0; round < 40; round++) {
      const race = `/applications/race-${round}`;
      // Their keys take no time, so that the three requests meet in every place.
      const settings = { id_token_signed_response_alg: 'ES256' };
      await owner.ask('POST', '/applications', { code: `race-${round}`, name: 'Race', ...settings });
      await owner.ask('POST', `${race}/clients`, { client_id: 'ed', id_token_signed_response_alg: 'EdDSA' });
      const rotate = () => owner.ask('POST', `${race}/keys/rotate`, {}, { 'idempotency-key': `race-${round}` });
      const answers = await Promise.all([rotate(), rotate(), rotate()]);
      for (const { status, text } of answers) assert.equal(status, 200, text);
      const { items } = (await owner.ask('GET', `${race}/keys`)).json;
      const states = items.map(({ alg, state }: Record<string, string>) => `${alg} ${state}`);
      assert.deepEqual(states.sort(), ['ES256 next', 'ES256 signing', 'EdDSA next', 'EdDSA signing']);
    }
  });

  it('keys: rotate publishes the next one; a compromised one is gone at once and replaced', async () => {
    const kids = async () => (await get(`${server.at('bank')}/jwks`)).json.keys.map(({ kid }: { kid: string }) => kid);
    const [first] = await kids();
    const rotated = (await owner.ask('POST', '/applications/bank/keys/rotate', {})).json.items;
    assert.deepEqual(rotated.map(({ state }: { state: string }) => state).sort(), ['next', 'signing']);
    assert.equal((await owner.ask('DELETE', `/applications/bank/keys/${first}`)).status, 204);
    const left = await kids();
    assert(!left.includes(first));
    assert(left.length >= 1);
    assert.equal((await owner.ask('DELETE', '/applications/bank/keys/unknown')).status, 404);
  });

  it('two owners that remove each other at the same time: one is left', async () => {
    await server.provision({
      users: ['eve', 'mallory'].map(username => ({ username, password: 'correct horse battery' })),
    });
    const subs: string[] = [];
    for (const username of ['eve', 'mallory'])
      subs.push((await owner.ask('POST', '/operators', { username, role: 'owner' })).json.sub);
    const removed = await Promise.all(subs.map(sub => owner.ask('DELETE', `/operators/${sub}`)));
    assert.deepEqual(removed.map(({ status }) => status).sort(), [204, 409]);
    assert.equal((await owner.ask('GET', '/operators')).json.items.length, 1);
  });
});

function idOf({ kid }: { readonly kid: string }): string {
  return kid;
}
