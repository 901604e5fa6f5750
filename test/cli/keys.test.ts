import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JWK } from 'jose';
import { get } from '../build/client.ts';
import { gatehouse } from '../build/command.ts';
import { type House, openHouse } from '../build/house.ts';

describe('gatehouse keys', () => {
  let house: House;
  before(async () => {
    house = await openHouse();
  });
  after(() => house.close());

  const shown = async () => {
    house.services.signer.forget();
    return (await get(`${house.at()}/jwks`)).json.keys.map(({ kid }: JWK) => kid) as string[];
  };
  /** By kid: algorithm, state, and from when it signs. */
  const rows = (out: string) =>
    new Map(
      out
        .trim()
        .split('\n')
        .map(line => {
          const [, alg = '', state = '', kid = '', from = ''] =
            /^(\S+) +(\S+) +(\S+) signs from (\S+)$/.exec(line) ?? assert.fail(line);
          return [kid, { alg, state, from: Date.parse(from) / 1000 }] as const;
        }),
    );
  const keys = async (...args: string[]) => {
    const { code, out, err } = await gatehouse(house, 'keys', ...args, '--app', 'shop');
    assert.equal(code, 0, err);
    return out;
  };

  it('list says when there are none yet', async () => assert.match(await keys('list'), /No keys yet/));

  it('list shows those of the key set, each signing', async () => {
    const present = await shown();
    const listed = rows(await keys('list'));
    assert.deepEqual([...listed.keys()].sort(), present.sort());
    assert.deepEqual(
      [...listed.values()].map(({ state }) => state),
      ['signing', 'signing', 'signing'],
    );
  });

  it('rotate --alg publishes the next key of that algorithm, which signs a day later', async () => {
    const before = await shown();
    const listed = rows(await keys('rotate', '--alg', 'RS256'));
    const next = [...listed].filter(([, { state }]) => state === 'next');
    assert.equal(next.length, 1);
    const [kid, { alg, from }] = next[0] ?? assert.fail();
    assert.equal(alg, 'RS256');
    assert(Math.abs(from - Date.now() / 1000 - 86_400) < 60);
    assert.deepEqual((await shown()).sort(), [...before, kid].sort());
  });

  it('rotate --compromised drops what there is, at once', async () => {
    const before = await shown();
    const listed = rows(await keys('rotate', '--compromised'));
    assert.deepEqual(
      [...listed.values()].map(({ state }) => state),
      ['signing', 'signing', 'signing'],
    );
    for (const kid of before) assert(!listed.has(kid));
    assert.deepEqual((await shown()).sort(), [...listed.keys()].sort());
  });

  it('says which application does not exist, and exits 65', async () => {
    const { code, err } = await gatehouse(house, 'keys', 'list', '--app', 'nowhere');
    assert.equal(code, 65);
    assert.match(err, /nowhere/);
  });

  for (const args of [
    ['list'],
    ['--app', 'shop'],
    ['drop', '--app', 'shop'],
    ['rotate', '--app', 'shop', '--alg', 'HS256'],
    ['rotate', '--app', 'shop', '--alg', 'none'],
  ]) {
    it(`shows how it is used, and exits 64: ${args.join(' ')}`, async () => {
      const { code, err } = await gatehouse(house, 'keys', ...args);
      assert.equal(code, 64);
      assert.match(err, /Usage: gatehouse keys/);
    });
  }
});
