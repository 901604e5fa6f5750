import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CALLBACK, PUBLIC, WITH_VERIFIER } from '../../build/assistant.ts';
import { basic, get, introspect, isActive, redeem } from '../../build/client.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { query } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';
import { assertRefusal, registrationOfFile } from './registration-fixture.ts';

const at = await registrationOfFile();

describe('a registered client manages itself (RFC 7592)', () => {
  it('reads and replaces its metadata: what is left out gets its default', async () => {
    const json = await at.registered({ ...PUBLIC, scope: 'openid', default_max_age: 60 });
    const { registration_client_uri: uri, registration_access_token: token, ...own } = json;
    const read = await at.manage(uri, token);
    assert.deepEqual([read.status, read.json], [200, json]);
    const changed = { client_id: own.client_id, ...PUBLIC, client_name: 'Renamed', redirect_uris: [`${CALLBACK}2`] };
    const replaced = await withStatus(200, at.manage(uri, token, 'PUT', changed));
    const { client_name, redirect_uris, default_max_age, client_id, client_id_issued_at } = replaced.json;
    assert.deepEqual(
      { client_name, redirect_uris, default_max_age, client_id, client_id_issued_at },
      {
        ...{ client_name: 'Renamed', redirect_uris: [`${CALLBACK}2`], default_max_age: undefined },
        ...{ client_id: own.client_id, client_id_issued_at: own.client_id_issued_at },
      },
    );
    const request = { client_id, response_type: 'code', redirect_uri: CALLBACK };
    assert.equal((await get(`${at.server.at()}/auth?${query(request)}`)).status, 400, 'the former address is gone');
    const [event] = await at.server.services.store.listEvents(
      { types: ['client.updated'] },
      { after: undefined, limit: 1 },
    );
    assert.deepEqual([event?.actor, event?.clientId], [{ kind: 'client', id: client_id }, client_id]);
  });

  it('cannot become another client, nor change how it authenticates', async () => {
    const json = await at.registered({ redirect_uris: [CALLBACK] });
    const { registration_client_uri: uri, registration_access_token: token, client_id, client_secret } = json;
    const put = (fields: object) => at.manage(uri, token, 'PUT', { client_id, redirect_uris: [CALLBACK], ...fields });
    for (const fields of [
      { client_id: 'web' },
      { client_id: undefined },
      { client_secret: 'another-secret-1' },
      { token_endpoint_auth_method: 'none' },
    ]) {
      assertRefusal(await put(fields), 'invalid_client_metadata', JSON.stringify(fields));
    }
    assertRefusal(await put({ redirect_uris: ['javascript:1'] }), 'invalid_redirect_uri');
    assert.equal((await put({ client_secret })).status, 200);
    const auth = basic(client_id, client_secret);
    assert.equal((await introspect(at.server, { token: 'x' }, { auth })).status, 200, 'the secret stays');
  });

  it('deletes itself, with its tokens', async () => {
    const { client_id, ...json } = await at.registered({
      ...PUBLIC,
      grant_types: ['authorization_code', 'refresh_token'],
    });
    const set = (await redeem(at.server, await at.codeFor(client_id), { client_id, ...WITH_VERIFIER }, {})).json;
    await withStatus(204, at.manage(json.registration_client_uri, json.registration_access_token, 'DELETE'));
    assert.equal(await isActive(at.server, set.access_token), false);
    assert.equal((await at.manage(json.registration_client_uri, json.registration_access_token)).status, 401);
  });

  it('attack: tokens of other clients, of other applications, of operators, initial access tokens and none', async () => {
    const mine = await at.registered();
    const other = await at.registered();
    const elsewhereApp = await at.registered(PUBLIC, { app: 'other' });
    const web = `${at.server.at()}/register/web`;
    const owner = await anOperatorClient(at.server);
    const made = await owner.ask('POST', '/applications/partners/initial_access_tokens', { name: 'partner' });
    const { initial_access_token: initial } = made.json;
    const partner = await at.registered(PUBLIC, { app: 'partners', token: initial });
    for (const [uri, token] of [
      [other.registration_client_uri, mine.registration_access_token],
      [mine.registration_client_uri, undefined],
      [mine.registration_client_uri, 'x'],
      [mine.registration_client_uri, `${mine.registration_access_token}x`],
      [mine.registration_client_uri.replace('/shop/', '/other/'), mine.registration_access_token],
      [elsewhereApp.registration_client_uri.replace('/other/', '/shop/'), elsewhereApp.registration_access_token],
      [web, mine.registration_access_token],
      [partner.registration_client_uri, initial],
      [mine.registration_client_uri, initial],
      [mine.registration_client_uri, owner.key],
    ] as const) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const body = method === 'PUT' ? { ...PUBLIC, client_id: uri.split('/').at(-1) } : undefined;
        const { status, json } = await at.manage(uri, token, method, body);
        assert.deepEqual([status, json.error], [401, 'invalid_token'], `${method} ${uri}`);
      }
    }
    const own = { app: 'partners', token: partner.registration_access_token };
    assert.equal((await at.register(PUBLIC, own)).status, 401, 'nor does its own token register another client');
    for (const { registration_client_uri: uri, registration_access_token: token } of [mine, other, partner]) {
      assert.equal((await at.manage(uri, token)).status, 200, 'nothing was deleted');
    }
    assert(await at.server.services.store.findClient('shop', 'web'));
  });
});
