import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { claimsOf, get, introspect, redeem, WEB } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

const WITH_TOTP = aUser({ totp_secret: TOTP_SECRET });
const BOB = aUser({ username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002' });

let visitor: Visitor;
const clock = fixedClock();
const app = anAuthenticator(clock);
const server = suiteServer({
  clock,
  applications: [
    anApplication(),
    anApplication({ code: 'open', name: 'Open', mfa: 'off' }),
    anApplication({ code: 'bank', name: 'Bank', mfa: 'required' }),
    anApplication({
      code: 'desk',
      name: 'Desk',
      mfa: 'off',
      clients: [aClient({ default_acr_values: ['2'], default_max_age: 600 })],
    }),
  ],
  users: [WITH_TOTP, BOB],
});
beforeEach(() => {
  visitor = new Visitor(server.base);
  clock.advance(600); // another time step, and no test is throttled by the failures of another
});

const hasSession = () => visitor.cookies.has('gatehouse_session');
const password = (fields: Fields = {}, of?: string, username = 'alice') =>
  signIn(server, fields, { visitor, username, ...(of === undefined ? {} : { app: of }) });
const typeCode = (page: Seen, code: string) => visitor.send(formWith(page, 'code'), { code });

async function idTokenOf(seen: Seen, of?: string): Promise<Record<string, unknown>> {
  const { code = '' } = delivered(seen).fields;
  const { json } = await redeem(server, code, {}, { auth: WEB }, of);
  return claimsOf(json.id_token);
}

describe('signing in with a one-time password (accounts contract, /login/totp)', () => {
  it('asks for the code after the password, and there is no session before it', async () => {
    const page = await password();
    assert.match(page.url, /\/login\/totp\?pending=/);
    assert.equal(page.status, 200);
    assert.match(page.text, /<input id="code" name="code"[^>]*autocomplete="one-time-code"/);
    assert.equal(hasSession(), false);
    const seen = await typeCode(page, app.code());
    assert(hasSession());
    const { amr, acr, auth_time } = await idTokenOf(seen);
    assert.deepEqual([amr, acr, auth_time], [['pwd', 'otp', 'mfa'], '2', clock.now()]);
  });

  it('tells introspection and userinfo clients how it was done (RFC 9470 section 6.2)', async () => {
    const seen = await typeCode(await password(), app.code());
    const set = (await redeem(server, delivered(seen).fields.code ?? '')).json;
    const { amr, acr, auth_time } = (await introspect(server, { token: set.access_token })).json;
    assert.deepEqual([amr, acr, auth_time], [['pwd', 'otp', 'mfa'], '2', clock.now()]);
  });

  it('a user without one is not asked, and has acr 1', async () => {
    const { amr, acr } = await idTokenOf(await password({}, undefined, 'bob'));
    assert.deepEqual([amr, acr], [['pwd'], '1']);
  });

  it('asks again for a wrong code, in both languages, without telling more', async () => {
    const page = await password();
    const wrong = await typeCode(page, app.wrongCode());
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /role="alert"[^>]*>That code is not correct/);
    const missing = await typeCode(wrong, '');
    assert.equal(missing.status, 400);
    const again = await visitor.go(page.url, { headers: { 'accept-language': 'zh' } });
    assert.match(again.text, /<h1>输入验证码<\/h1>/);
    assert.equal(hasSession(), false);
    assert(delivered(await typeCode(missing, app.code())).fields.code);
  });

  it('takes the code of the step before and after (RFC 6238 section 5.2)', async () => {
    assert(delivered(await typeCode(await password(), app.code(-1))).fields.code);
    visitor = new Visitor(server.base);
    assert(delivered(await typeCode(await password(), app.code(1))).fields.code);
  });

  it('the user can cancel: access_denied', async () => {
    const page = await password();
    const seen = await visitor.send(formWith(page, 'code'), { action: 'cancel' });
    assert.equal(delivered(seen).fields.error, 'access_denied');
    assert.equal(hasSession(), false);
  });

  it('mfa: off never asks, and the session is stepped up by an application that does', async () => {
    const open = await password({}, 'open');
    assert.deepEqual((await idTokenOf(open, 'open')).acr, '1');
    const page = await visitor.follow(authorizationUrl(server));
    assert.match(page.url, /\/login\/totp\?/);
    const seen = await typeCode(page, app.code());
    assert.deepEqual((await idTokenOf(seen)).amr, ['pwd', 'otp', 'mfa']);
    const next = await visitor.follow(authorizationUrl(server, {}, 'bank'));
    assert(delivered(next).fields.code, 'single sign-on: no further question');
  });

  it('a session of one factor is asked for the other before the account page', async () => {
    await password({}, 'open');
    const page = await visitor.follow(`${server.base}/account`);
    assert.match(page.url, /\/login\/totp\?/);
    const account = await typeCode(page, app.code());
    assert.equal(account.status, 200);
    assert.match(account.text, /Your profile/);
  });

  it('signing in for the account page asks for both', async () => {
    const login = await visitor.follow(`${server.base}/account`);
    const page = await visitor.send(formWith(login, 'password'), { username: 'alice', password: PASSWORD });
    assert.match(page.url, /\/login\/totp\?/);
    assert.equal(hasSession(), false);
    assert.match((await typeCode(page, app.code())).text, /Your profile/);
  });

  it('the password grant cannot ask for it, and does not tell that the password was right', async () => {
    const ask = (username: string, typed: string) =>
      fetch(`${server.at()}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('web:web-secret-1')}` },
        body: new URLSearchParams({ grant_type: 'password', username, password: typed }),
      });
    const [right, wrong] = [await ask('alice', PASSWORD), await ask('alice', 'wrong')];
    assert.deepEqual([right.status, wrong.status], [400, 400]);
    assert.equal(await right.text(), await wrong.text());
    assert.equal((await ask('bob', PASSWORD)).status, 200);
  });
});

