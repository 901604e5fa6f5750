import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import * as client from 'openid-client';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { assertRefused, aTokenSet, basic, get, introspect, refresh, userinfo, WEB } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, anApplication, aUser, CALLBACK } from '../../build/fixture.ts';
import { logIn } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { formWith, Visitor } from '../../build/visitor.ts';

const API = 'https://orders.shop.example';
const apis = [{ identifier: API, name: 'Orders', scopes: { 'orders:read': 'Read orders' } }];
const API_CLIENT = basic('orders-api', 'orders-api-secret');

let visitor: Visitor;
const clock = fixedClock(Math.floor(Date.now() / 1000));
const app = anAuthenticator(clock);
const demanding = (code: string, over: object) =>
  anApplication({
    code,
    name: code,
    mfa: 'off',
    ...over,
    clients: [aClient({ scope: 'openid profile email phone' })],
  });
const server = suiteServer({
  clock,
  applications: [
    demanding('bank', { userinfo_acr_values: ['2'] }),
    demanding('fresh', { userinfo_max_age: 300 }),
    demanding('both', { userinfo_acr_values: ['phr', '2'], userinfo_max_age: 300 }),
    demanding('weak', { userinfo_acr_values: ['1'] }),
    anApplication({
      ...{ mfa: 'off', apis },
      clients: [
        aClient({ scope: 'openid orders:read' }),
        aClient({ client_id: 'orders-api', client_secret: 'orders-api-secret', apis: [API] }),
      ],
    }),
  ],
  users: [aUser({ totp_secret: TOTP_SECRET })],
});
beforeEach(() => {
  visitor = new Visitor(server.base);
  clock.advance(60); // another code of the authenticator
});

const challenge = (answered: { readonly headers: Headers }) => answered.headers.get('www-authenticate') ?? '';
/** As a client reads it from the header. */
const parameterIn = (header: string, name: string) => new RegExp(`${name}="([^"]*)"`).exec(header)?.[1];

const configure = (of: string) =>
  client.discovery(new URL(server.at(of)), 'web', undefined, client.ClientSecretBasic('web-secret-1'), {
    execute: [client.allowInsecureRequests],
  });

/** A sign-in by the library, with the code of the authenticator where it is asked for. */
async function signInWith(of: string, parameters: Record<string, string>) {
  const config = await configure(of);
  const code_verifier = client.randomPKCECodeVerifier();
  const url = client.buildAuthorizationUrl(config, {
    ...{ redirect_uri: CALLBACK, scope: 'openid', code_challenge_method: 'S256' },
    code_challenge: await client.calculatePKCECodeChallenge(code_verifier),
    ...parameters,
  });
  const steps: string[] = [];
  let seen = await visitor.follow(url.href);
  if (seen.text.includes('name="password"')) {
    steps.push('password');
    seen = await logIn(visitor, seen);
  }
  if (seen.url.includes('/login/totp')) {
    steps.push('totp');
    seen = await visitor.send(formWith(seen, 'code'), { code: app.code() });
  }
  assert(seen.location, `no redirect: ${seen.status} ${seen.url}`);
  const set = await client.authorizationCodeGrant(config, new URL(seen.location), { pkceCodeVerifier: code_verifier });
  return { set, steps, config };
}

