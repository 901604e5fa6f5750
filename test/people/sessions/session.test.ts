import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { assertRefused, claimsOf, isActive, redeem, refresh } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { assertSentBack, delivered } from '../../build/delivered.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { atLogin, bob, logIn, SESSION_COOKIE, signedIn, tokensFrom, tokensOf } from '../../build/people.ts';
import { testPart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, Visitor } from '../../build/visitor.ts';

const HOUR = 3600;
const DAY = 86_400;

const clock = fixedClock();
const server = suiteServer({
  clock,
  applications: [
    anApplication({ clients: [aClient(), aClient({ client_id: 'second' })] }),
    anApplication({ code: 'bank', name: 'Bank' }),
  ],
  users: [aUser(), bob()],
});

const silently = (visitor: Visitor, fields: Fields = {}, app?: string) =>
  visitor.go(authorizationUrl(server, { prompt: 'none', ...fields }, app));
const isSignedIn = async (visitor: Visitor) => 'code' in delivered(await silently(visitor)).fields;
const subOf = async (username: string) => (await server.services.store.findAccount(username))?.sub ?? '';

describe('one login serves every client of every application (row 2)', () => {
  it('without another page, with the same sid and auth_time (row 44)', async () => {
    const visitor = await signedIn(server);
    clock.advance(10);
    const claims = [];
    for (const [client_id, app] of [
      ['web', 'shop'],
      ['second', 'shop'],
      ['web', 'bank'],
    ] as const) {
      const auth = `Basic ${btoa(`${client_id}:web-secret-1`)}`;
      const set = await tokensOf(server, visitor, { client_id, prompt: 'none' }, { app, sending: { auth } });
      claims.push(claimsOf(set.id_token));
    }
    assert.deepEqual(new Set(claims.map(({ sid }) => sid)).size, 1);
    assert.match(claims[0].sid, /^[\w-]{20,}$/);
    for (const { auth_time, iat } of claims) assert.deepEqual([auth_time, iat], [clock.now() - 10, clock.now()]);
  });

  it('but not of another browser: each has a session of its own', async () => {
    const [one, other] = [await signedIn(server), await signedIn(server)];
    const sids = [];
    for (const visitor of [one, other]) sids.push(claimsOf((await tokensOf(server, visitor)).id_token).sid);
    assert.notEqual(sids[0], sids[1]);
  });

  it('and sid is not what the cookie holds: a reader of the ID token cannot take over the session', async () => {
    const visitor = await signedIn(server);
    const { sid } = claimsOf((await tokensOf(server, visitor)).id_token);
    assert.notEqual(visitor.cookies.get(SESSION_COOKIE), sid);
    const thief = new Visitor(server.base);
    thief.cookies.set(SESSION_COOKIE, sid);
    assertSentBack(server, await silently(thief), { error: 'login_required' });
  });
});

describe('a session ends after 8 hours without use', () => {
  it('and not a second before', async () => {
    const [one, other] = [await signedIn(server), await signedIn(server)];
    clock.advance(8 * HOUR - 1);
    assert(await isSignedIn(one));
    clock.advance(1);
    assertSentBack(server, await silently(other), { error: 'login_required' });
    assert(atLogin(await other.follow(authorizationUrl(server))));
  });

  it('counted from the last use, at whichever application', async () => {
    const visitor = await signedIn(server);
    for (const app of ['shop', 'bank', 'shop', 'bank']) {
      clock.advance(7 * HOUR);
      assert(delivered(await silently(visitor, {}, app)).fields.code);
    }
  });

  it('use within the last minutes of it counts too', async () => {
    const visitor = await signedIn(server);
    clock.advance(8 * HOUR - 5);
    assert(await isSignedIn(visitor));
    clock.advance(8 * HOUR - 61);
    assert(await isSignedIn(visitor));
  });

  it('and a login after that begins a new one', async () => {
    const visitor = await signedIn(server);
    const before = claimsOf((await tokensOf(server, visitor)).id_token);
    clock.advance(8 * HOUR);
    const page = await visitor.follow(authorizationUrl(server));
    const after = claimsOf((await tokensFrom(server, await logIn(visitor, page))).id_token);
    assert.notEqual(after.sid, before.sid);
    assert.equal(after.auth_time, clock.now());
  });
});

