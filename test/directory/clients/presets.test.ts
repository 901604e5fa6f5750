import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { presetFields, presets } from '../../../src/directory/clients/presets.fields.ts';
import { aPkcePair, get } from '../../build/client.ts';
import { filledForm, inConsole } from '../../build/console.ts';
import { CALLBACK } from '../../build/fixture.ts';
import { atConsent } from '../../build/people.ts';
import { signIn } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';
import { API, CLIENTS, owner, server, useConsole } from './console-clients-fixture.ts';

useConsole();

/** What the client with this id has of the fields that a preset sets. */
async function registered(clientId: string, preset: (typeof presets)[number]) {
  const { json } = await owner.ask('GET', `${API}/${clientId}`);
  return Object.fromEntries(Object.keys(presetFields(preset)).map(field => [field, json[field]]));
}

describe('preset at the creation of a client (row 60)', () => {
  for (const preset of presets) {
    it(`${preset}: the admin API writes its values, which are shown and not the preset`, async () => {
      const made = await owner.ask('POST', API, { preset, client_id: `api-${preset}`, redirect_uris: [CALLBACK] });
      assert.equal(made.status, 201, made.text);
      assert(!('preset' in made.json));
      assert.deepEqual(await registered(`api-${preset}`, preset), { ...presetFields(preset) });
      assert(!('preset' in (await owner.ask('GET', `${API}/api-${preset}`)).json));
    });

    it(`${preset}: the console fills its form with the values, and the form makes the client`, async () => {
      const { visitor, seen } = await inConsole(server, `${CLIENTS}/new?preset=${preset}`);
      assert.match(seen.text, new RegExp(`href="\\?preset=${preset}" aria-current="true"`));
      const form = filledForm(seen, 'client_id');
      await withStatus(201, visitor.send(form, { client_id: `console-${preset}`, redirect_uris: CALLBACK }));
      assert.deepEqual(await registered(`console-${preset}`, preset), { ...presetFields(preset) });
    });
  }

  it('native: takes loopback, localhost and private-scheme redirects, and each user is asked at first use (RFC 8252)', async () => {
    const redirect_uris = ['http://127.0.0.1/cb', 'http://localhost/cb', 'com.example.app:/cb'];
    const made = await owner.ask('POST', API, {
      preset: 'native',
      client_id: 'native',
      scope: 'openid',
      redirect_uris,
    });
    assert.equal(made.status, 201, made.text);
    const { challenge } = aPkcePair();
    for (const redirect_uri of ['http://127.0.0.1:49152/cb', 'http://localhost:49153/cb', 'com.example.app:/cb']) {
      const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
      const seen = await signIn(server, { client_id: 'native', redirect_uri, ...pkce });
      assert(atConsent(seen), `${redirect_uri}: ${seen.text}`);
    }
  });

  it('a value beside it takes precedence, and can be changed later', async () => {
    const body = { preset: 'web', client_id: 'mixed', redirect_uris: [CALLBACK], require_pkce: false };
    assert.equal((await owner.ask('POST', API, body)).json.require_pkce, false);
    const changed = await owner.ask('PATCH', `${API}/mixed`, { userinfo_claims: 'documented' });
    assert.deepEqual([changed.status, changed.json.userinfo_claims], [200, 'documented']);
    assert.equal(changed.json.require_client_authentication, true);
  });

  it('refuses an unknown one and what cannot be, each by its place', async () => {
    for (const [body, pointer] of [
      [{ preset: 'website' }, '/preset'],
      [{ preset: 'web', token_endpoint_auth_method: 'none' }, '/require_client_authentication'],
    ] as const) {
      const refused = await withStatus(400, owner.ask('POST', API, body));
      assert.deepEqual(
        refused.json.errors.map((error: { pointer: string }) => error.pointer),
        [pointer],
      );
    }
  });

  it('is for new clients: a change refuses it', async () => {
    await owner.ask('POST', API, { client_id: 'present', redirect_uris: [CALLBACK] });
    await withStatus(400, owner.ask('PATCH', `${API}/present`, { preset: 'web' }));
    assert.equal((await owner.ask('GET', `${API}/present`)).json.require_pkce, false);
  });

  it('is in the OpenAPI document, for new clients only', async () => {
    const { json } = await get(`${server.base}/api/v1/admin/openapi.json`);
    const schemaOf = (path: string, method: string) =>
      json.paths[path][method].requestBody.content['application/json'].schema.properties;
    assert.deepEqual(schemaOf('/applications/{code}/clients', 'post').preset.enum, presets);
    assert.equal(schemaOf('/applications/{code}/clients/{client_id}', 'patch').preset, undefined);
  });

  it('the console shows a web application without a preset, and for one that does not exist', async () => {
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/new`);
    const unknown = await visitor.go(`${server.base}${CLIENTS}/new?preset=constructor`);
    for (const page of [seen, unknown]) {
      const { fields } = filledForm(page, 'client_id');
      assert.deepEqual(
        [fields.get('userinfo_claims'), fields.get('require_pkce'), fields.get('token_endpoint_auth_method')],
        ['standard', 'true', 'client_secret_basic'],
      );
    }
  });
});
