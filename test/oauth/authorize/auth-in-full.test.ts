import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused, basic, claimsOf, isActive, redeem, refresh, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { assertSentBack, delivered } from '../../build/delivered.ts';
import { aClient, aUser } from '../../build/fixture.ts';
import { atLogin, bob, logIn, press, signedIn, tokensFrom, tokensOf } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, formWith, Visitor } from '../../build/visitor.ts';

const JWT = { auth: basic('jwt', 'web-secret-1') };

const clients = [aClient(), aClient({ client_id: 'jwt', access_token_format: 'jwt' })];
const server = suiteServer({
  clock: fixedClock(),
  clients,
  users: [aUser(), bob()],
});
const alice = suitePart(() => signedIn(server));

describe('the authorization request in full (row 21, OIDC Core 3.1.2.1)', () => {
  it('prompt=none with a state of 128 characters and no session: login_required and the state', async () => {
    const state = Array.from({ length: 128 }, (_, index) => String.fromCharCode(33 + (index % 94))).join('');
    const seen = await new Visitor(server.base).go(authorizationUrl(server, { prompt: 'none', state }));
    assertSentBack(server, seen, { error: 'login_required', state });
  });

  const harmless: readonly Fields[] = [
    { display: 'page' },
    { display: 'popup' },
    { display: 'touch' },
    { display: 'wap' },
    { claims_locales: 'de fr-CA' },
    { ui_locales: 'xx' },
    { acr_values: 'urn:example:1 urn:example:2' },
    { login_hint: 'somebody@example.com' },
    { max_age: '3600' },
    { resource: 'https://api.example', audience: 'x', foo: 'bar' },
  ];
  for (const fields of harmless) {
    it(`goes on without a page with ${JSON.stringify(fields)}`, async () => {
      assert(delivered(await alice.go(authorizationUrl(server, fields))).fields.code);
    });
  }

  it('does not mind the order of parameters and scopes, and answers scopes that were asked for', async () => {
    const url = new URL(authorizationUrl(server, { scope: 'phone openid email', nonce: 'n', prompt: 'none' }));
    const reversed = new URLSearchParams([...url.searchParams].reverse());
    const set = await tokensFrom(server, await alice.go(`${url.origin}${url.pathname}?${reversed}`));
    assert.deepEqual(set.scope.split(' ').sort(), ['email', 'openid', 'phone']);
    assert.equal(claimsOf(set.id_token).nonce, 'n');
  });

  it('is the same by POST, with a session and without (row 10)', async () => {
    const [address = '', body = ''] = authorizationUrl(server, { nonce: 'n' }).split(/\?(.*)/s);
    const sent = { method: 'POST', body, headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    assert.equal(claimsOf((await tokensFrom(server, await alice.follow(address, sent))).id_token).nonce, 'n');
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(address, sent);
    assert(atLogin(page));
    assert.equal(claimsOf((await tokensFrom(server, await logIn(visitor, page))).id_token).nonce, 'n');
  });

  it('a cancel on the login page is access_denied, in every response mode (row 24)', async () => {
    for (const [response_mode, place] of [
      ['query', 'query'],
      ['fragment', 'fragment'],
      ['form_post', 'form_post'],
    ] as const) {
      const visitor = new Visitor(server.base);
      const page = await visitor.follow(authorizationUrl(server, { response_mode }));
      assertSentBack(server, await press(visitor, page, 'cancel'), { error: 'access_denied', place });
    }
  });
});

describe('response_mode=form_post (row 20, OAuth 2.0 Form Post Response Mode)', () => {
  const nasty = [
    '"><script>alert(1)</script>',
    "'><img src=x onerror=alert(1)>",
    '&quot;&lt;&amp;&#39;',
    '</form><form action="https://evil.example">',
    'é世界 + %20 \u2028',
    '-->]]>`$x`',
  ];
  const flows: readonly (readonly [string, Fields, string])[] = [
    ['a code', {}, 'code'],
    ['tokens', { response_type: 'id_token token', nonce: 'n' }, 'access_token'],
    ['an ID token', { response_type: 'id_token', nonce: 'n' }, 'id_token'],
    ['an error', { max_age: '-1' }, 'error'],
  ];
  for (const [name, fields, expected] of flows) {
    it(`${name}: a page that escapes every value, submits itself, and has a button without script`, async () => {
      for (const state of nasty) {
        const seen = await alice.go(authorizationUrl(server, { ...fields, state, response_mode: 'form_post' }));
        const answer = delivered(seen);
        assert.deepEqual([answer.place, answer.to], ['form_post', 'https://client.example/cb']);
        assert.equal(answer.fields.state, state);
        assert(answer.fields[expected]);
        assert.doesNotMatch(seen.text, /<script>|<img|evil\.example">/);
        assert.equal(seen.text.match(/<form\b/g)?.length, 1);
        assert.match(seen.text, /<form method="post"/);
        assert.match(seen.text, /<button type="submit"/);
        assert.match(seen.text, /<script src="\/assets\/[\w.-]+" defer><\/script>/);
        assert.match(seen.headers.get('content-security-policy') ?? '', /form-action 'self' https:/);
        assert.equal(seen.headers.get('cache-control'), 'no-store');
      }
    });
  }

  it('the code of the form is a code like any other', async () => {
    const seen = await alice.go(authorizationUrl(server, { response_mode: 'form_post' }));
    const code = formWith(seen, 'code').fields.get('code') ?? '';
    assert.equal((await redeem(server, code)).status, 200);
    assertRefused(await redeem(server, code), 400, 'invalid_grant');
  });
});

describe('a disabled user (issue 3, point 7)', () => {
  it('has no live token left at once, JWT or not, anywhere', async () => {
    const visitor = await signedIn(server, 'bob');
    const jwt = await tokensOf(server, visitor, { client_id: 'jwt' }, { sending: JWT });
    const opaque = await tokensOf(server, visitor);
    assert.match(jwt.access_token, /^ey/);
    for (const { access_token } of [jwt, opaque]) assert.equal((await userinfo(server, access_token)).status, 200);
    await server.provision({ users: [bob({ disabled: true })] });
    for (const [{ access_token, refresh_token }, own] of [
      [jwt, JWT],
      [opaque, undefined],
    ] as const) {
      assertRefused(await userinfo(server, access_token), 401, 'invalid_token');
      assert.equal(await isActive(server, access_token), false);
      assert.equal(await isActive(server, refresh_token, own), false);
    }
    assertRefused(await refresh(server, jwt.refresh_token, {}, JWT), 400, 'invalid_grant');
    assertSentBack(server, await visitor.go(authorizationUrl(server, { prompt: 'none' })), { error: 'login_required' });
  });
});
