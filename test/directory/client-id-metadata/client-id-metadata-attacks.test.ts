import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { TOKEN_EXCHANGE } from '../../../src/oauth/token-exchange/rules.ts';
import { explanationOf } from '../../audit/explain/cases/world.ts';
import { CALLBACK, requestUrl } from '../../build/assistant.ts';
import { get, post } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { openDocumentServer } from '../../build/document-server.ts';
import { elsewhere } from '../../build/limits.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import type { Fields } from '../../build/visitor.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const MAX_DOCUMENT_BYTES = 5 * 1024;
const clock = fixedClock();

const documents = suitePart(openDocumentServer);
const server = suiteServer({
  clock,
  env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' },
  shop: { client_id_metadata: 'any' },
});
let path = '';
let paths = 0;
beforeEach(() => {
  path = `/attack-${++paths}`;
});
afterEach(() => clock.advance(1));

const ask = (clientId: string, fields: Fields = {}, headers = elsewhere()) =>
  get(requestUrl(server, clientId, fields), { accept: 'text/html', ...headers });

/** A page, no redirect, no client. */
async function assertRefused(clientId: string, what = clientId): Promise<void> {
  const { status, headers, text } = await ask(clientId);
  assert.deepEqual([status, headers.get('location')], [400, null], what);
  assert.match(text, /invalid_client/, what);
  const token = await post(
    `${server.at()}/token`,
    { grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId },
    { headers: elsewhere() },
  );
  assert.deepEqual([token.status, token.json.error], [401, 'invalid_client'], what);
}

