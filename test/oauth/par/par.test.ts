import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { aPkcePair, assertRefused, basic, get, post, redeem, WEB } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aPublicClient, CALLBACK, PASSWORD } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { formWith, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const URN = /^urn:ietf:params:oauth:request_uri:[\w-]{43}$/;

const clock = fixedClock();
const server = suiteServer({
  clock,
  applications: [
    anApplication({
      clients: [
        aClient(),
        aClient({
          client_id: 'strict',
          client_secret: 'strict-secret-1',
          require_pushed_authorization_requests: true,
        }),
        aPublicClient(),
      ],
    }),
    anApplication({ code: 'bank', name: 'Bank' }),
  ],
});

const REQUEST = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', state: 'st', nonce: 'no' };
const push = (fields: Record<string, string> = {}, auth: string | undefined = WEB, app?: string) =>
  post(`${server.at(app)}/par`, { ...REQUEST, ...fields }, { auth });
const authUrl = (requestUri: string, clientId = 'web', more = '', app?: string) =>
  `${server.at(app)}/auth?client_id=${clientId}&request_uri=${encodeURIComponent(requestUri)}${more}`;

const once = async <T>(send: () => Promise<T>) => [await send()];
const manyAtOnce = <T>(send: () => Promise<T>) => Promise.all(Array.from({ length: 20 }, send));

async function signInWith(url: string, visitor = new Visitor(server.base)) {
  const page = await visitor.follow(url);
  return page.text.includes('name="password"')
    ? visitor.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD })
    : page;
}

