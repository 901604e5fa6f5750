import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import { onceKey } from '../../../src/platform/crypto/credential.ts';
import { madeBy } from '../../build/stand-in.ts';
import { NOW, type OpenStore, unique } from './given.ts';
import { openForEach } from './open-store.ts';

const CALLS = 100;

/** `jti` of assertions and proofs (RFC 7523 section 3; modern contract: "counts once however many nodes race"). */
export function onceContract(open: OpenStore): void {
  describe('identifiers that are good once', () => {
    const { store, another } = openForEach(open);
    const other = madeBy(beforeEach, another);

    const aKey = (end = NOW + 300) => onceKey('client assertion', ['shop', 'web', unique('jti')], end);
    const use = (key: Uint8Array, at = store) => at.useOnce(key, randomBytes(8));

    it('attack: of parallel uses on two nodes exactly one counts', async () => {
      const key = aKey();
      const used = await Promise.all(Array.from({ length: CALLS }, (_, each) => use(key, each % 2 ? store : other)));
      assert.equal(used.filter(Boolean).length, 1);
      assert.equal(await use(key), false);
      assert.equal(await use(key, other), false);
    });

    it('attack: many identifiers, in any order on two nodes, each twice: one of each counts, and none deadlocks', async () => {
      const keys = Array.from({ length: 50 }, () => aKey());
      const used = await Promise.all([
        ...keys.map(key => use(key)),
        ...[...keys].reverse().map(key => use(key, other)),
      ]);
      assert.equal(used.filter(Boolean).length, keys.length);
    });

    it('keeps applications, clients and identifiers apart', async () => {
      const jti = unique('jti');
      const keys = [
        ['shop', 'web', jti],
        ['blog', 'web', jti],
        ['shop', 'other', jti],
        ['shop', 'web', `${jti}2`],
        ['shop', `web${jti}`, ''],
      ].map(parts => onceKey('client assertion', parts, NOW + 300));
      for (const key of keys) assert.equal(await use(key), true);
    });

    it('keeps an identifier until ten minutes after its end, and deletes it then', async () => {
      const key = aKey(NOW + 60);
      assert.equal(await use(key), true);
      await store.purge(NOW + 60 + 599, 1000);
      assert.equal(await use(key), false);
      await store.purge(NOW + 60 + 7300, 1000);
      assert.equal(await use(key), true);
    });
  });
}
