import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import { assertRefused, basic, post, redeem } from '../../build/client.ts';
import { filledForm, inConsole, titleOf } from '../../build/console.ts';
import { delivered } from '../../build/delivered.ts';
import { decide, pollFor, requestDevice } from '../../build/device.ts';
import { CALLBACK } from '../../build/fixture.ts';
import { contentOf } from '../../build/in-console.ts';
import { atLogin, logIn } from '../../build/people.ts';
import { type Fields, formWith, signIn } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';
import {
  API,
  aRegisteredClient,
  CLIENTS,
  clock,
  owner,
  secretIn,
  server,
  useConsole,
} from './console-clients-fixture.ts';

useConsole();

const PUSHED = 'require_pushed_authorization_requests';

describe(`${CLIENTS}/{client_id}/settings`, () => {
  it('changes what was changed, and the event names nothing else', async () => {
    await aRegisteredClient('edited', { backchannel_logout_uri: 'https://edited.example/bcl' });
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/edited/settings`);
    const named = await withStatus(200, visitor.send(filledForm(seen, 'client_name'), { client_name: 'Edited' }));
    assert.match(named.text, /role="status"/);
    await visitor.send(filledForm(named, 'backchannel_logout_uri'), { backchannel_logout_uri: '' });
    const form = filledForm(await visitor.go(`${server.base}${CLIENTS}/edited/permissions`), 'require_consent');
    form.fields.delete('grant_types.refresh_token');
    await visitor.send(form, { 'scope.address': 'true' });
    const last = await visitor.go(`${server.base}${CLIENTS}/edited/tokens`);
    await visitor.send(filledForm(last, 'dpop_bound_access_tokens'), { dpop_bound_access_tokens: 'true' });
    const client = (await owner.ask('GET', `${API}/edited`)).json;
    assert.equal(client.client_name, 'Edited');
    assert.deepEqual(client.grant_types, ['authorization_code']);
    assert.equal(client.scope, 'openid profile email phone address');
    assert.deepEqual([client.backchannel_logout_uri, client.dpop_bound_access_tokens], [undefined, true]);
    assert.deepEqual(client.redirect_uris, [CALLBACK]);
    const { items } = (await owner.ask('GET', '/events?type=client.updated&client=edited')).json;
    const fields = items.map(({ details }: { details: { fields: string[] } }) => details.fields.sort());
    assert.deepEqual(fields, [
      ['dpop_bound_access_tokens'],
      ['grant_types', 'scope'],
      ['backchannel_logout_uri'],
      ['client_name'],
    ]);
  });

  it('a section that is saved leaves the others as they are, and an unknown one changes nothing', async () => {
    await aRegisteredClient('apart', { require_pkce: true, refresh_token_rotation: false });
    const before = (await owner.ask('GET', `${API}/apart`)).json;
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/apart/settings`);
    for (const [tab, control] of [
      ['settings', 'client_name'],
      ['settings', 'redirect_uris'],
      ['permissions', 'require_consent'],
      ['authentication', 'require_pkce'],
      ['tokens', 'access_token_format'],
    ] as const) {
      const page = await visitor.go(`${server.base}${CLIENTS}/apart/${tab}`);
      const saved = await visitor.send(filledForm(page, control));
      assert.equal(saved.url, `${server.base}${CLIENTS}/apart/${tab}?done=saved`, saved.text);
    }
    assert.deepEqual((await owner.ask('GET', `${API}/apart`)).json, before);
    const form = filledForm(seen, 'client_name');
    assert.equal((await visitor.send(form, { section: 'constructor', client_name: 'Other' })).status, 400);
    assert.equal((await visitor.send(form, { section: 'tokens', client_name: 'Other' })).status, 400);
    assert.deepEqual((await owner.ask('GET', `${API}/apart`)).json, before);
  });

  it('a fault of another section is told above the one that was saved, by the name of its field', async () => {
    await aRegisteredClient('own-scheme', {
      token_endpoint_auth_method: 'none',
      redirect_uris: ['com.example.app:/cb'],
    });
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/own-scheme/authentication`);
    const form = filledForm(seen, 'token_endpoint_auth_method');
    const faulty = await visitor.send(form, {
      require_client_authentication: 'true',
      token_endpoint_auth_method: 'client_secret_basic',
    });
    assert.equal(faulty.status, 400);
    assert.match(faulty.text, /role="alert"[^>]*>Redirect URIs: only a client with token_endpoint_auth_method none/);
  });

  it('require_pushed_authorization_requests: ticked, the client must push its requests; unticked, it need not (RFC 9126 section 6)', async () => {
    const secret = await aRegisteredClient('pushing');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/pushing/authentication`);
    const inBrowser = async (over: Fields = {}) =>
      delivered(await signIn(server, { client_id: 'pushing', ...over })).fields;
    const form = filledForm(seen, 'require_pkce');
    assert(!form.fields.has(PUSHED), 'not ticked');
    const saved = await withStatus(200, visitor.send(form, { [PUSHED]: 'true' }));
    assert.equal((await inBrowser()).error, 'invalid_request');
    const request = { response_type: 'code', redirect_uri: CALLBACK };
    const { request_uri } = (await post(`${server.at()}/par`, request, { auth: basic('pushing', secret) })).json;
    assert((await inBrowser({ request_uri })).code);

    const ticked = filledForm(saved, 'require_pkce');
    assert.equal(ticked.fields.get(PUSHED), 'true');
    ticked.fields.delete(PUSHED);
    assert.equal((await visitor.send(ticked)).status, 200);
    assert((await inBrowser()).code);
  });

  it('the grant of devices: ticked, the client gets device codes; unticked, it gets none (RFC 8628)', async () => {
    const auth = basic('box', await aRegisteredClient('box'));
    const requested = () => requestDevice(server, { client_id: 'box' }, { auth });
    assertRefused(await requested(), 400, 'unauthorized_client');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/box/permissions`);
    const saved = await visitor.send(filledForm(seen, 'require_consent'), { [`grant_types.${DEVICE_GRANT}`]: 'true' });
    assert.equal(saved.status, 200, saved.text);
    const { grant_types } = (await owner.ask('GET', `${API}/box`)).json;
    assert.deepEqual(grant_types, ['authorization_code', 'refresh_token', DEVICE_GRANT]);
    const device = (await requested()).json;
    await decide(server, device.user_code, 'allow');
    assert.equal((await pollFor(server, device, { client_id: 'box' }, { auth })).status, 200);

    const ticked = filledForm(saved, 'require_consent');
    assert.equal(ticked.fields.get(`grant_types.${DEVICE_GRANT}`), 'true');
    ticked.fields.delete(`grant_types.${DEVICE_GRANT}`);
    assert.equal((await visitor.send(ticked)).status, 200);
    assertRefused(await requested(), 400, 'unauthorized_client');
  });

  it('tells the second of two operators that the first has changed the same client', async () => {
    await aRegisteredClient('twice');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/twice/settings`);
    await owner.ask('PATCH', `${API}/twice`, { redirect_uris: ['https://twice.example/new'] });
    const second = await withStatus(400, visitor.send(filledForm(seen, 'client_name'), { client_name: 'Mine' }));
    assert.match(second.text, /Someone has changed this/);
    assert(second.text.includes('value="Mine"'));
    assert.deepEqual((await owner.ask('GET', `${API}/twice`)).json.redirect_uris, ['https://twice.example/new']);
    assert.equal(titleOf(await visitor.send(filledForm(second, 'client_name'))), 'Mine');
    const { redirect_uris } = (await owner.ask('GET', `${API}/twice`)).json;
    assert.deepEqual(redirect_uris, ['https://twice.example/new'], 'the change of the first stays');
  });

  it('tells faults beside their fields', async () => {
    await aRegisteredClient('faulty');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/faulty/permissions`);
    const form = filledForm(seen, 'require_consent');
    for (const name of [...form.fields.keys()]) if (name.startsWith('scope.')) form.fields.delete(name);
    const tokens = filledForm(await visitor.go(`${server.base}${CLIENTS}/faulty/tokens`), 'refresh_token_grace');
    for (const [name, sent] of [
      ['scope', await visitor.send(form)],
      ['refresh_token_grace', await visitor.send(tokens, { refresh_token_grace: '500' })],
    ] as const) {
      assert.equal(sent.status, 400, name);
      assert(sent.text.includes(`id="${name}-fault"`), name);
    }
  });

  it('deletes only what was named, and only after a recent authentication', async () => {
    await aRegisteredClient('gone');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/gone/settings`);
    const wrong = await withStatus(400, visitor.send(formWith(seen, 'confirm'), { confirm: 'other' }));
    assert(wrong.text.includes('id="confirm-fault"'));
    clock.advance(6 * 60);
    const asked = await visitor.send(formWith(wrong, 'confirm'), { confirm: 'gone' });
    assert(atLogin(asked));
    const again = await logIn(visitor, asked);
    assert.equal((await owner.ask('GET', `${API}/gone`)).status, 200);
    const done = await visitor.send(formWith(again, 'confirm'));
    assert.equal(done.url, `${server.base}/console/applications/shop?done=deleted`);
    assert.equal((await owner.ask('GET', `${API}/gone`)).status, 404);
  });

  it('shows an auditor the values without a way to change them, and refuses the forms', async () => {
    await aRegisteredClient('watched');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/watched/settings`, 'bob');
    assert.match(seen.text, /value="Client watched"/);
    assert.doesNotMatch(contentOf(seen), /<button type="submit"/);
    await withStatus(403, visitor.send(filledForm(seen, 'client_name'), { client_name: 'By Bob' }));
    const deleted = await visitor.send(
      { action: seen.url, fields: new URLSearchParams({ action: 'delete' }) },
      { confirm: 'watched' },
    );
    assert.equal(deleted.status, 403);
  });
});

describe(`${CLIENTS}/{client_id}/secrets`, () => {
  const statusWith = async (clientId: string, secret: string) => {
    const { location } = await signIn(server, { client_id: clientId });
    const code = new URL(location ?? '').searchParams.get('code') ?? '';
    return (await redeem(server, code, {}, { auth: basic(clientId, secret) })).status;
  };

  it('makes a new secret, shown once, while the former one stays valid for the time chosen; and ends that one', async () => {
    const first = await aRegisteredClient('rolling');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/rolling/secrets`);
    const made = await visitor.send(filledForm(seen, 'previous_valid_for'), { previous_valid_for: '3600' });
    assert.equal(made.status, 200, made.text);
    const second = secretIn(made);
    assert(second);
    const configurations = made.text.match(/<details name="library">[\s\S]*?<\/details>/g) ?? [];
    assert(configurations.length > 3);
    for (const each of configurations) assert(!each.includes('replace-this-secret'), each);
    assert(
      configurations.some(each => each.includes(second)),
      'a configuration has the new secret',
    );
    assert.deepEqual([await statusWith('rolling', first), await statusWith('rolling', second)], [200, 200]);
    const listed = await visitor.go(`${server.base}${CLIENTS}/rolling/secrets`);
    assert(!listed.text.includes(second));
    const id = /\?end=(sec_\w+)/.exec(listed.text)?.[1];
    assert(id);
    const asked = await visitor.go(`${server.base}${CLIENTS}/rolling/secrets?end=${id}`);
    const wrong = await withStatus(400, visitor.send(formWith(asked, 'confirm'), { confirm: 'else' }));
    const ended = await withStatus(200, visitor.send(formWith(wrong, 'confirm'), { confirm: 'rolling' }));
    assert(!ended.text.includes(id));
    assert.deepEqual([await statusWith('rolling', first), await statusWith('rolling', second)], [401, 200]);
  });

  it('asks for a recent authentication before it makes a secret, which gives access', async () => {
    await aRegisteredClient('guarded');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/guarded/secrets`);
    clock.advance(6 * 60);
    assert(atLogin(await visitor.send(filledForm(seen, 'previous_valid_for'))));
  });

  it('tells why no further secret can be made, and that a public client has none', async () => {
    await aRegisteredClient('full');
    for (let count = 0; count < 5; count++) {
      await owner.ask('POST', `${API}/full/secrets`, { previous_valid_for: 3600 });
    }
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/full/secrets`);
    const refused = await visitor.send(filledForm(seen, 'previous_valid_for'), { previous_valid_for: '3600' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /At most 5 former secrets/);
    await aRegisteredClient('spa', { token_endpoint_auth_method: 'none' });
    const spa = await visitor.go(`${server.base}${CLIENTS}/spa/secrets`);
    assert.match(spa.text, /A public client has no secret/);
    assert.doesNotMatch(spa.text, /name="previous_valid_for"/);
  });

  it('refuses an auditor', async () => {
    await aRegisteredClient('kept');
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/kept/secrets`, 'bob');
    assert.doesNotMatch(seen.text, /name="previous_valid_for"/);
    const form = { action: seen.url, fields: new URLSearchParams({ action: 'create', previous_valid_for: '0' }) };
    assert.equal((await visitor.send(form)).status, 403);
  });
});
