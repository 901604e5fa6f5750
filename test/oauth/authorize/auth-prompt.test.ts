import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { claimsOf, redeem } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { assertSentBack, delivered } from '../../build/delivered.ts';
import { anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { atChooser, atConsent, atLogin, press } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

const clock = fixedClock();
const server = suiteServer({
  clock,
  applications: [anApplication({ name: 'Shop' }), anApplication({ code: 'bank', name: 'Bank' })],
  users: [aUser(), aUser({ username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002' })],
});

const follow = (visitor: Visitor, fields: Fields) => visitor.follow(authorizationUrl(server, fields));

async function signedIn(): Promise<Visitor> {
  const visitor = new Visitor(server.base);
  assert(delivered(await signIn(server, {}, { visitor })).fields.code);
  return visitor;
}

async function idTokenOf(seen: Seen) {
  return claimsOf((await redeem(server, delivered(seen).fields.code)).json.id_token);
}

describe('one session for all applications (row 2)', () => {
  it('asks once, then never again, at another application too', async () => {
    const visitor = await signedIn();
    assert(delivered(await follow(visitor, {})).fields.code);
    const other = await visitor.follow(authorizationUrl(server, { prompt: 'none' }, 'bank'));
    assert(delivered(other).fields.code);
  });

  it('auth_time and sid stay those of the login', async () => {
    const visitor = await signedIn();
    const first = await idTokenOf(await follow(visitor, {}));
    clock.advance(100);
    const second = await idTokenOf(await follow(visitor, {}));
    assert.equal(second.auth_time, first.auth_time);
    assert.equal(second.sid, first.sid);
    assert.equal(second.iat, first.iat + 100);
  });
});

describe('prompt (row 21)', () => {
  it('none with a session answers without a page', async () => {
    const seen = await (await signedIn()).go(authorizationUrl(server, { prompt: 'none' }));
    assert(delivered(seen).fields.code);
  });

  it('none with a session that does not exist: login_required', async () => {
    const visitor = new Visitor(server.base);
    visitor.cookies.set('gatehouse_session', 'made-up');
    assertSentBack(server, await follow(visitor, { prompt: 'none' }), { error: 'login_required' });
  });

  it('none when the user was disabled meanwhile: login_required', async () => {
    const visitor = new Visitor(server.base);
    await signIn(server, {}, { visitor, username: 'bob' });
    const bob = aUser({ username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002' });
    await server.provision({ users: [{ ...bob, disabled: true }] });
    assertSentBack(server, await follow(visitor, { prompt: 'none' }), { error: 'login_required' });
    await server.provision({ users: [{ ...bob, disabled: false }] });
  });

  it('login asks again in spite of a session, once, and tells of the new login', async () => {
    const visitor = await signedIn();
    clock.advance(50);
    const page = await follow(visitor, { prompt: 'login' });
    assert(atLogin(page));
    const seen = await visitor.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD });
    assert.equal((await idTokenOf(seen)).auth_time, clock.now());
    assert(atLogin(await follow(visitor, { prompt: 'login' })), 'the next request asks again');
  });

  for (const prompt of ['login consent', 'consent login']) {
    it(`${prompt} asks for a login, then for consent`, async () => {
      const visitor = await signedIn();
      clock.advance(50);
      const page = await follow(visitor, { prompt });
      assert(atLogin(page));
      const consent = await visitor.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD });
      assert(atConsent(consent));
      assert.equal((await idTokenOf(await press(visitor, consent, 'allow'))).auth_time, clock.now());
      assert(atLogin(await follow(visitor, { prompt })), 'the next request asks again');
    });
  }

  it('login: coming back without having signed in asks again', async () => {
    const visitor = await signedIn();
    const page = await follow(visitor, { prompt: 'login' });
    const pending = formWith(page, 'password').fields.get('pending');
    assert(atLogin(await visitor.follow(`${server.at()}/auth?gatehouse_pending=${pending}`)));
  });

  it('login: a login for another request does not count for this one', async () => {
    const visitor = await signedIn();
    const first = formWith(await follow(visitor, { prompt: 'login' }), 'password');
    const second = await follow(visitor, { prompt: 'login' });
    await visitor.send(formWith(second, 'password'), { username: 'alice', password: PASSWORD });
    assert(atLogin(await visitor.follow(`${server.at()}/auth?gatehouse_pending=${first.fields.get('pending')}`)));
  });
});

describe('prompt=select_account (row 21, OIDC Core 3.1.2.1)', () => {
  const prompt = 'select_account';

  it('offers to continue as the signed-in user, without a new login', async () => {
    const visitor = await signedIn();
    const before = await idTokenOf(await follow(visitor, {}));
    clock.advance(50);
    const page = await follow(visitor, { prompt });
    assert(atChooser(page));
    assert.match(page.text, /Continue as alice/);
    const after = await idTokenOf(await press(visitor, page, 'continue'));
    assert.deepEqual([after.sub, after.sid, after.auth_time], [before.sub, before.sid, before.auth_time]);
    assert(atChooser(await follow(visitor, { prompt })), 'the next request asks again');
  });

  it('lets another person in, once', async () => {
    const visitor = await signedIn();
    const before = await idTokenOf(await follow(visitor, {}));
    const page = await press(visitor, await follow(visitor, { prompt }), 'another');
    assert(atLogin(page));
    const seen = await visitor.send(formWith(page, 'password'), { username: 'bob', password: PASSWORD });
    const after = await idTokenOf(seen);
    assert.notEqual(after.sub, before.sub);
    assert.notEqual(after.sid, before.sid);
    assert.match((await follow(visitor, { prompt })).text, /Continue as bob/);
  });

  it('keeps the present session while the other person has not signed in', async () => {
    const visitor = await signedIn();
    const page = await press(visitor, await follow(visitor, { prompt }), 'another');
    assert.equal((await visitor.send(formWith(page, 'password'), { username: 'bob', password: 'wrong' })).status, 400);
    assert(delivered(await follow(visitor, { prompt: 'none' })).fields.code);
  });

  it('asks for a login in a browser without a session', async () => {
    const visitor = new Visitor(server.base);
    const page = await follow(visitor, { prompt });
    assert(atLogin(page));
    const seen = await visitor.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD });
    assert(delivered(seen).fields.code, 'a user that has just signed in has selected the account');
  });

  it('does not take the choice of one user for that of another', async () => {
    const visitor = await signedIn();
    const page = await follow(visitor, { prompt });
    const sealed = (await chosen(visitor, page)).location ?? '';
    await signIn(server, { prompt: 'login' }, { visitor, username: 'bob' });
    const seen = await visitor.follow(sealed);
    assert.equal(seen.location, undefined, 'bob has not chosen');
  });

  it('with login asks for the password of the present user too', async () => {
    const visitor = await signedIn();
    clock.advance(20);
    let page = await follow(visitor, { prompt: 'login select_account' });
    if (atChooser(page)) page = await press(visitor, page, 'continue');
    assert(atLogin(page));
    const seen = await visitor.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD });
    assert.equal((await idTokenOf(seen)).auth_time, clock.now());
  });

  /** The answer to the button itself: the way back to the authorization endpoint, not yet gone. */
  function chosen(visitor: Visitor, page: Seen): Promise<Seen> {
    const { action, fields } = formWith(page, 'action" value="continue');
    const body = new URLSearchParams([...fields, ['action', 'continue']]).toString();
    return visitor.go(action, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: server.base },
    });
  }
});

