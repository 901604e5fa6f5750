import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { loadTables } from '../../../src/assembly/tables.ts';
import { basic, claimsOf, isActive } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { watchWrites } from '../../build/database.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aPublicClient } from '../../build/fixture.ts';
import { signedIn, tokensOf } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, query, type Seen, Visitor } from '../../build/visitor.ts';

const { routes } = await loadTables();

const SPA = 'https://spa.example';
const STRANGER = 'https://evil.example';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let alice: Visitor;
const clients = [aClient(), aPublicClient(), aClient({ client_id: 'asks', require_consent: true })];
const server = suiteServer(
  {
    // A session is prolonged once in a minute, which is a write: on a slow machine that minute may pass in a test.
    clock: fixedClock(Math.floor(Date.now() / 1000)),
    applications: [anApplication({ clients })],
    env: { GATEHOUSE_DEMO: 'false' },
  },
  async () => {
    alice = await signedIn(server);
  },
);

/** Every path the server knows, from its own table, and some that it does not. */
const paths = routes
  .map(({ pattern }) => pattern.replace('{app}', 'shop').replace('{error}', 'invalid_request'))
  .filter(path => !path.includes('{') && !path.endsWith('*'));
const unknown = [
  '/nowhere',
  '/api/v1/authorize/nowhere/oauth2/token',
  '/assets/nothing.css',
  '/docs/errors/nothing',
  '/api/v1/admin/nothing',
];
const PUBLIC =
  /\/(jwks|openid-configuration|openapi\.json|oauth-authorization-server\/.*)$|\/openid-configuration\/|^\/docs\/(errors|api)|^\/(robots\.txt|favicon\.ico)$/;
const FOR_CLIENTS = /\/oauth2\/(par|device_authorization|token|revoke|userinfo)$/;
/** Documents, and where programs of every origin register (RFC 7591). */
const DOCUMENTS = /\/jwks$|\/oauth2\/register(\/|$)|\/\.well-known\/(?!change-password)/;

/** Signed in, but for a POST: that would sign out. */
const ask = (path: string, method: string, headers: Record<string, string> = {}) =>
  method === 'POST'
    ? new Visitor(server.base).go(server.base + path, { method, body: 'a=b', headers: { ...FORM, ...headers } })
    : alice.go(server.base + path, { method, headers });

function assertGuarded({ headers, text }: Seen, what: string): void {
  assert.equal(headers.get('x-content-type-options'), 'nosniff', what);
  assert.match(headers.get('referrer-policy') ?? 'none at all', /^(no-referrer|same-origin)$/, what);
  assert.match(headers.get('cache-control') ?? 'none at all', /no-store|^public, max-age=\d+/, what);
  assert.equal(headers.get('access-control-allow-credentials'), null, what);
  for (const name of ['x-powered-by', 'server']) assert.equal(headers.get(name), null, what);
  // An answer without a body shows nothing in a frame; silent renewal goes through such redirects in one.
  const unframed = headers.get('x-frame-options') === 'DENY';
  const ancestors = /frame-ancestors 'none'/.test(headers.get('content-security-policy') ?? '');
  assert(text === '' || unframed || ancestors, `${what} can be framed`);
}

describe('every answer of every route forbids sniffing, framing and telling where it came from (issue 3, point 10)', () => {
  for (const path of [...paths, ...unknown]) {
    it(path, async () => {
      for (const method of ['GET', 'POST', 'HEAD', 'PUT', 'DELETE']) {
        assertGuarded(await ask(path, method), `${method} ${path}`);
      }
    });
  }

  it('the files that pages load', async () => {
    const { text } = await alice.follow(`${server.base}/account`);
    const files = text.match(/\/assets\/[\w.-]+/g) ?? [];
    assert(files.length > 1);
    for (const file of files) {
      const seen = await ask(file, 'GET');
      assert.equal(seen.status, 200);
      assert.match(seen.headers.get('cache-control') ?? '', /immutable/);
      assertGuarded(seen, file);
    }
  });

  it('windows: the pages of a sign-in keep their opener, all other pages are out of its reach (issue 10, C.12)', async () => {
    const policyOf = async (seen: Promise<Seen>) => (await seen).headers.get('cross-origin-opener-policy');
    const visitor = new Visitor(server.base);
    for (const url of ['/docs/errors', '/docs/errors/invalid_request', '/account']) {
      assert.equal(await policyOf(alice.follow(server.base + url)), 'same-origin', url);
    }
    for (const [name, seen] of Object.entries({
      login: visitor.follow(authorizationUrl(server)),
      consent: alice.follow(authorizationUrl(server, { client_id: 'asks' })),
      'select account': alice.follow(authorizationUrl(server, { prompt: 'select_account' })),
      'form post': alice.follow(authorizationUrl(server, { response_mode: 'form_post' })),
      logout: alice.follow(`${server.at()}/logout`),
      problem: visitor.follow(`${server.at()}/auth`),
    })) {
      assert.equal(await policyOf(seen), 'unsafe-none', name);
    }
    const redirect = await alice.go(authorizationUrl(server));
    assert.deepEqual([redirect.status, redirect.headers.get('cross-origin-opener-policy')], [302, null]);
  });

  it('an answer that nothing changed (304)', async () => {
    const etag = (await ask('/api/v1/authorize/shop/oauth2/jwks', 'GET')).headers.get('etag') ?? '';
    const seen = await ask('/api/v1/authorize/shop/oauth2/jwks', 'GET', { 'if-none-match': etag });
    assert.equal(seen.status, 304);
    assertGuarded(seen, '304');
  });

  it('the redirect that carries a code or tokens to the client (row 20)', async () => {
    for (const response_mode of ['query', 'fragment']) {
      const fields = { response_type: 'id_token token', nonce: 'n', response_mode };
      const seen = await alice.go(authorizationUrl(server, fields));
      assert(delivered(seen).fields.access_token);
      assert.equal(seen.headers.get('referrer-policy'), 'no-referrer');
      assert.equal(seen.headers.get('cache-control'), 'no-store');
      assertGuarded(seen, response_mode);
    }
  });
});

