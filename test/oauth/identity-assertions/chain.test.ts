import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { aSigningPair } from '../../build/assertion.ts';
import type { Answered } from '../../build/client.ts';
import { assertRefused, claimsOf, get, introspect, refresh } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aProof, assertBoundToken, thumbprintOf } from '../../build/dpop.ts';
import { eventDuring } from '../../build/events.ts';
import { ID_JAG, ID_TOKEN, REFRESH_TOKEN } from '../../build/identity-assertion.ts';
import { firstInSuite } from '../../build/suite-part.ts';
import { withStatus } from '../../build/with-status.ts';
import { AGENT, bring, ORDERS } from './other-issuer.ts';
import { atDesk, DESK, exchange, twoServers, visitShop } from './two-servers.ts';

const clock = fixedClock();

describe('two servers, from the sign-in at one to the API of the other (ID-JAG, draft section 4; modern contract)', () => {
  const both = twoServers({ clock });
  const { home, shop } = both;
  firstInSuite(() => visitShop(both));
  const assertionFor = async (subject: string, over = {}) =>
    (await withStatus(200, exchange(both, subject, over))).json.access_token as string;

  it('the client exchanges its ID token for an assertion, and that for an access token of the linked person', async () => {
    const { id_token } = await atDesk(home);
    const { json } = await withStatus(
      200,
      exchange(both, id_token, { scope: 'orders:read', resource: ORDERS.identifier }),
    );
    const { access_token: assertion, ...set } = json;
    assert.deepEqual(set, { issued_token_type: ID_JAG, token_type: 'N_A', expires_in: 300, scope: 'orders:read' });
    assert.equal(decodeProtectedHeader(assertion).typ, 'oauth-id-jag+jwt');
    const { jti, ...claims } = claimsOf(assertion);
    const { sub, auth_time } = claimsOf(id_token);
    assert.deepEqual(claims, {
      ...{ iss: home.at(), sub, aud: shop.at(), client_id: 'agent', iat: clock.now(), exp: clock.now() + 300 },
      ...{ auth_time, amr: ['pwd'], acr: '1', scope: 'orders:read', resource: ORDERS.identifier },
      ...{ email: 'alice@example.com', email_verified: true },
    });
    assert.match(jti, /^[\w-]{22}$/);

    const token = (await withStatus(200, bring(shop, assertion))).json;
    assert.deepEqual([token.scope, token.id_token, token.refresh_token], ['orders:read', undefined, undefined]);
    const seen = (await introspect(shop, { token: token.access_token }, { auth: AGENT })).json;
    const linked = await shop.services.store.findLinkedAccount({ provider: 'house', subject: sub });
    assert.deepEqual([seen.active, seen.sub, seen.auth_time], [true, linked?.sub, auth_time]);
    assertRefused(await bring(shop, assertion), 400, 'invalid_grant');
  });

  it('the refresh token serves when the ID token has expired (draft section 4.3)', async () => {
    const { id_token, refresh_token } = await atDesk(home);
    clock.advance(3601);
    assertRefused(await exchange(both, id_token), 400, 'invalid_request');
    const assertion = await assertionFor(refresh_token, { subject_token_type: REFRESH_TOKEN });
    assert.equal(claimsOf(assertion).sub, claimsOf(id_token).sub);
    await withStatus(200, bring(shop, assertion));
    const { json } = await withStatus(200, refresh(home, refresh_token, {}, DESK));
    await assertionFor(json.id_token, { subject_token_type: ID_TOKEN });
  });

  it('the scope of the policy is the default; the shop gives of it what it allows itself', async () => {
    const { id_token } = await atDesk(home);
    const assertion = await assertionFor(id_token);
    assert.equal(claimsOf(assertion).scope, 'orders:read orders:write');
    assert.equal((await withStatus(200, bring(shop, assertion))).json.scope, 'orders:read');
  });

  it('the address is there where the person has granted the scope email', async () => {
    const { id_token } = await atDesk(home, { scope: 'openid' });
    const { email, email_verified } = claimsOf(await assertionFor(id_token));
    assert.deepEqual([email, email_verified], [undefined, undefined]);
  });

  it('a DPoP key binds the assertion, and with it the token (draft section 8.7)', async () => {
    const key = aSigningPair('ES256', 'desk');
    const { id_token } = await atDesk(home);
    const proof = (url: string) => ({ dpop: aProof(key, 'POST', `${url}/token`, { now: clock.now() }) });
    const bound = await withStatus(200, exchange(both, id_token, {}, { ...DESK, headers: proof(home.at()) }));
    const assertion = bound.json.access_token;
    assert.deepEqual([claimsOf(assertion).cnf, bound.json.token_type], [{ jkt: thumbprintOf(key) }, 'N_A']);
    assertRefused(await bring(shop, assertion), 400, 'invalid_grant');
    assertBoundToken(await bring(shop, assertion, {}, { headers: proof(shop.at()) }));
  });

  it('the event names the other issuer and the id of the assertion', async () => {
    const { id_token } = await atDesk(home);
    let answered: Answered | undefined;
    const event = await eventDuring(home, 'identity_assertion.issued', async () => {
      answered = await exchange(both, id_token, { scope: 'orders:read' });
    });
    const { jti } = claimsOf(answered?.json.access_token);
    assert.deepEqual(event.details, { audience: shop.at(), scope: ['orders:read'], jti });
    assert.deepEqual([event.clientId, event.subject], ['desk', claimsOf(id_token).sub]);
  });

  it('the metadata of the first say what can be requested (draft section 7.1)', async () => {
    const { json } = await get(`${home.at()}/.well-known/openid-configuration`);
    assert.deepEqual(json.identity_chaining_requested_token_types_supported, [ID_JAG]);
    assert.equal(json.authorization_grant_profiles_supported, undefined);
  });
});

describe('pairwise subjects and assertions (draft section 5)', () => {
  const pairwise = { subject_type: 'pairwise', sector_identifier_uri: 'https://desk.example/sector' };
  const both = twoServers({
    clock,
    desk: pairwise,
    house: { subject_type: 'pairwise', sector_identifier_uri: 'https://house.example/sector' },
    policy: { subject_client: 'house' },
  });
  const { home, shop } = both;
  firstInSuite(() => visitShop(both));

  it('the assertion has the sub by which the other issuer knows the person, and leads to the account', async () => {
    const { id_token } = await atDesk(home);
    const assertion = (await withStatus(200, exchange(both, id_token))).json.access_token;
    const alice = await home.services.store.findAccount('alice');
    const { sub } = claimsOf(assertion);
    assert.notEqual(sub, claimsOf(id_token).sub);
    assert.notEqual(sub, alice?.sub);
    assert(await shop.services.store.findLinkedAccount({ provider: 'house', subject: sub }));
    await withStatus(200, bring(shop, assertion));
  });

  it('without subject_client a pairwise client learns no other sub than its own', async () => {
    const { id_token } = await atDesk(home);
    const policies = [{ client: 'desk', audience: shop.at(), client_id: 'agent', scopes: ['orders:read'] }];
    const { services } = home;
    const stored = await services.store.findStoredApplication('shop');
    assert(stored);
    const application = { ...stored.application, identity_assertions: policies };
    await services.store.provision([{ kind: 'application', application }]);
    await services.registry.refresh();
    const assertion = (await withStatus(200, exchange(both, id_token))).json.access_token;
    assert.equal(claimsOf(assertion).sub, claimsOf(id_token).sub);
    assertRefused(await bring(shop, assertion), 400, 'invalid_grant');
  });
});
