import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
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
} from '../build/client.ts';
import { assertPage } from '../build/delivered.ts';
import { aClient, anApplication, aPublicClient } from '../build/fixture.ts';
import { type House, openHouse } from '../build/house.ts';
import { authorizationUrl, signIn, Visitor } from '../build/visitor.ts';

/**
 * Two applications that are as alike as they can be: the client `web` and the client `spa` exist in both, with the same
 * redirect addresses; only the secrets differ.
 */
let house: House;
const BANK = { auth: basic('web', 'bank-secret-1') };
const JWT = { auth: basic('jwt', 'web-secret-1') };

before(async () => {
  const clients = [aClient({ client_id: 'jwt', access_token_format: 'jwt' }), aPublicClient()];
  house = await openHouse({
    applications: [
      anApplication({ clients: [aClient(), aClient({ client_id: 'shop-only' }), ...clients] }),
      anApplication({ code: 'bank', name: 'Bank', clients: [aClient({ client_secret: 'bank-secret-1' }), ...clients] }),
    ],
  });
});
after(() => house.close());

describe('nothing crosses applications (row 4)', () => {
  it('a code is unknown at the other one, and stays good at its own', async () => {
    const code = await aCode(house);
    assertRefused(
      await redeem(house, code, {}, BANK, 'bank'),
      400,
      'invalid_grant',
      'Client authentication failed: code',
    );
    assert.equal((await redeem(house, code)).status, 200);
  });

  it('a code with its verifier alone, too', async () => {
    const { verifier, challenge } = aPkcePair();
    const redirect_uri = 'https://spa.example/cb';
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
    const code = await aCode(house, { client_id: 'spa', redirect_uri, ...pkce });
    const proof = { redirect_uri, code_verifier: verifier };
    assertRefused(await redeem(house, code, proof, {}, 'bank'), 400, 'invalid_grant');
    assert.equal((await redeem(house, code, proof, {})).status, 200);
  });

  it('a redeemed code shown to the other one ends nothing (row 38)', async () => {
    const code = await aCode(house);
    const set = (await redeem(house, code)).json;
    await redeem(house, code, {}, BANK, 'bank');
    assert.equal((await introspect(house, { token: set.access_token })).json.active, true);
  });

  it('an access token is no token there', async () => {
    const { access_token } = await aTokenSet(house);
    assertRefused(await userinfo(house, access_token, 'bank'), 401, 'invalid_token');
    assert.deepEqual((await introspect(house, { token: access_token }, BANK, 'bank')).json, { active: false });
    assert.equal((await userinfo(house, access_token)).status, 200);
  });

  it('nor is a signed one (RFC 9068), though both have a client of that name', async () => {
    const { access_token } = await aTokenSet(house, {}, JWT);
    assert.equal(claimsOf(access_token).iss, house.at());
    assertRefused(await userinfo(house, access_token, 'bank'), 401, 'invalid_token');
    assert.deepEqual((await introspect(house, { token: access_token }, BANK, 'bank')).json, { active: false });
    assert.equal((await userinfo(house, access_token)).status, 200);
  });

  it('an access token does not open introspection there', async () => {
    const { access_token } = await aTokenSet(house);
    const bearer = { auth: `Bearer ${access_token}` };
    assertRefused(await introspect(house, { token: access_token }, bearer, 'bank'), 401, 'access_denied');
    assert.equal((await introspect(house, { token: access_token }, bearer)).json.active, true);
  });

  it('a refresh token is unknown there, and is neither spent nor revoked by the attempt', async () => {
    const { refresh_token } = await aTokenSet(house);
    const body = { grant_type: 'refresh_token', refresh_token };
    const text = 'The refresh token is invalid or expired.';
    assertRefused(await token(house, body, BANK, 'bank'), 400, 'invalid_grant', text);
    assert.deepEqual((await introspect(house, { token: refresh_token }, BANK, 'bank')).json, { active: false });
    assert.equal((await token(house, body)).status, 200);
  });

  it('nor can it be revoked from there, by a client of the same name', async () => {
    const { access_token, refresh_token } = await aTokenSet(house);
    for (const given of [access_token, refresh_token]) {
      assert.equal((await post(`${house.at('bank')}/revoke`, { token: given }, BANK)).status, 200);
    }
    assert.equal((await introspect(house, { token: access_token })).json.active, true);
    assert.equal((await introspect(house, { token: refresh_token })).json.active, true);
  });

  it('a client is unknown there, and so is the secret of a client of the same name', async () => {
    for (const auth of [basic('shop-only', 'web-secret-1'), basic('web', 'web-secret-1')]) {
      assertRefused(await token(house, { grant_type: 'password' }, { auth }, 'bank'), 401, 'invalid_client');
      assertRefused(await introspect(house, { token: 'x' }, { auth }, 'bank'), 401, 'invalid_client');
    }
    const visitor = new Visitor(house.base);
    await signIn(house, {}, { visitor });
    assertPage(await visitor.go(authorizationUrl(house, { client_id: 'shop-only' }, 'bank')));
  });

  it('each has signing keys of its own, and the ID token of one does not hold at the other', async () => {
    const { id_token } = await aTokenSet(house);
    await aTokenSet(house, {}, BANK, 'bank');
    const own = (await get(`${house.at()}/jwks`)).json;
    const other = (await get(`${house.at('bank')}/jwks`)).json;
    const marks = ({ keys }: { keys: Record<string, string>[] }) => keys.flatMap(({ kid, x, n }) => [kid, x ?? n]);
    assert(marks(own).length > 0 && marks(other).length > 0);
    assert.deepEqual(
      marks(own).filter(mark => marks(other).includes(mark)),
      [],
    );
    assert.equal((await jwtVerify(id_token, createLocalJWKSet(own))).payload.iss, house.at());
    await assert.rejects(jwtVerify(id_token, createLocalJWKSet(other)));
  });

  it('the person is one and the same: one directory per deployment (row 2)', async () => {
    const here = claimsOf((await aTokenSet(house)).id_token);
    const there = claimsOf((await aTokenSet(house, {}, BANK, 'bank')).id_token);
    assert.equal(here.sub, there.sub);
    assert.notEqual(here.iss, there.iss);
  });
});
