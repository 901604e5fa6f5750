import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import { CALLBACK, PUBLIC } from '../../build/assistant.ts';
import type { Answered } from '../../build/client.ts';
import { inConsole } from '../../build/console.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { assertRefusal, registrationOfFile } from '../../oauth/registration/registration-fixture.ts';

const at = await registrationOfFile();
const OTHER = 'https://assistant.example/other';
const GREEDY = {
  ...PUBLIC,
  redirect_uris: [CALLBACK, OTHER],
  grant_types: ['authorization_code', 'refresh_token'],
  scope: 'openid profile email orders:read',
};

function assertRefusedFor(field: string, answered: Answered): void {
  assertRefusal(answered, 'invalid_client_metadata');
  assert(answered.json.error_description.includes(`${field}: `), answered.text);
}

describe('what an operator has restricted of a self-registered client (RFC 7592 2.2)', () => {
  const owner = suitePart(() => anOperatorClient(at.server));

  /** A client that has registered itself, as it and as the operator see it. */
  async function aClientOf(metadata: Record<string, unknown> = GREEDY) {
    const made = await at.registered(metadata);
    const { client_id, registration_client_uri: uri, registration_access_token: token } = made;
    const path = `/applications/shop/clients/${client_id}`;
    const done = async (answer: Promise<Answered>) => {
      const { status, json, text } = await answer;
      assert.equal(status, 200, text);
      return json;
    };
    return {
      put: (over: object = {}) => at.manage(uri, token, 'PUT', { ...metadata, client_id, ...over }),
      read: () => done(at.manage(uri, token)),
      patch: (body: object) => done(owner.ask('PATCH', path, body)),
      view: () => done(owner.ask('GET', path)),
      replaced(over: object = {}) {
        return done(this.put(over));
      },
    };
  }

  for (const [field, limit, greedy, inForce] of [
    ['scope', 'openid profile', GREEDY.scope, 'openid profile'],
    ['grant_types', ['authorization_code'], GREEDY.grant_types, ['authorization_code']],
    ['redirect_uris', [CALLBACK], GREEDY.redirect_uris, [CALLBACK]],
    ['post_logout_redirect_uris', [CALLBACK], [CALLBACK, OTHER], [CALLBACK]],
    ['dpop_bound_access_tokens', true, false, true],
    ['require_pushed_authorization_requests', true, false, true],
    ['client_name', 'Unknown program', 'Your bank', 'Unknown program'],
    ['default_max_age', 60, 31_536_000, 60],
    ['default_acr_values', ['2'], ['1'], ['2']],
  ] as const) {
    it(`attack: a PUT does not undo ${field}; it answers with the value in force`, async () => {
      const client = await aClientOf();
      await client.patch({ [field]: limit });
      assert.deepEqual((await client.replaced({ [field]: greedy }))[field], inForce);
      assert.deepEqual((await client.read())[field], inForce);
      assert.deepEqual((await client.view())[field], inForce);
      if (field === 'redirect_uris') return;
      // What is left out gets its default, and a default is no way out either.
      const { [field]: left } = await client.replaced({ [field]: undefined });
      assert.deepEqual(await client.view().then(view => view[field]), left);
      if (Array.isArray(limit))
        assert(
          left.every((one: never) => limit.includes(one)),
          String(left),
        );
      else assert.deepEqual(left, inForce);
    });
  }

  it('a client stays free within the limits: less, and up to them again', async () => {
    const client = await aClientOf();
    await client.patch({ scope: 'openid profile' });
    assert.equal((await client.replaced({ scope: 'openid' })).scope, 'openid');
    assert.equal((await client.replaced()).scope, 'openid profile');
    const view = await client.view();
    assert.deepEqual(view.operator_limits, { scope: 'openid profile' });
    assert.equal(view.origin, 'dynamic_registration');
  });

  it('what operators did not set is its own', async () => {
    const client = await aClientOf();
    await client.patch({ scope: 'openid', access_token_format: 'jwt' });
    const { client_name, redirect_uris } = await client.replaced({ client_name: 'Renamed', redirect_uris: [OTHER] });
    assert.deepEqual([client_name, redirect_uris], ['Renamed', [OTHER]]);
    assert.equal((await client.view()).access_token_format, 'jwt');
  });

  it('null lifts a limit, and so does a demand that is taken back', async () => {
    const client = await aClientOf();
    await client.patch({ scope: 'openid', dpop_bound_access_tokens: true, client_name: 'Mine' });
    await client.patch({ scope: null, dpop_bound_access_tokens: false });
    assert.deepEqual((await client.view()).operator_limits, { client_name: 'Mine' });
    const { scope, dpop_bound_access_tokens } = await client.replaced();
    assert.deepEqual([scope, dpop_bound_access_tokens], [GREEDY.scope, false]);
    await client.patch({ client_name: null });
    assert.equal((await client.view()).operator_limits, undefined);
  });

  for (const [field, limit, disjoint, error] of [
    ['scope', 'openid', 'orders:read', 'invalid_client_metadata'],
    ['redirect_uris', [CALLBACK], [OTHER], 'invalid_redirect_uri'],
  ] as const) {
    it(`refuses a PUT of which the limit of ${field} leaves nothing, and changes nothing`, async () => {
      const client = await aClientOf();
      await client.patch({ [field]: limit });
      const before = await client.view();
      assertRefusal(await client.put({ [field]: disjoint, client_name: 'Half' }), error);
      assert.deepEqual(await client.view(), before);
    });
  }

  it('attack: keys that an operator pinned cannot be replaced by an address, or the other way round', async () => {
    const uri = 'https://assistant.example/keys';
    const client = await aClientOf({
      ...{ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'private_key_jwt', jwks_uri: uri },
    });
    const jwks = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }] };
    await client.patch({ jwks, jwks_uri: null });
    const replaced = await client.replaced();
    assert.deepEqual([replaced.jwks, replaced.jwks_uri], [jwks, undefined]);
  });

  it('attack: a frame of a host whose redirect URI an operator took away does not come back', async () => {
    const metadata = { ...GREEDY, redirect_uris: [CALLBACK, 'https://bank.example/cb'] };
    const frame = { frontchannel_logout_uri: 'https://bank.example/signed-out' };
    const client = await aClientOf({ ...metadata, ...frame });
    await client.patch({ redirect_uris: [CALLBACK], frontchannel_logout_uri: null });
    const before = await client.view();
    assertRefusedFor('frontchannel_logout_uri', await client.put());
    assert.deepEqual(await client.view(), before);
    await client.replaced({ frontchannel_logout_uri: undefined });
  });

  it('attack: a demand of an operator is not voided by another one, which cannot be met beside it', async () => {
    const client = await aClientOf();
    await client.patch({ dpop_bound_access_tokens: true });
    const before = await client.view();
    const put = client.put({ tls_client_certificate_bound_access_tokens: true });
    assertRefusedFor('dpop_bound_access_tokens', await put);
    assert.deepEqual(await client.view(), before);
  });

  it('attack: a client that an operator made pairwise does not choose its sector by redirect URIs that it does not prove', async () => {
    const client = await aClientOf({ ...GREEDY, grant_types: ['authorization_code', DEVICE_GRANT] });
    await client.patch({ subject_type: 'pairwise' });
    const put = client.put({ grant_types: [DEVICE_GRANT], redirect_uris: ['https://bank.example/cb'] });
    assertRefusedFor('subject_type', await put);
  });

  it('limits cannot be written as such, neither by the client nor by an operator', async () => {
    const client = await aClientOf();
    await client.patch({ scope: 'openid' });
    assert.equal((await client.replaced({ operator_limits: null })).scope, 'openid');
    const { client_id } = await client.view();
    const answered = await owner.ask('PATCH', `/applications/shop/clients/${client_id}`, { operator_limits: {} });
    assert.equal(answered.status, 400, answered.text);
  });

  it('attack: PUTs that race with the change of an operator never end outside of it', async () => {
    for (const round of [1, 2, 3, 4]) {
      const client = await aClientOf();
      const puts = () => Array.from({ length: 4 }, () => client.put());
      const change = { scope: 'openid', dpop_bound_access_tokens: true, client_name: `Limited ${round}` };
      const [answers] = await Promise.all([Promise.all(puts()), client.patch(change), Promise.all(puts())]);
      for (const { status, text } of answers) assert.equal(status, 200, text);
      const { scope, dpop_bound_access_tokens, client_name } = await client.view();
      assert.deepEqual({ scope, dpop_bound_access_tokens, client_name }, change);
    }
  });

  it('race: a method that an operator changes meanwhile is not changed back', async () => {
    const client = await aClientOf({ redirect_uris: [CALLBACK] });
    const change = { token_endpoint_auth_method: 'client_secret_post' };
    await Promise.all([client.put(), client.patch(change), client.put(), client.put()]);
    assert.equal((await client.view()).token_endpoint_auth_method, 'client_secret_post');
    assertRefusal(await client.put(), 'invalid_client_metadata');
  });

  it('the console says which settings a client cannot change', async () => {
    const client = await aClientOf();
    await client.patch({ scope: 'openid', dpop_bound_access_tokens: true });
    const { client_id } = await client.view();
    const path = `/console/applications/shop/clients/${client_id}/settings`;
    await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' });
    const { seen } = await inConsole(at.server, path);
    assert.match(seen.text, /Set by operators: Scope, Require DPoP-bound access tokens/);
  });
});
