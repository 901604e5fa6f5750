import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { newEvent } from '../../../src/audit/events/new-event.ts';
import { keyOf } from '../../../src/platform/crypto/credential.ts';
import { aTokenSet } from '../../build/client.ts';
import { gatehouse, gatehouseReading } from '../../build/command.ts';
import { aClient, anApplication, aPublicClient, aUser } from '../../build/fixture.ts';
import { stopOwnServer } from '../../build/postgres.ts';
import { testPart } from '../../build/suite-part.ts';
import { type Provisioned, startTestServer, suiteServer } from '../../build/test-server.ts';

after(stopOwnServer);

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`diff and apply --prune on ${store} (admin.md, Command line)`, () => {
    const given = (): Provisioned => ({
      applications: [
        anApplication({ clients: [aClient(), aPublicClient()] }),
        anApplication({ code: 'blog', name: 'Blog', clients: [aClient({ client_id: 'cms' })] }),
      ],
      users: [aUser(), { username: 'bob' }],
    });
    const server = testPart(() => startTestServer({ ...given(), store }));

    const run = (command: string, content: Provisioned, options: readonly string[]) =>
      gatehouseReading(server, JSON.stringify(content), command, ...options, '-');
    const diff = (content: Provisioned, ...options: string[]) => run('diff', content, options);
    const apply = (content: Provisioned, ...options: string[]) => run('apply', content, options);
    const withoutSpaAndBlog = (): Provisioned => ({ applications: [anApplication()], users: [aUser()] });
    const PRUNED = ['application blog: deleted, kept for 30 days', 'client shop/spa: deleted'];

    it('diff of what is there exits 0, and of a change 1, and changes nothing', async () => {
      assert.deepEqual(await diff(given()), { code: 0, out: 'Nothing to change.\n', err: '' });
      const changed: Provisioned = {
        applications: [
          anApplication({
            name: 'Store',
            clients: [aClient({ client_secret: 'another-secret' }), { client_id: 'till' }],
          }),
          anApplication({ code: 'bank' }),
        ],
        users: [aUser({ email: 'al@example.com', password: 'not looked at' }), { username: 'carol', password: 'new' }],
      };
      const lines = [
        '~ application shop: name "Shop" → "Store"',
        '~ client shop/web: client_secret changed',
        '+ client shop/till',
        '+ application bank',
        '+ client bank/web',
        '~ user alice: email "alice@example.com" → "al@example.com"',
        '+ user carol',
        '',
      ];
      for (let round = 0; round < 2; round++) {
        assert.deepEqual(await diff(changed), { code: 1, out: lines.join('\n'), err: '' });
      }
    });

    it('diff --json prints one document, without a secret', async () => {
      assert.deepEqual(await diff(given(), '--json'), {
        code: 0,
        out: `${JSON.stringify({ changes: [] }, null, 2)}\n`,
        err: '',
      });
      const changed = {
        applications: [
          anApplication({
            clients: [aClient({ client_secret: 'another-secret', scope: 'openid' }), { client_id: 'till' }],
          }),
        ],
      };
      const { code, out, err } = await diff(changed, '--json');
      assert.deepEqual([code, err], [1, '']);
      assert.deepEqual(JSON.parse(out), {
        changes: [
          {
            action: 'update',
            type: 'client',
            application: 'shop',
            client_id: 'web',
            fields: [
              { field: 'scope', before: 'openid profile email phone', after: 'openid' },
              { field: 'client_secret' },
            ],
          },
          { action: 'create', type: 'client', application: 'shop', client_id: 'till', fields: [] },
        ],
      });
    });

    it('diff names a fault of the file and of the store, and exits 65', async () => {
      const unreadable = await diff({ applications: [anApplication({ code: 'UPPER' })] });
      assert.deepEqual([unreadable.code, unreadable.out], [65, '']);
      assert.match(unreadable.err, /^applications\[0\]\.code: must match/);
      const taken = await diff({ users: [{ username: 'dave', email: 'alice@example.com' }] }, '--json');
      assert.deepEqual(taken, {
        code: 65,
        out: '',
        err: 'users[0].email: belongs to another user already (user dave, line 1)\n',
      });
    });

    it('apply --prune deletes what no file names, says so first, and leaves the users', async () => {
      const { refresh_token } = await aTokenSet(server, {}, undefined, 'shop');
      const planned = await diff({ ...withoutSpaAndBlog(), users: [aUser({ nickname: 'A' })] }, '--prune');
      assert.deepEqual(
        [planned.code, planned.out],
        [1, '- application blog\n- client shop/spa\n~ user alice: nickname "Al" → "A"\n'],
      );
      const dry = await apply(withoutSpaAndBlog(), '--prune', '--dry-run');
      assert.deepEqual(dry, { code: 0, out: [...PRUNED, ''].join('\n'), err: '' });
      assert.equal((await diff(given())).code, 0, 'a dry run deletes nothing');
      assert.deepEqual(await apply(withoutSpaAndBlog(), '--prune'), dry);
      assert.equal((await diff(withoutSpaAndBlog(), '--prune')).code, 0);
      const { store: database, clock } = server.services;
      assert.deepEqual(await database.applicationCodes(), ['shop']);
      assert(await database.findAccount('bob'));
      assert(await database.findRefreshToken('shop', keyOf(refresh_token), clock.now()), 'what is named goes on');
    });

    it('a deleted application is unreachable, and an entry brings it back with its clients', async () => {
      await apply(withoutSpaAndBlog(), '--prune');
      await server.services.registry.refresh();
      assert.equal((await fetch(`${server.at('blog')}/jwks`)).status, 404);
      const again = { applications: [{ code: 'blog', name: 'Weblog' }] };
      assert.deepEqual(await diff(again), {
        code: 1,
        out: '+ application blog: restored, name "Blog" → "Weblog"\n',
        err: '',
      });
      assert.equal((await apply(again)).out, 'application blog: restored, name "Blog" → "Weblog"\n');
      assert.equal((await fetch(`${server.at('blog')}/jwks`)).status, 200);
      assert(await server.services.store.findClient('blog', 'cms'));
    });

    it('apply and diff that would disable the last owner name the user, change nothing and exit 65', async () => {
      assert.equal((await gatehouse(server, 'operators', 'add', 'alice', '--role', 'owner')).code, 0);
      assert.equal((await gatehouse(server, 'operators', 'add', 'bob', '--role', 'owner')).code, 0);
      const bob = { username: 'bob', disabled: true };
      assert.equal((await apply({ users: [bob] })).code, 0, 'another owner is left');
      const disabling: Provisioned = { users: [{ username: 'carol' }, aUser({ disabled: true })] };
      const err = 'user alice: is the last owner and cannot be disabled; give another user the role owner first\n';
      for (const run of [diff, apply]) assert.deepEqual(await run(disabling), { code: 65, out: '', err });
      assert.equal((await server.services.store.findAccount('alice'))?.disabled, false);
      assert.equal(await server.services.store.findAccount('carol'), undefined);
      const pruned = await apply({ ...given(), users: [{ username: 'dave' }] }, '--prune', '--prune-users');
      assert.deepEqual([pruned.code, pruned.out], [0, 'user dave: created\n']);
      assert(await server.services.store.findAccount('alice'));
    });

    it('apply --prune-users also deletes users that no file names, but no operator', async () => {
      const { store: database, clock, random } = server.services;
      await server.provision({ users: [{ username: 'root' }] });
      const { sub = '' } = (await database.findAccount('root')) ?? {};
      const event = newEvent(
        { clock, random },
        { type: 'operator.added', outcome: 'success', actor: { kind: 'system' } },
      );
      await database.changeOperator(sub, () => ({
        result: undefined,
        write: { value: { role: 'owner', applications: undefined, createdAt: clock.now() }, act: { event } },
      }));
      const { code, out, err } = await apply({ ...given(), users: [aUser()] }, '--prune', '--prune-users');
      assert.deepEqual([code, out], [0, 'user bob: deleted\n']);
      assert.equal(err, 'user root: is an operator, and is not pruned\n');
      assert.equal(await database.findAccount('bob'), undefined);
      assert(await database.findAccount('alice'));
    });

    for (const [content, options, fault] of [
      [{ users: [aUser()] }, ['--prune'], /^no file names an application: --prune would delete all/],
      [given(), ['--prune', '--prune-users'], undefined],
      [{ applications: given().applications }, ['--prune', '--prune-users'], /^no file names a user: --prune-users/],
    ] as const) {
      it(`${options.join(' ')} with ${Object.keys(content).join(' and ')} ${fault ? 'is refused unless --allow-empty is given' : 'is fine'}`, async () => {
        const { code, err } = await apply(content as Provisioned, ...options);
        assert.equal(code, fault ? 65 : 0);
        if (!fault) return;
        assert.match(err, fault);
        assert.equal((await diff(given())).code, 0, 'nothing was changed');
        assert.equal((await apply(content as Provisioned, ...options, '--allow-empty')).code, 0);
        assert.equal((await diff(content as Provisioned, ...options, '--allow-empty')).code, 0);
      });
    }
  });
}

