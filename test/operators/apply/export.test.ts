import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { readApplyFiles } from '../../../src/operators/apply/apply-file.ts';
import type { ExportOptions } from '../../../src/operators/apply/export.ts';
import { planChanges } from '../../../src/operators/apply/plan.ts';
import { fields } from '../../build/fields.ts';
import { stopOwnServer } from '../../build/postgres.ts';
import type { TestServer } from '../../build/test-server.ts';
import { apply, diff, exported, storesOn, twoStores } from './export-fixture.ts';

after(stopOwnServer);

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`export on ${store} (admin.md, Command line)`, () => {
    let from: TestServer;
    let to: TestServer;
    const close: (() => unknown)[] = [];
    before(async () => {
      const stores = await storesOn(store);
      [from, to] = stores.servers;
      close.push(stores.close);
    });
    after(async () => {
      for (const each of close) await each();
    });

    it('keeps the spaces and line breaks of a text, also of one that has nothing else', async () => {
      const texts = [' \n', ' \n \n', '\n', ' 1 Way\n  Town \n', '1 Way\nTown'];
      const users = texts.map((formatted, at) => ({ username: `user-${at}`, address: { formatted } }));
      await apply(from, JSON.stringify({ users }));
      assert.deepEqual(await diff(from, await exported(from)), []);
    });

    it('of a user names every field, so that applying it undoes a later change', async () => {
      await apply(from, JSON.stringify({ users: [{ username: 'alice', nickname: 'Al' }] }));
      const text = await exported(from);
      await from.provision({
        users: [{ username: 'alice', nickname: 'B', email: 'a@example.com', gender: 'f', disabled: true }],
      });
      assert.deepEqual(await diff(from, text), [
        '~ user alice: email "a@example.com" → unset, nickname "B" → "Al", gender "f" → unset, disabled true → false',
      ]);
    });

    it('reads users in pages, and gives the same text for the same content', async () => {
      const users = Array.from({ length: 1203 }, (_, index) => ({ username: `user-${(index * 7919) % 1203}` }));
      await apply(from, JSON.stringify({ users }));
      const text = await exported(from);
      const names = [...text.matchAll(/^ {2}- username: (.*)$/gm)].map(([, name]) => name);
      assert.deepEqual(names, users.map(({ username }) => username).sort());
      await apply(to, '{}');
      await apply(to, JSON.stringify({ users: users.toReversed() }));
      assert.equal(await exported(to), text);
    });

    it('has one application with --app, and no users with --no-users', async () => {
      const applications = [
        { code: 'blog', name: 'Blog' },
        { code: 'shop', name: 'Shop' },
      ];
      await apply(from, JSON.stringify({ applications, users: [{ username: 'alice' }] }));
      const body = async (over: Partial<ExportOptions>) => (await exported(from, over)).replace(/^#.*\n/gm, '');
      const one = await body({ app: 'shop', users: false });
      assert.match(one, /^applications:\n {2}- code: shop\n {4}name: Shop\n {4}strict_oidc: false\n/);
      assert.doesNotMatch(one, /blog|users/);
      const all = await body({ users: false, format: 'json' });
      assert.match(
        all,
        /^\{"applications": \[\n\{"code":"blog","name":"Blog",.*\},\n\{"code":"shop","name":"Shop",.*\}\]\}\n$/,
      );
    });
  });
}

describe('an exported file', () => {
  let from: TestServer;
  let to: TestServer;
  before(async () => {
    [from, to] = await twoStores({}, {});
  });
  after(async () => {
    await from.close();
    await to.close();
  });

  it('has no secret, says at its head what is left out, and never makes a new secret for a client that has one', async () => {
    const client = { client_id: 'web', client_secret: 'a-secret-of-web' };
    const users = [{ username: 'alice', password: 'a password of alice' }];
    await apply(from, JSON.stringify({ applications: [{ code: 'shop', name: 'Shop', clients: [client] }], users }));
    const stored = async (server: TestServer) => (await server.services.store.findClient('shop', 'web'))?.secret_hash;
    const before = await stored(from);
    const text = await exported(from);
    assert.match(text, /^# .*\n# Left out: client secrets, passwords, second factors, signing keys/);
    for (const secret of ['a-secret-of-web', 'a password of alice', before ?? '', 'argon2'])
      assert(!text.includes(secret));
    await apply(from, text);
    assert.equal(await stored(from), before);
    const read = readApplyFiles(fields, [{ name: 'export', text }]);
    assert(read.kind === 'valid');
    const { differences, changes } = await planChanges(to.services, read.file);
    const [, made] = differences;
    assert.match(made?.generatedSecret ?? '', /^[\w-]{43}$/);
    await to.services.store.provision(changes);
    const { ring } = to.services;
    assert(ring.verifyClientSecret('shop', 'web', made?.generatedSecret ?? '', (await stored(to)) ?? ''));
  });

  it('of an empty store is an empty apply file, in both forms', async () => {
    await apply(from, '{}');
    for (const format of ['yaml', 'json'] as const) {
      const read = readApplyFiles(fields, [{ name: 'export', text: await exported(from, { format }) }]);
      assert(read.kind === 'valid');
      assert.deepEqual(read.file, { applications: [], users: [] });
    }
  });
});
