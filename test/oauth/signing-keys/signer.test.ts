import assert from 'node:assert/strict';
import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose';
import { type GenerateKeyPair, generateSystemKeyPair } from '../../../src/platform/crypto/key-pair.ts';
import { fixedClock } from '../../build/clock.ts';
import { threadPoolJobs } from '../../build/thread-pool.ts';
import { algs, ring, SECRET, useSigningKeys } from './signing-keys-fixture.ts';

describe('signing keys', () => {
  const keys = useSigningKeys();

  for (const alg of algs) {
    it(`${alg}: what is signed verifies with the published key, and with nothing changed`, async () => {
      const { made, app, signer } = keys;
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
      const { made, addKey } = keys;
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
      const { store, app, logged, signer } = keys;
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
        logged()
          .match(/"event":"key.missing".*/g)
          ?.map(line => JSON.parse(`{${line}`)),
        [{ event: 'key.missing', app, alg: 'RS256' }],
      );
    });

    it('are made anew when the first try failed', async () => {
      const { store, app, signer } = keys;
      let tries = 0;
      const own = signer(store, ring(SECRET), fixedClock(), alg => {
        tries++;
        return tries === 1 ? Promise.reject(new Error('no entropy')) : generateSystemKeyPair(alg);
      });
      await assert.rejects(own.sign(app, 'ES256', 'JWT', {}), /no entropy/);
      assert(await own.sign(app, 'ES256', 'JWT', {}));
    });

    it('are not made when another process has added one: the store is asked first', async () => {
      const { store, made, app, logged, signer, addKey } = keys;
      const own = signer(store, ring(SECRET), fixedClock(), () => assert.fail('no key is to be made'));
      assert.deepEqual(await own.retainedKeys(app), []);
      await addKey('RS256');
      assert(await own.sign(app, 'RS256', 'JWT', {}));
      assert.equal((await own.publishedKeys(made)).length, 1, 'the key of the token is published');
      assert.equal(logged(), '');
    });
  });

  it('are noted before their first signature is returned, with one write for all callers that wait', async () => {
    const { store, app, signer, addKey } = keys;
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

  it('RS256 is signed on other threads: this one goes on meanwhile (issue 10 A.1)', async () => {
    const { app, addKey } = keys;
    const own = await addKey('RS256');
    await own.sign(app, 'RS256', 'JWT', {});
    const COUNT = 20;
    const jobs = await threadPoolJobs(() =>
      Promise.all(Array.from({ length: COUNT }, () => own.sign(app, 'RS256', 'JWT', {}))),
    );
    assert.equal(jobs.get('SIGNREQUEST'), COUNT);
  });

  it('are prepared for signing when they first sign, and then once', async t => {
    const { made, app, signer, addKey } = keys;
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
});
