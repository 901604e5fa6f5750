import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UnsecuredJWT } from 'jose';
import { assertRefused, aTokenSet, basic, claimsOf, isActive, redeem, refresh } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { assertPage, assertSentBack, delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { atLogoutQuestion, bob, SESSION_COOKIE, signedIn, tokensOf } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, query, type Seen, Visitor } from '../../build/visitor.ts';

const BYE = 'https://client.example/bye';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const clock = fixedClock();
const server = suiteServer({
  clock,
  applications: [
    anApplication({
      clients: [aClient({ post_logout_redirect_uris: [BYE] }), aClient({ client_id: 'other' })],
    }),
    anApplication({ code: 'bank', name: 'Bank', clients: [aClient({ post_logout_redirect_uris: [BYE] })] }),
  ],
  users: [aUser(), bob()],
});

const silently = (visitor: Visitor) => visitor.go(authorizationUrl(server, { prompt: 'none' }));
const isSignedIn = async (visitor: Visitor) => 'code' in delivered(await silently(visitor)).fields;
const end = (fields: Fields, app?: string) => `${server.at(app)}/logout?${query(fields)}`;

/** A signed-in browser and the tokens of its client. */
async function someone(username = 'alice') {
  const visitor = await signedIn(server, username);
  return { visitor, set: await tokensOf(server, visitor) };
}

const ways: readonly (readonly [string, (visitor: Visitor, fields: Fields, app?: string) => Promise<Seen>])[] = [
  ['GET', (visitor, fields, app) => visitor.follow(end(fields, app))],
  [
    'POST',
    (visitor, fields, app) =>
      visitor.follow(`${server.at(app)}/logout`, { method: 'POST', body: query(fields), headers: FORM }),
  ],
  [
    'POST without the cookie, as from a page of another site (SameSite=Lax)',
    async (visitor, fields, app) => {
      const headers = { ...FORM, origin: 'https://client.example', 'sec-fetch-site': 'cross-site' };
      const sent = { method: 'POST', body: query(fields), headers };
      const seen = await new Visitor(server.base).go(`${server.at(app)}/logout`, sent);
      return seen.location?.startsWith(server.base) ? visitor.follow(seen.location) : seen;
    },
  ],
];

for (const [method, ask] of ways) {
  describe(`logout by ${method} (RP-Initiated Logout section 2)`, () => {
    it('with a hint of this user: at once, and back to the client with its state', async () => {
      const { visitor, set } = await someone();
      const fields = { id_token_hint: set.id_token, post_logout_redirect_uri: BYE, state: 'a b&c=é#/' };
      const seen = await ask(visitor, fields);
      assert.equal(seen.location, `${BYE}?state=a%20b%26c%3D%C3%A9%23%2F`);
      assert.equal(visitor.cookies.has(SESSION_COOKIE), false);
      assert.equal(await isSignedIn(visitor), false);
    });

    it('with a hint and no address: a page that says so', async () => {
      const { visitor, set } = await someone();
      const seen = await ask(visitor, { id_token_hint: set.id_token });
      assert.equal(seen.status, 200, seen.text);
      assert.match(seen.text, /You are signed out/);
      assert.equal(await isSignedIn(visitor), false);
    });

    it('with a hint that has expired: as well', async () => {
      const { visitor, set } = await someone();
      clock.advance(2 * 3600);
      assert(claimsOf(set.id_token).exp < clock.now());
      const seen = await ask(visitor, { id_token_hint: set.id_token, post_logout_redirect_uri: BYE });
      assert.equal(seen.location, BYE);
      assert.equal(await isSignedIn(visitor), false);
    });

    it('with a hint of another session of this user: asks first', async () => {
      const [earlier, { visitor }] = [await someone(), await someone()];
      const page = await ask(visitor, { id_token_hint: earlier.set.id_token, post_logout_redirect_uri: BYE });
      assert(atLogoutQuestion(page));
      assert(await isSignedIn(visitor));
    });

    it('without a hint: asks first; then back to the client with its state', async () => {
      const { visitor } = await someone();
      const page = await ask(visitor, { client_id: 'web', post_logout_redirect_uri: BYE, state: 's' });
      assert(atLogoutQuestion(page));
      assert.match(page.text, /alice/);
      assert(await isSignedIn(visitor), 'asking ends nothing');
      const seen = await confirm(visitor, page);
      assert.equal(seen.location, `${BYE}?state=s`);
      assert.equal(await isSignedIn(visitor), false);
    });
  });
}

