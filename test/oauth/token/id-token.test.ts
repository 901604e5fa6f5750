import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import {
  aCode,
  aTokenSet,
  basic,
  claimsOf,
  get,
  introspect,
  isActive,
  redeem,
  refresh,
  WEB,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { answerIn, signIn, Visitor } from '../../build/visitor.ts';

const SECRET = 'web-secret-1';
const ECDSA = basic('ecdsa', SECRET);
const ALWAYS = ['amr', 'acr', 'aud', 'auth_time', 'azp', 'exp', 'iat', 'iss', 'sub'];

/** OIDC Core section 3.1.3.6. */
const atHash = (accessToken: string) =>
  createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');
const names = (claims: object) => Object.keys(claims).sort();

describe('ID token', () => {
  const clock = fixedClock();
  // What they say about the person: id-token-profile.test.ts.
  const clients = [
    aClient({ id_token_claims: 'minimal' }),
    aClient({ client_id: 'ecdsa', id_token_signed_response_alg: 'ES256', id_token_claims: 'minimal' }),
  ];
  const server = suiteServer({
    clock,
    applications: [
      anApplication({ clients }),
      anApplication({ code: 'bank', name: 'Bank' }),
      anApplication({ code: 'strict', name: 'Strict', strict_oidc: true }),
      anApplication({ code: 'brief', name: 'Brief', access_token_ttl: 60, id_token_ttl: 90, refresh_token_ttl: 120 }),
    ],
  });

  describe('claims (row 44; OIDC Core section 2)', () => {
    it('of the code flow: the login, the client, the session, nonce and at_hash', async () => {
      const visitor = new Visitor(server.base);
      const loggedInAt = clock.now();
      const code = await aCode(server, { nonce: 'n-0S6_WzA2Mj' }, { visitor });
      clock.advance(100);
      const { json } = await redeem(server, code);
      const claims = claimsOf(json.id_token);
      const { sub, sid, ...rest } = claims;
      assert.match(sub, /^.{8,255}$/);
      assert.match(sid, /^.{16,}$/);
      assert.deepEqual(rest, {
        iss: server.at(),
        aud: 'web',
        azp: 'web',
        iat: clock.now(),
        exp: clock.now() + 3600,
        auth_time: loggedInAt,
        amr: ['pwd'],
        acr: '1',
        nonce: 'n-0S6_WzA2Mj',
        at_hash: atHash(json.access_token),
      });
      assert.equal((await introspect(server, { token: json.access_token })).json.sub, sub);

      clock.advance(100);
      const later = claimsOf((await redeem(server, await aCode(server, {}, { visitor }))).json.id_token);
      assert.deepEqual([later.sub, later.sid, later.auth_time], [sub, sid, loggedInAt]);
      assert.equal('nonce' in later, false);
    });

    it('of the password grant: no session, no nonce', async () => {
      const { id_token } = await aTokenSet(server);
      assert.deepEqual(names(claimsOf(id_token)), [...ALWAYS, 'at_hash'].sort());
    });

    it('on refresh: the same login, a new iat, and the at_hash of the new access token (OIDC Core 12.2)', async () => {
      const first = (await redeem(server, await aCode(server, { nonce: 'once' }))).json;
      clock.advance(500);
      const second = (await refresh(server, first.refresh_token)).json;
      const [before, after] = [claimsOf(first.id_token), claimsOf(second.id_token)];
      for (const same of ['iss', 'sub', 'aud', 'azp', 'auth_time', 'sid'])
        assert.equal(after[same], before[same], same);
      assert.equal(after.iat, before.iat + 500);
      assert.equal(after.exp, after.iat + 3600);
      assert.equal(after.at_hash, atHash(second.access_token));
      assert.equal('nonce' in after, false);
    });

    it('of response_type=id_token: the profile of the granted scopes, no at_hash', async () => {
      const asked = { response_type: 'id_token', nonce: 'n', scope: 'openid email' };
      const { id_token = '', access_token } = answerIn(await signIn(server, asked));
      const claims = claimsOf(id_token);
      assert.equal(access_token, undefined);
      assert.deepEqual(names(claims), [...ALWAYS, 'email', 'email_verified', 'nonce', 'sid'].sort());
      assert.deepEqual([claims.email, claims.email_verified, claims.nonce], ['alice@example.com', true, 'n']);
    });

    it('of response_type=id_token token: at_hash and no profile', async () => {
      const { id_token = '', access_token = '' } = answerIn(
        await signIn(server, { response_type: 'id_token token', nonce: 'n' }),
      );
      assert.deepEqual(names(claimsOf(id_token)), [...ALWAYS, 'at_hash', 'nonce', 'sid'].sort());
      assert.equal(claimsOf(id_token).at_hash, atHash(access_token));
    });
  });

  describe('signature (row 44; RFC 7515)', () => {
    for (const [alg, auth, clientId] of [
      ['RS256', WEB, 'web'],
      ['ES256', ECDSA, 'ecdsa'],
    ] as const) {
      it(`is ${alg} for ${clientId}, by a key of the jwks endpoint`, async () => {
        const { id_token } = await aTokenSet(server, {}, { auth });
        const { protectedHeader } = await jwtVerify(id_token, createRemoteJWKSet(new URL(`${server.at()}/jwks`)), {
          algorithms: [alg],
          issuer: server.at(),
          audience: clientId,
          currentDate: new Date(clock.now() * 1000),
        });
        assert.equal(protectedHeader.alg, alg);
        assert.match(protectedHeader.kid ?? '', /./);
      });
    }

    it('does not verify with the keys of another application (row 4)', async () => {
      const { id_token } = await aTokenSet(server);
      const keys = createRemoteJWKSet(new URL(`${server.at('bank')}/jwks`));
      await assert.rejects(jwtVerify(id_token, keys, { currentDate: new Date(clock.now() * 1000) }), {
        code: 'ERR_JWKS_NO_MATCHING_KEY',
      });
    });

    it('comes from published keys that hold nothing private', async () => {
      await aTokenSet(server, {}, { auth: ECDSA });
      const { keys } = (await get(`${server.at()}/jwks`)).json;
      const known = ['alg', 'crv', 'e', 'kid', 'kty', 'n', 'use', 'x', 'y'];
      for (const key of keys)
        assert.deepEqual(
          names(key).filter(name => !known.includes(name)),
          [],
        );
      assert.deepEqual(keys.map(({ alg, use }: Record<string, string>) => `${alg} ${use}`).sort(), [
        'ES256 sig',
        'RS256 sig',
      ]);
      assert.equal(new Set(keys.map(({ kid }: Record<string, string>) => kid)).size, 2);
    });

    it('is advertised with all algorithms', async () => {
      const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
      assert.deepEqual([...json.id_token_signing_alg_values_supported].sort(), ['ES256', 'EdDSA', 'RS256']);
    });
  });

  describe('presence (row 40)', () => {
    it('is in every token set, with the refresh token, also without the scope openid', async () => {
      const first = await aTokenSet(server, { scope: 'email' });
      const second = (await refresh(server, first.refresh_token)).json;
      for (const set of [first, second]) {
        assert.deepEqual([set.scope, claimsOf(set.id_token).aud], ['email', 'web']);
        assert.match(set.refresh_token, /./);
      }
    });

    it('needs the scope openid under strict_oidc', async () => {
      assert.equal('id_token' in (await aTokenSet(server, { scope: 'email' }, undefined, 'strict')), false);
      assert.equal('id_token' in (await aTokenSet(server, { scope: 'openid' }, undefined, 'strict')), true);
    });
  });

  describe('lifetimes (row 43)', () => {
    it('are 1 h for access and ID token and 30 days for the refresh token', async () => {
      const set = await aTokenSet(server);
      const { iat, exp } = claimsOf(set.id_token);
      assert.deepEqual([set.expires_in, exp - iat], [3600, 3600]);
      assert.equal((await introspect(server, { token: set.access_token })).json.exp, clock.now() + 3600);
      assert.equal((await introspect(server, { token: set.refresh_token })).json.exp, clock.now() + 2_592_000);
    });

    it('are set per application, and end on the second', async () => {
      const at = { app: 'brief', sending: { auth: WEB } };
      const set = await aTokenSet(server, {}, at.sending, at.app);
      const { iat, exp } = claimsOf(set.id_token);
      assert.deepEqual([set.expires_in, exp - iat], [60, 90]);
      clock.advance(59);
      assert.equal(await isActive(server, set.access_token, at.sending, at.app), true);
      clock.advance(1);
      assert.equal(await isActive(server, set.access_token, at.sending, at.app), false);
      clock.advance(59);
      assert.equal(await isActive(server, set.refresh_token, at.sending, at.app), true);
      clock.advance(1);
      assert.equal(await isActive(server, set.refresh_token, at.sending, at.app), false);
    });
  });
});