describe('a session ends after 30 days, used or not', () => {
  it('and not a second before', async () => {
    const visitor = await signedIn(server);
    const end = clock.now() + 30 * DAY;
    while (clock.now() + 7 * HOUR < end) {
      clock.advance(7 * HOUR);
      assert(await isSignedIn(visitor));
    }
    clock.advance(end - clock.now() - 1);
    assert(await isSignedIn(visitor));
    clock.advance(1);
    assertSentBack(server, await silently(visitor), { error: 'login_required' });
  });

  it('and so does its cookie', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(authorizationUrl(server));
    const seen = await visitor.go(`${server.base}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        pending: /name="pending" value="([^"]*)"/.exec(page.text)?.[1] ?? '',
        username: 'alice',
        password: 'correct horse battery staple',
      }).toString(),
    });
    const line = seen.headers.getSetCookie().find(text => text.startsWith(`${SESSION_COOKIE}=`)) ?? '';
    assert.match(line, new RegExp(`Max-Age=${30 * DAY}(;|$)`));
  });
});

describe('signing in again in the same browser', () => {
  let code: string;
  const visitor = testPart(() => signedIn(server));
  const before = testPart(() => tokensOf(server, visitor));
  beforeEach(async () => {
    code = delivered(await silently(visitor)).fields.code ?? '';
    clock.advance(5);
  });
  const again = async (username: string) => {
    const page = await visitor.follow(authorizationUrl(server, { prompt: 'login' }));
    return tokensFrom(server, await logIn(visitor, page, username));
  };

  it('as the same user: a new identifier, the same sid, a new auth_time, and the tokens stay', async () => {
    const cookie = visitor.cookies.get(SESSION_COOKIE);
    const after = claimsOf((await again('alice')).id_token);
    const first = claimsOf(before.id_token);
    assert.notEqual(visitor.cookies.get(SESSION_COOKIE), cookie);
    assert.equal(after.sid, first.sid);
    assert.equal(after.auth_time, first.auth_time + 5);
    assert.equal(await isActive(server, before.access_token), true);
    assert.equal((await refresh(server, before.refresh_token)).status, 200);
    assert.equal((await redeem(server, code)).status, 200);
  });

  it('as the same user: one session is listed, not two', async () => {
    await again('alice');
    const { sid } = claimsOf(before.id_token);
    const listed = await server.services.store.sessionsOf(await subOf('alice'), clock.now());
    assert.equal(listed.filter(session => session.sid === sid).length, 1);
  });

  it('as another user: that session takes its place, and what came from it ends', async () => {
    const elsewhere = await signedIn(server);
    const kept = await tokensOf(server, elsewhere);
    const after = claimsOf((await again('bob')).id_token);
    assert.notEqual(after.sid, claimsOf(before.id_token).sid);
    assert.equal(after.sub, await subOf('bob'));
    assert.equal(await isActive(server, before.access_token), false);
    assertRefused(await refresh(server, before.refresh_token), 400, 'invalid_grant');
    assertRefused(await redeem(server, code), 400, 'invalid_grant');
    assert.equal(await isActive(server, kept.access_token), true, 'the other browser of the first user goes on');
    assert(await isSignedIn(elsewhere));
  });
});

describe('the sessions of a user', () => {
  it('are listed while they live, the newest first', async () => {
    const { store } = server.services;
    clock.advance(9 * HOUR);
    const alice = await subOf('alice');
    assert.deepEqual(await store.sessionsOf(alice, clock.now()), []);
    const older = claimsOf((await tokensOf(server, await signedIn(server))).id_token);
    clock.advance(100);
    const newer = claimsOf((await tokensOf(server, await signedIn(server))).id_token);
    await signedIn(server, 'bob');
    const listed = await store.sessionsOf(alice, clock.now());
    const held = listed.map(({ sid, authTime }) => [sid, authTime]);
    assert.deepEqual(
      held,
      [newer, older].map(({ sid, auth_time }) => [sid, auth_time]),
    );
    const ends = listed.map(({ expiresAt }) => expiresAt);
    assert.deepEqual(
      ends,
      [newer, older].map(({ auth_time }) => auth_time + 30 * DAY),
    );
  });

  it('can be ended one by one, with their tokens and codes; the others go on', async () => {
    const [one, other] = [await signedIn(server), await signedIn(server)];
    const [ending, staying] = [await tokensOf(server, one), await tokensOf(server, other)];
    const code = delivered(await silently(one)).fields.code;
    const { sid, sub } = claimsOf(ending.id_token);
    await server.services.store.endSession({ sub, sid }, clock.now());
    assertSentBack(server, await silently(one), { error: 'login_required' });
    assert.equal(await isActive(server, ending.access_token), false);
    assertRefused(await refresh(server, ending.refresh_token), 400, 'invalid_grant');
    assertRefused(await redeem(server, code), 400, 'invalid_grant');
    assert(await isSignedIn(other));
    assert.equal(await isActive(server, staying.access_token), true);
  });

  it('cannot be ended in the name of another user', async () => {
    const visitor = await signedIn(server);
    const { sid } = claimsOf((await tokensOf(server, visitor)).id_token);
    await server.services.store.endSession({ sub: await subOf('bob'), sid }, clock.now());
    assert(await isSignedIn(visitor));
  });

  it('end when the user is disabled, and stay ended when that is taken back', async () => {
    const visitor = await signedIn(server, 'bob');
    const set = await tokensOf(server, visitor);
    await server.provision({ users: [bob({ disabled: true })] });
    const dead = async () => {
      assertSentBack(server, await silently(visitor), { error: 'login_required' });
      assert.equal(await isActive(server, set.access_token), false);
      assertRefused(await refresh(server, set.refresh_token), 400, 'invalid_grant');
    };
    await dead();
    await server.provision({ users: [bob({ disabled: false })] });
    await dead();
  });

  it('leave no code behind that is good again when a disabled user is enabled', async () => {
    const code = delivered(await silently(await signedIn(server, 'bob'))).fields.code;
    await server.provision({ users: [bob({ disabled: true })] });
    await server.provision({ users: [bob({ disabled: false })] });
    assertRefused(await redeem(server, code), 400, 'invalid_grant');
  });
});