async function confirm(visitor: Visitor, page: Seen, headers?: Record<string, string>): Promise<Seen> {
  const pending = /name="pending" value="([^"]*)"/.exec(page.text)?.[1];
  const fields = new URLSearchParams(pending === undefined ? {} : { pending });
  return visitor.send({ action: `${server.base}/logout`, fields }, {}, headers);
}

describe('a logout without a hint for the session of this browser needs confirmation', () => {
  const hints: readonly (readonly [string, () => Promise<string | undefined>])[] = [
    ['no hint', async () => undefined],
    ['nonsense', async () => 'nonsense'],
    ['the ID token of another user', async () => (await someone('bob')).set.id_token],
    ['an ID token of another application', async () => (await aTokenSet(server, {}, undefined, 'bank')).id_token],
    ['alg none', async () => new UnsecuredJWT(claimsOf((await aTokenSet(server)).id_token)).encode()],
    [
      'a broken signature',
      async () => {
        const [header, claims, signature = ''] = (await aTokenSet(server)).id_token.split('.');
        return `${header}.${claims}.${signature.split('').reverse().join('')}`;
      },
    ],
    ['an ID token that names no session, as the password grant gives', async () => (await aTokenSet(server)).id_token],
    ['an access token', async () => (await aTokenSet(server)).access_token],
  ];
  for (const [name, hint] of hints) {
    it(name, async () => {
      const { visitor, set } = await someone();
      const page = await visitor.follow(end({ id_token_hint: await hint() }));
      assert(atLogoutQuestion(page), `${page.status} ${page.location}`);
      assert(await isSignedIn(visitor));
      assert.equal(await isActive(server, set.access_token), true);
      const seen = await confirm(visitor, page);
      assert.match(seen.text, /You are signed out/);
      assert.equal(await isSignedIn(visitor), false);
    });
  }

  it('but not when no user is signed in', async () => {
    const visitor = new Visitor(server.base);
    assert.match((await visitor.follow(end({}))).text, /You are signed out/);
    const seen = await visitor.follow(end({ client_id: 'web', post_logout_redirect_uri: BYE, state: 's' }));
    assert.equal(seen.location, `${BYE}?state=s`);
  });

  it('nor when the session ended while the question was on the screen', async () => {
    const { visitor } = await someone();
    const page = await visitor.follow(end({ client_id: 'web', post_logout_redirect_uri: BYE }));
    clock.advance(8 * 3600 - 60);
    const later = await visitor.go(page.url);
    assertPage(later);
    visitor.cookies.delete(SESSION_COOKIE);
    const next = await visitor.follow(end({ client_id: 'web', post_logout_redirect_uri: BYE }));
    assert.equal(next.location, BYE);
  });

  it('the question is answered by our own page alone', async () => {
    const { visitor } = await someone();
    const page = await visitor.follow(end({ client_id: 'web', post_logout_redirect_uri: BYE }));
    assertPage(await confirm(visitor, page, { origin: 'https://evil.example' }), 403);
    assertPage(await confirm(visitor, page, { 'sec-fetch-site': 'cross-site' }), 403);
    assert(await isSignedIn(visitor));
    assertPage(await confirm(await signedIn(server), page), 400);
  });

  it('/logout asks for it too, when a user opens it without a client', async () => {
    const { visitor } = await someone();
    const page = await visitor.follow(`${server.base}/logout`);
    assert(atLogoutQuestion(page));
    assert.match((await confirm(visitor, page)).text, /You are signed out/);
    assert.equal(await isSignedIn(visitor), false);
  });
});

