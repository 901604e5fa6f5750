import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import {
  ALICE,
  aCode,
  assertRefused,
  aTokenSet,
  basic,
  introspect,
  isActive,
  redeem,
  refresh,
  revoke,
  token,
  userinfo,
  WEB,
} from '../build/client.ts';
import { assertPage } from '../build/delivered.ts';
import { aClient, anApplication, aPublicClient } from '../build/fixture.ts';
import { type House, openHouse } from '../build/house.ts';
import { signedIn } from '../build/people.ts';
import { authorizationUrl, type Visitor } from '../build/visitor.ts';

/**
 * A client deleted through another node: this one has it in its cache, and does not hear of the deletion in these tests,
 * since nothing refreshes the cache.
 */
describe('a client that was deleted, on a node that has not heard of it', () => {
  const OTHER = basic('other', 'other-secret-1');
  let house: House;
  let browser: Visitor;
  let set: { access_token: string; refresh_token: string };
  let code: string;
  let others: { access_token: string; refresh_token: string };
  beforeEach(async () => {
    const clients = [
      aClient(),
      aClient({ client_id: 'other', client_secret: 'other-secret-1' }),
      aPublicClient({ client_id: 'spa' }),
    ];
    house = await openHouse({ applications: [anApplication({ clients })] });
    browser = await signedIn(house);
    set = await aTokenSet(house);
    others = await aTokenSet(house, {}, { auth: OTHER });
    code = await aCode(house, {}, { visitor: browser });
    assert(await isActive(house, set.access_token));
    assert(await house.services.store.deleteClient('shop', 'web', house.services.clock.now()));
    assert(await house.services.registry.client('shop', 'web'), 'it is not in the cache: the test is about nothing');
  });
  afterEach(() => house.close());

  it('gets no tokens for a code', async () => assertRefused(await redeem(house, code), 400, 'invalid_grant'));

  it('gets no tokens for a refresh token', async () =>
    assertRefused(await refresh(house, set.refresh_token), 400, 'invalid_grant'));

  it('gets no tokens for a password', async () =>
    assertRefused(await token(house, { grant_type: 'password', ...ALICE }), 401, 'invalid_client'));

  for (const response_type of ['code', 'id_token', 'id_token token']) {
    it(`gets no ${response_type} from a signed-in browser, and the browser stays here`, async () => {
      const seen = await browser.go(authorizationUrl(house, { response_type, nonce: 'n-1', scope: 'openid' }));
      assertPage(seen);
    });
  }

  it('is told nothing about any token', async () => {
    for (const presented of [set.access_token, set.refresh_token, others.access_token, others.refresh_token]) {
      assert.deepEqual((await introspect(house, { token: presented }, { auth: WEB })).json, { active: false });
    }
    assert(await isActive(house, others.access_token, { auth: OTHER }));
  });

  it('has no access token that opens anything', async () => {
    assertRefused(await userinfo(house, set.access_token), 401, 'invalid_token');
    const asked = await introspect(house, { token: set.access_token }, { auth: `Bearer ${set.access_token}` });
    assert.equal(asked.status, 401);
  });

  it('revokes nothing of another client', async () => {
    await revoke(house, { token: others.refresh_token });
    assert(await isActive(house, others.access_token, { auth: OTHER }));
  });
});
