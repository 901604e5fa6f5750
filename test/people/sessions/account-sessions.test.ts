import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { ALICE, claimsOf, isActive } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { assertPage, assertSentBack, delivered } from '../../build/delivered.ts';
import { eventsDuring } from '../../build/events.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { atLogin, bob, logIn, press, SESSION_COOKIE, signedIn, tokensOf } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Form, formWith, type Seen, Visitor } from '../../build/visitor.ts';

const server = suiteServer({
  applications: [
    anApplication({
      clients: [aClient(), aClient({ client_id: 'asks', client_name: 'Asker & <Sons>', require_consent: true })],
    }),
  ],
  users: [aUser(), bob(), bob({ username: 'carol', email: 'carol@example.com', phone_number: '+8613800000003' })],
});

const SESSIONS = () => `${server.base}/account/sessions`;
const silently = (visitor: Visitor) => visitor.go(authorizationUrl(server, { prompt: 'none' }));
const sidOf = async (visitor: Visitor): Promise<string> => claimsOf((await tokensOf(server, visitor)).id_token).sid;
const rowOf = (page: Seen, name: string) =>
  (page.text.match(/<li>[\s\S]*?<\/li>/g) ?? []).find(text => text.includes(name)) ?? '';
const subOfAlice = async () => (await server.services.store.findAccount('alice'))?.sub ?? '';
const endForm = (page: Seen, sid: string): Form => formWith(page, `end_session" value="${sid}`);

describe('/account/sessions shows and ends the sessions of the signed-in user (row 2)', () => {
  it('asks a stranger to sign in first, and comes back', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(SESSIONS());
    assert(atLogin(page));
    assert.equal(new URL(page.url).pathname, '/login');
    const seen = await logIn(visitor, page);
    assert.equal(seen.url, SESSIONS());
    assert.equal(seen.status, 200);
    assert.match(seen.text, /this browser/);
  });

  it('lists the sessions of every browser and says which one this is', async () => {
    const [here, there] = [await signedIn(server), await signedIn(server)];
    const page = await here.follow(SESSIONS());
    const row = (sid: string) => rowOf(page, sid);
    assert.match(row(await sidOf(here)), /this browser/);
    assert.match(row(await sidOf(there)), /First sign-in/);
    assert.doesNotMatch(row(await sidOf(there)), /this browser/);
    for (const visitor of [here, there]) assert(!page.text.includes(visitor.cookies.get(SESSION_COOKIE) ?? '?'));
  });

  it('ends the session of another browser, with its tokens', async () => {
    const [here, there] = [await signedIn(server), await signedIn(server)];
    const set = await tokensOf(server, there);
    const sid = claimsOf(set.id_token).sid;
    const page = await here.send(endForm(await here.follow(SESSIONS()), sid));
    assert.equal(page.url, SESSIONS());
    assert(!page.text.includes(sid));
    assertSentBack(server, await silently(there), { error: 'login_required' });
    assert.equal(await isActive(server, set.access_token), false);
    assert(delivered(await silently(here)).fields.code);
  });

  it('ends the session of this browser too, and then asks for a login', async () => {
    const visitor = await signedIn(server);
    const sid = await sidOf(visitor);
    assert(atLogin(await visitor.send(endForm(await visitor.follow(SESSIONS()), sid))));
    assertSentBack(server, await silently(visitor), { error: 'login_required' });
  });

  it('shows and ends nothing of another user', async () => {
    const [alice, other] = [await signedIn(server), await signedIn(server, 'bob')];
    const sid = await sidOf(alice);
    const page = await other.follow(SESSIONS());
    assert(!page.text.includes(sid));
    await other.send({ action: SESSIONS(), fields: new URLSearchParams({ end_session: sid }) });
    assert(delivered(await silently(alice)).fields.code);
  });

  it('changes nothing for a form that has no session behind it', async () => {
    const visitor = await signedIn(server);
    const form = endForm(await visitor.follow(SESSIONS()), await sidOf(visitor));
    assertPage(await new Visitor(server.base).send(form), 403);
    assert(delivered(await silently(visitor)).fields.code);
  });

  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ] as Record<string, string>[]) {
    it(`refuses a form of another site: ${JSON.stringify(headers)}`, async () => {
      const visitor = await signedIn(server);
      const form = endForm(await visitor.follow(SESSIONS()), await sidOf(visitor));
      assertPage(await visitor.send(form, {}, headers), 403);
      assert(delivered(await silently(visitor)).fields.code);
    });
  }

  it('refuses a body that is no form', async () => {
    const visitor = await signedIn(server);
    const sent = {
      method: 'POST',
      body: `end_session=${await sidOf(visitor)}`,
      headers: { 'content-type': 'text/plain' },
    };
    assertPage(await visitor.go(SESSIONS(), sent));
    assert(delivered(await silently(visitor)).fields.code);
  });

  it('cannot be reached with a request that is pending for an application, nor the other way round', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(SESSIONS());
    const pending = formWith(page, 'password').fields.get('pending') ?? '';
    assertPage(await visitor.follow(`${server.at()}/auth?gatehouse_pending=${pending}`));
    assertPage(await visitor.follow(`${server.base}/consent?pending=${pending}`));
    assertPage(await visitor.follow(`${server.base}/logout?pending=${pending}`));
  });

  it('says browser, system and address of each, and when it was first and last used', async () => {
    const visitor = new Visitor(server.base);
    const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const login = await visitor.follow(SESSIONS());
    const page = await visitor.send(formWith(login, 'password'), ALICE, { 'user-agent': firefox });
    const row = rowOf(page, 'this browser');
    assert.match(row, /Firefox on Windows/);
    assert.match(row, /127\.0\.0\.1/);
    assert.equal(row.match(/<time datetime=/g)?.length, 2);
    const chinese = await visitor.follow(SESSIONS(), { headers: { 'accept-language': 'zh-CN' } });
    assert.match(chinese.text, /Firefox（Windows）/);
  });

  for (const [agent, shown] of [
    ['<script>alert(1)</script>', 'Unknown browser'],
    ['Chrome/1.0 "><img src=x onerror=alert(1)> Windows', 'Chrome on Windows'],
    [`Mozilla/5.0 ${'x'.repeat(4000)} Firefox/1.0`, 'Unknown browser'],
  ] as const) {
    it(`attack: HTML or endless text in the user agent: ${agent.slice(0, 30)}`, async () => {
      const visitor = new Visitor(server.base);
      const login = await visitor.follow(SESSIONS());
      const page = await visitor.send(formWith(login, 'password'), ALICE, { 'user-agent': agent });
      assert(rowOf(page, 'this browser').includes(shown));
      assert.doesNotMatch(page.text, /<script>alert|<img/);
      const [session] = await server.services.store.sessionsOf(await subOfAlice(), server.services.clock.now());
      assert((session?.userAgent?.length ?? 0) <= 256);
    });
  }

  it('signs out everywhere else, with the tokens of those sessions, and records each', async () => {
    const [here, there, third] = [await signedIn(server), await signedIn(server), await signedIn(server)];
    const set = await tokensOf(server, there);
    const stranger = await signedIn(server, 'bob');
    const page = await here.follow(SESSIONS());
    const ended = await eventsDuring(server, 'session.ended', async () => {
      const after = await press(here, page, 'end_others');
      assert.deepEqual([after.url, after.text.match(/name="end_session"/g)?.length], [SESSIONS(), 1]);
      assert.doesNotMatch(after.text, /end_others/);
    });
    assert(ended.length >= 2);
    assert(ended.every(({ details, actor }) => details?.reason === 'user' && actor.kind === 'user'));
    for (const other of [there, third]) assertSentBack(server, await silently(other), { error: 'login_required' });
    assert.equal(await isActive(server, set.access_token), false);
    for (const kept of [here, stranger]) assert(delivered(await silently(kept)).fields.code);
  });

  it('attack: a form of another site does not sign out everywhere else', async () => {
    const [here, there] = [await signedIn(server), await signedIn(server)];
    const form = { action: SESSIONS(), fields: new URLSearchParams({ action: 'end_others' }) };
    assertPage(await here.send(form, {}, { origin: 'https://evil.example' }), 403);
    assert(delivered(await silently(there)).fields.code);
  });

  it('attack: nothing ends by GET', async () => {
    const [here, there] = [await signedIn(server), await signedIn(server)];
    await here.go(`${SESSIONS()}?end_session=${await sidOf(there)}`);
    await here.go(`${SESSIONS()}?action=end_others`);
    assert(delivered(await silently(there)).fields.code);
  });
});

