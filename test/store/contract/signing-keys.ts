import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { SealedKey } from '../../../src/store/store.ts';
import { application, DAY, hex, NOW, type Opened, type OpenStore, race, signingKey, unique } from './given.ts';

export function signingKeysContract(open: OpenStore): void {
  describe('signing keys', () => {
    let opened: Opened;
    before(async () => {
      opened = await open();
    });
    after(() => opened.discard());

    const anApp = async () => {
      const made = application();
      await opened.store.provision([{ kind: 'application', application: made }]);
      return made.code;
    };
    const kids = async (app: string, store = opened.store) => (await store.signingKeys(app)).map(({ kid }) => kid);
    /** A chain of keys, each the successor of the one before. */
    const chain = async (app: string, ...days: number[]): Promise<SealedKey[]> => {
      const keys = days.map(day => signingKey(app, { signFrom: NOW + day * DAY }));
      for (const [index, key] of keys.entries()) await opened.store.addSigningKey(key, keys[index - 1]?.kid);
      return keys;
    };

    it('come back as they were put in', async () => {
      const app = await anApp();
      const key = signingKey(app, { signFrom: NOW + DAY });
      await opened.store.addSigningKey(key, undefined);
      const [found, ...more] = await opened.store.signingKeys(app);
      assert(found);
      assert.equal(more.length, 0);
      assert.equal(hex(found.sealedPrivateKey), hex(key.sealedPrivateKey));
      assert.deepEqual({ ...found, sealedPrivateKey: key.sealedPrivateKey }, key);
    });

    it('come in the order in which they sign, on every store object', async () => {
      const app = await anApp();
      const made = (await chain(app, 0, 90, 180)).map(({ kid }) => kid);
      assert.deepEqual(await kids(app), made);
      assert.deepEqual(await kids(app, await opened.another()), made);
    });

    for (const [what, after, outcome] of [
      ['after the newest', 1, 'added'],
      ['after one that is not the newest any more', 0, 'refused'],
      ['as the first, when there is one', undefined, 'refused'],
      ['after one that was never there', unique('kid'), 'refused'],
    ] as const) {
      it(`${what}: ${outcome}`, async () => {
        const app = await anApp();
        const present = await chain(app, 0, 90);
        const key = signingKey(app, { signFrom: NOW + 180 * DAY });
        await opened.store.addSigningKey(key, typeof after === 'number' ? present[after]?.kid : after);
        assert.equal((await kids(app)).includes(key.kid), outcome === 'added');
        assert.equal((await kids(app)).length, outcome === 'added' ? 3 : 2);
      });
    }

    it('after one that was dropped: refused, so that a compromised key has no successor that was made before', async () => {
      const app = await anApp();
      const [key] = await chain(app, 0);
      await opened.store.dropSigningKeys(app, [key?.kid ?? '']);
      await opened.store.addSigningKey(signingKey(app), key?.kid);
      assert.deepEqual(await kids(app), []);
    });

    it('have a newest one for each algorithm', async () => {
      const app = await anApp();
      const [es256] = await chain(app, 0);
      const rs256 = signingKey(app, { alg: 'RS256', signFrom: NOW + DAY });
      await opened.store.addSigningKey(rs256, es256?.kid);
      assert.deepEqual(await kids(app), [es256?.kid], 'a key of another algorithm is no predecessor');
      await opened.store.addSigningKey(rs256, undefined);
      await opened.store.addSigningKey(signingKey(app, { signFrom: NOW + 2 * DAY }), es256?.kid);
      assert.deepEqual(
        (await opened.store.signingKeys(app)).map(({ alg }) => alg),
        ['ES256', 'RS256', 'ES256'],
      );
    });

    for (const first of [true, false]) {
      it(`one of many that race to be ${first ? 'the first' : 'the next'} wins, on two store objects`, async () => {
        const stores = [opened.store, await opened.another()] as const;
        const app = await anApp();
        const present = first ? [] : await chain(app, 0);
        await race(stores, 20, store =>
          store.addSigningKey(signingKey(app, { signFrom: NOW + 90 * DAY }), present[0]?.kid),
        );
        const found = await kids(app);
        assert.equal(found.length, present.length + 1);
        assert.deepEqual(await kids(app, stores[1]), found);
      });
    }

    it('go when they are dropped, and no other does', async () => {
      const app = await anApp();
      const [one, two, three] = (await chain(app, 0, 90, 180)).map(({ kid }) => kid);
      await opened.store.dropSigningKeys(app, [one ?? '', three ?? '', unique('kid')]);
      assert.deepEqual(await kids(app), [two]);
      assert.deepEqual(await kids(app, await opened.another()), [two]);
    });

    it('may begin anew when all were dropped', async () => {
      const app = await anApp();
      const old = (await chain(app, 0, 90)).map(({ kid }) => kid);
      await opened.store.dropSigningKeys(app, old);
      const [fresh] = await chain(app, 0);
      assert.deepEqual(await kids(app), [fresh?.kid]);
    });
  });
}
