import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import type { SigningAlg } from '../../../src/oauth/signing-keys/algorithms.rules.ts';
import { rotateDueKeys } from '../../../src/oauth/signing-keys/rotation.ts';
import { aTokenSet, basic, get } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { type ApplicationInput, aClient } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';

const DAY = 86_400;
const TTL = 600;
/** KEY_SET_MAX_AGE_SECONDS of oauth/signing-keys/rules.ts, as clients see it in Cache-Control. */
const CACHED = 300;

describe('the key set lists the algorithms that are used, and no other (issue 10 B.3)', () => {
  const clock = fixedClock();
  const server = suiteServer({ clock, applications: [] });

  const client = (alg?: SigningAlg) =>
    aClient({ client_id: alg ?? 'web', access_token_format: 'jwt', ...(alg && { id_token_signed_response_alg: alg }) });
  const provision = (code: string, over: Partial<ApplicationInput>) =>
    server.provision({
      shop: { code, id_token_ttl: TTL, access_token_ttl: TTL, ...over },
      users: [],
    });
  const keySet = async (app: string): Promise<JSONWebKeySet> => {
    // As startOwnJobs does when it hears of a change.
    server.services.signer.invalidate();
    return (await get(`${server.at(app)}/jwks`)).json;
  };
  const algs = async (app: string) => (await keySet(app)).keys.map(({ alg }) => alg).sort();
  const tokenOf = async (clientId: string, app: string): Promise<string> =>
    (await aTokenSet(server, {}, { auth: basic(clientId, 'web-secret-1') }, app)).access_token;
  const keyJob = async (app: string) =>
    rotateDueKeys(server.services, (await server.services.registry.application(app)) ?? assert.fail());

  for (const [what, over, expected] of [
    ['of an application without clients: its default', { clients: [] }, ['RS256']],
    ['of clients that name none: the default', { clients: [client()] }, ['RS256']],
    ['of another default', { id_token_signed_response_alg: 'EdDSA', clients: [client()] }, ['EdDSA']],
    ['of a client that names one', { clients: [client(), client('ES256')] }, ['ES256', 'RS256']],
    ['of all three', { clients: [client('RS256'), client('ES256'), client('EdDSA')] }, ['ES256', 'EdDSA', 'RS256']],
  ] satisfies [string, Partial<ApplicationInput>, string[]][]) {
    it(what, async () => {
      const code = `app-${what.replaceAll(/\W/g, '-').slice(0, 30)}`;
      await provision(code, over);
      assert.deepEqual(await algs(code), expected);
      await keyJob(code);
      assert.deepEqual(await algs(code), expected);
      const { json } = await get(`${server.at(code)}/.well-known/openid-configuration`);
      assert.deepEqual([...json.id_token_signing_alg_values_supported].sort(), ['ES256', 'EdDSA', 'RS256']);
    });
  }

  it('a key of an algorithm that no client uses any more stays until its last token has expired', async () => {
    await provision('shop', { clients: [client(), client('EdDSA')] });
    await keyJob('shop');
    assert.deepEqual(await algs('shop'), ['EdDSA', 'RS256']);
    await server.services.store.deleteClient('shop', 'EdDSA', clock.now());
    // A token was issued just before.
    const last = await server.services.signer.sign('shop', 'EdDSA', 'at+jwt', { exp: clock.now() + TTL });
    await keyJob('shop');
    clock.advance(TTL - 1);
    await jwtVerify(last, createLocalJWKSet(await keySet('shop')), { currentDate: new Date(clock.now() * 1000) });
    clock.advance(CACHED);
    assert.deepEqual(await algs('shop'), ['EdDSA', 'RS256'], 'caches may still hold the key set');
    clock.advance(1);
    assert.deepEqual(await algs('shop'), ['RS256']);
    await keyJob('shop');
    const stored = async () => (await server.services.store.signingKeys('shop')).map(({ alg }) => alg).sort();
    assert.deepEqual(await stored(), ['EdDSA', 'RS256'], 'an expired id_token_hint is still known');
    clock.advance(30 * DAY);
    await keyJob('shop');
    assert.deepEqual(await stored(), ['RS256']);
  });

  it('a key outlives what is signed for five minutes, however short the tokens of its application live', async () => {
    await provision('brief', { id_token_ttl: 1, access_token_ttl: 1, clients: [client(), client('EdDSA')] });
    await server.services.signer.sign('brief', 'EdDSA', 'JWT', { exp: clock.now() + 300 });
    await server.services.store.deleteClient('brief', 'EdDSA', clock.now());
    await keyJob('brief');
    clock.advance(CACHED + 299);
    assert.deepEqual(await algs('brief'), ['EdDSA', 'RS256']);
    clock.advance(1);
    assert.deepEqual(await algs('brief'), ['RS256']);
  });

  it('a key that has signed nothing goes with the client that asked for it', async () => {
    await provision('early', { clients: [client(), client('EdDSA')] });
    assert.deepEqual(await algs('early'), ['EdDSA', 'RS256']);
    await server.services.store.deleteClient('early', 'EdDSA', clock.now());
    assert.deepEqual(await algs('early'), ['RS256']);
    await keyJob('early');
    assert.deepEqual(await algs('early'), ['RS256']);
  });

  it('a default that no client has used goes when another takes its place', async () => {
    await provision('moved', { clients: [client('ES256')] });
    assert.deepEqual(await algs('moved'), ['ES256', 'RS256']);
    await provision('moved', { id_token_signed_response_alg: 'ES256', clients: [client('ES256')] });
    assert.deepEqual(await algs('moved'), ['ES256']);
  });

  it('a key that signs for the first time after its client has gone is listed again', async () => {
    await provision('late', { clients: [client(), client('EdDSA')] });
    await server.services.store.deleteClient('late', 'EdDSA', clock.now());
    await keyJob('late');
    assert.deepEqual(await algs('late'), ['RS256']);
    const before = await server.services.store.registryVersion();
    // A request that was on its way.
    await server.services.signer.sign('late', 'EdDSA', 'at+jwt', { exp: clock.now() + TTL });
    assert((await server.services.store.registryVersion()) > before, 'other processes hear of it');
    assert.deepEqual(await algs('late'), ['EdDSA', 'RS256']);
  });

  it('a client that changes its algorithm has its old tokens verified, and gets a new key when it changes back', async () => {
    await provision('bank', { clients: [{ ...client('ES256'), client_id: 'web' }] });
    const first = await tokenOf('web', 'bank');
    await provision('bank', { clients: [client()] });
    await keyJob('bank');
    const second = await tokenOf('web', 'bank');
    const keys = createLocalJWKSet(await keySet('bank'));
    for (const jwt of [first, second]) await jwtVerify(jwt, keys, { currentDate: new Date(clock.now() * 1000) });

    clock.advance(1);
    await provision('bank', { clients: [{ ...client('ES256'), client_id: 'web' }] });
    server.services.signer.invalidate();
    const third = await tokenOf('web', 'bank');
    const [old, fresh] = [first, third].map(jwt => decodeProtectedHeader(jwt));
    assert.deepEqual([old?.alg, fresh?.alg], ['ES256', 'ES256']);
    assert.notEqual(fresh?.kid, old?.kid);
    assert((await keySet('bank')).keys.some(({ kid }) => kid === fresh?.kid));
  });

  it('a rotation makes no key of an algorithm that is not used', async () => {
    await provision('calm', { clients: [client(), client('ES256')] });
    await server.services.store.deleteClient('calm', 'ES256', clock.now());
    await keyJob('calm');
    clock.advance(100 * DAY);
    await keyJob('calm');
    const stored = await server.services.store.signingKeys('calm');
    assert.deepEqual(
      stored.map(({ alg }) => alg),
      ['RS256', 'RS256'],
    );
  });
});
