import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  aTokenSet,
  claimsOf,
  get,
  introspect,
  isActive,
  refresh,
  revoke,
  token,
  userinfo,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { eventDuring } from '../../build/events.ts';
import { anApplication } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import {
  ACCESS_TOKEN,
  aShop,
  as,
  exchange,
  forOrders,
  JWT,
  MAIL,
  ORDERS,
  PLAIN,
  STOCK,
} from './token-exchange-fixture.ts';

const clock = fixedClock();
const server = suiteServer({ clock, applications: [aShop(), anApplication({ code: 'plain', name: 'Plain' })] });

const seenBy = async (clientId: string, value: string) =>
  (await introspect(server, { token: value }, as(clientId))).json;
const actorOf = async (clientId: string) =>
  (await token(server, { grant_type: 'client_credentials' }, as(clientId))).json.access_token as string;
const acting = async (clientId: string) => ({ actor_token: await actorOf(clientId), actor_token_type: ACCESS_TOKEN });

describe('token exchange (RFC 8693; modern contract)', () => {
  it('gives an API a token for another one, for the same user, with what the policy allows', async () => {
    const subject = await forOrders(server);
    const { status, json } = await exchange(server, subject, { resource: STOCK });
    assert.equal(status, 200, JSON.stringify(json));
    const { access_token, ...rest } = json;
    assert.match(access_token, /^gat_/);
    assert.deepEqual(rest, {
      ...{ issued_token_type: ACCESS_TOKEN, token_type: 'Bearer', expires_in: 600, scope: 'stock:read' },
    });
    const [before, seen] = [await seenBy('orders-api', subject), await seenBy('stock-api', access_token)];
    assert.deepEqual(
      [seen.active, seen.sub, seen.aud, seen.client_id, seen.scope, seen.auth_time, seen.acr, seen.act],
      [true, before.sub, STOCK, 'orders-api', 'stock:read', before.auth_time, '1', undefined],
    );
  });

  it('a JWT says the same (RFC 9068 section 2.2)', async () => {
    const subject = await forOrders(server);
    const { json } = await exchange(server, subject, { audience: MAIL });
    const claims = claimsOf(json.access_token);
    const { sub, auth_time } = await seenBy('orders-api', subject);
    assert.deepEqual(
      [claims.sub, claims.aud, claims.client_id, claims.scope, claims.auth_time, claims.acr, 'act' in claims],
      [sub, MAIL, 'orders-api', 'mail:send', auth_time, '1', false],
    );
  });

  it('delegation: act names the actor, and who acted before (section 4.1)', async () => {
    const first = await exchange(server, await forOrders(server), { resource: STOCK, ...(await acting('orders-api')) });
    const act = { sub: 'orders-api', client_id: 'orders-api' };
    assert.deepEqual((await seenBy('stock-api', first.json.access_token)).act, act);
    const second = await exchange(
      server,
      first.json.access_token,
      { resource: MAIL, ...(await acting('stock-api')) },
      'stock-api',
    );
    const nested = { sub: 'stock-api', client_id: 'stock-api', act };
    assert.deepEqual(claimsOf(second.json.access_token).act, nested);
    const impersonated = await exchange(server, first.json.access_token, { resource: MAIL }, 'stock-api');
    assert.deepEqual(claimsOf(impersonated.json.access_token).act, act, 'an exchange without an actor hides nobody');
  });

  it('a user can be the actor: somebody who signed in at the client', async () => {
    const { access_token } = await aTokenSet(server, { scope: 'openid' });
    const actor = { actor_token: access_token, actor_token_type: ACCESS_TOKEN };
    const { json } = await exchange(server, await forOrders(server), { resource: PLAIN, ...actor }, 'web');
    const seen = await seenBy('web', json.access_token);
    assert.deepEqual(seen.act, { sub: seen.sub, client_id: 'web' });
  });

  it('selects the API by the scope, and the only one that the policies lead to without any (RFC 8707)', async () => {
    const subject = await forOrders(server);
    assert.equal((await exchange(server, subject, { scope: 'mail:send' })).json.scope, 'mail:send');
    assert.equal((await exchange(server, subject)).json.error, 'invalid_target');
    assert.equal((await exchange(server, subject, {}, 'loop-api')).json.scope, 'stock:read');
    assert.equal((await exchange(server, subject, { resource: STOCK, audience: STOCK })).status, 200);
  });

  it('downscoping: a request may ask for less than the policy allows', async () => {
    const subject = await forOrders(server, 'openid orders:read list');
    assert.equal((await exchange(server, subject, { resource: STOCK })).json.scope, 'stock:read list');
    assert.equal((await exchange(server, subject, { resource: STOCK, scope: 'list' })).json.scope, 'list');
  });

  it('a policy from a client covers the tokens that were issued to it, also those of no API', async () => {
    const { access_token } = await aTokenSet(server, { scope: 'openid' });
    const { status, json } = await exchange(server, access_token, { resource: PLAIN }, 'web');
    assert.deepEqual([status, json.scope], [200, undefined]);
    assert.equal((await seenBy('web', json.access_token)).aud, PLAIN);
  });

  it('takes a JWT under both types, and an opaque token under access_token alone', async () => {
    const mail = (await exchange(server, await forOrders(server), { resource: MAIL })).json.access_token;
    assert.equal((await exchange(server, mail, { subject_token_type: JWT, resource: MAIL })).json.scope, 'mail:send');
    assert.equal((await exchange(server, mail, { resource: MAIL })).json.scope, 'mail:send');
    const opaque = await exchange(server, await forOrders(server), { subject_token_type: JWT, resource: STOCK });
    assert.deepEqual(
      [opaque.json.error, opaque.json.error_description],
      ['invalid_request', 'OAuth 2.0 Parameter: subject_token'],
    );
  });

  it('requested_token_type jwt gives a JWT, unless the API has opaque tokens', async () => {
    const { json } = await exchange(server, await forOrders(server), { resource: STOCK, requested_token_type: JWT });
    assert.deepEqual([json.issued_token_type, claimsOf(json.access_token).aud], [JWT, STOCK]);
    const { access_token } = await aTokenSet(server, { scope: 'openid' });
    const refused = await exchange(server, access_token, { resource: PLAIN, requested_token_type: JWT }, 'web');
    assert.equal(refused.json.error_description, 'OAuth 2.0 Parameter: requested_token_type');
  });

  it('a client that acts for itself stays the subject, without a login', async () => {
    const own = await actorOf('stock-api');
    const { json } = await exchange(server, own, { resource: STOCK });
    const seen = await seenBy('stock-api', json.access_token);
    assert.deepEqual(
      [seen.sub, seen.client_id, seen.auth_time, seen.amr],
      ['stock-api', 'orders-api', undefined, undefined],
    );
    const further = await exchange(server, json.access_token, { resource: MAIL }, 'stock-api');
    const claims = claimsOf(further.json.access_token);
    assert.deepEqual([claims.sub, 'auth_time' in claims, 'amr' in claims], ['stock-api', false, false]);
  });

  it('never lives longer than the subject token, nor than the API says', async () => {
    const subject = await forOrders(server);
    clock.advance(3600 - 60);
    const { json } = await exchange(server, subject, { resource: STOCK });
    assert.equal(json.expires_in, 60);
    clock.advance(60);
    assert.equal(await isActive(server, json.access_token, as('stock-api')), false);
    assert.equal((await exchange(server, subject, { resource: STOCK })).json.error, 'invalid_request');
  });

  it('is no token for userinfo, and has no refresh token', async () => {
    const { json } = await exchange(server, await forOrders(server), { resource: STOCK });
    assert.equal((await userinfo(server, json.access_token)).status, 403);
    assert.deepEqual(['refresh_token' in json, 'id_token' in json], [false, false]);
  });

  it('writes an event that names both clients, both APIs and the actor', async () => {
    const subject = await forOrders(server);
    const actor = await acting('orders-api');
    const event = await eventDuring(server, 'token.exchanged', () =>
      exchange(server, subject, { resource: STOCK, ...actor }),
    );
    const { sub } = await seenBy('orders-api', subject);
    assert.deepEqual(
      [event.actor, event.subject, event.clientId],
      [{ kind: 'client', id: 'orders-api' }, sub, 'orders-api'],
    );
    assert.deepEqual(event.details, {
      ...{ from: ORDERS, to: STOCK, scope: ['stock:read'], subject_client: 'web', actor: 'orders-api' },
    });
  });

  it('is in discovery exactly where a policy is', async () => {
    const grantsOf = async (app?: string) =>
      (await get(`${server.at(app)}/.well-known/openid-configuration`)).json.grant_types_supported as string[];
    assert((await grantsOf()).includes('urn:ietf:params:oauth:grant-type:token-exchange'));
    assert(!(await grantsOf('plain')).includes('urn:ietf:params:oauth:grant-type:token-exchange'));
  });
});