describe('pushed authorization requests (RFC 9126; modern contract)', () => {
  it('answer with a request_uri that is good for a minute, and is not stored by caches', async () => {
    const { json, headers } = await withStatus(201, push());
    assert.match(json.request_uri, URN);
    assert.equal(json.expires_in, 60);
    assert.match(headers.get('cache-control') ?? '', /no-store/);
  });

  it('the browser brings the name alone, and the client gets what it pushed', async () => {
    const { json } = await push({ state: 'pushed' });
    const { fields } = delivered(await signInWith(authUrl(json.request_uri)));
    assert.equal(fields.state, 'pushed');
    assert.equal((await redeem(server, fields.code)).status, 200);
  });

  it('parameters beside it do not count (section 4)', async () => {
    const { json } = await push();
    const more = `&state=evil&scope=openid%20email&redirect_uri=${encodeURIComponent('https://evil.example/cb')}`;
    const { to, fields } = delivered(await signInWith(authUrl(json.request_uri, 'web', more)));
    assert(to.startsWith(CALLBACK));
    assert.equal(fields.state, 'st');
    assert.equal((await redeem(server, fields.code)).json.scope, 'openid');
  });

  it('a request_uri counts once, however many browsers bring it at once', async () => {
    const { json } = await push();
    const seen = await Promise.all(Array.from({ length: 10 }, () => get(authUrl(json.request_uri))));
    assert.equal(seen.filter(({ status }) => status === 302).length, 1);
    assert.equal(seen.filter(({ status }) => status === 400).length, 9);
  });

  it('attack: the last redirect of its sign-in, sent again and again, gives no second code', async () => {
    const visitor = new Visitor(server.base);
    for (const repeat of [once, manyAtOnce]) {
      const { json } = await push({ prompt: 'login' });
      const { url, location } = await signInWith(authUrl(json.request_uri), visitor);
      assert(location?.startsWith(CALLBACK));
      assert.match(url, /gatehouse_pending=/);
      const again = await repeat(() => visitor.go(url));
      assert.deepEqual(new Set(again.map(({ status }) => status)), new Set([400]));
    }
  });

  it('a used, old, foreign or invented one is refused on a page, not at a redirect_uri', async () => {
    const old = (await push()).json.request_uri;
    clock.advance(61);
    const foreign = (await push()).json.request_uri;
    for (const url of [
      authUrl(old),
      authUrl(foreign, 'strict'),
      authUrl(foreign, 'web', '', 'bank'),
      authUrl(`urn:ietf:params:oauth:request_uri:${'A'.repeat(43)}`),
    ]) {
      const { text, headers } = await withStatus(400, get(url, { accept: 'text/html' }));
      assert.equal(headers.get('location'), null);
      assert.match(text, /invalid_request_uri/);
    }
    assert(delivered(await signInWith(authUrl(foreign))).fields.code, 'another client has not used it up');
  });

  it('faults of the request are answered at once, as JSON', async () => {
    for (const [fields, error] of [
      [{ redirect_uri: 'https://evil.example/cb' }, 'invalid_request'],
      [{ response_type: 'nonsense' }, 'unsupported_response_type'],
      [{ scope: 'nonsense' }, 'invalid_scope'],
      [{ request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 'invalid_request'],
      [{ prompt: 'nonsense' }, 'invalid_request'],
    ] as const) {
      const { status, json } = await push(fields);
      assert.deepEqual([status, json.error], [400, error], JSON.stringify(fields));
    }
  });

  it('needs the credentials of the client; a public client names itself', async () => {
    assert.equal((await push({}, basic('web', 'wrong-secret-1'))).status, 401);
    assert.equal((await push({ client_id: 'web' }, '')).status, 401);
    assert.equal((await push({ client_id: 'strict' }, WEB)).status, 400, 'the credentials of another client');
    const { verifier, challenge } = aPkcePair();
    const spa = {
      client_id: 'spa',
      redirect_uri: 'https://spa.example/cb',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    };
    const { json } = await push(spa, '');
    const { fields } = delivered(await signInWith(authUrl(json.request_uri, 'spa')), spa.redirect_uri);
    const sent = { client_id: 'spa', redirect_uri: spa.redirect_uri, code_verifier: verifier };
    assert.equal((await redeem(server, fields.code, sent, {})).status, 200);
  });

  it('a client with require_pushed_authorization_requests gets an error for any other request (section 6)', async () => {
    const url = `${server.at()}/auth?client_id=strict&${new URLSearchParams(REQUEST)}`;
    const { error, error_description } = delivered(await signInWith(url)).fields;
    assert.deepEqual(
      [error, error_description],
      ['invalid_request', 'This client must push its authorization requests: the parameter request_uri is missing.'],
    );
    const { json } = await push({}, basic('strict', 'strict-secret-1'));
    assert(delivered(await signInWith(authUrl(json.request_uri, 'strict'))).fields.code);
  });

  it('an attacker who pushes in the name of a public client is limited, and a client with a secret is not', async () => {
    const spa = { client_id: 'spa', redirect_uri: 'https://spa.example/cb', code_challenge_method: 'S256' };
    const request = { ...spa, code_challenge: aPkcePair().challenge };
    assertRefused(
      await push({ ...request, state: 'x'.repeat(5000) }, ''),
      400,
      'invalid_request',
      'The authorization request is longer than this server accepts (16 KiB; 4 KiB if a client without a secret pushes it).',
    );
    const answers = await Promise.all(Array.from({ length: 200 }, () => push(request, '')));
    assert.equal(answers.filter(({ status }) => status === 201).length <= 150, true);
    const refused = answers.find(({ status }) => status === 429);
    assert(Number(refused?.headers.get('retry-after')) > 0);
    assert.equal((await push()).status, 201);
  });

  it('is in discovery (section 5)', async () => {
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    assert.equal(json.pushed_authorization_request_endpoint, `${server.at()}/par`);
    assert.equal(json.require_pushed_authorization_requests, false);
  });

  it('keeps nothing of the request readable in the database, and no credentials at all', async () => {
    const login_hint = 'alice-in-the-clear@example.com';
    const { json } = await post(`${server.at()}/par`, {
      ...REQUEST,
      login_hint,
      client_id: 'web',
      client_secret: 'web-secret-1',
    });
    const idHash = hash('sha256', json.request_uri, 'buffer');
    const { store, ring } = server.services;
    const sealed = await store.takePushedRequest('shop', idHash, 'web', clock.now());
    assert(sealed);
    assert(!Buffer.from(sealed).includes('alice-in-the-clear'));
    const text = ring.open('pushed request', sealed, 'shop')?.toString() ?? '';
    assert.match(text, /alice-in-the-clear/);
    assert.doesNotMatch(text, /web-secret-1/);
  });
});
