import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Event } from '../../../src/audit/events/rules.ts';
import type { EventType } from '../../../src/events.ts';
import { aSigningPair, assertionFor, presenting } from '../../build/assertion.ts';
import {
  ALICE,
  aCode,
  aTokenSet,
  basic,
  introspect,
  redeem,
  refresh,
  revoke,
  token,
  userinfo,
  WEB,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { eventDuring, eventsDuring, eventsOf } from '../../build/events.ts';
import { aClient, anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { bob, logIn, signedIn, tokensOf } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith, Visitor } from '../../build/visitor.ts';

const PAIR = aSigningPair('ES256');
const SIGNER = aClient({
  client_id: 'signer',
  client_secret: undefined,
  token_endpoint_auth_method: 'private_key_jwt',
  jwks: { keys: [PAIR.publicJwk] },
});

/** "Events" of the admin contract: what is written for an act of a user or a client, and with what. */
describe('events of users and clients', () => {
  const clock = fixedClock();
  let alice: string;
  let bobs: string;
  const clients = [aClient(), aClient({ client_id: 'eager', refresh_token_grace: 0 }), SIGNER];
  const server = suiteServer({ clock, applications: [anApplication({ clients })], users: [aUser(), bob()] });
  before(async () => {
    const subOf = async (name: string) => (await server.services.store.findAccount(name))?.sub ?? '';
    [alice, bobs] = [await subOf('alice'), await subOf('bob')];
  });

  const during = (type: EventType, act: () => Promise<unknown>) => eventDuring(server, type, act);

  /** What every event of a request has, beside what the test is about. */
  function assertEvent(event: Event, expected: Partial<Event>): void {
    const { id, time, address, userAgent, requestId, ...rest } = event;
    assert.match(id, /^evt_[0-9a-f]{34}$/);
    assert.equal(time, clock.now());
    assert.equal(address, '127.0.0.1');
    assert.match(userAgent ?? '', /\w/);
    assert.match(requestId ?? '', /\w/);
    const unset = { subject: undefined, app: undefined, clientId: undefined, details: undefined };
    assert.deepEqual(rest, { ...unset, outcome: 'success', ...expected });
  }
  const user = (id: string | undefined) => ({ kind: 'user', id }) as const;
  const client = (id: string | undefined) => ({ kind: 'client', id }) as const;
  const atShop = { app: 'shop', clientId: 'web' };

  it('user.login.succeeded: a login on the page, with its session', async () => {
    const visitor = new Visitor(server.base);
    const event = await during('user.login.succeeded', () => signedIn(server, 'alice', visitor));
    const { sid } = event.details ?? {};
    assert.match(String(sid), /^[\w-]{22}$/);
    const details = { sid, amr: ['pwd'] };
    assertEvent(event, { type: 'user.login.succeeded', actor: user(alice), subject: alice, ...atShop, details });
    assert.deepEqual(
      await eventsDuring(server, 'user.login.succeeded', () => tokensOf(server, visitor)),
      [],
      'an authorization in a session is no login',
    );
  });

  it('user.login.succeeded: the password grant, which has no session', async () => {
    const event = await during('user.login.succeeded', () => aTokenSet(server));
    const details = { amr: ['pwd'], grant_type: 'password' };
    assertEvent(event, { type: 'user.login.succeeded', actor: user(alice), subject: alice, ...atShop, details });
  });

  it('user.login.succeeded: none for a login whose form was sent twice', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(authorizationUrl(server));
    await during('user.login.succeeded', () => logIn(visitor, page));
    assert.deepEqual(await eventsDuring(server, 'user.login.succeeded', () => logIn(visitor, page)), []);
  });

  it('user.login.failed: on the page, without the name that was typed', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(authorizationUrl(server));
    const attempt = (username: string) =>
      visitor.send(formWith(page, 'password'), { username, password: 'wrong password' });
    const failed = { type: 'user.login.failed', outcome: 'failure', ...atShop, details: { reason: 'wrong' } } as const;
    assertEvent(await during('user.login.failed', () => attempt('alice')), {
      ...failed,
      actor: user(alice),
      subject: alice,
    });
    assertEvent(await during('user.login.failed', () => attempt('nobody')), { ...failed, actor: user(undefined) });
  });

  it('user.login.failed: by the password grant; denied when it was throttled', async () => {
    const attempt = () => token(server, { grant_type: 'password', ...ALICE, username: 'bob', password: 'wrong' });
    const failed = { type: 'user.login.failed', ...atShop } as const;
    const first = await during('user.login.failed', attempt);
    const who = { actor: user(bobs), subject: bobs };
    assertEvent(first, { ...failed, ...who, outcome: 'failure', details: { reason: 'wrong' } });
    while ((await attempt()).status !== 429);
    const throttled = await during('user.login.failed', attempt);
    assert.deepEqual([throttled.outcome, throttled.details], ['denied', { reason: 'throttled' }]);
    clock.advance(3600);
  });

  it('session.ended: by the user on the account page, and once', async () => {
    const visitor = await signedIn(server);
    const account = await visitor.follow(`${server.base}/account/sessions`);
    const form = formWith(account, 'end_session');
    const sid = /name="end_session" value="([^"]+)"/.exec(account.text)?.[1] ?? '';
    const event = await during('session.ended', () => visitor.send(form, { end_session: sid }));
    const details = { sid, reason: 'user' };
    assertEvent(event, { type: 'session.ended', actor: user(alice), subject: alice, details });
    const other = await signedIn(server, 'bob');
    const again = () => other.send(form, { end_session: sid });
    assert.deepEqual(
      await eventsDuring(server, 'session.ended', again),
      [],
      'not for a session of another user, or ended',
    );
  });

  it('session.ended: at logout, with the client that asked for it', async () => {
    const visitor = await signedIn(server);
    const form = { action: `${server.base}/logout`, fields: new URLSearchParams() };
    const own = await during('session.ended', () => visitor.send(form));
    assert.deepEqual([own.app, own.details?.reason], [undefined, 'logout']);
    const again = await signedIn(server);
    const { id_token } = await tokensOf(server, again);
    const url = `${server.at()}/logout?${new URLSearchParams({ id_token_hint: id_token })}`;
    const event = await during('session.ended', () => again.go(url));
    const details = { sid: event.details?.sid, reason: 'logout' };
    assertEvent(event, { type: 'session.ended', actor: user(alice), subject: alice, ...atShop, details });
  });

  it('session.ended: when another user signs in with the same browser', async () => {
    const visitor = await signedIn(server);
    const page = await visitor.follow(authorizationUrl(server, { prompt: 'login' }));
    const event = await during('session.ended', () => logIn(visitor, page, 'bob'));
    const details = { sid: event.details?.sid, reason: 'replaced' };
    assertEvent(event, { type: 'session.ended', actor: user(bobs), subject: alice, ...atShop, details });
  });

  it('consent.given and consent.withdrawn, and none for a consent that was not there', async () => {
    const visitor = await signedIn(server);
    const page = await visitor.follow(authorizationUrl(server, { prompt: 'consent', scope: 'openid email' }));
    const who = { actor: user(alice), subject: alice, ...atShop };
    const given = await during('consent.given', () => visitor.send(formWith(page, 'sub'), { action: 'allow' }));
    assertEvent(given, { type: 'consent.given', ...who, details: { scope: 'openid email' } });
    const form = formWith(await visitor.follow(`${server.base}/account/access`), 'withdraw');
    const withdraw = (clientId: string) => visitor.send(form, { app: 'shop', withdraw: clientId });
    assertEvent(await during('consent.withdrawn', () => withdraw('web')), { type: 'consent.withdrawn', ...who });
    assert.deepEqual(await eventsDuring(server, 'consent.withdrawn', () => withdraw('web')), []);
  });

  it('code.replayed: with the tokens it revoked, and of a later replay that it revoked none', async () => {
    const code = await aCode(server);
    await redeem(server, code);
    const first = await during('code.replayed', () => redeem(server, code));
    const replayed = { type: 'code.replayed', outcome: 'denied', actor: client('web'), ...atShop } as const;
    const sid = first.details?.sid;
    assertEvent(first, { ...replayed, subject: alice, details: { sid, revoked: true } });
    const second = await during('code.replayed', () => redeem(server, code));
    assertEvent(second, { ...replayed, details: { revoked: false } });
  });

  it('refresh.repeated and refresh.reused, with the session; a plain rotation has none', async () => {
    const { refresh_token } = await aTokenSet(server);
    const before = (await eventsOf(server)).length;
    await refresh(server, refresh_token);
    assert.equal((await eventsOf(server)).length, before);
    const who = { actor: client('web'), subject: alice, ...atShop, details: {} };
    const repeated = await during('refresh.repeated', () => refresh(server, refresh_token));
    assertEvent(repeated, { type: 'refresh.repeated', ...who });
    clock.advance(60);
    const reused = await during('refresh.reused', () => refresh(server, refresh_token));
    assertEvent(reused, { type: 'refresh.reused', outcome: 'denied', ...who });
    const again = await eventsDuring(server, 'refresh.reused', () => refresh(server, refresh_token));
    assert.deepEqual(again, [], 'the family is revoked already');
  });

  it('token.revoked: once, and only by the client that holds the token', async () => {
    const set = await aTokenSet(server);
    for (const [kind, presented] of [
      ['access_token', set.access_token],
      ['refresh_token', set.refresh_token],
    ] as const) {
      const foreign = () => revoke(server, { token: presented }, { auth: basic('eager', 'web-secret-1') });
      assert.deepEqual(await eventsDuring(server, 'token.revoked', foreign), []);
      const event = await during('token.revoked', () => revoke(server, { token: presented }));
      const who = { actor: client('web'), subject: alice, ...atShop };
      assertEvent(event, { type: 'token.revoked', ...who, details: { token: kind } });
      assert.deepEqual(await eventsDuring(server, 'token.revoked', () => revoke(server, { token: presented })), []);
    }
  });

  it('client.authentication.failed: with the client where it exists', async () => {
    const failed = { type: 'client.authentication.failed', outcome: 'failure', app: 'shop' } as const;
    const attempt = (id: string) => () => introspect(server, { token: 'x' }, { auth: basic(id, 'a wrong secret') });
    const known = await during('client.authentication.failed', attempt('web'));
    assertEvent(known, { ...failed, actor: client('web'), clientId: 'web' });
    const unknown = await during('client.authentication.failed', attempt('somebody'));
    assertEvent(unknown, { ...failed, actor: client(undefined) });
  });

  it('client.authentication.failed: a wrong assertion, and a right one that comes again', async () => {
    const failed = { type: 'client.authentication.failed', outcome: 'failure', app: 'shop' } as const;
    const ofSigner = { ...failed, actor: client('signer'), clientId: 'signer' };
    const assertion = (clientId: string, pair = PAIR) => assertionFor(server, pair, { clientId, now: clock.now() });
    const present = (presented: string) => introspect(server, { token: 'x', ...presenting(presented) }, {});

    const right = assertion('signer');
    const first = () => present(right).then(({ status }) => assert.equal(status, 200));
    assert.deepEqual(await eventsDuring(server, 'client.authentication.failed', first), []);
    assertEvent(await during('client.authentication.failed', () => present(right)), ofSigner);
    const forged = assertion('signer', aSigningPair('ES256', 'of somebody else'));
    assertEvent(await during('client.authentication.failed', () => present(forged)), ofSigner);
    const unknown = await during('client.authentication.failed', () => present(assertion('somebody')));
    assertEvent(unknown, { ...failed, actor: client(undefined) });
  });

  it('introspection, userinfo, a code exchange and a refresh write none', async () => {
    const visitor = await signedIn(server);
    const code = await aCode(server, {}, { visitor });
    const before = (await eventsOf(server)).length;
    const set = (await redeem(server, code)).json;
    const next = (await refresh(server, set.refresh_token)).json;
    assert.equal((await introspect(server, { token: next.access_token }, { auth: WEB })).json.active, true);
    assert.equal((await userinfo(server, next.access_token)).status, 200);
    assert.equal((await eventsOf(server)).length, before);
  });

  it('a login of a user who is disabled while the password is checked has no event of success', async () => {
    const { store } = server.services;
    const { passwordHash } = (await store.findAccount('alice')) ?? {};
    await store.changePassword(alice, await server.services.passwords.hash('another password'), clock.now());
    const made = () => assert.fail('an event of a login that did not happen');
    const session = {
      ...{ idHash: server.services.random.bytes(38), sid: 'late', sub: alice, authTime: clock.now(), amr: ['pwd'] },
      ...{ openedByRequest: 'late', passwordHash, idleExpiresAt: clock.now() + 60, expiresAt: clock.now() + 60 },
      ...{ userAgent: undefined, address: '192.0.2.7' },
    };
    session.idHash.writeUInt32BE(session.expiresAt);
    const events = { succeeded: made, replaced: made, outnumbered: made };
    assert.equal(await store.openSession({ ...session, replaces: undefined }, clock.now(), events), 'opened');
    await store.changePassword(alice, await server.services.passwords.hash(PASSWORD), clock.now());
  });
});
