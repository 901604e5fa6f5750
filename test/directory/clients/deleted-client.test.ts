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
} from '../../build/client.ts';
import { assertPage } from '../../build/delivered.ts';
import { aClient, aPublicClient } from '../../build/fixture.ts';
import { signedIn } from '../../build/people.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { authorizationUrl, type Visitor } from '../../build/visitor.ts';

/**
 * A client deleted through another node: this one has it in its cache, and does not hear of the deletion in these tests,
 * since nothing refreshes the cache.
 */
describe('a client that was deleted, on a node that has not heard of it', () => {
  const OTHER = basic('other', 'other-secret-1');
  let server: TestServer;
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
    server = await startTestServer({ clients });
    browser = await signedIn(server);
    set = await aTokenSet(server);
    others = await aTokenSet(server, {}, { auth: OTHER });
    code = await aCode(server, {}, { visitor: browser });
    assert(await isActive(server, set.access_token));
    assert(await server.services.store.deleteClient('shop', 'web', server.services.clock.now()));
    assert(await server.services.registry.client('shop', 'web'), 'it is not in the cache: the test is about nothing');
  });
  afterEach(() => server.close());

  it('gets no tokens for a code', async () => assertRefused(await redeem(server, code), 400, 'invalid_grant'));

  it('gets no tokens for a refresh token', async () =>
    assertRefused(await refresh(server, set.refresh_token), 400, 'invalid_grant'));

  it('gets no tokens for a password', async () =>
    assertRefused(await token(server, { grant_type: 'password', ...ALICE }), 401, 'invalid_client'));

  for (const response_type of ['code', 'id_token', 'id_token token']) {
    it(`gets no ${response_type} from a signed-in browser, and the browser stays here`, async () => {
      const seen = await browser.go(authorizationUrl(server, { response_type, nonce: 'n-1', scope: 'openid' }));
      assertPage(seen);
    });
  }

  it('is told nothing about any token', async () => {
    for (const presented of [set.access_token, set.refresh_token, others.access_token, others.refresh_token]) {
      assert.deepEqual((await introspect(server, { token: presented }, { auth: WEB })).json, { active: false });
    }
    assert(await isActive(server, others.access_token, { auth: OTHER }));
  });

  it('has no access token that opens anything', async () => {
    assertRefused(await userinfo(server, set.access_token), 401, 'invalid_token');
    const answered = await introspect(server, { token: set.access_token }, { auth: `Bearer ${set.access_token}` });
    assert.equal(answered.status, 401, answered.text);
  });

  it('revokes nothing of another client', async () => {
    await revoke(server, { token: others.refresh_token });
    assert(await isActive(server, others.access_token, { auth: OTHER }));
  });
});
