import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exampleClient, libraries } from '../../../src/directory/clients/connect-libraries.console.ts';
import { aPkcePair, basic, redeem } from '../../build/client.ts';
import { filledForm, inConsole, titleOf } from '../../build/console.ts';
import { fields } from '../../build/fields.ts';
import { CALLBACK } from '../../build/fixture.ts';
import { formWith, type Seen, signIn } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';
import { blocksOf, pageNames, readPage } from '../../clients/pages/page.ts';
import { API, aRegisteredClient, CLIENTS, owner, secretIn, server, useConsole } from './console-clients-fixture.ts';

useConsole();

const { verifier, challenge } = aPkcePair();
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const unescaped = (text: string) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '');
const blocksIn = ({ text }: Seen) =>
  [...text.matchAll(/<pre[^>]*>([^<]*)<\/pre>/g)].map(([, each = '']) => unescaped(each));

describe(`${CLIENTS}/new`, () => {
  it('has every field of the contract, each with its meaning', async () => {
    const { seen } = await inConsole(server, `${CLIENTS}/new`);
    for (const name of Object.keys(fields.client.shape)) {
      assert(new RegExp(`name="${name}["\\.]`).test(seen.text), `${name} is in the form`);
      assert(seen.text.includes(`id="${name}-hint"`), `${name} has its meaning`);
    }
  });

  it('registers a client and shows its secret once, in the answer to the form', async () => {
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/new`);
    const values = {
      library: 'openid-client',
      client_id: 'fresh',
      client_name: 'Fresh',
      redirect_uris: `${CALLBACK}\r\nhttps://fresh.example/b`,
    };
    const made = await withStatus(201, visitor.send(filledForm(seen, 'client_id'), values));
    assert.equal(titleOf(made), 'Fresh is registered');
    const secret = secretIn(made);
    assert(secret);
    const registered = (await owner.ask('GET', `${API}/fresh`)).json;
    assert.deepEqual(registered.redirect_uris, [CALLBACK, 'https://fresh.example/b']);
    assert.deepEqual(registered.grant_types, ['authorization_code', 'refresh_token']);
    assert.equal(registered.scope, 'openid profile email phone');
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const { location } = await signIn(server, { client_id: 'fresh', ...pkce });
    const code = new URL(location ?? '').searchParams.get('code') ?? '';
    const sent = { code_verifier: verifier };
    assert.equal((await redeem(server, code, sent, { auth: basic('fresh', secret) })).status, 200);
    for (const tab of ['', '/settings', '/authentication', '/secrets', '/try']) {
      assert(!(await visitor.go(`${server.base}${CLIENTS}/fresh${tab}`)).text.includes(secret), tab);
    }
  });

  it('fills the secret into the configuration of the library that was chosen, and of every other', async () => {
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/new`);
    const values = { library: 'express-openid-connect', client_id: 'filled', client_name: 'Filled' };
    const made = await visitor.send(filledForm(seen, 'client_id'), values);
    const secret = secretIn(made) ?? assert.fail('no secret');
    assert.match(made.text, /<h2>Configuration for Express<\/h2>/);
    const [block = ''] = blocksIn(made);
    assert(block.includes(secret) && block.includes('filled') && !made.text.includes('replace-this-secret'), block);
    // Where nothing else was said, it comes back to where the library runs on the developer's machine.
    const client = (await owner.ask('GET', `${API}/filled`)).json;
    assert.deepEqual(
      [client.redirect_uris, client.post_logout_redirect_uris],
      [['http://localhost:4000/callback'], ['http://localhost:4000']],
    );
    assert.doesNotMatch(
      (await visitor.go(`${server.base}${CLIENTS}/filled?library=${values.library}`)).text,
      /is not registered for this client/,
    );
  });

  it('asks a client of each kind for three things at most, and folds the rest', async () => {
    const { visitor } = await inConsole(server, `${CLIENTS}/new`);
    for (const [preset, asked] of [
      ['web', ['client_name', 'redirect_uris', 'library']],
      ['spa', ['client_name', 'redirect_uris', 'library']],
      ['native', ['client_name', 'redirect_uris', 'library']],
      ['machine', ['client_name', 'scope', 'library']],
      ['device', ['client_name', 'scope', 'library']],
    ] as const) {
      const { text } = await visitor.go(`${server.base}${CLIENTS}/new?preset=${preset}`);
      const [details = '', folded = ''] = text.split('<details class="more">');
      for (const name of asked) assert.match(details, new RegExp(`name="${name}["\\.]`), `${preset}: ${name}`);
      assert.doesNotMatch(details, /name="(client_id|require_pkce|jwks)"/, preset);
      assert.match(folded, /name="require_pkce"/, preset);
    }
  });

  it('a mobile application gets the configurations of mobile libraries first, with its own scheme', async () => {
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/new?preset=native`);
    const values = { library: 'appauth-ios', client_id: 'phone', redirect_uris: 'org.till.app:/back' };
    const made = await withStatus(201, visitor.send(filledForm(seen, 'client_id'), values));
    const [block = ''] = blocksIn(made);
    assert(block.includes('URL(string: "org.till.app:/back")') && block.includes('clientId: "phone"'), block);
    assert.doesNotMatch(block, /com\.example\.shop/);
    const connect = await visitor.go(`${server.base}${CLIENTS}/phone`);
    assert.match(connect.text, /\?library=appauth-android" aria-current="page"/);
    assert.match(
      connect.text,
      /manifestPlaceholders\[&quot;appAuthRedirectScheme&quot;\] = &quot;org\.till\.app&quot;/,
    );
    assert.deepEqual((await owner.ask('GET', `${API}/phone`)).json.post_logout_redirect_uris, [
      'org.till.app:/signed-out',
    ]);
  });

  it('makes what the admin API makes of the preset where nothing but a name is said', async () => {
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/new`);
    await visitor.send(filledForm(seen, 'client_id'), { client_id: 'by-form', client_name: 'Same' });
    const byForm = (await owner.ask('GET', `${API}/by-form`)).json;
    const byApi = (await owner.ask('POST', API, { preset: 'web', client_id: 'by-api', client_name: 'Same' })).json;
    const { client_secret: _, ...expected } = byApi;
    assert.deepEqual({ ...byForm, client_id: 'by-api' }, expected);
  });

  it('tells every fault beside its field, and keeps what was typed', async () => {
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/new`);
    const faulty = await visitor.send(filledForm(seen, 'client_id'), {
      client_id: 'has:colon',
      redirect_uris: 'http://shop.example/cb',
      refresh_token_grace: 'long',
      client_secret: 'short',
    });
    assert.equal(faulty.status, 400);
    for (const name of ['client_id', 'redirect_uris', 'refresh_token_grace', 'client_secret']) {
      assert(faulty.text.includes(`id="${name}-fault"`), name);
    }
    assert(faulty.text.includes('>http://shop.example/cb</textarea>'));
    assert(faulty.text.includes('value="long"'));
    assert(!faulty.text.includes('value="short"'), 'a secret is not sent back');
  });

  it('is 404 for an application that is not there, and refuses an auditor', async () => {
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/new`, 'bob');
    assert.equal((await visitor.send(filledForm(seen, 'client_id'), { client_id: 'by-bob' })).status, 403);
    assert.equal((await owner.ask('GET', `${API}/by-bob`)).status, 404);
    assert.equal((await visitor.go(`${server.base}/console/applications/nowhere/clients/new`)).status, 404);
  });
});

describe(`${CLIENTS}/{client_id}: Connect`, () => {
  it('offers every page of docs/clients but the one for clients that nobody registers', () => {
    assert.deepEqual([...libraries.map(({ page }) => page), 'mcp'].sort(), pageNames);
  });

  it('shows the blocks of each page as its tests run them, with the addresses of this server', async () => {
    await aRegisteredClient('shop-web', { redirect_uris: ['http://localhost:4000/callback'] });
    await aRegisteredClient('shop-spa', {
      redirect_uris: ['http://localhost:4000/'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    });
    await aRegisteredClient('shop-worker', { redirect_uris: [], grant_types: ['client_credentials'] });
    const { visitor } = await inConsole(server, `${CLIENTS}/shop-web`);
    for (const library of libraries) {
      const { page, isPublic, grant } = library;
      const clientId = exampleClient(library);
      const registered = grant === 'client_credentials' ? 'shop-worker' : isPublic ? 'shop-spa' : 'shop-web';
      const seen = await visitor.go(`${server.base}${CLIENTS}/${registered}?library=${page}`);
      const [setting = ''] = readPage(page).split('## What to expect');
      const expected = blocksOf(setting)
        .slice(1)
        .map(({ text }) => text);
      const back = blocksIn(seen).map(text =>
        text.replaceAll(`${server.base}/api/v1/authorize/shop/`, 'ISSUER/').replaceAll(server.base, 'SERVER'),
      );
      assert.deepEqual(
        back,
        expected.map(text =>
          text
            .replaceAll(/(http:\/\/localhost:3000|https:\/\/id.example.com)\/api\/v1\/authorize\/\w+\//g, 'ISSUER/')
            .replaceAll('http://localhost:3000', 'SERVER')
            .replaceAll(
              clientId === 'grafana' || clientId === 'kubernetes'
                ? new RegExp(`(client[_-]id ?= ?)${clientId}`, 'g')
                : clientId,
              (_, before) => `${typeof before === 'string' ? before : ''}${registered}`,
            ),
        ),
        page,
      );
    }
  });

  it('fills in the issuer, the client_id and the address of this client', async () => {
    await aRegisteredClient('till', {
      redirect_uris: ['https://till.example/callback'],
      post_logout_redirect_uris: ['https://till.example/'],
    });
    const { seen } = await inConsole(server, `${CLIENTS}/till?library=openid-client`);
    const [block = ''] = blocksIn(seen);
    assert(block.includes(`new URL('${server.base}/api/v1/authorize/shop/oauth2')`), block);
    assert(block.includes("'till'") && block.includes("const origin = 'https://till.example'"));
    assert.doesNotMatch(block, /shop-|localhost:[34]000/);
    assert.match(block, /replace-this-secret/);
    assert.doesNotMatch(seen.text, /is not registered for this client/);
  });

  it('adds the redirect URI of a library with one click, for an operator', async () => {
    await aRegisteredClient('proxied', { redirect_uris: ['https://proxied.example/'] });
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/proxied?library=oauth2-proxy`);
    assert.match(
      seen.text,
      /https:\/\/proxied\.example\/oauth2\/callback<\/code>, which is not registered for this client/,
    );
    const added = await withStatus(200, visitor.send(formWith(seen, 'library')));
    assert.doesNotMatch(added.text, /is not registered for this client/);
    const { redirect_uris } = (await owner.ask('GET', `${API}/proxied`)).json;
    assert.deepEqual(redirect_uris, ['https://proxied.example/', 'https://proxied.example/oauth2/callback']);
    const auditor = await inConsole(server, `${CLIENTS}/proxied?library=next-auth`, 'bob');
    assert.doesNotMatch(auditor.seen.text, /Add this redirect URI/);
    const form = { action: auditor.seen.url, fields: new URLSearchParams({ library: 'next-auth' }) };
    assert.equal((await auditor.visitor.send(form)).status, 403);
  });

  it('says that the address after sign-out is missing, and adds both with one click', async () => {
    await aRegisteredClient('leaving', { redirect_uris: ['https://leaving.example/callback'] });
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/leaving?library=flask-authlib`);
    assert.match(seen.text, /After sign-out it redirects to <code>https:\/\/leaving\.example\/<\/code>/);
    assert.match(seen.text, /Add this address/);
    await visitor.send(formWith(seen, 'library'));
    const one = (await owner.ask('GET', `${API}/leaving`)).json;
    assert.deepEqual(one.post_logout_redirect_uris, ['https://leaving.example/']);
    await aRegisteredClient('bare', { redirect_uris: [] });
    const bare = await visitor.go(`${server.base}${CLIENTS}/bare?library=flask-authlib`);
    assert.match(bare.text, /Add both addresses/);
    assert.doesNotMatch((await visitor.send(formWith(bare, 'library'))).text, /is not registered for this client/);
  });

  it('attack: puts no client_id into a configuration that could end the string it stands in', async () => {
    await aRegisteredClient("x');evil('");
    const { seen } = await inConsole(server, `${CLIENTS}/${encodeURIComponent("x');evil('")}?library=openid-client`);
    assert(!blocksIn(seen).join().includes('evil'));
    assert.match(seen.text, /must be quoted/);
  });
});