describe('step-up (accounts contract)', () => {
  const essential = (value: string) => JSON.stringify({ id_token: { acr: { essential: true, value } } });

  it('acr_values=2 asks a live session for the missing factor alone', async () => {
    await password({}, 'open');
    const page = await visitor.follow(authorizationUrl(server, { acr_values: '2' }, 'open'));
    assert.match(page.url, /\/login\/totp\?/);
    assert.deepEqual((await idTokenOf(await typeCode(page, app.code()), 'open')).acr, '2');
  });
  it('acr_values is voluntary: a user without a second factor goes on', async () => {
    const seen = await password({ acr_values: '2' }, 'open', 'bob');
    assert.equal((await idTokenOf(seen, 'open')).acr, '1');
  });
  it('an essential acr that the user cannot reach: unmet_authentication_requirements, and no session', async () => {
    const seen = await password({ claims: essential('2') }, 'open', 'bob');
    assert.equal(delivered(seen).fields.error, 'unmet_authentication_requirements');
    assert.equal(hasSession(), false);
  });
  it('an essential acr that no user can reach is refused before the login', async () => {
    const seen = await visitor.follow(authorizationUrl(server, { claims: essential('urn:example:unknown') }));
    assert.equal(delivered(seen).fields.error, 'unmet_authentication_requirements');
  });
  it('default_acr_values and default_max_age of the client ask where the request does not', async () => {
    await password({}, 'open');
    const page = await visitor.follow(authorizationUrl(server, {}, 'desk'));
    assert.match(page.url, /\/login\/totp\?/);
    await typeCode(page, app.code());
    assert(delivered(await visitor.follow(authorizationUrl(server, {}, 'desk'))).fields.code);
    clock.advance(601);
    assert.match((await visitor.follow(authorizationUrl(server, {}, 'desk'))).url, /\/login\?/);
  });
  it('discovery lists acr_values_supported', async () => {
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    assert.deepEqual(json.acr_values_supported, ['1', '2', 'phr']);
  });
});

