import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aSigningPair } from '../../build/assertion.ts';
import { assertRefused, basic, get, introspect, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aProof, assertBoundToken, thumbprintOf } from '../../build/dpop.ts';
import { eventDuring } from '../../build/events.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { JWT_BEARER } from '../../build/identity-assertion.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import type { Fields } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';
import {
  AGENT,
  agent,
  assertionOf,
  bring,
  ORDERS,
  openOtherIssuer,
  type Parts,
  providerAt,
  trusting,
} from './other-issuer.ts';

const KEY = aSigningPair('ES256', 'other issuer');
const DPOP = aSigningPair('ES256', 'agent');

const clock = fixedClock();
const other = suitePart(() => openOtherIssuer(KEY));
const server = suiteServer(
  () => ({
    clock,
    env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' },
    users: [],
    applications: [
      trusting(other.at('')),
      anApplication({ code: 'plain', name: 'Plain', clients: [agent({ scope: 'openid' })] }),
    ],
  }),
  () =>
    server.provision({
      providers: [providerAt(other.at(''))],
      users: [aUser({ links: [{ provider: 'corp', subject: 'corp-alice' }] })],
    }),
);

const made = (parts: Parts = {}) => assertionOf({ clock, signer: KEY, issuer: other.at(''), server }, parts);
const accepts = async (parts: Parts = {}, over: Fields = {}) => {
  const { json } = await withStatus(200, bring(server, made(parts), over));
  return json;
};

describe('identity assertions of another issuer (ID-JAG, draft section 4.4; modern contract)', () => {
  it('give the client an access token for the linked person, and neither an ID token nor a refresh token', async () => {
    const { access_token, ...set } = await accepts();
    assert.deepEqual(set, { expires_in: 3600, token_type: 'Bearer', scope: 'orders:read' });
    const { json } = await introspect(server, { token: access_token });
    assert.equal(json.active, false, 'a token of another client');
    const seen = (await introspect(server, { token: access_token }, { auth: AGENT })).json;
    const alice = await server.services.store.findAccount('alice');
    assert.deepEqual(
      [seen.sub, seen.client_id, seen.aud, seen.scope, seen.acr],
      [alice?.sub, 'agent', ORDERS.identifier, 'orders:read', '1'],
    );
  });

  it('have the scopes that policy, client, assertion and request have in common', async () => {
    const scopeOf = async (scope: string | undefined, asked?: string) =>
      (await accepts({ claims: { scope } }, asked === undefined ? {} : { scope: asked })).scope;
    assert.equal(await scopeOf('orders:read orders:write unknown'), 'orders:read', 'the policy has no orders:write');
    assert.equal(await scopeOf('openid email', 'email'), 'email');
    for (const [claimed, asked] of [
      ['orders:write', undefined],
      ['openid', 'email'],
      [undefined, 'orders:write'],
      ['', undefined],
    ] as const) {
      const answered = await bring(
        server,
        made({ claims: { scope: claimed } }),
        asked === undefined ? {} : { scope: asked },
      );
      assertRefused(answered, 400, 'invalid_scope');
    }
  });

  it('name resources that are here, among others (RFC 8707)', async () => {
    const resource = ['https://elsewhere.example', ORDERS.identifier];
    assert.equal((await accepts({ claims: { resource } })).scope, 'orders:read');
    const none = await bring(server, made({ claims: { resource: 'https://elsewhere.example' } }));
    assertRefused(none, 400, 'invalid_target');
    const beyond = await bring(server, made({ claims: { resource: 'https://elsewhere.example' } }), {
      resource: ORDERS.identifier,
    });
    assertRefused(beyond, 400, 'invalid_target');
  });

  it('open userinfo where the policy has openid', async () => {
    const { access_token } = await accepts({ claims: { scope: 'openid email' } });
    const { json } = await userinfo(server, access_token);
    assert.deepEqual([json.email, json.nickname], ['alice@example.com', undefined]);
  });

  it('tell when the person signed in, for whoever demands a fresh sign-in; without auth_time nothing is fresh (RFC 9470)', async () => {
    const authTime = async (auth_time: unknown) => {
      const { access_token } = await accepts({ claims: { auth_time } });
      return (await introspect(server, { token: access_token }, { auth: AGENT })).json.auth_time;
    };
    assert.equal(await authTime(clock.now() - 500), clock.now() - 500);
    assert.equal(await authTime(clock.now() + 500), clock.now(), 'not in the future');
    assert.equal(await authTime(undefined), 0);
    assert.equal(await authTime(clock.now() - 499.5), clock.now() - 500, 'parts of a second (RFC 7519 section 2)');
    assert.equal(await authTime(-1e300), 0);
  });

  it('write an event with the issuer, the person there and the id of the assertion', async () => {
    const event = await eventDuring(server, 'identity_assertion.accepted', () =>
      accepts({ claims: { jti: 'one', scope: 'orders:read' } }),
    );
    assert.deepEqual(event.details, { issuer: other.at(''), person: 'corp-alice', jti: 'one', scope: ['orders:read'] });
    assert.deepEqual([event.actor, event.clientId], [{ kind: 'client', id: 'agent' }, 'agent']);
  });

  it('are in the metadata of an application that trusts an issuer, and no issuer is (draft sections 7.2 and 8.4)', async () => {
    const metadata = async (app?: string) => (await get(`${server.at(app)}/.well-known/openid-configuration`)).json;
    const [shop, plain] = [await metadata(), await metadata('plain')];
    assert.deepEqual(shop.authorization_grant_profiles_supported, ['urn:ietf:params:oauth:grant-profile:id-jag']);
    assert(shop.grant_types_supported.includes(JWT_BEARER));
    assert(!JSON.stringify(shop).includes(other.at('')));
    assert.equal(plain.authorization_grant_profiles_supported, undefined);
    assert(!plain.grant_types_supported.includes(JWT_BEARER));
  });
});

