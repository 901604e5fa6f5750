import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRemoteJWKSet, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import {
  aTokenSet,
  basic,
  claimsOf,
  introspect,
  isActive,
  refresh,
  revoke,
  type Sending,
  userinfo,
  WEB,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';

/**
 * test/http/ has the tests of what a caller sees over HTTP, against a listening server: a file for each endpoint, grant, token and page,
 * and for what all of them share (overload, connections, log, metrics, headers). Attacks are in test/platform/http/attack.test.ts, random requests in fuzz/.
 */
const SECRET = 'web-secret-1';
const JWT: Sending = { auth: basic('jwt', SECRET) };
const JWT_ECDSA: Sending = { auth: basic('jwt-ecdsa', SECRET) };

describe('access tokens (row 45)', () => {
  const clock = fixedClock();
  const jwt = { access_token_format: 'jwt' } as const;
  const clients = [
    aClient(),
    aClient({ client_id: 'jwt', ...jwt }),
    aClient({ client_id: 'jwt-ecdsa', ...jwt, id_token_signed_response_alg: 'ES256' }),
  ];
  const server = suiteServer({
    clock,
    applications: [
      anApplication({ clients }),
      anApplication({ code: 'bank', name: 'Bank', clients: [aClient(), aClient({ client_id: 'jwt', ...jwt })] }),
    ],
  });

  it('are opaque by default: a prefix, a stamp and 256 random bits, never the same', async () => {
    const tokens = [await aTokenSet(server), await aTokenSet(server)].map(({ access_token }) => access_token);
    for (const token of tokens) assert.match(token, /^[a-z]+_[\w-]{8}[\w-]{43}$/);
    assert.notEqual(tokens[0], tokens[1]);
  });

  describe('as JWT (RFC 9068)', () => {
    const parts = (token: string) => token.split('.') as [string, string, string];
    const headerOf = (token: string) => JSON.parse(Buffer.from(parts(token)[0], 'base64url').toString());
    const isRefused = async (token: string) => {
      assert.deepEqual((await introspect(server, { token })).json, { active: false });
      assert.equal((await userinfo(server, token)).json.error, 'invalid_token');
    };

    for (const [alg, clientId, sending] of [
      ['RS256', 'jwt', JWT],
      ['ES256', 'jwt-ecdsa', JWT_ECDSA],
    ] as const) {
      it(`have the claims of section 2.2 and the type at+jwt, signed with ${alg}`, async () => {
        const { access_token } = await aTokenSet(server, { scope: 'openid email' }, sending);
        const { payload } = await jwtVerify(access_token, createRemoteJWKSet(new URL(`${server.at()}/jwks`)), {
          algorithms: [alg],
          typ: 'at+jwt',
          issuer: server.at(),
          audience: server.at(),
          currentDate: new Date(clock.now() * 1000),
        });
        const { sub, jti, ...rest } = payload;
        assert.deepEqual(rest, {
          iss: server.at(),
          aud: server.at(),
          client_id: clientId,
          scope: 'openid email',
          iat: clock.now(),
          exp: clock.now() + 3600,
          // RFC 9068 section 2.2.1, accounts contract.
          auth_time: clock.now(),
          amr: ['pwd'],
          acr: '1',
        });
        assert.equal(headerOf(access_token).typ, 'at+jwt');
        const seen = (await introspect(server, { token: access_token })).json;
        assert.deepEqual([seen.active, seen.sub, seen.exp], [true, sub, payload.exp]);
        const next = (await refresh(server, (await aTokenSet(server, {}, sending)).refresh_token, {}, sending)).json;
        assert.notEqual(claimsOf(next.access_token).jti, jti);
      });
    }

    it('open userinfo, with the scope they carry', async () => {
      const { access_token } = await aTokenSet(server, { scope: 'openid email' }, JWT);
      assert.deepEqual(Object.keys((await userinfo(server, access_token)).json).sort(), [
        'email',
        'email_verified',
        'sub',
      ]);
    });

    it('carry a narrowed scope after a refresh', async () => {
      const { refresh_token } = await aTokenSet(server, { scope: 'openid email' }, JWT);
      const { access_token } = (await refresh(server, refresh_token, { scope: 'email' }, JWT)).json;
      assert.equal(claimsOf(access_token).scope, 'email');
    });

    it('can be revoked before they expire', async () => {
      const set = await aTokenSet(server, {}, JWT);
      assert.equal((await revoke(server, { token: set.access_token }, JWT)).status, 200);
      await isRefused(set.access_token);
      assert.equal(await isActive(server, set.refresh_token, JWT), true);
    });

    it('end with their family', async () => {
      const set = await aTokenSet(server, {}, JWT);
      await revoke(server, { token: set.refresh_token }, JWT);
      await isRefused(set.access_token);
    });

    it('end on the second they say', async () => {
      const { access_token } = await aTokenSet(server, {}, JWT);
      clock.advance(3599);
      assert.equal(await isActive(server, access_token), true);
      clock.advance(1);
      await isRefused(access_token);
    });

    it('are worth nothing at another application (row 4)', async () => {
      await isRefused((await aTokenSet(server, {}, JWT, 'bank')).access_token);
    });

    it('cannot be made of an ID token or of a jti', async () => {
      const { id_token, access_token } = await aTokenSet(server, {}, JWT);
      const { jti } = claimsOf(access_token);
      for (const token of [id_token, jti, `gat_${jti}`]) await isRefused(token);
    });

    it('cannot be changed, resigned or left unsigned', async () => {
      const { access_token } = await aTokenSet(server, {}, JWT);
      const [header, payload, signature] = parts(access_token);
      const claims = { ...claimsOf(access_token), scope: 'openid profile email phone' };
      const changed = Buffer.from(JSON.stringify({ ...claims, client_id: 'web' })).toString('base64url');
      const { kid } = headerOf(access_token);
      const key = Buffer.from('a key that somebody else chose, long enough');
      const forged = [
        `${header}.${changed}.${signature}`,
        `${header}.${payload}.`,
        `${header}.${payload}.${signature.split('').reverse().join('')}`,
        new UnsecuredJWT(claims).encode(),
        await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid }).sign(key),
      ];
      for (const token of forged) await isRefused(token);
      assert.equal(await isActive(server, access_token, { auth: WEB }), true);
    });
  });
});