describe('step-up at userinfo (RFC 9470; modern contract)', () => {
  it('a weak login gets 401 with the class, and the client comes back with a stronger one', async () => {
    const weak = await signInWith('bank', {});
    assert.deepEqual(weak.steps, ['password']);
    const refused = await userinfo(server, weak.set.access_token, 'bank');
    assertRefused(refused, 401, 'insufficient_user_authentication');
    const header = challenge(refused);
    assert.match(
      header,
      /^Bearer realm="[^"]*", error="insufficient_user_authentication", error_description="[^"]+", acr_values="2"$/,
    );

    // Only the missing factor is asked for.
    const strong = await signInWith('bank', { acr_values: parameterIn(header, 'acr_values') ?? '' });
    assert.deepEqual(strong.steps, ['totp']);
    assert.equal(strong.set.claims()?.acr, '2');
    const told = await client.fetchUserInfo(strong.config, strong.set.access_token, strong.set.claims()?.sub ?? '');
    assert.equal(told.sub, strong.set.claims()?.sub);
    assert.equal(
      (await userinfo(server, weak.set.access_token, 'bank')).status,
      401,
      'the old token stays what it was',
    );
  });

  it('an old login gets 401 with the age, and the client comes back with a fresh one', async () => {
    const old = await signInWith('fresh', {});
    assert.equal((await userinfo(server, old.set.access_token, 'fresh')).status, 200);
    clock.advance(300);
    assert.equal((await userinfo(server, old.set.access_token, 'fresh')).status, 200, 'to the second');
    clock.advance(1);
    const refused = await userinfo(server, old.set.access_token, 'fresh');
    assertRefused(refused, 401, 'insufficient_user_authentication');
    assert.match(challenge(refused), /, max_age="300"$/);
    // A refresh does not make the login younger.
    const renewed = await refresh(server, old.set.refresh_token ?? '', {}, { auth: WEB }, 'fresh');
    assert.equal((await userinfo(server, renewed.json.access_token, 'fresh')).status, 401);
    const fresh = await signInWith('fresh', { max_age: parameterIn(challenge(refused), 'max_age') ?? '' });
    assert.deepEqual(fresh.steps, ['password']);
    assert.equal((await userinfo(server, fresh.set.access_token, 'fresh')).status, 200);
  });

  it('both demands are named, and both must be met', async () => {
    const weak = await signInWith('both', {});
    const header = challenge(await userinfo(server, weak.set.access_token, 'both'));
    assert.match(header, /, acr_values="phr 2", max_age="300"$/);
    const parameters = { acr_values: 'phr 2', max_age: '300' };
    const strong = await signInWith('both', parameters);
    assert.equal((await userinfo(server, strong.set.access_token, 'both')).status, 200, 'one of the classes is enough');
    clock.advance(301);
    assert.equal((await userinfo(server, strong.set.access_token, 'both')).status, 401);
  });

  it('a stronger class satisfies a weaker one, and the password grant has the weakest', async () => {
    const { access_token } = await aTokenSet(server, { scope: 'openid' }, undefined, 'weak');
    assert.equal((await userinfo(server, access_token, 'weak')).status, 200);
    const strong = await signInWith('weak', { acr_values: '2' });
    assert.equal((await userinfo(server, strong.set.access_token, 'weak')).status, 200);
  });

  it('other faults are told first: an unknown token, and one without a user', async () => {
    assertRefused(await userinfo(server, 'gat_nothing', 'bank'), 401, 'invalid_token');
    const set = await aTokenSet(server, { scope: 'openid' }, undefined, 'weak');
    assertRefused(await userinfo(server, set.access_token, 'bank'), 401, 'invalid_token');
  });
});

describe('step-up at an API in another process (RFC 9470 section 2)', () => {
  let api: Server;
  let address: string;
  before(async () => {
    api = createServer(async (request, response) => {
      const [, token = ''] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
      const { json } = await introspect(server, { token }, { auth: API_CLIENT });
      if (!json.active || json.aud !== API) return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      if (['2', 'phr'].includes(json.acr)) return response.end('the order is changed');
      const error = 'Bearer error="insufficient_user_authentication", acr_values="2"';
      return response.writeHead(401, { 'www-authenticate': error }).end();
    });
    await new Promise<void>(resolve => api.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(api.address() as AddressInfo).port}/`;
  });
  after(() => new Promise(resolve => api.close(resolve)));

  const call = (token: string) => get(address, { authorization: `Bearer ${token}` });

  it('the API challenges, the client authorizes again with acr_values, and the API accepts', async () => {
    const weak = await signInWith('shop', { scope: 'openid orders:read' });
    const refused = await call(weak.set.access_token);
    assert.equal(refused.status, 401, refused.text);
    const acr_values = parameterIn(challenge(refused), 'acr_values') ?? '';
    const strong = await signInWith('shop', { scope: 'openid orders:read', acr_values });
    assert.deepEqual(strong.steps, ['totp']);
    const accepted = await call(strong.set.access_token);
    assert.deepEqual([accepted.status, accepted.text], [200, 'the order is changed']);
    assert.equal((await call(weak.set.access_token)).status, 401);
  });
});
