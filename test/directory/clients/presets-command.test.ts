import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gatehouse, gatehouseReading } from '../../build/command.ts';
import { CALLBACK } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';

describe('preset on the command line and in apply files (row 60)', () => {
  const server = suiteServer({ clients: [] });

  const client = async (clientId: string) => {
    const found = await server.services.store.findClient('shop', clientId);
    assert(found);
    return found;
  };
  const apply = async (...clients: object[]) => {
    const file = { applications: [{ code: 'shop', name: 'Shop', clients }] };
    const ran = await gatehouseReading(server, JSON.stringify(file), 'apply', '--json', '-');
    return { ...ran, changes: ran.code === 0 ? JSON.parse(ran.out).changes : [] };
  };

  it('clients create --preset writes its values', async () => {
    const options = ['--app', 'shop', '--client-id', 'made', '--redirect-uris', CALLBACK, '--preset', 'web'];
    const { code, out, err } = await gatehouse(server, 'clients', 'create', ...options, '--json');
    assert.equal(code, 0, err);
    assert(!('preset' in JSON.parse(out)));
    const { require_pkce, require_client_authentication, userinfo_claims } = await client('made');
    assert.deepEqual([require_pkce, require_client_authentication, userinfo_claims], [true, true, 'standard']);
  });

  it('clients create names the presets there are, and exits 65', async () => {
    const { code, err } = await gatehouse(server, 'clients', 'create', '--app', 'shop', '--preset', 'website');
    assert.equal(code, 65);
    assert.match(err, /--preset: must be one of web, spa, native, machine, device, legacy/);
  });

  it('clients update has no --preset', async () => {
    const { code } = await gatehouse(
      server,
      'clients',
      'update',
      '--app',
      'shop',
      '--client',
      'made',
      '--preset',
      'spa',
    );
    assert.equal(code, 64);
  });

  const ENTRY = { client_id: 'filed', preset: 'spa', redirect_uris: [CALLBACK] };

  it('apply creates the client with its values; a second apply changes nothing, and diff finds nothing', async () => {
    assert.equal((await apply(ENTRY)).changes[0]?.action, 'create');
    const { token_endpoint_auth_method, require_pkce, userinfo_claims } = await client('filed');
    assert.deepEqual([token_endpoint_auth_method, require_pkce, userinfo_claims], ['none', true, 'standard']);
    assert.deepEqual((await apply(ENTRY)).changes, []);
    const file = JSON.stringify({ applications: [{ code: 'shop', name: 'Shop', clients: [ENTRY] }] });
    assert.equal((await gatehouseReading(server, file, 'diff', '-')).code, 0);
  });

  it('apply leaves what an operator has changed since: a preset is for a new client', async () => {
    await apply(ENTRY);
    const change = ['--app', 'shop', '--client', 'filed', '--userinfo-claims', 'documented'];
    assert.equal((await gatehouse(server, 'clients', 'update', ...change)).code, 0);
    assert.deepEqual((await apply(ENTRY)).changes, []);
    assert.deepEqual((await apply({ ...ENTRY, preset: 'web' })).changes, []);
    const { userinfo_claims, token_endpoint_auth_method } = await client('filed');
    assert.deepEqual([userinfo_claims, token_endpoint_auth_method], ['documented', 'none']);
    assert.equal((await apply({ ...ENTRY, userinfo_claims: 'standard' })).changes.length, 1);
  });

  it('export has the values and never the preset, and is equal to what is there', async () => {
    await apply(ENTRY);
    const exported = await gatehouse(server, 'export', '--no-users');
    assert(!exported.out.includes('preset'), exported.out);
    assert.match(exported.out, /client_id: filed\n(.*\n)*?.*userinfo_claims: standard/);
    assert.equal((await gatehouseReading(server, exported.out, 'diff', '-')).code, 0);
  });

  it('names the place of one that does not exist or cannot be, and changes nothing', async () => {
    for (const [entry, place] of [
      [{ ...ENTRY, client_id: 'a', preset: 'website' }, 'preset'],
      [
        { ...ENTRY, client_id: 'b', preset: 'web', token_endpoint_auth_method: 'none' },
        'require_client_authentication',
      ],
    ] as const) {
      const { code, err } = await apply(entry);
      assert.equal(code, 65);
      assert(err.includes(`applications[0].clients[0].${place}: `), err);
      assert.equal(await server.services.store.findClient('shop', entry.client_id), undefined);
    }
  });
});
