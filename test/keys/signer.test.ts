import assert from 'node:assert/strict';
import crypto, { createHash, createPrivateKey, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { generateSystemKeyPair } from '../../src/keys/key-pair.ts';
import { createKeyRing } from '../../src/keys/key-ring.ts';
import { createSigner } from '../../src/keys/signer.ts';
import type { Application } from '../../src/protocol/client.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { fixedClock } from '../build/clock.ts';
import { application } from '../store/contract/given.ts';
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
  const signer = (of: Store = store, keys = ring(SECRET)) =>
    createSigner({ store: of, clock: fixedClock(), ring: keys, generateKeyPair: generateSystemKeyPair });
  beforeEach(async () => {
    folder = temporaryFolder();
    store = open();
    made = application();
    app = made.code;
    await store.provision([{ kind: 'application', application: made }]);
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
      const own = signer();
      await own.ensureKey(app, alg);
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
    const own = signer();
    const [here] = await own.publishedKeys(made);
    const [there] = await own.publishedKeys(other);
    assert(here && there);
    assert.notEqual(here.jwk.kid, there.jwk.kid);
  });

  it('stay the same after a restart', async () => {
    const first = (await signer().publishedKeys(made)).map(({ jwk }) => jwk);
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
    const own = signer();
    for (const alg of algs) await own.ensureKey(app, alg);
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
    await signer().ensureKey(app, 'ES256');
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
    await signer().ensureKey(app, 'ES256');
    const [key] = await store.signingKeys(app);
    assert(key);
    await store.addSigningKey({ ...key, app: other.code }, undefined);
    await assert.rejects(signer().sign(other.code, 'ES256', 'JWT', {}), /cannot be opened/);
  });

  it('are read again after forget, and after a fault of the store', async () => {
    let broken = true;
    const flaky = {
      ...store,
      signingKeys: (code: string) => (broken ? Promise.reject(new Error('gone')) : store.signingKeys(code)),
    };
    const own = signer(flaky);
    await assert.rejects(own.publishedKeys(made), /gone/);
    await assert.rejects(own.rememberedKeys(app), /gone/);
    broken = false;
    await own.ensureKey(app, 'ES256');
    assert.equal((await own.rememberedKeys(app)).length, 1);
    await signer(open()).ensureKey(app, 'RS256');
    assert.equal((await own.rememberedKeys(app)).length, 1);
    own.forget();
    assert.equal((await own.rememberedKeys(app)).length, 2);
  });

  it('are shown for every algorithm from the first look on, whatever signed before', async () => {
    const own = signer();
    await own.ensureKey(app, 'RS256');
    const shown = await own.publishedKeys(made);
    assert.deepEqual(shown.map(({ alg }) => alg).sort(), [...algs].sort());
  });

  it('are prepared for signing when they first sign, and then once', async t => {
    for (const alg of algs) await signer().ensureKey(app, alg);
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
    await own.ensureKey(other.code, 'ES256');
    const otherIsKnownAfter = async (event: Promise<unknown>) => {
      await event;
      looks.length = 0;
      await own.sign(other.code, 'ES256', 'JWT', {});
      assert.deepEqual(looks, []);
    };
    await otherIsKnownAfter(own.ensureKey(app, 'ES256'));
    await otherIsKnownAfter(own.rememberedKeys(app, 'made-up'));
    broken = true;
    await otherIsKnownAfter(assert.rejects(own.rememberedKeys('not-read-yet'), /gone/));
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
    const own = createSigner({ store: counted, clock, ring: ring(SECRET), generateKeyPair: generateSystemKeyPair });
    const has = async (kid: string) => (await own.rememberedKeys(app, kid)).some(({ jwk }) => jwk.kid === kid);
    await own.ensureKey(app, 'ES256');
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
