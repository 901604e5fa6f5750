import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeProtectedHeader } from 'jose';
import { fixedClock } from '../../build/clock.ts';
import { application } from '../../store/contract/given.ts';
import { ring, SECRET, useSigningKeys } from './signing-keys-fixture.ts';

describe('signing keys', () => {
  const keys = useSigningKeys();

  it('are read again after invalidate, and after a fault of the store', async () => {
    const { store, made, app, signer, addKey } = keys;
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

  it('are shown for the algorithms that have one: a look makes none (issue 10 B.3)', async () => {
    const { store, made, app, signer, addKey } = keys;
    assert.deepEqual(await signer().publishedKeys(made), []);
    await addKey('RS256');
    const shown = await signer().publishedKeys(made);
    assert.deepEqual(
      shown.map(({ alg }) => alg),
      ['RS256'],
    );
    assert.equal((await store.signingKeys(app)).length, 1);
  });

  it('of one application are read again without those of all others', async () => {
    const { store, app, signer, addKey } = keys;
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
    const { store, app, open, signer, addKey } = keys;
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