describe('what may be kept by a cache: public documents, and nothing else (row 55, RFC 6749 section 5.1)', () => {
  for (const path of paths) {
    it(path, async () => {
      for (const method of ['GET', 'POST']) {
        const { headers, status } = await ask(path, method);
        const cached = PUBLIC.test(path) && status === 200;
        assert.match(headers.get('cache-control') ?? '', cached ? /^public, max-age=\d+$/ : /^no-store$/, method);
      }
    });
  }
});

describe('the origins that may read an answer (row 55)', () => {
  for (const path of [...paths, ...unknown]) {
    it(path, async () => {
      for (const method of ['GET', 'POST', 'OPTIONS', 'PUT']) {
        for (const origin of [STRANGER, 'null', SPA]) {
          const { headers } = await ask(path, method, { origin });
          const anyOrigin = DOCUMENTS.test(path) ? '*' : null;
          const expected = FOR_CLIENTS.test(path) && !path.includes('nowhere') && origin === SPA ? SPA : anyOrigin;
          assert.equal(headers.get('access-control-allow-origin'), expected, `${method} for ${origin}`);
          if (FOR_CLIENTS.test(path)) assert.match(headers.get('vary') ?? '', /origin/i, 'or a cache mixes them up');
        }
      }
    });
  }
});

describe('HEAD and OPTIONS do nothing harmful, on any route (row 10, RFC 9110 sections 9.2.1 and 9.3.2)', () => {
  /** What a GET or POST to each address would act on. */
  async function temptations() {
    const set = await tokensOf(server, alice);
    const consent = (await alice.go(authorizationUrl(server, { client_id: 'asks' }))).location ?? '';
    const login = (await alice.go(authorizationUrl(server, { prompt: 'login' }))).location ?? '';
    const hint = { id_token_hint: set.id_token };
    const question = (await alice.go(`${server.at()}/logout`)).location ?? '';
    const own = `end_session=${claimsOf(set.id_token).sid}`;
    const urls = [
      authorizationUrl(server),
      authorizationUrl(server, { response_type: 'id_token token', nonce: 'n' }),
      `${server.at()}/logout?${query(hint)}`,
      question,
      consent,
      `${consent}&action=allow`,
      login,
      `${login}&username=alice&password=x`,
      `${server.base}/logout`,
      `${server.base}/account?${own}`,
      `${server.at()}/token?${query({ grant_type: 'refresh_token', refresh_token: set.refresh_token })}`,
      `${server.at()}/revoke?${query({ token: set.refresh_token })}`,
      `${server.at()}/introspect?${query({ token: set.access_token })}`,
      `${server.at()}/userinfo`,
      ...paths.map(path => server.base + path),
    ];
    return { set, urls };
  }

  for (const method of ['HEAD', 'OPTIONS']) {
    it(method, async () => {
      const { set, urls } = await temptations();
      const watch = await watchWrites(server);
      for (const url of urls) {
        const headers = { authorization: basic('web', 'web-secret-1'), 'x-http-method-override': 'POST' };
        const seen = await alice.go(url, { method, headers });
        assert.equal(seen.text, '', url);
        assert(seen.status < 500, `${seen.status} ${url}`);
        assert.doesNotMatch(seen.location ?? '', /[?#&](code|access_token|id_token)=/, url);
        assert(!(seen.location ?? '').startsWith('https://'), `${url} leads to a client`);
        const session = seen.headers.getSetCookie().filter(line => line.startsWith('gatehouse_session='));
        assert.deepEqual(session, [], url);
        if (method === 'OPTIONS') assert.deepEqual([seen.status, seen.location], [204, undefined], url);
      }
      assert.equal(await watch.written(), false, 'something was written');
      await watch.close();
      assert.equal(await isActive(server, set.access_token), true);
      assert.equal(await isActive(server, set.refresh_token), true);
      assert(delivered(await alice.go(authorizationUrl(server, { prompt: 'none' }))).fields.code);
    });
  }

  for (const path of paths) {
    it(`OPTIONS ${path} says what is allowed, and another method is 405 with the same list`, async () => {
      const { headers } = await ask(path, 'OPTIONS');
      const allow = headers.get('allow') ?? '';
      assert.match(allow, /OPTIONS/);
      const refused = await ask(path, 'PUT');
      assert.deepEqual([refused.status, refused.headers.get('allow')], [405, allow]);
      for (const method of ['GET', 'POST', 'HEAD']) {
        const { status } = await ask(path, method);
        assert.equal(status === 405, !allow.includes(method), `${method}: ${status}`);
      }
    });
  }
});

/** fetch sends no TRACE. */
async function trace(address: string): Promise<[status: number, text: string]> {
  const sent = httpRequest(address, { method: 'TRACE', headers: { 'x-secret': 'a word that nobody echoes' } }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return [answer.statusCode ?? 0, `${JSON.stringify(answer.headers)} ${await text(answer)}`];
}

describe('TRACE is answered nowhere (ASVS 13.4.4)', () => {
  it('what was sent does not come back, with or without a page at the address', async () => {
    for (const path of ['/', '/login', '/api/v1/authorize/shop/oauth2/token', '/api/v1/admin/users', '/nowhere']) {
      const [status, answered] = await trace(server.base + path);
      assert(status >= 400, path);
      assert.doesNotMatch(answered, /a word that nobody echoes/);
    }
  });
});
