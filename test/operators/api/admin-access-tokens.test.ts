import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { systemClock } from '../../../src/assembly/services.ts';
import { createThrottle } from '../../../src/platform/throttle/throttle.ts';
import { basic, get, refresh, token } from '../../build/client.ts';
import { aUser, CALLBACK } from '../../build/fixture.ts';
import { limits } from '../../build/limits.ts';
import { anOperatorClient, ask } from '../../build/operator.ts';
import { bob, tokensFrom } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer, suiteServer } from '../../build/test-server.ts';
import { signIn } from '../../build/visitor.ts';

const APP = 'gatehouse';
const SCOPE = 'openid admin:read admin:write';
const CLIENT = { client_id: 'desk', client_secret: 'desk-secret-12', redirect_uris: [CALLBACK], scope: SCOPE };
const DESK = { auth: basic('desk', 'desk-secret-12') };

describe('an operator calls the admin API with an access token of the application gatehouse (admin contract, who may call)', () => {
  let sub: string;
  const server = suiteServer({ users: [aUser(), bob()] });
  const owner = suitePart(() => anOperatorClient(server));
  before(async () => {
    sub = (await server.services.store.findAccount('alice'))?.sub ?? '';
    const made = await owner.ask('POST', '/applications/gatehouse/clients', CLIENT);
    assert.equal(made.status, 201, made.text);
    const added = await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' });
    assert.equal(added.status, 201, added.text);
  });

  const tokensFor = async (scope: string, username = 'alice') => {
    const fields = { client_id: 'desk', scope };
    return tokensFrom(server, await signIn(server, fields, { username, app: APP }), { app: APP, sending: DESK });
  };
  const call = (access: string, method: string, path: string, body?: unknown) =>
    ask(server.base, access, method, path, body);

  it('with the role of the operator, who is the actor of the event', async () => {
    const { access_token } = await tokensFor(SCOPE);
    const made = await call(access_token, 'POST', '/applications', { code: 'made-by-alice', name: 'Alice' });
    assert.equal(made.status, 201, made.text);
    const { items } = (await owner.ask('GET', '/events?type=application.created&application=made-by-alice')).json;
    assert.deepEqual(items[0].actor, { kind: 'operator', id: sub });
  });

  it('also with a JWT access token', async () => {
    const changed = await owner.ask('PATCH', '/applications/gatehouse/clients/desk', { access_token_format: 'jwt' });
    assert.equal(changed.status, 200, changed.text);
    const { access_token } = await tokensFor(SCOPE);
    assert.equal(access_token.split('.').length, 3);
    assert.equal((await call(access_token, 'GET', '/operators')).status, 200);
    await owner.ask('PATCH', '/applications/gatehouse/clients/desk', { access_token_format: 'opaque' });
  });

  it('asked for by the address of the API, as its metadata names it (RFC 9728, RFC 8707)', async () => {
    const { resource } = (await get(`${server.base}/.well-known/oauth-protected-resource/api/v1/admin`)).json;
    const asked = await signIn(server, { client_id: 'desk', scope: SCOPE, resource }, { app: APP });
    const tokens = await tokensFrom(server, asked, { app: APP, sending: DESK });
    assert.equal((await call(tokens.access_token, 'GET', '/operators')).status, 200);
    const refreshed = await refresh(server, tokens.refresh_token, { resource }, DESK, APP);
    assert.equal(refreshed.status, 200, refreshed.text);
    assert.equal((await call(refreshed.json.access_token, 'GET', '/operators')).status, 200);
    const { refresh_token } = refreshed.json;
    for (const other of [
      `${resource}/`,
      resource.replace('/api/v1/admin', '/other/api/v1/admin'),
      'https://x/api/v1/admin',
    ]) {
      const refused = await refresh(server, refresh_token, { resource: other }, DESK, APP);
      assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_target'], other);
    }
  });

  it('admin:read reads and changes nothing; without either scope a token is only for signing in (RFC 6750 section 3.1)', async () => {
    const { access_token: reading } = await tokensFor('openid admin:read');
    assert.equal((await call(reading, 'GET', '/applications')).status, 200);
    const refused = await call(reading, 'POST', '/applications', { code: 'never', name: 'Never' });
    assert.equal(refused.status, 403);
    assert.match(refused.json.detail, /admin:write/);
    const { access_token: none } = await tokensFor('openid');
    assert.equal((await call(none, 'GET', '/applications')).status, 403);
    assert.equal((await owner.ask('GET', '/applications/never')).status, 404);
  });

  it('a token of another application, a refresh token and the token of a user without a role are 401', async () => {
    const other = await token(server, { grant_type: 'password', username: 'alice', password: aUser().password });
    assert.equal((await call(other.json.access_token, 'GET', '/applications')).status, 401);
    const { refresh_token } = await tokensFor(SCOPE);
    assert.equal((await call(refresh_token, 'GET', '/applications')).status, 401);
    const { access_token } = await tokensFor(SCOPE, 'bob');
    assert.equal((await call(access_token, 'GET', '/applications')).status, 401);
  });

  it('a role that is taken away, lowered or limited counts at once, and signing out ends the token', async () => {
    const { sub: bobs } = (await owner.ask('POST', '/operators', { username: 'bob', role: 'operator' })).json;
    const { access_token } = await tokensFor(SCOPE, 'bob');
    const make = (code: string) => call(access_token, 'POST', '/applications', { code, name: code });
    assert.equal((await make('one')).status, 201);
    await owner.ask('PATCH', `/operators/${bobs}`, { applications: ['one'] });
    assert.equal((await make('two')).status, 404);
    assert.equal((await call(access_token, 'GET', '/applications/gatehouse')).status, 404);
    await owner.ask('PATCH', `/operators/${bobs}`, { role: 'auditor', applications: null });
    assert.equal((await make('three')).status, 403);
    await owner.ask('DELETE', `/operators/${bobs}`);
    assert.equal((await call(access_token, 'GET', '/applications')).status, 401);
    await owner.ask('POST', '/operators', { username: 'bob', role: 'auditor' });
    assert.equal((await call(access_token, 'GET', '/applications')).status, 200);
    await owner.ask('POST', `/users/${bobs}/sign_out`);
    assert.equal((await call(access_token, 'GET', '/applications')).status, 401);
    await owner.ask('DELETE', `/operators/${bobs}`);
  });

  it('an operator who is no owner cannot register a client there, which could get the token of an owner', async () => {
    const operator = await anOperatorClient(server, { role: 'operator' });
    const evil = { ...CLIENT, client_id: 'evil', redirect_uris: ['https://evil.example/cb'] };
    assert.equal((await operator.ask('POST', '/applications/gatehouse/clients', evil)).status, 403);
    const taken = { redirect_uris: ['https://evil.example/cb'] };
    assert.equal((await operator.ask('PATCH', '/applications/gatehouse/clients/desk', taken)).status, 403);
    assert.equal((await operator.ask('POST', '/applications/gatehouse/clients/desk/secrets', {})).status, 403);
    assert.equal((await operator.ask('GET', '/applications/gatehouse/clients/desk')).status, 200);
  });

  it('the scopes are of that application alone, and its clients take neither passwords nor tokens in URLs', async () => {
    const elsewhere = await owner.ask('POST', '/applications/shop/clients', { client_name: 'x', scope: 'admin:read' });
    assert.equal(elsewhere.status, 400);
    const pointers = elsewhere.json.errors.map(({ pointer }: { pointer: string }) => pointer);
    assert.deepEqual(pointers, ['/scope']);
    for (const grant of ['password', 'implicit']) {
      const refused = await owner.ask('POST', '/applications/gatehouse/clients', { grant_types: [grant] });
      assert.equal(refused.status, 400);
    }
    const supported = async (app: string) =>
      (await get(`${server.at(app)}/.well-known/openid-configuration`)).json.scopes_supported;
    assert((await supported(APP)).includes('admin:write'));
    assert(!(await supported('shop')).includes('admin:write'));
  });

  it('the application itself cannot be changed, deleted or restored (409)', async () => {
    for (const [method, path, body] of [
      ['PATCH', '/applications/gatehouse', { access_token_ttl: 1_000_000 }],
      ['DELETE', '/applications/gatehouse', undefined],
      ['POST', '/applications/gatehouse/restore', {}],
    ] as const) {
      assert.equal((await owner.ask(method, path, body)).status, 409, `${method} ${path}`);
    }
  });

  it('a refresh keeps the scope and cannot widen it', async () => {
    const { refresh_token } = await tokensFor('openid admin:read');
    const wider = await refresh(server, refresh_token, { scope: SCOPE }, DESK, APP);
    assert.equal(wider.json.error, 'invalid_scope');
    const { json } = await refresh(server, refresh_token, {}, DESK, APP);
    assert.equal((await call(json.access_token, 'GET', '/applications')).status, 200);
    assert.equal((await call(json.access_token, 'DELETE', '/applications/shop')).status, 403);
  });
});

describe('guessing keys of the admin API', () => {
  it('is answered 429 with Retry-After after some attempts from one network, and the right key still works', async () => {
    const limit = { operatorAddress: { attempts: 5, refillSeconds: 60 } };
    const server = await startTestServer({ throttle: () => createThrottle(systemClock, limits(limit)) });
    const owner = await anOperatorClient(server);
    const guess = (n: number) => ask(server.base, `gak_${String(n).padStart(43, 'x')}`, 'GET', '/applications');
    const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => guess(n)));
    assert.equal(answers.filter(({ status }) => status === 401).length, 5);
    const limited = answers.filter(({ status }) => status === 429);
    assert.equal(limited.length, 7);
    assert(Number(limited[0]?.headers.get('retry-after')) > 0);
    assert.equal((await owner.ask('GET', '/applications')).status, 200);
    await server.close();
  });
});