describe('diff and apply on an empty store', () => {
  const server = suiteServer({ applications: [], users: [] });

  it('apply --json prints one document, with the secrets that it generated, and diff shows none', async () => {
    const file = 'applications: [{code: shop, name: Shop, clients: [{client_id: till}]}]';
    const run = (...args: string[]) => gatehouseReading(server, file, ...args, '-');
    const planned = await run('diff', '--json');
    assert.doesNotMatch(planned.out, /secret/);
    const dry = await run('apply', '--dry-run', '--json');
    assert.deepEqual(dry, { ...planned, code: 0 });
    const { out } = await run('apply', '--json');
    const [, till] = JSON.parse(out).changes;
    const { store, ring } = server.services;
    const stored = (await store.findClient('shop', 'till'))?.secret_hash ?? '';
    assert(ring.verifyClientSecret('shop', 'till', till.client_secret, stored));
  });

  for (const args of [
    ['diff'],
    ['diff', '--dry-run', 'x'],
    ['diff', '--prune-users', 'x'],
    ['apply', '--prune-users', 'x'],
  ]) {
    it(`"${args.join(' ')}" shows how it is used, and exits 64`, async () => {
      const { code, err } = await gatehouse(server, ...args);
      assert.equal(code, 64);
      assert.match(err, new RegExp(`^Usage: gatehouse ${args[0]} `));
    });
  }

  it('of a file that is not there exits 66 and names it', async () => {
    const { code, err } = await gatehouse(server, 'diff', '/nowhere/missing.yaml');
    assert.equal(code, 66);
    assert.match(err, /missing\.yaml/);
  });
});
