import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyOf } from '../../../src/platform/crypto/credential.ts';
import { aTokenSet, basic, isActive } from '../../build/client.ts';
import { gatehouse } from '../../build/command.ts';
import { aClient, anApplication, aPublicClient } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';

describe('gatehouse clients', () => {
  const kept = aClient({ client_id: 'kept', client_secret: 'kept-secret-1' });
  const server = suiteServer({
    applications: [
      anApplication({ clients: [aClient({ client_name: 'The shop' }), kept, aPublicClient()] }),
      anApplication({ code: 'blog', clients: [aClient({ client_id: 'elsewhere' })] }),
      anApplication({ code: 'bare', clients: [] }),
    ],
  });

  it('list shows those of the application and of no other', async () => {
    const { code, out } = await gatehouse(server, 'clients', 'list', '--app', 'shop');
    assert.equal(code, 0);
    const ids = out.split('\n').map(line => line.split(' ')[0]);
    assert.deepEqual(ids, ['client_id', 'kept', 'spa', 'web', '']);
    assert.match(out, /The shop/);
    assert.equal((await gatehouse(server, 'clients', 'list', '--app', 'bare')).out, 'None.\n');
  });

  it('delete takes the client and its tokens away, and those of no other', async () => {
    const KEPT = { auth: basic('kept', 'kept-secret-1') };
    const [own, others] = [await aTokenSet(server), await aTokenSet(server, {}, KEPT)];
    const { code, out } = await gatehouse(server, 'clients', 'delete', '--app', 'shop', '--client', 'web');
    assert.deepEqual([code, out], [0, 'Done.\n']);
    assert.equal(await isActive(server, own.access_token, KEPT), false);
    const { store, clock } = server.services;
    assert.equal(await store.findRefreshToken('shop', keyOf(own.refresh_token), clock.now()), undefined);
    assert(await isActive(server, others.access_token, KEPT));
    const again = await gatehouse(server, 'clients', 'delete', '--app', 'shop', '--client', 'web');
    assert.equal(again.code, 65);
    assert.match(again.err, /no such client: shop\/web/);
  });

  it('says which application does not exist, and exits 65', async () => {
    const { code, err } = await gatehouse(server, 'clients', 'list', '--app', 'nowhere');
    assert.equal(code, 65);
    assert.match(err, /nowhere/);
  });

  for (const args of [
    [],
    ['list'],
    ['delete', '--app', 'shop'],
    ['list', '--app', 'shop', '--client', 'web'],
    ['drop', '--app', 'shop'],
  ]) {
    it(`shows how it is used, and exits 64: ${args.join(' ')}`, async () => {
      const { code, err } = await gatehouse(server, 'clients', ...args);
      assert.equal(code, 64);
      assert.match(err, /Usage: gatehouse clients/);
    });
  }
});