describe('an assertion and a key (draft section 8.7)', () => {
  const proof = () => ({ dpop: aProof(DPOP, 'POST', `${server.at()}/token`, { now: clock.now() }) });
  const bound = { claims: { cnf: { jkt: thumbprintOf(DPOP) } } };

  it('one that is bound to a key gives a bound token, with a proof by this key alone', async () => {
    assertBoundToken(await bring(server, made(bound), {}, { headers: proof() }));
    assertRefused(await bring(server, made(bound)), 400, 'invalid_grant');
    const otherKey = { claims: { cnf: { jkt: thumbprintOf(aSigningPair('ES256', 'somebody')) } } };
    assertRefused(await bring(server, made(otherKey), {}, { headers: proof() }), 400, 'invalid_grant');
  });

  it('one that is bound in a way that is not known here counts as not proved (RFC 7800 section 3.1)', async () => {
    for (const cnf of [{}, { jwe: 'x' }, 'jkt', null, { jkt: thumbprintOf(DPOP), kid: 'x' }]) {
      assertRefused(await bring(server, made({ claims: { cnf } }), {}, { headers: proof() }), 400, 'invalid_grant');
    }
  });

  it('one that is bound to none gives a bound token where the request has a proof', async () => {
    assertBoundToken(await bring(server, made(), {}, { headers: proof() }));
  });
});

describe('who may bring assertions', () => {
  it('a client with the grant, which authenticates', async () => {
    assertRefused(await bring(server, made(), {}, { auth: basic('web', 'web-secret-1') }), 400, 'unauthorized_client');
    assertRefused(await bring(server, made(), {}, { auth: basic('agent', 'wrong') }), 401, 'invalid_client');
    const nobody = await bring(server, made(), { client_id: 'agent' }, { auth: '' });
    assert.equal(nobody.status, 401);
  });

  it('at no other application, which does not trust the issuer', async () => {
    const claims = { aud: server.at('plain') };
    assertRefused(await bring(server, made({ claims }), {}, { app: 'plain' }), 400, 'invalid_grant');
  });

  it('a public client cannot have the grant', async () => {
    const clients = [aClient({ client_id: 'spa', token_endpoint_auth_method: 'none', grant_types: [JWT_BEARER] })];
    await assert.rejects(server.provision({ applications: [anApplication({ clients })] }), /jwt-bearer/);
  });
});
