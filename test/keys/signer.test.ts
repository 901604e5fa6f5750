import assert from 'node:assert/strict';
import crypto, { createHash, createPrivateKey, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { type GenerateKeyPair, generateSystemKeyPair } from '../../src/keys/key-pair.ts';
import { createKeyRing } from '../../src/keys/key-ring.ts';
import { publishNextKey } from '../../src/keys/rotation.ts';
import { createSigner } from '../../src/keys/signer.ts';
import type { SigningKey } from '../../src/keys/signing-key.ts';
import { createLog } from '../../src/observe/log.ts';
import type { Application, SigningAlg } from '../../src/protocol/client.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { fixedClock } from '../build/clock.ts';
import { application, client } from '../store/contract/given.ts';
import { type TemporaryFolder, temporaryFolder } from '../store/temporary-folder.ts';

const SECRET = 'a secret of these tests, thirty-two bytes';
const ring = (...secrets: string[]) => createKeyRing(secrets, { bytes: randomBytes });
const algs = ['ES256', 'RS256', 'EdDSA'] as const;

describe('signing keys', () => {
  let folder: TemporaryFolder;
  let store: Store;
  let made: Application;
  let app: string;
  const stores: Store[] = [];
  const open = () => {
    const opened = openSqliteStore(folder.file('gatehouse.db'));
    stores.push(opened);
    return opened;
  };
  let logged = '';
  const log = createLog('debug', false, line => {
    logged += line;
  });
  const depsOf = (
    of: Store = store,
    keys = ring(SECRET),
    clock = fixedClock(),
    generateKeyPair = generateSystemKeyPair,
  ) => ({
    store: of,
    clock,
    log,
    ring: keys,
    generateKeyPair,
  });
  const signer = (...args: Parameters<typeof depsOf>) => createSigner(depsOf(...args));
  const addKey = async (alg: SigningAlg, code = app, own = signer()) => {
    await publishNextKey({ ...depsOf(), signer: own }, code, alg);
    return own;
  };
  beforeEach(async () => {
    folder = temporaryFolder();
    store = open();
    logged = '';
    made = application();
    app = made.code;
    await store.provision([
      { kind: 'application', application: made },
      ...algs.map(alg => {
        const registered = client({ client_id: alg, id_token_signed_response_alg: alg });
        return { kind: 'client', app, client: registered } as const;
      }),
    ]);
  });
  afterEach(async () => {
    for (const each of stores.splice(0)) await each.close();
    folder.remove();
  });

  for (const alg of algs) {
    it(`${alg}: what is signed verifies with the published key, and with nothing changed`, async () => {
      const own = signer();
      const jwt = await own.sign(app, alg, 'JWT', { sub: 's', text: 'ä€' });
      const header = decodeProtectedHeader(jwt);
      const jwk = (await own.publishedKeys(made)).find(key => key.jwk.kid === header.kid)?.jwk;
      assert(jwk);
      assert.deepEqual(header, { alg, typ: 'JWT', kid: jwk.kid });
      const key = await importJWK(jwk, alg);
      assert.deepEqual((await jwtVerify(jwt, key)).payload, { sub: 's', text: 'ä€' });
      const [head, , signature] = jwt.split('.');
      const forged = `${head}.${Buffer.from('{"sub":"other"}').toString('base64url')}.${signature}`;
      await assert.rejects(jwtVerify(forged, key), /signature verification failed/);
    });

    it(`${alg}: the kid is the RFC 7638 thumbprint, and the JWK has nothing private`, async () => {
      const own = await addKey(alg);
      const jwk = (await own.publishedKeys(made)).find(key => key.jwk.alg === alg)?.jwk;
      assert(jwk);
      const { kty, crv, x, y, n, e } = jwk;
      // RFC 7638 section 3.2: the required members in lexicographic order, without white space.
      const members = { ES256: { crv, kty, x, y }, RS256: { e, kty, n }, EdDSA: { crv, kty, x } }[alg];
      assert.equal(jwk.kid, createHash('sha256').update(JSON.stringify(members)).digest('base64url'));
      assert.equal(jwk.use, 'sig');
      const names = [...Object.keys(members), 'alg', 'kid', 'use'];
      assert.deepEqual(Object.keys(jwk).sort(), names.sort());
      if (alg === 'RS256') assert.equal(Buffer.from(n ?? '', 'base64url').length, 256);
    });
  }

  it('are per application (row 4)', async () => {
    const other = application();
    await store.provision([{ kind: 'application', application: other }]);
    const { id_token_signed_response_alg: alg } = made;
    for (const code of [app, other.code]) await addKey(alg, code);
    const own = signer();
    const [here] = await own.publishedKeys(made);
    const [there] = await own.publishedKeys(other);
    assert(here && there);
    assert.notEqual(here.jwk.kid, there.jwk.kid);
  });

  it('stay the same after a restart', async () => {
    const first = (await (await addKey('RS256')).publishedKeys(made)).map(({ jwk }) => jwk);
    assert.equal(first.length, 1);
    assert.deepEqual(
      (await signer(open()).publishedKeys(made)).map(({ jwk }) => jwk),
      first,
    );
  });

  for (const alg of algs) {
    it(`${alg}: signers on three store objects that race to make the key end with one, and all sign with it`, async () => {
      const signers = [signer(), signer(open()), signer(open())];
      const jwts = await Promise.all([...signers, ...signers].map(each => each.sign(app, alg, 'JWT', {})));
      const kids = new Set(jwts.map(jwt => decodeProtectedHeader(jwt).kid));
      assert.equal(kids.size, 1);
      assert.equal((await store.signingKeys(app)).length, 1);
    });
  }

  it('are not in the clear in any file of the store', async () => {
    for (const alg of algs) await addKey(alg);
    const sealed = await store.signingKeys(app);
    const keys = ring(SECRET);
    const place = dirname(folder.file('gatehouse.db'));
    for (const { alg, kid, sealedPrivateKey } of sealed) {
      const plain = keys.open('signing key', sealedPrivateKey, `signing key ${app} ${kid}`);
      assert(plain, 'the test must know the private key to look for it');
      // The private number of ES256 stands near the beginning, that of the others at the end.
      const piece = { ES256: plain.subarray(40, 56), RS256: plain.subarray(-60, -44), EdDSA: plain.subarray(-16) }[alg];
      const { d = '' } = createPrivateKey({ key: plain, type: 'pkcs8', format: 'der' }).export({ format: 'jwk' });
      for (const name of readdirSync(place)) {
        const bytes = readFileSync(join(place, name));
        assert.equal(bytes.includes(piece) || bytes.includes(d), false, name);
      }
    }
  });

  it('cannot be used with another GATEHOUSE_SECRET, and the fault says so', async () => {
    await addKey('ES256');
    const stranger = signer(store, ring('another secret altogether, thirty-two bytes'));
    await assert.rejects(stranger.sign(app, 'ES256', 'JWT', {}), /GATEHOUSE_SECRET/);
    await assert.rejects(stranger.publishedKeys(made), /GATEHOUSE_SECRET/);
  });

  it('can be used when the secret they were sealed with is listed behind a newer one', async () => {
    const kid = decodeProtectedHeader(await signer().sign(app, 'ES256', 'JWT', {})).kid;
    const rotated = signer(store, ring('a newer secret, of at least thirty-two bytes', SECRET));
    assert.equal(decodeProtectedHeader(await rotated.sign(app, 'ES256', 'JWT', {})).kid, kid);
  });

  it('do not open in the row of another application', async () => {
    const other = application();
    await store.provision([{ kind: 'application', application: other }]);
    await addKey('ES256');
    const [key] = await store.signingKeys(app);
    assert(key);
    await store.addSigningKey({ ...key, app: other.code }, undefined);
    await assert.rejects(signer().sign(other.code, 'ES256', 'JWT', {}), /cannot be opened/);
  });

  it('are read again after invalidate, and after a fault of the store', async () => {
    let broken = true;
    const flaky = {
      ...store,
      signingKeys: (code: string) => (broken ? Promise.reject(new Error('gone')) : store.signingKeys(code)),
    };
    const own = signer(flaky);
    await assert.rejects(own.publishedKeys(made), /gone/);
    await assert.rejects(own.retainedKeys(app), /gone/);
    broken = false;
    await addKey('ES256');
    assert.equal((await own.retainedKeys(app)).length, 1);
    await addKey('RS256');
    assert.equal((await own.retainedKeys(app)).length, 1);
    own.invalidate();
    assert.equal((await own.retainedKeys(app)).length, 2);
  });

  it('are noted before their first signature is returned, with one write for all callers that wait', async () => {
    await addKey('ES256');
    let notes = 0;
    let broken = true;
    const counted = {
      ...store,
      noteKeySigned: (code: string, kid: string) => {
        notes++;
        return broken ? Promise.reject(new Error('gone')) : store.noteKeySigned(code, kid);
      },
    };
    const own = signer(counted);
    await assert.rejects(own.sign(app, 'ES256', 'JWT', {}), /gone/);
    broken = false;
    await Promise.all(Array.from({ length: 20 }, () => own.sign(app, 'ES256', 'JWT', {})));
    assert.equal((await store.signingKeys(app))[0]?.hasSigned, true);
    await own.sign(app, 'ES256', 'JWT', {});
    own.invalidate();
    await own.sign(app, 'ES256', 'JWT', {});
    assert.equal(notes, 2);
  });

  it('are shown for the algorithms that have one: a look makes none (issue 10 B.3)', async () => {
    assert.deepEqual(await signer().publishedKeys(made), []);
    await addKey('RS256');
    const shown = await signer().publishedKeys(made);
    assert.deepEqual(
      shown.map(({ alg }) => alg),
      ['RS256'],
    );
    assert.equal((await store.signingKeys(app)).length, 1);
  });

  describe('that are missing when a token is to be signed (issue 10 A.1)', () => {
    /** Each generation waits until the test lets it go on. */
    const generations = () => {
      const release: (() => void)[] = [];
      const generate: GenerateKeyPair = async alg => {
        await new Promise<void>(resolve => release.push(resolve));
        return generateSystemKeyPair(alg);
      };
      return { release, generate };
    };

    it('are made once for all callers that wait, and the log says so', async () => {
      const { release, generate } = generations();
      const own = signer(store, ring(SECRET), fixedClock(), generate);
      const jwts = Array.from({ length: 20 }, () => own.sign(app, 'RS256', 'JWT', {}));
      while (release.length === 0) await turn();
      jwts.push(own.sign(app, 'RS256', 'JWT', {}));
      for (let count = 0; count < 20; count++) await turn();
      assert.equal(release.length, 1);
      for (const go of release) go();
      const kids = new Set((await Promise.all(jwts)).map(jwt => decodeProtectedHeader(jwt).kid));
      assert.equal(kids.size, 1);
      assert.deepEqual(
        logged.match(/"event":"key.missing".*/g)?.map(line => JSON.parse(`{${line}`)),
        [{ event: 'key.missing', app, alg: 'RS256' }],
      );
    });

    it('are made anew when the first try failed', async () => {
      let tries = 0;
      const own = signer(store, ring(SECRET), fixedClock(), alg => {
        tries++;
        return tries === 1 ? Promise.reject(new Error('no entropy')) : generateSystemKeyPair(alg);
      });
      await assert.rejects(own.sign(app, 'ES256', 'JWT', {}), /no entropy/);
      assert(await own.sign(app, 'ES256', 'JWT', {}));
    });

    it('are not made when another process has added one: the store is asked first', async () => {
      const own = signer(store, ring(SECRET), fixedClock(), () => assert.fail('no key is to be made'));
      assert.deepEqual(await own.retainedKeys(app), []);
      await addKey('RS256');
      assert(await own.sign(app, 'RS256', 'JWT', {}));
      assert.equal((await own.publishedKeys(made)).length, 1, 'the key of the token is published');
      assert.equal(logged, '');
    });
  });

  it('RS256 is signed on other threads: this one goes on meanwhile (issue 10 A.1)', async () => {
    const own = await addKey('RS256');
    await own.sign(app, 'RS256', 'JWT', {});
    const [key] = await own.retainedKeys(app);
    assert(key);
    const COUNT = 200;
    // The time of this thread alone, not that of the clock: the machine may be busy with something else.
    const spent = async (work: () => unknown) => {
      const before = process.threadCpuUsage();
      await work();
      const { user, system } = process.threadCpuUsage(before);
      return user + system;
    };
    let turns = 0;
    const background = await spent(async () => {
      let done = false;
      const signed = Promise.all(Array.from({ length: COUNT }, () => own.sign(app, 'RS256', 'JWT', {}))).then(() => {
        done = true;
      });
      while (!done) {
        turns++;
        await new Promise(resolve => setTimeout(resolve, 1));
      }
      await signed;
    });
    const { privateKey } = key as SigningKey;
    const inPlace = await spent(() => {
      for (let count = 0; count < COUNT; count++) crypto.sign('sha256', Buffer.from('x'.repeat(300)), privateKey);
    });
    assert(background < inPlace / 2, `${COUNT} tokens took ${background} µs of this thread, in place ${inPlace} µs`);
    assert(turns > 1, 'timers run between them');
  });

  it('are prepared for signing when they first sign, and then once', async t => {
    for (const alg of algs) await addKey(alg);
    const prepared = t.mock.method(crypto, 'createPrivateKey');
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
    const own = signer();
    for (let count = 0; count < 3; count++) await own.sign(app, 'ES256', 'JWT', {});
    await own.publishedKeys(made);
    assert.equal(prepared.mock.callCount(), 1);
    await own.sign(app, 'EdDSA', 'JWT', {});
    assert.equal(prepared.mock.callCount(), 2);
  });

  it('of one application are read again without those of all others', async () => {
    const other = application();
    await store.provision([{ kind: 'application', application: other }]);
    const looks: string[] = [];
    let broken = false;
    const counted = {
      ...store,
      signingKeys: (code: string) => {
        looks.push(code);
        return broken ? Promise.reject(new Error('gone')) : store.signingKeys(code);
      },
    };
    const own = signer(counted);
    for (const code of [app, other.code]) await addKey('ES256', code);
    await own.sign(other.code, 'ES256', 'JWT', {});
    const otherIsKnownAfter = async (event: Promise<unknown>) => {
      await event;
      looks.length = 0;
      await own.sign(other.code, 'ES256', 'JWT', {});
      assert.deepEqual(looks, []);
    };
    await otherIsKnownAfter(own.sign(app, 'ES256', 'JWT', {}));
    await addKey('EdDSA');
    await otherIsKnownAfter(own.sign(app, 'EdDSA', 'JWT', {}));
    await otherIsKnownAfter(own.retainedKeys(app, 'made-up'));
    broken = true;
    await otherIsKnownAfter(assert.rejects(own.retainedKeys('not-read-yet'), /gone/));
  });

  it('made on another node are found by their name, with one look at the store in a second', async () => {
    const clock = fixedClock();
    let looks = 0;
    const counted = {
      ...store,
      signingKeys: (code: string) => {
        looks++;
        return store.signingKeys(code);
      },
    };
    const own = signer(counted, ring(SECRET), clock);
    const has = async (kid: string) => (await own.retainedKeys(app, kid)).some(({ jwk }) => jwk.kid === kid);
    await addKey('ES256');
    assert.equal((await own.retainedKeys(app)).length, 1);
    const jwt = await signer(open()).sign(app, 'RS256', 'JWT', {});
    const { kid = '' } = decodeProtectedHeader(jwt);
    assert.equal(await has(kid), true);
    looks = 0;
    for (let count = 0; count < 20; count++) assert.equal(await has(`made-up-${count}`), false);
    assert.equal(looks, 0, 'it has looked in this second');
    clock.advance(1);
    for (let count = 0; count < 20; count++) assert.equal(await has(`made-up-${count}`), false);
    assert.equal(looks, 1);
  });
});
