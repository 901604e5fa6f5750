import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Application } from '../../../src/directory/applications/rules.ts';
import { signingAlgOf } from '../../../src/directory/clients/rules.ts';
import type { SigningAlg } from '../../../src/oauth/signing-keys/algorithms.rules.ts';
import type { SealedKey } from '../../../src/oauth/signing-keys/store.ts';
import { account, application, client, DAY, hex, NOW, type OpenStore, race, signingKey, unique } from './given.ts';
import { openForSuite } from './open-store.ts';

export function signingKeysContract(open: OpenStore): void {
  describe('signing keys', () => {
    const { store, another } = openForSuite(open);

    const anApp = async () => {
      const made = application();
      await store.provision([{ kind: 'application', application: made }]);
      return made.code;
    };
    const kids = async (app: string, at = store) => (await at.signingKeys(app)).map(({ kid }) => kid);
    /** A chain of keys, each the successor of the one before. */
    const chain = async (app: string, ...days: number[]): Promise<SealedKey[]> => {
      const keys = days.map(day => signingKey(app, { signFrom: NOW + day * DAY }));
      for (const [index, key] of keys.entries()) await store.addSigningKey(key, keys[index - 1]?.kid);
      return keys;
    };

    it('come back as they were put in', async () => {
      const app = await anApp();
      const key = signingKey(app, { signFrom: NOW + DAY });
      await store.addSigningKey(key, undefined);
      const [found, ...more] = await store.signingKeys(app);
      assert(found);
      assert.equal(more.length, 0);
      assert.equal(hex(found.sealedPrivateKey), hex(key.sealedPrivateKey));
      assert.deepEqual({ ...found, sealedPrivateKey: key.sealedPrivateKey }, key);
    });

    it('come in the order in which they sign, on every store object', async () => {
      const app = await anApp();
      const made = (await chain(app, 0, 90, 180)).map(({ kid }) => kid);
      assert.deepEqual(await kids(app), made);
      assert.deepEqual(await kids(app, await another()), made);
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
        await store.addSigningKey(key, typeof after === 'number' ? present[after]?.kid : after);
        assert.equal((await kids(app)).includes(key.kid), outcome === 'added');
        assert.equal((await kids(app)).length, outcome === 'added' ? 3 : 2);
      });
    }

    it('after one that was dropped: refused, so that a compromised key has no successor that was made before', async () => {
      const app = await anApp();
      const [key] = await chain(app, 0);
      await store.dropSigningKeys(app, [key?.kid ?? '']);
      await store.addSigningKey(signingKey(app), key?.kid);
      assert.deepEqual(await kids(app), []);
    });

    it('have a newest one for each algorithm', async () => {
      const app = await anApp();
      const [es256] = await chain(app, 0);
      const rs256 = signingKey(app, { alg: 'RS256', signFrom: NOW + DAY });
      await store.addSigningKey(rs256, es256?.kid);
      assert.deepEqual(await kids(app), [es256?.kid], 'a key of another algorithm is no predecessor');
      await store.addSigningKey(rs256, undefined);
      await store.addSigningKey(signingKey(app, { signFrom: NOW + 2 * DAY }), es256?.kid);
      assert.deepEqual(
        (await store.signingKeys(app)).map(({ alg }) => alg),
        ['ES256', 'RS256', 'ES256'],
      );
    });

    for (const first of [true, false]) {
      it(`one of many that race to be ${first ? 'the first' : 'the next'} wins, on two store objects`, async () => {
        const stores = [store, await another()] as const;
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

    it('of one rotation are added all or none: none where another process has added one since', async () => {
      const app = await anApp();
      const present = (['ES256', 'RS256'] as const).map(alg => signingKey(app, { alg }));
      for (const key of present) await store.addSigningKey(key, undefined);
      const rotation = present.map(({ alg, kid }) => ({
        key: signingKey(app, { alg, signFrom: NOW + DAY }),
        after: kid,
        act: undefined,
      }));
      const [ecdsa, rsa] = rotation;
      assert(ecdsa && rsa);
      await store.addSuccessors([ecdsa, { ...rsa, after: unique('kid') }]);
      assert.deepEqual((await kids(app)).sort(), present.map(({ kid }) => kid).sort());
      await store.addSuccessors(rotation);
      assert.equal((await kids(app)).length, 4);
    });

    it('go when they are dropped, and no other does', async () => {
      const app = await anApp();
      const [one, two, three] = (await chain(app, 0, 90, 180)).map(({ kid }) => kid);
      await store.dropSigningKeys(app, [one ?? '', three ?? '', unique('kid')]);
      assert.deepEqual(await kids(app), [two]);
      assert.deepEqual(await kids(app, await another()), [two]);
    });

    it('may begin anew when all were dropped', async () => {
      const app = await anApp();
      const old = (await chain(app, 0, 90)).map(({ kid }) => kid);
      await store.dropSigningKeys(app, old);
      const [fresh] = await chain(app, 0);
      assert.deepEqual(await kids(app), [fresh?.kid]);
    });

    it('that replace others do so in the same write: no reader finds none', async () => {
      const stores = [store, await another()] as const;
      const app = await anApp();
      let present = (await chain(app, 0)).map(({ kid }) => kid);
      const looks = race(stores, 40, async store => (await store.signingKeys(app)).length);
      for (let count = 0; count < 5; count++) {
        const fresh = signingKey(app);
        await store.dropSigningKeys(app, present, [fresh]);
        present = [fresh.kid];
        assert.deepEqual(await kids(app, stores[1]), present);
      }
      assert.deepEqual(new Set(await looks), new Set([1]));
    });

    describe('that are needed (row 44; issue 10 A.1 and B.3)', () => {
      const algs = ['RS256', 'ES256', 'EdDSA'] as const;
      /** An application with its default, and a client for each of the algorithms (undefined: leaves it out). */
      const anAppWith = async (fallback: SigningAlg | undefined, ...clients: (SigningAlg | undefined)[]) => {
        const { id_token_signed_response_alg: _, ...made } = application();
        // An earlier release wrote no default.
        const written = (fallback ? { ...made, id_token_signed_response_alg: fallback } : made) as Application;
        const app = made.code;
        await store.provision([
          { kind: 'application', application: written },
          ...clients.map((alg, index) => {
            const registered = client({ client_id: `client-${index}`, id_token_signed_response_alg: alg });
            return { kind: 'client', app, client: registered } as const;
          }),
        ]);
        return app;
      };
      const missing = async (app: string) =>
        (await store.missingKeys()).filter(key => key.app === app).map(({ alg }) => alg);
      const retired = async (app: string) =>
        Object.fromEntries((await store.signingKeys(app)).map(({ alg, retiredAt }) => [alg, retiredAt]));

      for (const fallback of [undefined, ...algs]) {
        for (const clients of [[], [undefined], ['ES256'], ['ES256', undefined, 'EdDSA', 'ES256']] as const) {
          it(`default ${fallback ?? 'of an earlier release'}, clients ${clients.map(alg => alg ?? 'leave it out')}`, async () => {
            const app = await anAppWith(fallback, ...clients);
            const stored = (await store.findApplication(app)) ?? assert.fail();
            const signed = (await store.clientsOf(app)).map(each => signingAlgOf(stored, each));
            const inUse = new Set([...signed, stored.id_token_signed_response_alg]);
            assert.deepEqual(await store.keyAlgs(app), [...inUse].sort());
            assert.deepEqual((await missing(app)).sort(), [...new Set(signed)].sort());
            for (const alg of algs) await store.addSigningKey(signingKey(app, { alg }), undefined);
            assert.deepEqual(await missing(app), []);
            await store.retireUnusedKeys(app, NOW + 7);
            const expected = algs.map(alg => [alg, inUse.has(alg) ? undefined : NOW + 7]);
            assert.deepEqual(await retired(app), Object.fromEntries(expected));
          });
        }
      }

      it('retire once, and only those that no client uses at the time of the write', async () => {
        const app = await anAppWith('RS256', 'ES256', 'EdDSA');
        for (const alg of algs) await store.addSigningKey(signingKey(app, { alg }), undefined);
        await store.retireUnusedKeys(app, NOW);
        assert.deepEqual(await retired(app), { RS256: undefined, ES256: undefined, EdDSA: undefined });
        await store.deleteClient(app, 'client-0', NOW);
        await store.retireUnusedKeys(app, NOW + 1);
        await store.deleteClient(app, 'client-1', NOW);
        await store.retireUnusedKeys(app, NOW + 2);
        assert.deepEqual(await retired(app), { RS256: undefined, ES256: NOW + 1, EdDSA: NOW + 2 });
      });

      it('are marked when they first sign; other nodes are notified if no client uses the algorithm', async () => {
        const app = await anAppWith('RS256', 'ES256');
        const [used, unused] = [signingKey(app), signingKey(app, { alg: 'EdDSA' })];
        for (const key of [used, unused]) await store.addSigningKey(key, undefined);
        const signed = async () =>
          Object.fromEntries((await store.signingKeys(app)).map(({ kid, hasSigned }) => [kid, hasSigned]));
        assert.deepEqual(await signed(), { [used.kid]: false, [unused.kid]: false });
        /** By how much the version grew, which makes every process read its keys again. */
        const noted = async (kid: string) => {
          const before = await store.registryVersion();
          await store.noteKeySigned(app, kid);
          return (await store.registryVersion()) - before;
        };
        assert.equal(await noted(used.kid), 0);
        assert.deepEqual(await signed(), { [used.kid]: true, [unused.kid]: false });
        assert.equal(await noted(unused.kid), 1);
        assert.equal(await noted(unused.kid), 0, 'once');
        assert.equal(await noted(unique('kid')), 0, 'a key that was dropped meanwhile');
        assert.deepEqual(await signed(), { [used.kid]: true, [unused.kid]: true });
      });

      it('are no predecessor once they have retired: the algorithm begins anew', async () => {
        const app = await anAppWith('RS256');
        const [old] = await chain(app, 0);
        await store.retireUnusedKeys(app, NOW);
        await store.addSigningKey(signingKey(app), old?.kid);
        assert.deepEqual(await kids(app), [old?.kid]);
        const fresh = signingKey(app, { signFrom: NOW + 1 });
        await store.addSigningKey(fresh, undefined);
        assert.deepEqual(await kids(app), [old?.kid, fresh.kid]);
        await store.addSigningKey(signingKey(app, { signFrom: NOW + 2 }), undefined);
        assert.equal((await kids(app)).length, 2);
      });

      it('are missing where all have retired', async () => {
        const app = await anAppWith('RS256');
        await store.addSigningKey(signingKey(app), undefined);
        await store.retireUnusedKeys(app, NOW);
        const registered = client({ id_token_signed_response_alg: 'ES256' });
        await store.provision([{ kind: 'client', app, client: registered }]);
        assert.deepEqual(await missing(app), ['ES256']);
      });

      it('come with the application and the client that need them, or not at all', async () => {
        const made = application();
        const key = signingKey(made.code, { alg: 'RS256' });
        const taken = account();
        const other = account({ email: taken.username });
        const changes = [
          { kind: 'application', application: made },
          { kind: 'signingKey', key },
        ] as const;
        await store.provision([{ kind: 'newUser', account: taken }]);
        const refused = await store.provision([...changes, { kind: 'newUser', account: other }]);
        assert.equal(refused.kind, 'loginTaken');
        await store.provision(changes, true);
        assert.deepEqual(await kids(made.code), []);
        await store.provision(changes);
        assert.deepEqual(await kids(made.code), [key.kid]);
        await store.provision([{ kind: 'signingKey', key: signingKey(made.code, { alg: 'RS256' }) }]);
        assert.deepEqual(await kids(made.code), [key.kid], 'there is one: another apply was faster');
        await store.provision([{ kind: 'signingKey', key: signingKey(made.code) }]);
        await store.retireUnusedKeys(made.code, NOW);
        const fresh = signingKey(made.code, { signFrom: NOW + 1 });
        await store.provision([{ kind: 'signingKey', key: fresh }]);
        assert((await kids(made.code)).includes(fresh.kid), 'a retired one does not count');
      });
    });
  });
}
