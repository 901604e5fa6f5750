import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { redeem } from '../../build/client.ts';
import { assertPage, delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aPublicClient, CALLBACK } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, signIn, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const LOOPBACK = 'http://127.0.0.1/native/cb';
const LOOPBACK_V6 = 'http://[::1]:8080/native/cb';
const LOCALHOST = 'http://localhost:4000/cb';
const PRIVATE = 'com.example.app:/cb';

/** Signed in: whatever slips through would cost a code. */
let alice: Visitor;

const native = aClient({ client_id: 'native', redirect_uris: [LOOPBACK, LOOPBACK_V6, LOCALHOST] });
const phone = aPublicClient({ client_id: 'phone', redirect_uris: [PRIVATE] });
const server = suiteServer(
  {
    applications: [
      anApplication({ clients: [aClient(), native, phone] }),
      anApplication({ code: 'bank', name: 'Bank', clients: [aClient({ client_id: 'teller' })] }),
    ],
  },
  async () => {
    alice = new Visitor(server.base);
    assert.match((await signIn(server, {}, { visitor: alice })).location ?? '', /[?&]code=/);
  },
);

async function byGetAndPost(fields: Fields, more = ''): Promise<void> {
  const url = authorizationUrl(server, fields) + more;
  const [address = '', body = ''] = url.split(/\?(.*)/s);
  assertPage(await alice.go(url));
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  assertPage(await alice.go(address, { method: 'POST', body, headers }));
  assertPage(await new Visitor(server.base).go(url));
}

describe('an authorization request that cannot be trusted ends on a page, never in a redirect (row 11)', () => {
  const cases: readonly (readonly [string, Fields, string?])[] = [
    ['client_id missing', { client_id: undefined }],
    ['client_id empty', { client_id: '' }],
    ['client_id unknown', { client_id: 'nobody' }],
    ['client_id in another case', { client_id: 'WEB' }],
    ['client_id with a space behind it', { client_id: 'web ' }],
    ['client_id that names a property of every object', { client_id: '__proto__' }],
    ['client_id of another application', { client_id: 'teller' }],
    ['client_id twice', {}, '&client_id=nobody'],
    ['client_id twice, both good', {}, '&client_id=web'],
    ['client_id with a broken encoding', { client_id: undefined }, '&client_id=web%'],
    ['redirect_uri missing', { redirect_uri: undefined }],
    ['redirect_uri empty', { redirect_uri: '' }],
    ['redirect_uri twice', {}, '&redirect_uri=https%3A%2F%2Fevil.example%2Fcb'],
    ['redirect_uri twice, both good', {}, `&redirect_uri=${encodeURIComponent(CALLBACK)}`],
    ['redirect_uri twice, the second empty', {}, '&redirect_uri='],
    ['redirect_uri of another client of the application', { redirect_uri: PRIVATE }],
    ['redirect_uri bad and response_type bad', { redirect_uri: 'https://evil.example/', response_type: 'x' }],
    ['redirect_uri bad and prompt=none', { redirect_uri: 'https://evil.example/', prompt: 'none' }],
    ['redirect_uri bad and form_post', { redirect_uri: 'https://evil.example/', response_mode: 'form_post' }],
  ];
  for (const [name, fields, more] of cases) {
    it(name, () => byGetAndPost(fields, more));
  }

  it('shows what came without letting it become markup', async () => {
    const redirect_uri = 'https://evil.example/"><script>alert(1)</script>';
    const { text } = await alice.go(authorizationUrl(server, { redirect_uri }));
    assert.match(text, /&lt;script&gt;alert\(1\)/);
    assert.doesNotMatch(text, /<script>alert/);
  });

  it('does not tell which addresses are registered', async () => {
    const { text } = await alice.go(authorizationUrl(server, { redirect_uri: 'https://evil.example/' }));
    assert(!text.includes(CALLBACK));
  });
});

describe('redirect_uri is compared as an exact string (row 12)', () => {
  const attacks = [
    'https://client.example/cb/',
    'https://client.example//cb',
    'https://client.example/CB',
    'https://CLIENT.example/cb',
    'HTTPS://client.example/cb',
    'https://client.example:443/cb',
    'https://client.example./cb',
    'http://client.example/cb',
    'https://client.example/cb#',
    'https://client.example/cb#x',
    'https://client.example/cb?',
    'https://client.example/cb?x=1',
    'https://client.example/cb;x',
    'https://client.example/x/../cb',
    'https://client.example/./cb',
    'https://client.example/cb/..',
    'https://client.example/cb/%2e%2e/other',
    'https://client.example/%63b',
    'https://client.example%2Fcb',
    'https://client.example/cb%2F',
    'https://client.example/cb%20',
    ' https://client.example/cb',
    'https://client.example/cb ',
    'https://client.example/cb\n',
    'https://client.example/cb\r\nSet-Cookie: a=b',
    'https://client.example/cb\0',
    'https://client.example\\cb',
    'https:\\\\client.example\\cb',
    'https:client.example/cb',
    'https://client.example/cb,https://evil.example/',
    'https://client.example/*',
    'https://client.example/',
    'https://client.example',
    'https://client.example.evil.example/cb',
    'https://evilclient.example/cb',
    'https://sub.client.example/cb',
    'https://client.example@evil.example/cb',
    'https://user@client.example/cb',
    'https://evil.example/cb?https://client.example/cb',
    'https://evil.example/#https://client.example/cb',
    'https://cli\u0435nt.example/cb',
    'https://client.example\uff0fcb',
    '//client.example/cb',
    '/cb',
    'javascript:alert(1)//https://client.example/cb',
    'data:text/html,x',
  ];
  for (const redirect_uri of attacks) {
    it(`refuses ${JSON.stringify(redirect_uri)}`, () => byGetAndPost({ redirect_uri }));
  }
});

