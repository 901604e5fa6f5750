import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLocalJWKSet, jwtVerify } from 'jose';
import {
  aCode,
  aPkcePair,
  assertRefused,
  aTokenSet,
  basic,
  claimsOf,
  get,
  introspect,
  post,
  redeem,
  token,
  userinfo,
} from '../../build/client.ts';
import { assertPage } from '../../build/delivered.ts';
import { aClient, anApplication, aPublicClient } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, signIn, Visitor } from '../../build/visitor.ts';

/**
 * Two applications that are as alike as they can be: the client `web` and the client `spa` exist in both, with the same
 * redirect addresses; only the secrets differ.
 */
const BANK = { auth: basic('web', 'bank-secret-1') };
const JWT = { auth: basic('jwt', 'web-secret-1') };

const clients = [aClient({ client_id: 'jwt', access_token_format: 'jwt' }), aPublicClient()];
const server = suiteServer({
  applications: [
    anApplication({ clients: [aClient(), aClient({ client_id: 'shop-only' }), ...clients] }),
    anApplication({ code: 'bank', name: 'Bank', clients: [aClient({ client_secret: 'bank-secret-1' }), ...clients] }),
  ],
});

describe('nothing crosses applications (row 4)', () => {
  it('a code is unknown at the other one, and stays good at its own', async () => {
    const code = await aCode(server);
    assertRefused(
      await redeem(server, code, {}, BANK, 'bank'),
      400,
      'invalid_grant',
      'Client authentication failed: code',
    );
    assert.equal((await redeem(server, code)).status, 200);
  });

  it('a code with its verifier alone, too', async () => {
    const { verifier, challenge } = aPkcePair();
    const redirect_uri = 'https://spa.example/cb';
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const code = await aCode(server, { client_id: 'spa', redirect_uri, ...pkce });
    const proof = { redirect_uri, code_verifier: verifier };
    assertRefused(await redeem(server, code, proof, {}, 'bank'), 400, 'invalid_grant');
    assert.equal((await redeem(server, code, proof, {})).status, 200);
  });

  it('a redeemed code shown to the other one ends nothing (row 38)', async () => {
    const code = await aCode(server);
    const set = (await redeem(server, code)).json;
    await redeem(server, code, {}, BANK, 'bank');
    assert.equal((await introspect(server, { token: set.access_token })).json.active, true);
  });

  it('an access token is no token there', async () => {
    const { access_token } = await aTokenSet(server);
    assertRefused(await userinfo(server, access_token, 'bank'), 401, 'invalid_token');
    assert.deepEqual((await introspect(server, { token: access_token }, BANK, 'bank')).json, { active: false });
    assert.equal((await userinfo(server, access_token)).status, 200);
  });

  it('nor is a signed one (RFC 9068), though both have a client of that name', async () => {
    const { access_token } = await aTokenSet(server, {}, JWT);
    assert.equal(claimsOf(access_token).iss, server.at());
    assertRefused(await userinfo(server, access_token, 'bank'), 401, 'invalid_token');
    assert.deepEqual((await introspect(server, { token: access_token }, BANK, 'bank')).json, { active: false });
    assert.equal((await userinfo(server, access_token)).status, 200);
  });

  it('an access token does not open introspection there', async () => {
    const { access_token } = await aTokenSet(server);
    const bearer = { auth: `Bearer ${access_token}` };
    assertRefused(await introspect(server, { token: access_token }, bearer, 'bank'), 401, 'access_denied');
    assert.equal((await introspect(server, { token: access_token }, bearer)).json.active, true);
  });

  it('a refresh token is unknown there, and is neither spent nor revoked by the attempt', async () => {
    const { refresh_token } = await aTokenSet(server);
    const body = { grant_type: 'refresh_token', refresh_token };
    const text = 'The refresh token is invalid or expired.';
    assertRefused(await token(server, body, BANK, 'bank'), 400, 'invalid_grant', text);
    assert.deepEqual((await introspect(server, { token: refresh_token }, BANK, 'bank')).json, { active: false });
    assert.equal((await token(server, body)).status, 200);
  });

  it('nor can it be revoked from there, by a client of the same name', async () => {
    const { access_token, refresh_token } = await aTokenSet(server);
    for (const given of [access_token, refresh_token]) {
      assert.equal((await post(`${server.at('bank')}/revoke`, { token: given }, BANK)).status, 200);
    }
    assert.equal((await introspect(server, { token: access_token })).json.active, true);
    assert.equal((await introspect(server, { token: refresh_token })).json.active, true);
  });

  it('a client is unknown there, and so is the secret of a client of the same name', async () => {
    for (const auth of [basic('shop-only', 'web-secret-1'), basic('web', 'web-secret-1')]) {
      assertRefused(await token(server, { grant_type: 'password' }, { auth }, 'bank'), 401, 'invalid_client');
      assertRefused(await introspect(server, { token: 'x' }, { auth }, 'bank'), 401, 'invalid_client');
    }
    const visitor = new Visitor(server.base);
    await signIn(server, {}, { visitor });
    assertPage(await visitor.go(authorizationUrl(server, { client_id: 'shop-only' }, 'bank')));
  });

  it('each has signing keys of its own, and the ID token of one does not hold at the other', async () => {
    const { id_token } = await aTokenSet(server);
    await aTokenSet(server, {}, BANK, 'bank');
    const own = (await get(`${server.at()}/jwks`)).json;
    const other = (await get(`${server.at('bank')}/jwks`)).json;
    const marks = ({ keys }: { keys: Record<string, string>[] }) => keys.flatMap(({ kid, x, n }) => [kid, x ?? n]);
    assert(marks(own).length > 0 && marks(other).length > 0);
    assert.deepEqual(
      marks(own).filter(mark => marks(other).includes(mark)),
      [],
    );
    assert.equal((await jwtVerify(id_token, createLocalJWKSet(own))).payload.iss, server.at());
    await assert.rejects(jwtVerify(id_token, createLocalJWKSet(other)));
  });

  it('the person is one and the same: one directory per deployment (row 2)', async () => {
    const here = claimsOf((await aTokenSet(server)).id_token);
    const there = claimsOf((await aTokenSet(server, {}, BANK, 'bank')).id_token);
    assert.equal(here.sub, there.sub);
    assert.notEqual(here.iss, there.iss);
  });
});