describe('what ends a subject token ends what it was exchanged for', () => {
  const pair = async () => {
    const set = await aTokenSet(server, { scope: 'openid orders:read', resource: ORDERS });
    const first = (await exchange(server, set.access_token, { resource: STOCK })).json.access_token as string;
    const second = (await exchange(server, first, { resource: MAIL }, 'stock-api')).json.access_token as string;
    const active = async () => [
      await isActive(server, first, as('stock-api')),
      await isActive(server, second, as('stock-api')),
    ];
    assert.deepEqual(await active(), [true, true]);
    return { set, first, active };
  };

  it('its revocation', async () => {
    const { set, active } = await pair();
    await revoke(server, { token: set.access_token });
    assert.deepEqual(await active(), [false, false]);
  });

  it('the revocation of its refresh token', async () => {
    const { set, active } = await pair();
    await revoke(server, { token: set.refresh_token });
    assert.deepEqual(await active(), [false, false]);
  });

  it('not a refresh: the subject token stays good too', async () => {
    const { set, active } = await pair();
    assert.equal((await refresh(server, set.refresh_token)).status, 200);
    assert.deepEqual(await active(), [true, true]);
  });

  it('the client that exchanged it revokes it alone', async () => {
    const { set, first, active } = await pair();
    await revoke(server, { token: first });
    assert.deepEqual(await active(), [true, true], 'not the token of the web client');
    await revoke(server, { token: first }, as('orders-api'));
    assert.deepEqual(await active(), [false, false]);
    assert.equal(await isActive(server, set.access_token), true);
  });
});