describe('max_age (row 21, OIDC Core 3.1.2.1)', () => {
  it('lets a young enough session pass, asks for a login after that', async () => {
    const visitor = await signedIn();
    clock.advance(60);
    assert(delivered(await follow(visitor, { max_age: '60' })).fields.code);
    clock.advance(1);
    assert(atLogin(await follow(visitor, { max_age: '60' })));
    assertSentBack(server, await follow(visitor, { max_age: '60', prompt: 'none' }), { error: 'login_required' });
    assert(delivered(await follow(visitor, { max_age: '3600' })).fields.code);
  });

  it('1 after 2 seconds asks again, and auth_time moves', async () => {
    const visitor = await signedIn();
    const before = await idTokenOf(await follow(visitor, { max_age: '1' }));
    clock.advance(2);
    const page = await follow(visitor, { max_age: '1' });
    assert(atLogin(page));
    const seen = await visitor.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD });
    const after = await idTokenOf(seen);
    assert.equal(after.auth_time, before.auth_time + 2);
    assert.equal(after.sid, before.sid);
  });

  it('0 always asks, and is satisfied by the login that follows', async () => {
    const visitor = await signedIn();
    const page = await follow(visitor, { max_age: '0' });
    assert(atLogin(page));
    clock.advance(5);
    const seen = await visitor.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD });
    assert.equal((await idTokenOf(seen)).auth_time, clock.now());
    assert(atLogin(await follow(visitor, { max_age: '0' })));
  });
});

describe('login_hint and ui_locales (row 21)', () => {
  it('puts the hint into the form, escaped', async () => {
    const { text } = await follow(new Visitor(server.base), { login_hint: 'al"><b>@example.com' });
    assert(text.includes('value="al&quot;&gt;&lt;b&gt;@example.com"'));
    assert(!text.includes('<b>@'));
  });

  it('lets another user than the hint names sign in', async () => {
    assert(delivered(await signIn(server, { login_hint: 'somebody else' })).fields.code);
  });

  const wishes: readonly (readonly [string | undefined, string, string])[] = [
    ['zh-CN en', 'en', 'zh-Hans'],
    ['fr zh', 'en', 'zh-Hans'],
    ['en', 'zh-CN', 'en'],
    ['fr', 'zh-CN,zh;q=0.9', 'zh-Hans'],
    [undefined, 'en;q=0.5, zh', 'zh-Hans'],
    ['de-AT en', 'zh', 'de'],
    ['fr', 'de-CH,fr;q=0.9', 'de'],
    ['xx "><script>', 'fr', 'en'],
  ];
  for (const [ui_locales, accepted, lang] of wishes) {
    it(`speaks ${lang} for ui_locales ${ui_locales} and Accept-Language ${accepted}`, async () => {
      const visitor = new Visitor(server.base);
      const { location = '' } = await visitor.go(authorizationUrl(server, { ui_locales }));
      const { text } = await visitor.go(location, { headers: { 'accept-language': accepted } });
      assert(text.includes(`<html lang="${lang}"`), text.slice(0, 60));
    });
  }
});
