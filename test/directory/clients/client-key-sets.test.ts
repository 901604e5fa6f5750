import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { aSigningPair, assertionFor, presenting, privateJwk, type SigningPair } from '../../build/assertion.ts';
import { introspect } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient } from '../../build/fixture.ts';
import { type KeyServer, keySetOf, openKeyServer } from '../../build/key-server.ts';
import { IMPATIENT, startTestServer, suiteServer } from '../../build/test-server.ts';

const FIRST = aSigningPair('ES256', 'first');
const SECOND = aSigningPair('ES256', 'second');

/** Keys that a client publishes: every fetch is guarded, bounded and shared (modern contract, "What bad input gets"). */
describe('jwks_uri of a client (RFC 7591 section 2)', () => {
  const clock = fixedClock();
  let keys: KeyServer;
  const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', TRUSTED_PROXIES: '127.0.0.1' };
  const server = suiteServer({ clock, env });

  /** Each test has a client of its own, whose keys are at an address of their own. */
  let clientId = '';
  let tests = 0;
  const register = (jwks_uri: string, at = server) =>
    at.provision({
      clients: [
        aClient({
          ...{ client_id: clientId, client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt' },
          jwks_uri,
        }),
      ],
    });
  beforeEach(async () => {
    clientId = `remote-${++tests}`;
    keys = await openKeyServer(keySetOf(FIRST.publicJwk));
    await register(keys.address);
  });
  afterEach(() => keys.close());

  let addresses = 0;
  const status = async (signer: SigningPair, header: Record<string, unknown> = {}, at = server) => {
    addresses++;
    const headers = { 'x-forwarded-for': `10.${addresses >> 8}.${addresses & 255}.1` };
    const presented = assertionFor(at, signer, { clientId, now: clock.now(), header });
    return (await introspect(at, { token: 'x', ...presenting(presented) }, { headers })).status;
  };

  it('is read once for many requests, one after the other and at the same time', async () => {
    const parallel = await Promise.all(Array.from({ length: 20 }, () => status(FIRST)));
    assert.deepEqual(new Set(parallel), new Set([200]));
    for (let count = 0; count < 5; count++) assert.equal(await status(FIRST), 200);
    assert.equal(keys.count(), 1);
  });

  it('attack: 100 unknown kids in a second cause one fetch, and none of them stops the client', async () => {
    assert.equal(await status(FIRST), 200);
    clock.advance(10);
    const unknown = Array.from({ length: 100 }, (_, each) => status(SECOND, { kid: `unknown-${each}` }));
    assert.deepEqual(new Set(await Promise.all(unknown)), new Set([401]));
    assert.equal(await status(FIRST), 200);
    assert.equal(keys.count(), 2);
    for (let count = 0; count < 10; count++) assert.equal(await status(SECOND), 401);
    assert.equal(keys.count(), 2);
  });

  it('a new key works as soon as it is published, with its kid and without, ten seconds after the last fetch', async () => {
    assert.equal(await status(FIRST), 200);
    keys.answer(keySetOf(FIRST.publicJwk, SECOND.publicJwk));
    clock.advance(10);
    assert.equal(await status(SECOND), 200);
    assert.equal(await status(FIRST), 200);
    assert.equal(keys.count(), 2);
    const third = aSigningPair('ES256', 'third');
    keys.answer(keySetOf({ ...third.publicJwk, kid: undefined }));
    clock.advance(10);
    assert.equal(await status(third, { kid: undefined }), 200);
    assert.equal(keys.count(), 3);
    // The withdrawn key is gone with the fetch.
    assert.equal(await status(FIRST), 401);
  });

  for (const [name, control, fresh, stale] of [
    ['five minutes without Cache-Control', undefined, 299, 1],
    ['as long as max-age says', 'public, max-age=600', 599, 1],
    ['at least a minute', 'no-store', 59, 1],
    ['at most an hour', 'max-age=31536000', 3599, 1],
  ] as const) {
    it(`is used for ${name}`, async () => {
      keys.answer({
        ...keySetOf(FIRST.publicJwk),
        headers: control === undefined ? {} : { 'cache-control': control },
      });
      assert.equal(await status(FIRST), 200);
      clock.advance(fresh);
      assert.equal(await status(FIRST), 200);
      assert.equal(keys.count(), 1);
      clock.advance(stale);
      assert.equal(await status(FIRST), 200);
      assert.equal(keys.count(), 2);
    });
  }

  it('a failure is remembered for 30 seconds, and then the keys are read again', async () => {
    keys.answer({ status: 500 });
    for (let count = 0; count < 5; count++) assert.equal(await status(FIRST), 401);
    assert.equal(keys.count(), 1);
    keys.answer(keySetOf(FIRST.publicJwk));
    clock.advance(29);
    assert.equal(await status(FIRST), 401);
    clock.advance(1);
    assert.equal(await status(FIRST), 200);
    assert.equal(keys.count(), 2);
  });

  it('attack: while the address fails, unknown kids do not drop the keys that are still fresh', async () => {
    assert.equal(await status(FIRST), 200);
    keys.answer({ status: 503 });
    clock.advance(10);
    assert.equal(await status(SECOND), 401);
    assert.equal(keys.count(), 2);
    assert.equal(await status(FIRST), 200);
  });

  it('attack: a redirect is not followed', async () => {
    const elsewhere = await openKeyServer(keySetOf(FIRST.publicJwk));
    try {
      keys.answer({ status: 302, headers: { location: elsewhere.address } });
      assert.equal(await status(FIRST), 401);
      assert.deepEqual([keys.count(), elsewhere.count()], [1, 0]);
    } finally {
      await elsewhere.close();
    }
  });

  it('attack: a document of 5 MB is refused, with and without its length', async () => {
    const padded = JSON.stringify({ keys: [FIRST.publicJwk], padding: 'x'.repeat(5_000_000) });
    for (const headers of [{}, { 'content-length': String(padded.length) }]) {
      keys.answer({ body: padded, headers });
      assert.equal(await status(FIRST), 401);
      clock.advance(30);
    }
  });

  const impatient = suiteServer({ clock, env: { ...env, ...IMPATIENT } });
  it('attack: an address that never finishes its answer is given up after the timeout of outbound requests', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    keys.answer({ ...keySetOf(FIRST.publicJwk), when: promise });
    await register(keys.address, impatient);
    assert.equal(await status(FIRST, {}, impatient), 401);
    resolve();
  });

  for (const [name, answer] of [
    ['text', { body: 'no keys' }],
    ['a list', { body: JSON.stringify([FIRST.publicJwk]) }],
    ['keys that are no list', { body: JSON.stringify({ keys: { first: FIRST.publicJwk } }) }],
    ['a private key', keySetOf({ ...privateJwk(FIRST), kid: FIRST.publicJwk.kid })],
    ['a key for encryption', keySetOf({ ...FIRST.publicJwk, use: 'enc' })],
    ['a point beside the curve', keySetOf({ ...FIRST.publicJwk, y: FIRST.publicJwk.x })],
    ['null among the keys', keySetOf(null as unknown as object)],
  ] as const) {
    it(`attack: takes no key from ${name}`, async () => {
      keys.answer(answer);
      assert.equal(await status(FIRST), 401);
    });
  }

  for (const [name, address] of [
    ['a private address', 'https://10.0.0.1/keys'],
    ['a loopback address that is not allowed', 'https://[::1]/keys'],
    ['the metadata service of a cloud', 'https://169.254.169.254/keys'],
  ] as const) {
    it(`attack: does not connect to ${name}`, async () => {
      clientId = `inside-${++tests}`;
      await register(address);
      assert.equal(await status(FIRST), 401);
      const keys = await server.services.keySets.of({}).read(address);
      assert.equal(keys.kind === 'failed' && keys.reason, 'the address is not public');
    });
  }
});

describe('jwks_uri where no private address is allowed', () => {
  it('attack: plain http is not reached, and the reason says so', async () => {
    const keys = await openKeyServer(keySetOf(FIRST.publicJwk));
    const clients = [
      aClient({
        ...{ client_id: 'remote', client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt' },
        jwks_uri: keys.address,
      }),
    ];
    const server = await startTestServer({ clients });
    try {
      const presented = presenting(assertionFor(server, FIRST, { clientId: 'remote' }));
      assert.equal((await introspect(server, { token: 'x', ...presented }, {})).status, 401);
      const read = await server.services.keySets.of({}).read(keys.address);
      assert.deepEqual([read.kind === 'failed' && read.reason, keys.count()], ['the address is not https', 0]);
    } finally {
      await server.close();
      await keys.close();
    }
  });
});