describe('ending other sessions needs a proof that is not older than 5 minutes (ASVS 7.5.2)', () => {
  const clock = fixedClock();
  const tina = { username: 'tina', email: 'tina@example.com', phone_number: null, phone_number_verified: false };
  const users = [aUser(), aUser({ ...tina, totp_secret: TOTP_SECRET })];
  const own = suiteServer({ clock, applications: [anApplication({ mfa: 'off' })], users });

  const address = () => `${own.base}/account/sessions`;
  const isIn = async (visitor: Visitor) =>
    delivered(await visitor.go(authorizationUrl(own, { prompt: 'none' }))).fields.code !== undefined;
  const sidHere = async (visitor: Visitor): Promise<string> => claimsOf((await tokensOf(own, visitor)).id_token).sid;

  it('attack: a stolen session does not end the one of the owner', async () => {
    const [thief, owner] = [await signedIn(own), await signedIn(own)];
    clock.advance(301);
    const page = await thief.follow(address());
    assert.equal(page.url, address(), 'it may look');
    const fields = new URLSearchParams({ end_session: await sidHere(owner), action: 'end_others' });
    assert(atLogin(await thief.send({ action: address(), fields })));
    assert.equal(await isIn(owner), true);
  });

  it('the proof is asked for, the page comes back, and then the others end', async () => {
    const [here, there] = [await signedIn(own), await signedIn(own)];
    clock.advance(301);
    const asked = await press(here, await here.follow(address()), 'end_others');
    const back = await logIn(here, asked);
    assert.equal(back.url, address());
    assert.equal(await isIn(there), true, 'not before the button is pressed again');
    await press(here, back, 'end_others');
    assert.deepEqual([await isIn(there), await isIn(here)], [false, true]);
  });

  it('of a user with a second factor: the password alone is not enough', async () => {
    const app = anAuthenticator(clock);
    const [here, there] = [await signedIn(own, 'tina'), await signedIn(own, 'tina')];
    const fields = new URLSearchParams({ action: 'end_others' });
    const asked = await here.send({ action: address(), fields });
    assert.match(asked.url, /\/login\/totp\?/);
    assert.equal(await isIn(there), true);
    await press(here, await here.send(formWith(asked, 'code'), { code: app.code() }), 'end_others');
    assert.equal(await isIn(there), false);
  });

  it('the own session ends without one, as at /logout', async () => {
    const here = await signedIn(own);
    clock.advance(301);
    const fields = new URLSearchParams({ end_session: await sidHere(here) });
    assert(atLogin(await here.send({ action: address(), fields })));
    assert.equal(await isIn(here), false);
  });
});
