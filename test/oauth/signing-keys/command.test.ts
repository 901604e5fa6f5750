import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JWK } from 'jose';
import { rotateDueKeys } from '../../../src/oauth/signing-keys/rotation.ts';
import { get } from '../../build/client.ts';
import { gatehouse } from '../../build/command.ts';
import { aClient } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suiteServer } from '../../build/test-server.ts';

describe('gatehouse keys', () => {
  const clients = [aClient(), aClient({ client_id: 'ecdsa', id_token_signed_response_alg: 'ES256' })];
  const server = suiteServer({ clients });

  const shown = async () => {
    server.services.signer.invalidate();
    return (await get(`${server.at()}/jwks`)).json.keys.map(({ kid }: JWK) => kid) as string[];
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
    const { code, out, err } = await gatehouse(server, 'keys', ...args, '--app', 'shop');
    assert.equal(code, 0, err);
    return out;
  };

  it('list shows those of the key set, each signing', async () => {
    const present = await shown();
    const listed = rows(await keys('list'));
    assert.deepEqual([...listed.keys()].sort(), present.sort());
    assert.deepEqual([...listed.values()].map(({ alg, state }) => `${alg} ${state}`).sort(), [
      'ES256 signing',
      'RS256 signing',
    ]);
  });

  it('--json prints one document: what GET …/keys answers, after a rotation too (admin.md, Command line)', async () => {
    const owner = await anOperatorClient(server);
    const answered = async () => (await owner.ask('GET', '/applications/shop/keys')).json;
    assert.deepEqual(JSON.parse(await keys('list', '--json')), await answered());
    const rotated = JSON.parse(await keys('rotate', '--alg', 'ES256', '--json'));
    assert.deepEqual(rotated, await answered());
    assert.deepEqual(rotated.items.map(({ alg, state }: Record<string, string>) => `${alg} ${state}`).sort(), [
      'ES256 next',
      'ES256 signing',
      'RS256 signing',
    ]);
    const { json } = await owner.ask('GET', '/events?type=key.rotated&limit=1');
    assert.deepEqual(json.items[0].actor, { kind: 'system' });
    await keys('rotate', '--compromised', '--alg', 'ES256');
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
    assert.deepEqual([...listed.values()].map(({ alg, state }) => `${alg} ${state}`).sort(), [
      'ES256 signing',
      'RS256 signing',
    ]);
    for (const kid of before) assert(!listed.has(kid));
    assert.deepEqual((await shown()).sort(), [...listed.keys()].sort());
  });

  it('rotate makes no key of an algorithm that no client uses, and exits 65 (issue 10 B.3)', async () => {
    const before = await keys('list');
    const { code, err } = await gatehouse(server, 'keys', 'rotate', '--app', 'shop', '--alg', 'EdDSA');
    assert.equal(code, 65);
    assert.match(err, /No client of "shop" uses EdDSA/);
    assert.equal(await keys('list'), before);
  });

  it('list marks unused, retired and missing keys, and --compromised replaces no unused one', async () => {
    const { store, registry, signer } = server.services;
    signer.invalidate();
    await signer.sign('shop', 'ES256', 'JWT', {});
    await store.deleteClient('shop', 'ecdsa', 0);
    const states = async () => [...rows(await keys('list')).values()].map(({ alg, state }) => `${alg} ${state}`).sort();
    assert.deepEqual(await states(), ['ES256 unused', 'RS256 signing']);
    await rotateDueKeys(server.services, (await registry.application('shop')) ?? assert.fail());
    assert.deepEqual(await states(), ['ES256 retired', 'RS256 signing']);
    assert.equal((await shown()).length, 2, 'still published, for tokens that live');
    await keys('rotate', '--alg', 'ES256', '--compromised');
    assert.deepEqual(await states(), ['RS256 signing']);
    assert.equal((await shown()).length, 1);
    await store.dropSigningKeys('shop', await shown());
    assert.match(await keys('list'), /^RS256 +missing/);
  });

  it('says which application does not exist, and exits 65', async () => {
    const { code, err } = await gatehouse(server, 'keys', 'list', '--app', 'nowhere');
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
      const { code, err } = await gatehouse(server, 'keys', ...args);
      assert.equal(code, 64);
      assert.match(err, /Usage: gatehouse keys/);
    });
  }

  it('rotate and rotate --compromised record what was published and what was deleted', async () => {
    const { store } = server.services;
    const recorded = async () =>
      (await store.listEvents({ types: ['key.rotated', 'key.deleted'] }, { after: undefined, limit: 100 })).map(
        ({ type, subject }) => `${type} ${subject}`,
      );
    const kids = async () =>
      (await store.signingKeys('shop')).filter(({ alg }) => alg === 'RS256').map(({ kid }) => kid);
    const [before, former] = [await recorded(), await kids()];
    await keys('rotate', '--alg', 'RS256');
    const present = await kids();
    await keys('rotate', '--alg', 'RS256', '--compromised');
    const since = (await recorded()).filter(each => !before.includes(each));
    const published = present.filter(kid => !former.includes(kid)).map(kid => `key.rotated ${kid}`);
    assert.deepEqual(since.sort(), [...present.map(kid => `key.deleted ${kid}`), ...published].sort());
    assert.equal(published.length, 1);
  });
});