describe('attacks by client ID metadata documents', () => {
  it('a document whose client_id is another address, in whole or by a character', async () => {
    const own = documents.at(path);
    for (const client_id of [
      'https://honest.example/client',
      `${own}/`,
      `${own}?`,
      own.toUpperCase(),
      own.replace('https:', 'HTTPS:'),
      undefined,
      [own],
      { toString: own },
    ]) {
      documents.publish(path, { client_id });
      await assertRefused(own, JSON.stringify(client_id));
      clock.advance(31);
    }
  });

  it('a document that is not JSON, no object, or of another content type', async () => {
    for (const body of ['', 'null', '[]', '"x"', '{', '<html></html>', '{"client_id":1e400}', '\u0000']) {
      documents.answer(path, { headers: JSON_TYPE, body });
      await assertRefused(documents.at(path), JSON.stringify(body));
      clock.advance(31);
    }
    const body = JSON.stringify({ client_id: documents.at(path), redirect_uris: [CALLBACK] });
    for (const type of ['text/html', 'text/plain', 'application/jsonp', 'application/x-json', 'image/png', '']) {
      documents.answer(path, { headers: { 'content-type': type }, body });
      await assertRefused(documents.at(path), type);
      clock.advance(31);
    }
    documents.answer(path, { headers: { 'content-type': 'application/oauth-client+json; charset=utf-8' }, body });
    assert.equal((await ask(documents.at(path))).status, 302);
  });

  it('a document of more than 5 KB, by a byte, and a huge one; one of 5 KB is taken', async () => {
    const id = documents.at(path);
    const ofLength = (bytes: number) => {
      const document = { client_id: id, redirect_uris: [CALLBACK], unknown: '' };
      const unknown = 'x'.repeat(bytes - JSON.stringify(document).length);
      return { headers: JSON_TYPE, body: JSON.stringify({ ...document, unknown }) };
    };
    for (const bytes of [MAX_DOCUMENT_BYTES + 1, 5_000_000]) {
      documents.answer(path, ofLength(bytes));
      await assertRefused(id, `${bytes} bytes`);
      const { difference } = await explanationOf(server, await ask(id));
      assert.match(difference?.text ?? '', /The body is longer than 5120 bytes/);
      clock.advance(31);
    }
    documents.answer(path, ofLength(MAX_DOCUMENT_BYTES));
    assert.equal((await ask(id)).status, 302);
  });

  it('a document that redirects, or answers with another status', async () => {
    const target = documents.publish(`${path}-target`, { client_id: documents.at(path) });
    for (const status of [301, 302, 303, 307, 308]) {
      documents.answer(path, { status, headers: { location: target } });
      await assertRefused(documents.at(path), String(status));
      clock.advance(31);
    }
    assert.equal(documents.count(`${path}-target`), 0);
    for (const status of [201, 204, 404, 500]) {
      documents.answer(path, { status, headers: JSON_TYPE, body: JSON.stringify({ client_id: documents.at(path) }) });
      await assertRefused(documents.at(path), String(status));
      clock.advance(31);
    }
  });

  it('addresses in private networks and of metadata services are not reached', async () => {
    for (const host of ['10.0.0.1', '192.168.1.1', '169.254.169.254', '[::1]', '[fd00::1]', '0.0.0.0']) {
      await assertRefused(`https://${host}/client`);
      const { difference } = await explanationOf(server, await ask(`https://${host}/client`));
      assert.match(difference?.text ?? '', /The address is not public/, host);
    }
  });

  it('an address that is not https with a path in its normal form is not even looked at', async () => {
    const host = new URL(documents.at('/')).host;
    const before = documents.count();
    for (const id of [
      `https://${host}`,
      `https://${host}/`,
      `https://${host}/a/../b`,
      `https://${host}/a/./b`,
      `https://${host}/a/%2e%2e/b`,
      `https://${host}/a/%2E/b`,
      `https://${host}/a#f`,
      `https://${host}/a#`,
      `https://user@${host}/a`,
      `https://user:secret@${host}/a`,
      `https://:@${host}/a`,
      `https:\\\\${host}/a`,
      `https://${host}/a b`,
      `https://${host}/ä`,
      'https://example.com:443/a',
      'https://EXAMPLE.com/a',
      `https://${host}/${'a'.repeat(600)}`,
    ]) {
      await assertRefused(id);
    }
    for (const id of [`http://${host}/a`, `HTTPS://${host}/a`, `ftp://${host}/a`, 'javascript:alert(1)']) {
      assert.equal((await ask(id)).status, 400, id);
    }
    assert.equal(documents.count(), before);
  });

  it('secrets, shared keys, private keys and symmetric methods in a document', async () => {
    for (const fields of [
      { client_secret: 'a secret for everybody' },
      { client_secret_expires_at: 0 },
      { token_endpoint_auth_method: 'client_secret_basic' },
      { token_endpoint_auth_method: 'client_secret_post' },
      { token_endpoint_auth_method: 'client_secret_jwt' },
      { token_endpoint_auth_method: 'tls_client_auth' },
      { token_endpoint_auth_method: ['none'] },
      { token_endpoint_auth_method: 'private_key_jwt' },
      { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } },
      { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://assistant.example/keys' },
    ]) {
      documents.publish(path, fields);
      await assertRefused(documents.at(path), JSON.stringify(fields));
      clock.advance(31);
    }
  });

  it('redirect addresses that run scripts, lead to plain http, or are none', async () => {
    for (const redirect_uris of [
      ['javascript:alert(1)'],
      ['data:text/html,x'],
      [CALLBACK, 'vbscript:x'],
      ['http://assistant.example/cb'],
      ['https://*.example/cb'],
      ['https://assistant.example/cb#x'],
      ['https://user@assistant.example/cb'],
      ['/cb'],
      [],
      CALLBACK,
      [1],
      Array.from({ length: 31 }, (_, each) => `https://a.example/${each}`),
    ]) {
      documents.publish(path, { redirect_uris });
      await assertRefused(documents.at(path), JSON.stringify(redirect_uris));
      clock.advance(31);
    }
  });

  it('names that pages would show wrongly', async () => {
    for (const client_name of ['x'.repeat(101), 'a\nb', 'Shop\u202egnp.exe', '', ['Shop']]) {
      documents.publish(path, { client_name });
      await assertRefused(documents.at(path), JSON.stringify(client_name));
      clock.advance(31);
    }
  });

  it('what only operators set has no effect (mass assignment)', async () => {
    const id = documents.publish(path, {
      require_consent: false,
      require_pkce: false,
      apis: ['https://api.shop.example'],
      grant_types: ['authorization_code', 'client_credentials', 'password', 'implicit', TOKEN_EXCHANGE],
      access_token_format: 'jwt',
      refresh_token_rotation: false,
      origin: undefined,
      secret_hash: 'x',
      backchannel_logout_uri: 'https://victim.example/',
    });
    assert.equal((await ask(id)).status, 302);
    const client = server.services.registry.cachedClient('shop', id);
    assert(client);
    const { require_consent, require_pkce, apis, grant_types, access_token_format, refresh_token_rotation } = client;
    assert.deepEqual(
      { require_consent, require_pkce, apis, grant_types, access_token_format, refresh_token_rotation },
      {
        require_consent: true,
        require_pkce: true,
        apis: undefined,
        grant_types: ['authorization_code'],
        access_token_format: 'opaque',
        refresh_token_rotation: true,
      },
    );
    assert.deepEqual(
      [client.origin, client.secret_hash, client.backchannel_logout_uri],
      ['client_id_metadata', undefined, undefined],
    );
  });

  it('100 parallel requests for one address cause one fetch, and its headers say how long it is used, within limits', async () => {
    const id = documents.publish(path, {}, { 'cache-control': 'no-store' });
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(id)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([302]));
    assert.equal(documents.count(path), 1);
    clock.advance(59);
    await ask(id);
    assert.equal(documents.count(path), 1, 'no-store counts for a minute');
    clock.advance(2);
    await ask(id);
    assert.equal(documents.count(path), 2);
    documents.publish(path, {}, { 'cache-control': 'max-age=31536000' });
    clock.advance(61);
    await ask(id);
    clock.advance(3599);
    await ask(id);
    assert.equal(documents.count(path), 3);
    clock.advance(2);
    await ask(id);
    assert.equal(documents.count(path), 4, 'a year counts for an hour');
    const date = new Date();
    const expires = new Date(date.getTime() + 1_200_000).toUTCString();
    documents.publish(path, {}, { date: date.toUTCString(), expires });
    clock.advance(3601);
    await ask(id);
    clock.advance(1190);
    await ask(id);
    assert.equal(documents.count(path), 5, 'Expires counts where there is no max-age (RFC 9111 section 5.3)');
    documents.publish(path, {}, { expires: '0' });
    clock.advance(20);
    await ask(id);
    clock.advance(61);
    await ask(id);
    assert.equal(documents.count(path), 7, 'what is no date is in the past');
  });

  it('1,000 distinct addresses from one network: few are fetched, the rest is told to wait, nothing is stored', async () => {
    const before = documents.count();
    const network = elsewhere();
    const statuses = new Map<number, number>();
    for (let some = 0; some < 10; some++) {
      const asked = Array.from({ length: 100 }, (_, each) => ask(documents.at(`${path}/${some}-${each}`), {}, network));
      for (const { status, headers } of await Promise.all(asked)) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 429) assert(Number(headers.get('retry-after')) > 0);
      }
    }
    // What was let through may also end at its time limit, before it arrives.
    const fetched = documents.count() - before;
    assert(fetched > 0 && fetched <= 30, `${fetched} fetches`);
    assert.equal(statuses.get(429), 970);
    assert.deepEqual(
      (await server.services.store.clientsOf('shop')).map(({ client_id }) => client_id),
      ['web'],
    );
    const known = documents.publish(`${path}-known`);
    assert.equal((await ask(known)).status, 302, 'another network is not affected');
    assert.equal((await ask(known, {}, network)).status, 302, 'what is known needs no fetch');
  });
});
