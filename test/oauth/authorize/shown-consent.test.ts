import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import { CALLBACK, changeRegistration, PKCE, PUBLIC, registered, WITH_VERIFIER } from '../../build/assistant.ts';
import { redeem, refresh } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { aWaitingDevice, decide, pollFor, theQuestion } from '../../build/device.ts';
import { anApplication } from '../../build/fixture.ts';
import { atConsent, logIn, press } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { type Fields, query, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

/**
 * A self-registered client changes its own metadata whenever it likes, also while somebody reads what it asks for. Nobody agrees to what
 * no page has shown (modern contract: no token has a scope that the user's consent does not allow).
 */
const WIDE = 'openid orders:read orders:write';
const NARROW = 'openid orders:read';
const METADATA = {
  ...PUBLIC,
  scope: WIDE,
  grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT],
};

const scopes = { 'orders:read': 'Read your orders', 'orders:write': 'Change your orders' };
const apis = [{ identifier: 'https://api.shop.example', name: 'Orders', scopes }];
const dynamic_registration = 'open' as const;
const server = suiteServer({
  env: { TRUSTED_PROXIES: '127.0.0.1' },
  applications: [
    anApplication({ dynamic_registration, apis }),
    anApplication({ code: 'strict', name: 'Strict', dynamic_registration, apis, strict_oidc: true }),
  ],
});

/** A client, and what changes the scopes that it may request. */
async function aChangingClient(app?: string) {
  const client = await registered(server, METADATA, app);
  const mayRequest = async (scope: string) => {
    await withStatus(200, changeRegistration(client, { ...METADATA, scope }));
  };
  return { client_id: client.client_id, mayRequest };
}

async function theConsentPage(
  clientId: string,
  visitor: Visitor,
  whileSigningIn: () => Promise<void>,
  app?: string,
  over: Fields = {},
) {
  const request = {
    ...{ client_id: clientId, response_type: 'code', redirect_uri: CALLBACK, scope: WIDE, nonce: 'n' },
    ...PKCE,
    ...over,
  };
  const login = await visitor.follow(`${server.at(app)}/auth?${query(request)}`);
  await whileSigningIn();
  const page = await logIn(visitor, login);
  assert(atConsent(page), page.text);
  return page;
}

describe('a client changes its registration while a user reads what it asks for', () => {
  it('a device gets no scope that came back after the page was shown', async () => {
    const { client_id, mayRequest } = await aChangingClient();
    const device = await aWaitingDevice(server, { client_id, scope: WIDE });
    await mayRequest(NARROW);
    const visitor = new Visitor(server.base);
    const page = await theQuestion(server, device.user_code, visitor);
    assert.doesNotMatch(page.text, /Change your orders/);
    await mayRequest(WIDE);
    const again = await press(visitor, page, 'allow');
    assert.match(again.text, /Change your orders/, 'asked again, with what it asks for now');
    assert.equal((await pollFor(server, device, { client_id })).json.error, 'authorization_pending');
  });

  it('a device gets no scope that came back after the approval', async () => {
    const { client_id, mayRequest } = await aChangingClient();
    const device = await aWaitingDevice(server, { client_id, scope: WIDE });
    await mayRequest(NARROW);
    await decide(server, device.user_code, 'allow');
    await mayRequest(WIDE);
    const { json, text } = await pollFor(server, device, { client_id });
    assert.equal(json.scope, 'orders:read', text);
    const refreshed = await refresh(server, json.refresh_token, { client_id }, {});
    assert.equal(refreshed.json.scope, 'orders:read', refreshed.text);
  });

  it('an authorization request gives no scope that came back after the page was shown', async () => {
    const { client_id, mayRequest } = await aChangingClient('strict');
    const visitor = new Visitor(server.base);
    const page = await theConsentPage(client_id, visitor, () => mayRequest(NARROW), 'strict');
    assert.doesNotMatch(page.text, /Change your orders/);
    await mayRequest(WIDE);
    const again = await press(visitor, page, 'allow');
    assert(atConsent(again), again.text);
    assert.match(again.text, /Change your orders/);
    const { code } = delivered(await press(visitor, again, 'allow'), CALLBACK).fields;
    const redeemed = await redeem(server, code, { ...WITH_VERIFIER, client_id }, {}, 'strict');
    assert.equal(redeemed.status, 200, redeemed.text);
  });

  it('claims that are requested one by one do not come back either', async () => {
    const { client_id, mayRequest } = await aChangingClient();
    const visitor = new Visitor(server.base);
    await mayRequest('openid email');
    const claims = JSON.stringify({ id_token: { email: null } });
    const page = await theConsentPage(client_id, visitor, () => mayRequest('openid'), undefined, {
      scope: 'openid',
      claims,
    });
    await mayRequest('openid email');
    const again = await press(visitor, page, 'allow');
    assert(atConsent(again), again.text);
    assert.notEqual(again.text.match(/<li>/g)?.length, page.text.match(/<li>/g)?.length);
  });
});
