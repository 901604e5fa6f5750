import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { basic, claimsOf } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { aUser } from '../../build/fixture.ts';
import { logIn, tokensOf } from '../../build/people.ts';
import { authorizationUrl } from '../../build/visitor.ts';
import { tokenIn, useBackchannel } from './backchannel-fixture.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

const { server, web, ecdsa, bank, clock, deliver, logOut, someone, verified } = useBackchannel();

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

  it('names user and session as a pairwise client sees them (OIDC Core section 8)', async () => {
    const { visitor, set } = await someone();
    const fields = { client_id: 'pairwise', prompt: 'none' };
    const own = await tokensOf(server, visitor, fields, { sending: { auth: basic('pairwise', 'web-secret-1') } });
    await logOut(visitor, set.id_token);
    await deliver();
    const { payload } = await verified(tokenIn(ecdsa), 'shop', 'pairwise');
    const seen = claimsOf(own.id_token);
    assert.deepEqual([payload.sub, payload.sid], [seen.sub, seen.sid]);
    assert.notEqual(payload.sub, claimsOf(set.id_token).sub);
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

  const endings: readonly (readonly [string, (login: Awaited<ReturnType<typeof someone>>) => Promise<unknown>])[] = [
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
      const login = await someone();
      await end(login);
      await deliver();
      assert.equal(web.received.length, 1);
      assert.equal(claimsOf(tokenIn(web)).sid, login.claims.sid);
    });
  }
});
