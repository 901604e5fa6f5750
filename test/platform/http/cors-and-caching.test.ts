import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { publishNextKey } from '../../../src/oauth/signing-keys/rotation.ts';
import { type Answered, assertNotStored, get, send, WEB } from '../../build/client.ts';
import { aClient, anApplication, aPublicClient } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl } from '../../build/visitor.ts';

const SPA = 'https://spa.example';
const STRANGER = 'https://evil.example';
const DOCUMENTS = ['.well-known/openid-configuration', 'jwks'];
const FOR_CLIENTS = ['token', 'revoke', 'userinfo'];
const FORM = 'application/x-www-form-urlencoded';

const allowedOrigin = ({ headers }: Answered) => headers.get('access-control-allow-origin');

describe('CORS and caching', () => {
  const native = aPublicClient({
    client_id: 'native',
    redirect_uris: ['com.example.app:/cb', 'http://127.0.0.1/cb'],
  });
  const ported = aPublicClient({ client_id: 'ported', redirect_uris: ['http://localhost:5173/cb'] });
  const server = suiteServer({
    applications: [
      anApplication({ clients: [aClient(), aPublicClient(), native, ported] }),
      anApplication({
        code: 'bank',
        name: 'Bank',
        clients: [aClient({ redirect_uris: ['https://bank.example/cb'] })],
      }),
    ],
  });

  const preflight = (url: string, origin: string, method = 'POST') =>
    send(url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    });

  describe('documents (row 55)', () => {
    for (const document of DOCUMENTS) {
      const at = () => `${server.at()}/${document}`;

      it(`${document} can be read from every origin`, async () => {
        for (const headers of [{}, { origin: STRANGER }]) {
          const answered = await get(at(), headers);
          assert.equal(answered.status, 200);
          assert.equal(allowedOrigin(answered), '*');
          assert.equal(answered.headers.get('content-type'), 'application/json');
        }
        const asked = await preflight(at(), STRANGER, 'GET');
        assert.equal(asked.status, 204);
        assert.equal(allowedOrigin(asked), '*');
      });

      it(`${document} can be cached, and is not sent again if it is unchanged (RFC 9110 section 13.1.2)`, async () => {
        const first = await get(at());
        const etag = first.headers.get('etag') ?? '';
        assert.match(etag, /^"[^"]+"$/);
        assert.match(first.headers.get('cache-control') ?? '', /^public, max-age=[1-9]\d*$/);
        for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
          const again = await get(at(), { 'if-none-match': known });
          assert.deepEqual([again.status, again.text], [304, ''], known);
          assert.equal(again.headers.get('etag'), etag);
          assert.equal(again.headers.get('cache-control'), first.headers.get('cache-control'));
          assert.equal(allowedOrigin(again), '*');
        }
        const other = await get(at(), { 'if-none-match': '"x"' });
        assert.deepEqual([other.status, other.text], [200, first.text]);
      });

      it(`${document} answers HEAD like GET, without the body`, async () => {
        const [head, whole] = [await send(at(), { method: 'HEAD' }), await get(at())];
        assert.deepEqual([head.status, head.text], [200, '']);
        for (const name of ['etag', 'content-type', 'content-length', 'cache-control']) {
          assert.equal(head.headers.get(name), whole.headers.get(name), name);
        }
      });

      it(`${document} of another application has another tag`, async () => {
        const [mine, theirs] = [await get(at()), await get(`${server.at('bank')}/${document}`)];
        assert.notEqual(mine.headers.get('etag'), theirs.headers.get('etag'));
      });
    }

    it('a new signing key changes the tag of jwks', async () => {
      const url = `${server.at()}/jwks`;
      const first = await get(url);
      const next = await publishNextKey(server.services, 'shop', 'RS256');
      const again = await get(url, { 'if-none-match': first.headers.get('etag') ?? '' });
      assert.equal(again.status, 200);
      assert.equal(again.json.keys.length, first.json.keys.length + 1);
      assert(again.json.keys.some(({ kid }: { kid: string }) => kid === next.kid));
    });
  });

  describe('endpoints for clients (row 55)', () => {
    for (const endpoint of FOR_CLIENTS) {
      const at = (app?: string) => `${server.at(app)}/${endpoint}`;
      const call = (origin: string, app?: string) =>
        send(at(app), { method: 'POST', body: '', headers: { origin, 'content-type': FORM, authorization: WEB } });

      it(`${endpoint} answers the preflight of a registered origin`, async () => {
        for (const origin of [SPA, 'https://client.example', 'http://localhost:5173']) {
          const answered = await preflight(at(), origin);
          assert.equal(answered.status, 204);
          assert.equal(allowedOrigin(answered), origin);
          assert.match(answered.headers.get('access-control-allow-methods') ?? '', /\bPOST\b/);
          assert.match(answered.headers.get('access-control-allow-headers') ?? '', /authorization/i);
          assert.match(answered.headers.get('access-control-allow-headers') ?? '', /content-type/i);
          assert.match(answered.headers.get('vary') ?? '', /origin/i);
        }
      });

      it(`${endpoint} lets a registered origin read the answer, errors too`, async () => {
        const answered = await call(SPA);
        assert(answered.status >= 400);
        assert.equal(allowedOrigin(answered), SPA);
        assert.equal(answered.headers.get('access-control-allow-credentials'), null);
        assert.match(answered.headers.get('access-control-expose-headers') ?? '', /www-authenticate/i);
      });

      for (const [name, origin, app] of [
        ['a stranger', STRANGER, 'shop'],
        ['an opaque origin, which native schemes have too', 'null', 'shop'],
        ['the native scheme', 'com.example.app:', 'shop'],
        ['plain http instead of https', 'http://spa.example', 'shop'],
        ['another port', `${SPA}:8443`, 'shop'],
        ['a subdomain', 'https://x.spa.example', 'shop'],
        ['a longer name', `${SPA}.evil.example`, 'shop'],
        ['a client of another application', SPA, 'bank'],
        ['an application that does not exist', SPA, 'nowhere'],
      ] as const) {
        it(`${endpoint} grants nothing to ${name}`, async () => {
          for (const answered of [await preflight(at(app), origin), await call(origin, app)]) {
            assert.equal(allowedOrigin(answered), null);
            // A cache must not give the answer for one origin to another (Fetch standard, CORS and HTTP caches).
            assert.match(answered.headers.get('vary') ?? '', /origin/i);
          }
        });
      }
    }
  });

  it('grants nothing at the authorization and introspection endpoints (row 55)', async () => {
    const requests = [
      await preflight(`${server.at()}/auth`, SPA, 'GET'),
      await get(authorizationUrl(server), { origin: SPA }),
      await preflight(`${server.at()}/introspect`, SPA),
      await send(`${server.at()}/introspect`, { method: 'POST', headers: { origin: SPA, authorization: WEB } }),
    ];
    for (const answered of requests) assert.equal(allowedOrigin(answered), null);
  });

  it('stores nothing of what concerns tokens (row 31)', async () => {
    const headers = { 'content-type': FORM };
    for (const endpoint of ['token', 'introspect', 'revoke', 'userinfo']) {
      assertNotStored(await send(`${server.at()}/${endpoint}`, { method: 'POST', body: '', headers }));
    }
  });
});