describe('the port of a loopback literal is free, and nothing else of it (row 12, RFC 8252 section 7.3)', () => {
  const accepted = [
    LOOPBACK,
    'http://127.0.0.1:51004/native/cb',
    'http://127.0.0.1:80/native/cb',
    LOOPBACK_V6,
    'http://[::1]/native/cb',
    'http://[::1]:65535/native/cb',
    LOCALHOST,
  ];
  for (const redirect_uri of accepted) {
    it(`accepts ${redirect_uri}`, async () => {
      const seen = await alice.go(authorizationUrl(server, { client_id: 'native', redirect_uri }));
      assert(delivered(seen, redirect_uri).fields.code);
    });
  }

  const refused = [
    'http://localhost:4001/cb',
    'http://localhost/cb',
    'http://127.0.0.1:4000/cb',
    'http://127.0.0.1:51004/native/cb/',
    'http://127.0.0.1:51004/native/other',
    'http://127.0.0.1:51004/native/cb?x=1',
    'http://127.0.0.1:51004/native/cb#x',
    'http://127.0.0.1:51004/native/../native/cb',
    'https://127.0.0.1:51004/native/cb',
    'http://127.0.0.2:51004/native/cb',
    'http://127.1:51004/native/cb',
    'http://0x7f.0.0.1:51004/native/cb',
    'http://[0:0:0:0:0:0:0:1]:51004/native/cb',
    'http://[::ffff:127.0.0.1]:51004/native/cb',
    'http://127.0.0.1:/native/cb',
    'http://127.0.0.1:65536/native/cb',
    'http://127.0.0.1:-1/native/cb',
    'http://127.0.0.1:51004:51005/native/cb',
    'http://127.0.0.1:51004@evil.example/native/cb',
    'http://127.0.0.1:51004.evil.example/native/cb',
    'http://127.0.0.1.evil.example/native/cb',
    'http://evil.example:51004/native/cb',
    'com.example.app://cb',
    'com.example.app:/cb/x',
  ];
  for (const redirect_uri of refused) {
    it(`refuses ${redirect_uri}`, () => byGetAndPost({ client_id: 'native', redirect_uri }));
  }

  it('has to be repeated at the token endpoint with the very port of the request (interface 4.2)', async () => {
    const asked = 'http://127.0.0.1:51004/native/cb';
    const seen = await alice.go(authorizationUrl(server, { client_id: 'native', redirect_uri: asked }));
    const { code } = delivered(seen, asked).fields;
    const auth = `Basic ${btoa('native:web-secret-1')}`;
    const other = await redeem(server, code, { redirect_uri: 'http://127.0.0.1:51005/native/cb' }, { auth });
    assert.equal(other.json.error, 'invalid_grant');
    assert.equal((await redeem(server, code, { redirect_uri: asked }, { auth })).status, 200);
  });
});

describe('the page is JSON when Accept prefers it ("Page" of the decisions, row 11)', () => {
  const asJson = ['application/json', 'application/json, text/html;q=0.5', 'text/html;q=0.5, application/json'];
  const asPage = ['text/html', '*/*', 'text/html, application/json', 'application/json;q=0.1, text/html', 'text/*'];
  const url = () => authorizationUrl(server, { client_id: 'nobody' });

  for (const accept of asJson) {
    it(`JSON for ${accept}`, async () => {
      const seen = await withStatus(400, alice.go(url(), { headers: { accept } }));
      assert.deepEqual([seen.headers.get('location'), seen.headers.get('content-type')], [null, 'application/json']);
      assert.deepEqual(JSON.parse(seen.text), {
        error: 'invalid_client',
        error_description: 'OAuth 2.0 Parameter: client_id',
        error_uri: `${server.base}/docs/errors/invalid_client`,
      });
    });
  }
  for (const accept of asPage) {
    it(`a page for ${accept}`, async () => assertPage(await alice.go(url(), { headers: { accept } })));
  }

  it('404 in both forms for an unknown application (row 5)', async () => {
    const unknown = authorizationUrl(server, {}, 'nowhere');
    assertPage(await alice.go(unknown), 404);
    const seen = await withStatus(404, alice.go(unknown, { headers: { accept: 'application/json' } }));
    assert.deepEqual([seen.headers.get('location'), JSON.parse(seen.text).error], [null, 'not_found']);
  });

  it('gives no other origin a look at its answers (row 55)', async () => {
    for (const target of [url(), authorizationUrl(server)]) {
      const seen = await alice.go(target, { headers: { origin: 'https://client.example' } });
      assert.equal(seen.headers.get('access-control-allow-origin'), null);
    }
  });
});
