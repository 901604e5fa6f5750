import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CALLBACK, PUBLIC, WITH_VERIFIER } from '../../build/assistant.ts';
import { redeem, userinfo } from '../../build/client.ts';
import { assertRefusal, registrationOfFile } from './registration-fixture.ts';

const at = await registrationOfFile();
const stored = async (clientId: string) => {
  const client = await at.server.services.store.findClient('shop', clientId);
  assert(client);
  return client;
};

describe('presets and claims of clients that register themselves (rows 60 and 61)', () => {
  it('has the defaults of every other door unless it says something else', async () => {
    const { client_id, userinfo_claims } = await at.registered(PUBLIC);
    assert.equal(userinfo_claims, 'documented');
    assert.equal((await stored(client_id)).require_pkce, false);
  });

  it('asks for standard claims with userinfo_claims, which widens nothing', async () => {
    const metadata = { ...PUBLIC, userinfo_claims: 'standard' };
    const { client_id, userinfo_claims, ...json } = await at.registered(metadata);
    assert.equal(userinfo_claims, 'standard');
    const code = await at.codeFor(client_id, { scope: 'openid profile' });
    const set = (await redeem(at.server, code, { client_id, ...WITH_VERIFIER }, {})).json;
    assert.equal(typeof (await userinfo(at.server, set.access_token)).json.updated_at, 'number');
    // It replaces all of its metadata (RFC 7592 2.2): left out is the default again.
    const body = { ...PUBLIC, client_id };
    const replaced = await at.manage(json.registration_client_uri, json.registration_access_token, 'PUT', body);
    assert.equal(replaced.json.userinfo_claims, 'documented');
    assertRefusal(await at.register({ ...PUBLIC, userinfo_claims: 'typed' }), 'invalid_client_metadata');
  });

  it('may name its preset, for what a client sets itself', async () => {
    const web = await at.registered({ preset: 'web', redirect_uris: [CALLBACK] });
    assert.deepEqual(
      [web.grant_types, web.token_endpoint_auth_method, web.userinfo_claims, 'preset' in web],
      [['authorization_code', 'refresh_token'], 'client_secret_basic', 'standard', false],
    );
    const { require_pkce, require_client_authentication, require_consent } = await stored(web.client_id);
    assert.deepEqual([require_pkce, require_client_authentication, require_consent], [true, true, true]);
    const spa = await at.registered({ preset: 'spa', redirect_uris: [CALLBACK], userinfo_claims: null });
    assert.deepEqual([spa.token_endpoint_auth_method, spa.userinfo_claims], ['none', 'standard']);
    assert(!('client_secret' in spa));
    const device = await at.registered({ preset: 'device' });
    assert.deepEqual(device.redirect_uris, []);
  });

  it('mass assignment: a preset gives no grant that only operators give, and skips no question', async () => {
    assertRefusal(await at.register({ preset: 'machine', redirect_uris: [CALLBACK] }), 'invalid_client_metadata');
    const legacy = await at.registered({
      ...{ preset: 'legacy', redirect_uris: [CALLBACK] },
      grant_types: ['authorization_code', 'password', 'implicit'],
    });
    assert.deepEqual(legacy.grant_types, ['authorization_code']);
    const { require_consent, require_client_authentication } = await stored(legacy.client_id);
    assert.deepEqual([require_consent, require_client_authentication], [true, true]);
  });

  for (const preset of ['website', 'constructor', 7, {}]) {
    it(`refuses ${JSON.stringify(preset)}, and names the field`, async () => {
      const refused = await at.register({ ...PUBLIC, preset });
      assertRefusal(refused, 'invalid_client_metadata');
      assert.match(refused.json.error_description, /preset/);
    });
  }
});