describe('what ends with a session', () => {
  it('its tokens and codes at every client; those of other sessions and of no session stay', async () => {
    const { visitor, set } = await someone();
    const auth = basic('other', 'web-secret-1');
    const second = await tokensOf(server, visitor, { client_id: 'other' }, { sending: { auth } });
    const bank = await tokensOf(server, visitor, {}, { app: 'bank' });
    const { code } = delivered(await silently(visitor)).fields;
    const elsewhere = await someone();
    const offline = await aTokenSet(server);

    await visitor.follow(end({ id_token_hint: set.id_token }));
    assert.equal(await isActive(server, set.access_token), false);
    assert.equal(await isActive(server, second.access_token), false);
    assert.equal(await isActive(server, bank.access_token, undefined, 'bank'), false);
    assertRefused(await refresh(server, set.refresh_token), 400, 'invalid_grant');
    assertRefused(await redeem(server, code), 400, 'invalid_grant');
    assert.equal(await isActive(server, elsewhere.set.access_token), true);
    assert.equal(await isActive(server, offline.access_token), true);
    assert(await isSignedIn(elsewhere.visitor));
  });

  it('also for a copy of its cookie', async () => {
    const { visitor, set } = await someone();
    const copy = new Visitor(server.base);
    copy.cookies.set(SESSION_COOKIE, visitor.cookies.get(SESSION_COOKIE) ?? '');
    await visitor.follow(end({ id_token_hint: set.id_token }));
    assertSentBack(server, await silently(copy), { error: 'login_required' });
  });
});

describe('a pending request opens for what it was sealed for', () => {
  const pendingOf = (address = '') => new URL(address).searchParams.get('pending') ?? '';

  it('one for authorization not at /logout, where its redirect address would be followed', async () => {
    const visitor = await signedIn(server);
    const fields = { prompt: 'login', post_logout_redirect_uri: 'https://evil.example/' };
    const { location } = await visitor.go(authorizationUrl(server, fields));
    const pending = pendingOf(location);
    assertPage(await visitor.go(`${server.base}/logout?pending=${pending}`));
    const form = { action: `${server.base}/logout`, fields: new URLSearchParams({ pending }) };
    assertPage(await visitor.send(form));
    assert(await isSignedIn(visitor));
  });

  it('one for logout not at the authorization endpoint, the login or the consent page', async () => {
    const visitor = await signedIn(server);
    const { location } = await visitor.go(end({ client_id: 'web', post_logout_redirect_uri: BYE }));
    const pending = pendingOf(location);
    assertPage(await visitor.go(`${server.at()}/auth?gatehouse_pending=${pending}`));
    for (const page of ['login', 'consent']) {
      assertPage(await visitor.go(`${server.base}/${page}?pending=${pending}`));
      const fields = new URLSearchParams({ pending, action: 'allow', username: 'alice', password: 'x' });
      assertPage(await visitor.send({ action: `${server.base}/${page}`, fields }));
    }
  });
});

describe('logout requests that are none', () => {
  it('a POST that is no form: a page', async () => {
    const { visitor, set } = await someone();
    const body = JSON.stringify({ id_token_hint: set.id_token });
    const sent = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    assertPage(await visitor.go(`${server.at()}/logout`, sent));
    assert(await isSignedIn(visitor));
  });

  it('an application that does not exist: 404', async () => {
    assertPage(await new Visitor(server.base).go(end({}, 'nowhere')), 404);
  });

  it('HEAD ends nothing (RFC 9110 section 9.3.2)', async () => {
    const { visitor, set } = await someone();
    const seen = await visitor.go(end({ id_token_hint: set.id_token }), { method: 'HEAD' });
    assert.equal(seen.location, undefined);
    assert(await isSignedIn(visitor));
  });
});