describe('attacks on the second factor', () => {
  it('step skipping: neither /auth nor /account nor /consent lets a sign-in without the code through', async () => {
    const page = await password();
    const pending = new URL(page.url).searchParams.get('pending') ?? '';
    const resumed = await visitor.follow(`${server.at()}/auth?gatehouse_pending=${pending}`);
    assert.match(resumed.url, /\/login\/totp\?/);
    assert.match((await visitor.follow(`${server.base}/account`)).url, /\/login\?/);
    const consent = { action: `${server.base}/consent`, fields: new URLSearchParams({ pending, action: 'allow' }) };
    assert.equal((await visitor.send(consent)).status, 403);
    assert.equal(hasSession(), false);
  });

  it('step skipping: the code without the password opens nothing and is not looked at', async () => {
    const login = await visitor.follow(authorizationUrl(server));
    const pending = formWith(login, 'password').fields.get('pending') ?? '';
    const action = `${server.base}/login/totp`;
    const code = app.code();
    const seen = await visitor.send({ action, fields: new URLSearchParams({ pending, code }) });
    assert.match(seen.url, /\/login\?/);
    assert.equal(hasSession(), false);
    assert(delivered(await typeCode(await password(), code)).fields.code, 'the code was not spent');
  });

  it('a pending sign-in moved to another browser is refused', async () => {
    const page = await password();
    const thief = new Visitor(server.base);
    await thief.follow(authorizationUrl(server));
    const seen = await thief.send(formWith(page, 'code'), { code: app.code() });
    assert.equal(seen.status, 400);
    assert.equal(thief.cookies.has('gatehouse_session'), false);
    assert.equal((await thief.go(page.url)).status, 400);
  });

  it('replay of a code in the same step, by another sign-in, is refused', async () => {
    const code = app.code();
    assert(delivered(await typeCode(await password(), code)).fields.code);
    visitor = new Visitor(server.base);
    assert.equal((await typeCode(await password(), code)).status, 400);
    assert.equal(hasSession(), false);
  });

  it('200 parallel guesses: 5 are evaluated, and the right code after them is not', async () => {
    const page = await password();
    const form = formWith(page, 'code');
    const send = (code: string) => visitor.send(form, { code });
    const guesses = await Promise.all(Array.from({ length: 200 }, () => send(app.wrongCode())));
    const count = (status: number) => guesses.filter(seen => seen.status === status).length;
    assert.equal(count(400), 5, 'evaluated');
    assert.equal(count(400) + count(403) + count(429), 200);
    clock.advance(400); // beyond the throttle of the account; the count of the sign-in stays
    const right = await send(app.code());
    assert.equal(right.status, 403);
    assert.match(right.text, /Too many wrong codes/);
    assert.equal(hasSession(), false);
  });

  it('sign-ins one after the other: the account is throttled however many begin', async () => {
    const outcomes: number[] = [];
    for (let each = 0; each < 4; each++) {
      visitor = new Visitor(server.base);
      const form = formWith(await password(), 'code');
      for (let guess = 0; guess < 4; guess++) {
        outcomes.push((await visitor.send(form, { code: app.wrongCode() })).status);
      }
    }
    assert.deepEqual([outcomes.filter(status => status === 400).length, outcomes.at(-1)], [10, 429]);
  });

  it('session fixation: every step of a login that opens a session makes a new identifier', async () => {
    await password({}, 'open');
    const first = visitor.cookies.get('gatehouse_session');
    const page = await visitor.follow(authorizationUrl(server));
    assert.equal(visitor.cookies.get('gatehouse_session'), first, 'no step changes it before the proof');
    await typeCode(page, app.code());
    const second = visitor.cookies.get('gatehouse_session');
    assert.notEqual(second, first);
    const planted = new Visitor(server.base);
    planted.cookies.set('gatehouse_session', first ?? '');
    assert.match((await planted.follow(authorizationUrl(server))).url, /\/login\?/, 'the former one is dead');
  });

  it('a password that changes between the steps ends the sign-in', async () => {
    const page = await password({}, undefined, 'alice');
    const account = await server.services.store.findAccount('alice');
    const sub = account?.sub ?? '';
    await server.services.store.changePassword(sub, await server.services.passwords.hash('another one'), clock.now());
    const seen = await typeCode(page, app.code());
    assert.equal(seen.status, 400);
    assert.equal(hasSession(), false);
    await server.services.store.changePassword(sub, account?.passwordHash, clock.now());
  });

  it('a session that ended is not revived by its second factor', async () => {
    await password({}, 'open');
    const page = await visitor.follow(authorizationUrl(server));
    const account = await server.services.store.findAccount('alice');
    await server.services.store.endUserAccess(account?.sub ?? '', clock.now());
    const seen = await typeCode(page, app.code());
    assert.match(seen.url, /\/login\?/);
  });
});
