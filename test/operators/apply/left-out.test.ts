import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import type { Provisioned } from '../../build/test-server.ts';
import { usePlan } from './plan-fixture.ts';

const ORDERS = { identifier: 'https://orders.example', name: 'Orders', scopes: { 'orders:read': 'Read orders' } };
const STOCK = {
  identifier: 'https://stock.example',
  name: 'Stock',
  scopes: { 'stock:read': 'Read stock' },
  access_token_ttl: 60,
};
const POLICY = { from: ORDERS.identifier, to: STOCK.identifier, scopes: ['stock:read'] };

describe('what an entry leaves out stays as it is (running.md, The apply file)', () => {
  const { server, clock, plan, apply } = usePlan();
  let count = 0;
  /** An application with everything, under a code of its own. */
  const anExisting = async (over: object = {}) => {
    const code = `app-${++count}`;
    const entry = anApplication({
      code,
      ...{ mfa: 'required', access_token_ttl: 60, accent_color: '#112233', help_uri: 'https://help.example/' },
      ...{ access: { groups: ['staff'], roles: [], users: [] }, userinfo_max_age: 5 },
      ...{ apis: [ORDERS, STOCK], token_exchange: [POLICY] },
      clients: [
        aClient({ scope: 'openid orders:read', require_pkce: true, refresh_token_grace: 7, client_name: 'Web' }),
        aClient({ client_id: 'other' }),
      ],
      ...over,
    });
    await apply({ applications: [entry] });
    return code;
  };
  const entry = (application: object) => ({ applications: [application] }) as Provisioned;
  const stored = async (code: string) => (await server.services.store.findStoredApplication(code))?.application;
  const client = (code: string, id = 'web') => server.services.store.findClient(code, id);

  it('of an application: its fields, APIs, policies and clients, also its name', async () => {
    const code = await anExisting();
    const before = await stored(code);
    assert.deepEqual(await apply(entry({ code })), []);
    assert.deepEqual(await apply(entry({ code, id_token_ttl: 90 })), [`application ${code}: id_token_ttl 3600 → 90`]);
    assert.deepEqual(await stored(code), { ...before, id_token_ttl: 90 });
    assert(await client(code));
  });

  it('of a client: its fields and its secret', async () => {
    const code = await anExisting();
    const before = await client(code);
    const changed = await apply(entry({ code, clients: [{ client_id: 'web', require_consent: true }] }));
    assert.deepEqual(changed, [`client ${code}/web: require_consent false → true`]);
    assert.deepEqual(await client(code), { ...before, require_consent: true });
  });

  it('also where the entry of the client has a preset, which is for new ones (row 60)', async () => {
    const code = await anExisting();
    const clients = [{ client_id: 'web', preset: 'spa' }];
    assert.deepEqual(await apply(entry({ code, clients })), []);
    // Null is the default of the field, not that of the preset: the second time nothing changes.
    const fresh = [{ client_id: 'fresh', preset: 'web', require_pkce: null, client_secret: 'a-secret-of-fresh' }];
    await apply(entry({ code, clients: fresh }));
    const { require_pkce, require_client_authentication } = (await client(code, 'fresh')) ?? {};
    assert.deepEqual([require_pkce, require_client_authentication], [false, true]);
    assert.deepEqual(await apply(entry({ code, clients: fresh })), []);
  });

  it('of a user: every field', async () => {
    await apply({
      users: [aUser({ username: 'left', email: 'left@example.com', phone_number: null, groups: ['a'] })],
    });
    assert.deepEqual(await apply({ users: [{ username: 'left', name: 'L' }] }), ['user left: name unset → "L"']);
    assert.deepEqual(await apply({ users: [{ email: 'left@example.com', name: null }] }), [
      'user left: name "L" → unset',
    ]);
  });

  it('and of an API in the list: the other APIs, and the fields of its own that its entry does not name', async () => {
    const code = await anExisting();
    const apis = [{ identifier: STOCK.identifier, name: 'Warehouse' }];
    await apply(entry({ code, apis }));
    assert.deepEqual((await stored(code))?.apis, [
      { ...ORDERS, require_dpop: false },
      { ...STOCK, name: 'Warehouse', require_dpop: false },
    ]);
  });

  it('but null gives a field its default, or clears it', async () => {
    const code = await anExisting();
    const nothing = { mfa: null, access_token_ttl: null, accent_color: null, access: null, userinfo_max_age: null };
    const clients = [
      { client_id: 'web', ...{ scope: null, require_pkce: null, refresh_token_grace: null, client_name: null } },
    ];
    await apply(entry({ code, ...nothing, help_uri: null, clients }));
    const { mfa, access_token_ttl, accent_color, access, userinfo_max_age, help_uri } = (await stored(code)) ?? {};
    assert.deepEqual([mfa, access_token_ttl, access], ['optional', 3600, 'everybody']);
    assert.deepEqual([accent_color, userinfo_max_age, help_uri], [undefined, undefined, undefined]);
    const { scope, require_pkce, refresh_token_grace, client_name } = (await client(code)) ?? {};
    assert.deepEqual(scope, ['openid', 'profile', 'email', 'phone']);
    assert.deepEqual([require_pkce, refresh_token_grace, client_name], [false, 30, 'web']);
  });

  it('and a list of plain values is replaced', async () => {
    const code = await anExisting();
    const redirect_uris = ['https://new.example/cb'];
    await apply(entry({ code, access: { users: ['zoe'] }, clients: [{ client_id: 'web', redirect_uris }] }));
    assert.deepEqual((await client(code))?.redirect_uris, redirect_uris);
    assert.deepEqual((await stored(code))?.access, { groups: [], roles: [], users: ['zoe'] });
  });

  for (const empty of [[], null]) {
    it(`but ${JSON.stringify(empty)} removes the APIs, the policies or the clients, and the plan shows each removal`, async () => {
      const code = await anExisting();
      const { differences } = await plan(entry({ code, apis: empty, token_exchange: empty, clients: empty }));
      assert.deepEqual(
        differences.filter(({ action }) => action === 'delete').map(({ object }) => object),
        [
          { type: 'client', application: code, client_id: 'other' },
          { type: 'client', application: code, client_id: 'web' },
          { type: 'api', application: code, identifier: ORDERS.identifier },
          { type: 'api', application: code, identifier: STOCK.identifier },
          { type: 'token_exchange', application: code, from: POLICY.from, to: POLICY.to },
        ],
      );
      await apply(entry({ code, apis: empty, token_exchange: empty, clients: empty }));
      assert.deepEqual([(await stored(code))?.apis, (await stored(code))?.token_exchange], [[], []]);
      assert.equal(await client(code), undefined);
      assert.deepEqual(await apply(entry({ code, apis: empty, token_exchange: empty, clients: empty })), []);
    });
  }

  it('and prune removes the APIs and policies that the entry does not name', async () => {
    const code = await anExisting({ token_exchange: [] });
    const { differences } = await plan(entry({ code, apis: [{ identifier: STOCK.identifier }] }), false, true);
    const removed = differences.flatMap(({ action, object }) =>
      action === 'delete' && object.type === 'api' ? [object] : [],
    );
    assert.deepEqual(removed, [{ type: 'api', application: code, identifier: ORDERS.identifier }]);
  });

  it('a stored value that does not fit the entry is a fault that says so', async () => {
    const code = await anExisting({ clients: [aClient({ grant_types: ['password'] })] });
    const { faults } = await plan(entry({ code, clients: [{ client_id: 'web', token_endpoint_auth_method: 'none' }] }));
    assert.deepEqual(faults, [
      {
        path: ['applications', 0, 'clients', 0, 'grant_types'],
        message: 'password needs a client with a secret or a key (this is the stored value: the entry leaves it out)',
      },
    ]);
    const { faults: ofPolicy } = await plan(entry({ code, apis: [] }));
    assert.deepEqual(
      ofPolicy.map(({ path }) => path),
      [
        ['applications', 0, 'token_exchange'],
        ['applications', 0, 'token_exchange'],
      ],
    );
  });

  it('a new application needs a name, and a new API too', async () => {
    const unnamed = await plan(entry({ code: 'unnamed', apis: [{ identifier: 'https://new.example' }] }));
    assert.deepEqual(unnamed.faults, [
      { path: ['applications', 0, 'name'], message: 'is missing' },
      { path: ['applications', 0, 'apis', 0, 'name'], message: 'is missing' },
    ]);
  });

  it('an application that was deleted comes back as it was', async () => {
    const code = await anExisting();
    const before = await stored(code);
    await server.services.store.provision([{ kind: 'deleteApplication', app: code, now: clock.now() }]);
    assert.deepEqual(await apply(entry({ code })), [`application ${code}: restored`]);
    assert.deepEqual(await stored(code), before);
  });
});
