import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { deliverLogoutNotices } from '../../src/jobs/deliveries.ts';
import { basic, claimsOf } from '../build/client.ts';
import { fixedClock } from '../build/clock.ts';
import { delivered } from '../build/delivered.ts';
import { type ApplicationInput, aClient, anApplication, aUser } from '../build/fixture.ts';
import { bob, logIn, signedIn, tokensOf } from '../build/people.ts';
import { openReceiver, type Receiver } from '../build/receiver.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { authorizationUrl, query, type Visitor } from '../build/visitor.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const ALLOWED = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' };
const clock = fixedClock();
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
const DATABASE_URL = `sqlite:${join(folder, 'gatehouse.db')}`;

let server: TestServer;
let web: Receiver;
let ecdsa: Receiver;
let bank: Receiver;
before(async () => {
  [web, ecdsa, bank] = [await openReceiver(), await openReceiver(), await openReceiver()];
  server = await startTestServer({
    clock,
    env: { ...ALLOWED, DATABASE_URL },
    applications: given(),
    users: [aUser(), bob()],
  });
});
after(async () => {
  await server.close();
  for (const receiver of [web, ecdsa, bank]) await receiver.down();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(async () => {
  // Whatever a test left undelivered goes before the next.
  clock.advance(7200);
  await deliver();
  for (const receiver of [web, ecdsa, bank]) receiver.received.length = 0;
});

const given = (): ApplicationInput[] => [
  anApplication({
    clients: [
      aClient({ backchannel_logout_uri: web.address }),
      aClient({ client_id: 'ecdsa', backchannel_logout_uri: ecdsa.address, id_token_signed_response_alg: 'ES256' }),
      aClient({ client_id: 'quiet' }),
    ],
  }),
  anApplication({ code: 'bank', name: 'Bank', clients: [aClient({ backchannel_logout_uri: bank.address })] }),
];
const deliver = (at: TestServer = server) => deliverLogoutNotices(at.services);
const tokenIn = ({ received }: Receiver, index = -1) => received.at(index)?.form.get('logout_token') ?? '';
const logOut = (visitor: Visitor, idToken: string) =>
  visitor.follow(`${server.at()}/logout?${query({ id_token_hint: idToken })}`);

async function someone(username = 'alice') {
  const visitor = await signedIn(server, username);
  const set = await tokensOf(server, visitor);
  return { visitor, set, claims: claimsOf(set.id_token) };
}

const verified = (jwt: string, app: string, audience: string) =>
  jwtVerify(jwt, createRemoteJWKSet(new URL(`${server.at(app)}/jwks`)), {
    issuer: server.at(app),
    audience,
    typ: 'logout+jwt',
    currentDate: new Date(clock.now() * 1000),
  });

describe('back-channel logout: the notice (OpenID Connect Back-Channel Logout section 2)', () => {
  it('is a form post with a signed logout token of the session (2.4, 2.5)', async () => {
    const { visitor, set, claims } = await someone();
    await logOut(visitor, set.id_token);
    await deliver();
    assert.equal(web.received.length, 1);
    const { method, path, headers, form } = web.received[0] ?? assert.fail();
    assert.deepEqual([method, path], ['POST', '/bcl']);
    assert.equal(headers['content-type'], 'application/x-www-form-urlencoded');
    assert.deepEqual([...form.keys()], ['logout_token']);

    const { payload, protectedHeader } = await verified(tokenIn(web), 'shop', 'web');
    assert.deepEqual([protectedHeader.alg, protectedHeader.typ], ['RS256', 'logout+jwt']);
    const { jti, ...rest } = payload;
    assert.match(jti ?? '', /^[\w-]{20,}$/);
    assert.deepEqual(rest, {
      iss: server.at(),
      aud: 'web',
      sub: claims.sub,
      sid: claims.sid,
      iat: clock.now(),
      exp: clock.now() + 120,
      events: { [EVENT]: {} },
    });
    assert.equal('nonce' in payload, false, 'with a nonce it could be taken for an ID token');
  });

  it('goes to every client of every application that took part in the session, and to no other', async () => {
    const { visitor, set, claims } = await someone();
    await tokensOf(server, visitor, {}, { app: 'bank' });
    await tokensOf(server, visitor, { client_id: 'quiet' }, { sending: { auth: basic('quiet', 'web-secret-1') } });
    await logOut(visitor, set.id_token);
    await deliver();
    assert.deepEqual([web.received.length, ecdsa.received.length, bank.received.length], [1, 0, 1]);
    const { payload } = await verified(tokenIn(bank), 'bank', 'web');
    assert.equal(payload.sid, claims.sid);
    await assert.rejects(verified(tokenIn(bank), 'shop', 'web'));
  });

  for (const response_type of ['id_token', 'id_token token']) {
    it(`goes to a client that only has what response_type=${response_type} gives, in its algorithm`, async () => {
      const { visitor, set } = await someone();
      const fields = { client_id: 'ecdsa', response_type, nonce: 'n', prompt: 'none' };
      assert(delivered(await visitor.go(authorizationUrl(server, fields))).fields.id_token);
      await logOut(visitor, set.id_token);
      await deliver();
      const { protectedHeader } = await verified(tokenIn(ecdsa), 'shop', 'ecdsa');
      assert.equal(protectedHeader.alg, 'ES256');
    });
  }

  it('goes once to a client that came many times', async () => {
    const { visitor } = await someone();
    const set = await tokensOf(server, visitor);
    await logOut(visitor, set.id_token);
    for (let run = 0; run < 3; run++) await deliver();
    assert.equal(web.received.length, 1);
  });

  it('is not sent when the same user signs in again, since nothing ended', async () => {
    const { visitor } = await someone();
    await logIn(visitor, await visitor.follow(authorizationUrl(server, { prompt: 'login' })));
    await deliver();
    assert.equal(web.received.length, 0);
  });

  const endings: readonly (readonly [string, (who: Awaited<ReturnType<typeof someone>>) => Promise<unknown>])[] = [
    [
      'another user signs in in the same browser',
      async ({ visitor }) => logIn(visitor, await visitor.follow(authorizationUrl(server, { prompt: 'login' })), 'bob'),
    ],
    [
      'the session is ended at the store, as the account page and the command do',
      ({ claims: { sub, sid } }) => server.services.store.endSession({ sub, sid }, clock.now()),
    ],
    [
      'the user is disabled',
      async ({ claims: { sub, sid } }) => {
        // All sessions of the user end: leave but this one.
        for (const other of await server.services.store.sessionsOf(sub, clock.now())) {
          if (other.sid !== sid) await server.services.store.endSession({ sub, sid: other.sid }, clock.now());
        }
        await deliver();
        web.received.length = 0;
        await server.provision({ users: [aUser({ disabled: true })] });
        await server.provision({ users: [aUser({ disabled: false })] });
      },
    ],
  ];
  for (const [name, end] of endings) {
    it(`is sent when ${name}`, async () => {
      const who = await someone();
      await end(who);
      await deliver();
      assert.equal(web.received.length, 1);
      assert.equal(claimsOf(tokenIn(web)).sid, who.claims.sid);
    });
  }
});

describe('back-channel logout: delivery', () => {
  /** Ends a session in which only `web` took part, so that only `web` is notified. */
  async function ended() {
    const { visitor, set, claims } = await someone();
    await logOut(visitor, set.id_token);
    return claims;
  }
  /** Seconds until the next attempt, looking once a second as the job does. */
  async function untilNext(most: number): Promise<number> {
    const before = web.received.length;
    for (let waited = 1; waited <= most; waited++) {
      clock.advance(1);
      await deliver();
      if (web.received.length > before) return waited;
    }
    return assert.fail(`nothing came within ${most} seconds`);
  }

  for (const status of [500, 503, 400, 404]) {
    it(`is tried again after a ${status}, with a longer pause each time, until it is taken`, async () => {
      const { sid } = await ended();
      web.answer({ status }, { status }, { status });
      await deliver();
      assert.equal(web.received.length, 1);
      const pauses = [await untilNext(60), await untilNext(120), await untilNext(240)];
      assert(
        pauses.every((pause, index) => index === 0 || pause > (pauses[index - 1] ?? 0)),
        pauses.join(', '),
      );
      assert.equal(web.received.length, 4);
      clock.advance(86_400);
      await deliver();
      assert.equal(web.received.length, 4, 'taken is taken');
      assert.equal(claimsOf(tokenIn(web)).sid, sid);
      assert.equal(new Set(web.received.map((_, index) => claimsOf(tokenIn(web, index)).jti)).size, 4);
    });
  }

  it('has a token that is fresh at each attempt', async () => {
    await ended();
    web.answer({ status: 500 });
    await deliver();
    await untilNext(60);
    assert.equal((await verified(tokenIn(web), 'shop', 'web')).payload.iat, clock.now());
  });

  it('comes when the client was down and is back', async () => {
    const { sid } = await ended();
    await web.down();
    await deliver();
    clock.advance(4);
    await web.up();
    assert.equal(web.received.length, 0);
    await untilNext(60);
    assert.equal(claimsOf(tokenIn(web)).sid, sid);
  });

  it('does not wait for one that is down to tell the others', async () => {
    const { visitor, set } = await someone();
    await tokensOf(server, visitor, {}, { app: 'bank' });
    await web.down();
    await logOut(visitor, set.id_token);
    await deliver();
    assert.equal(bank.received.length, 1);
    await web.up();
  });

  it('follows no redirect', async () => {
    await ended();
    web.answer({ status: 302, location: bank.address }, { status: 307, location: bank.address });
    await deliver();
    await untilNext(60);
    assert.equal(bank.received.length, 0);
    await untilNext(120);
    assert.equal(web.received.length, 3, 'a redirect is not an acknowledgement');
  });

  it('survives a restart, and two nodes do not both send it', async () => {
    const { sid } = await ended();
    web.answer({ status: 500 });
    await deliver();
    await server.close();
    const env = { ...ALLOWED, DATABASE_URL };
    server = await startTestServer({ clock, env, applications: [], users: [] });
    const second = await startTestServer({ clock, env, applications: [], users: [] });
    clock.advance(60);
    web.received.length = 0;
    await Promise.all([deliver(server), deliver(second), deliver(server), deliver(second)]);
    await second.close();
    assert.equal(web.received.length, 1);
    assert.equal(claimsOf(tokenIn(web)).sid, sid);
  });

  it('is taken up by another node when the one that had it in hand died', async () => {
    await ended();
    const { store } = server.services;
    assert.equal((await store.takeLogoutNotices(clock.now(), clock.now() + 60, 10)).length, 1);
    clock.advance(59);
    await deliver();
    assert.equal(web.received.length, 0);
    clock.advance(1);
    await deliver();
    assert.equal(web.received.length, 1);
  });

  it('gives up in the end, and says so in the log', async () => {
    await ended();
    web.answer(...Array.from({ length: 100 }, () => ({ status: 500 })));
    for (let hour = 0; hour < 48; hour++) {
      await deliver();
      clock.advance(3600);
    }
    const attempts = web.received.length;
    assert(attempts >= 5 && attempts < 40, String(attempts));
    assert.match(server.logged(), /logout\.undelivered/);
    clock.advance(86_400);
    await deliver();
    assert.equal(web.received.length, attempts);
    web.answer();
  });

  it('is dropped when the client has no address any more', async () => {
    await ended();
    await server.provision({ applications: [anApplication({ clients: [aClient()] })] });
    await deliver();
    await server.provision({ applications: given() });
    clock.advance(86_400);
    await deliver();
    assert.equal(web.received.length, 0);
  });
});
