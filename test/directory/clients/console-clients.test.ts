import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { libraries } from '../../../src/directory/clients/connect-libraries.console.ts';
import { basic, redeem } from '../../build/client.ts';
import { filledForm, inConsole, titleOf } from '../../build/console.ts';
import { fields } from '../../build/fields.ts';
import { CALLBACK } from '../../build/fixture.ts';
import { formWith, type Seen, signIn } from '../../build/visitor.ts';
import { blocksOf, pageNames, readPage } from '../../clients/pages/page.ts';
import { API, aRegisteredClient, CLIENTS, owner, secretIn, server, useConsole } from './console-clients-fixture.ts';

useConsole();

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
      client_id: 'fresh',
      client_name: 'Fresh',
      redirect_uris: `${CALLBACK}\r\nhttps://fresh.example/b`,
    };
    const made = await visitor.send(filledForm(seen, 'client_id'), values);
    assert.equal(made.status, 201, made.text);
    assert.equal(titleOf(made), 'Fresh is registered');
    const secret = secretIn(made);
    assert(secret);
    const registered = (await owner.ask('GET', `${API}/fresh`)).json;
    assert.deepEqual(registered.redirect_uris, [CALLBACK, 'https://fresh.example/b']);
    assert.deepEqual(registered.grant_types, ['authorization_code', 'refresh_token']);
    assert.equal(registered.scope, 'openid profile email phone');
    const { location } = await signIn(server, { client_id: 'fresh' });
    const code = new URL(location ?? '').searchParams.get('code') ?? '';
    assert.equal((await redeem(server, code, {}, { auth: basic('fresh', secret) })).status, 200);
    for (const tab of ['', '/settings', '/secrets', '/try']) {
      assert(!(await visitor.go(`${server.base}${CLIENTS}/fresh${tab}`)).text.includes(secret), tab);
    }
  });

  it('makes what the admin API makes where nothing but a name is said', async () => {
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/new`);
    await visitor.send(filledForm(seen, 'client_id'), { client_id: 'by-form', client_name: 'Same' });
    const byForm = (await owner.ask('GET', `${API}/by-form`)).json;
    const byApi = (await owner.ask('POST', API, { client_id: 'by-api', client_name: 'Same' })).json;
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
  const unescaped = (text: string) =>
    text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '');
  const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  const blocksIn = ({ text }: Seen) =>
    [...text.matchAll(/<pre[^>]*>([^<]*)<\/pre>/g)].map(([, each = '']) => unescaped(each));

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
    const names: Record<string, string> = {
      grafana: 'shop-web',
      kubernetes: 'shop-spa',
      'shop-mcp': 'shop-spa',
      'shop-tv': 'shop-spa',
      'shop-api': 'shop-web',
    };
    for (const { page, clientId, isPublic, grant } of libraries) {
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
              (_, before) => `${typeof before === 'string' ? before : ''}${names[clientId] ?? clientId}`,
            ),
        ),
        page,
      );
    }
  });

  it('fills in the issuer, the client_id and the address of this client', async () => {
    await aRegisteredClient('till', { redirect_uris: ['https://till.example/callback'] });
    const { seen } = await inConsole(server, `${CLIENTS}/till?library=openid-client`);
    const [block = ''] = blocksIn(seen);
    assert(block.includes(`new URL('${server.base}/api/v1/authorize/shop/oauth2')`), block);
    assert(block.includes("'till'") && block.includes("const origin = 'https://till.example'"));
    assert.doesNotMatch(block, /shop-web|localhost:[34]000/);
    assert.match(block, /replace-this-secret/);
    assert.doesNotMatch(seen.text, /has not registered/);
  });

  it('adds the redirect URI of a library with one click, for an operator', async () => {
    await aRegisteredClient('proxied', { redirect_uris: ['https://proxied.example/'] });
    const { visitor, seen } = await inConsole(server, `${CLIENTS}/proxied?library=oauth2-proxy`);
    assert.match(
      seen.text,
      /https:\/\/proxied\.example\/oauth2\/callback<\/code>, which the client has not registered/,
    );
    const added = await visitor.send(formWith(seen, 'library'));
    assert.equal(added.status, 200);
    assert.doesNotMatch(added.text, /has not registered/);
    const { redirect_uris } = (await owner.ask('GET', `${API}/proxied`)).json;
    assert.deepEqual(redirect_uris, ['https://proxied.example/', 'https://proxied.example/oauth2/callback']);
    const auditor = await inConsole(server, `${CLIENTS}/proxied?library=next-auth`, 'bob');
    assert.doesNotMatch(auditor.seen.text, /Add this redirect URI/);
    const form = { action: auditor.seen.url, fields: new URLSearchParams({ library: 'next-auth' }) };
    assert.equal((await auditor.visitor.send(form)).status, 403);
  });

  it('attack: puts no client_id into a configuration that could end the string it stands in', async () => {
    await aRegisteredClient("x');evil('");
    const { seen } = await inConsole(server, `${CLIENTS}/${encodeURIComponent("x');evil('")}?library=openid-client`);
    assert(!blocksIn(seen).join().includes('evil'));
    assert.match(seen.text, /needs? quoting/);
  });
});
