import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { application } from '../../store/contract/given.ts';
import { algs, ring, SECRET, useSigningKeys } from './signing-keys-fixture.ts';

describe('signing keys', () => {
  const keys = useSigningKeys();

  it('are per application (row 4)', async () => {
    const { store, made, app, signer, addKey } = keys;
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
    const { made, open, signer, addKey } = keys;
    const first = (await (await addKey('RS256')).publishedKeys(made)).map(({ jwk }) => jwk);
    assert.equal(first.length, 1);
    assert.deepEqual(
      (await signer(open()).publishedKeys(made)).map(({ jwk }) => jwk),
      first,
    );
  });

  for (const alg of algs) {
    it(`${alg}: signers on three store objects that race to make the key end with one, and all sign with it`, async () => {
      const { store, app, open, signer } = keys;
      const signers = [signer(), signer(open()), signer(open())];
      const jwts = await Promise.all([...signers, ...signers].map(each => each.sign(app, alg, 'JWT', {})));
      const kids = new Set(jwts.map(jwt => decodeProtectedHeader(jwt).kid));
      assert.equal(kids.size, 1);
      assert.equal((await store.signingKeys(app)).length, 1);
    });
  }

  it('are not in the clear in any file of the store', async () => {
    const { store, app, addKey, place } = keys;
    for (const alg of algs) await addKey(alg);
    const sealed = await store.signingKeys(app);
    const opening = ring(SECRET);
    for (const { alg, kid, sealedPrivateKey } of sealed) {
      const plain = opening.open('signing key', sealedPrivateKey, `signing key ${app} ${kid}`);
      assert(plain, 'the test must know the private key to look for it');
      // The private number of ES256 stands near the beginning, that of the others at the end.
      const pieces = { ES256: plain.subarray(40, 56), RS256: plain.subarray(-60, -44), EdDSA: plain.subarray(-16) };
      const piece = pieces[alg as keyof typeof pieces];
      const { d = '' } = createPrivateKey({ key: plain, type: 'pkcs8', format: 'der' }).export({ format: 'jwk' });
      for (const name of readdirSync(place)) {
        const bytes = readFileSync(join(place, name));
        assert.equal(bytes.includes(piece) || bytes.includes(d), false, name);
      }
    }
  });

  it('cannot be used with another GATEHOUSE_SECRET, and the fault says so', async () => {
    const { store, made, app, signer, addKey } = keys;
    await addKey('ES256');
    const stranger = signer(store, ring('another secret altogether, thirty-two bytes'));
    await assert.rejects(stranger.sign(app, 'ES256', 'JWT', {}), /GATEHOUSE_SECRET/);
    await assert.rejects(stranger.publishedKeys(made), /GATEHOUSE_SECRET/);
  });

  it('can be used when the secret they were sealed with is listed behind a newer one', async () => {
    const { store, app, signer } = keys;
    const kid = decodeProtectedHeader(await signer().sign(app, 'ES256', 'JWT', {})).kid;
    const rotated = signer(store, ring('a newer secret, of at least thirty-two bytes', SECRET));
    assert.equal(decodeProtectedHeader(await rotated.sign(app, 'ES256', 'JWT', {})).kid, kid);
  });

  it('do not open in the row of another application', async () => {
    const { store, app, signer, addKey } = keys;
    const other = application();
    await store.provision([{ kind: 'application', application: other }]);
    await addKey('ES256');
    const [key] = await store.signingKeys(app);
    assert(key);
    await store.addSigningKey({ ...key, app: other.code }, undefined);
    await assert.rejects(signer().sign(other.code, 'ES256', 'JWT', {}), /cannot be opened/);
  });
});
