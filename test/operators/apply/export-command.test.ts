import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { PROGRAM, run } from '../../assembly/run.ts';
import { commandSettings, gatehouse, gatehouseReading, runCommand } from '../../build/command.ts';
import { aClient, anApplication, aPublicClient, aUser } from '../../build/fixture.ts';
import { stopOwnServer } from '../../build/postgres.ts';
import { suiteServer } from '../../build/test-server.ts';

after(stopOwnServer);

const GATEHOUSE = `"${process.execPath}" "${PROGRAM}"`;

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`gatehouse export on ${store} (admin.md, Command line)`, () => {
    const server = suiteServer({
      store,
      applications: [anApplication({ clients: [aClient(), aPublicClient()] }), anApplication({ code: 'blog' })],
      users: [aUser(), { username: 'bob', address: '1 Main Street\nExampleton' }],
    });
    const shell = (line: string) =>
      run('bash', ['-o', 'pipefail', '-c', line.replaceAll('gatehouse', GATEHOUSE)], commandSettings(server));

    it('piped into diff finds nothing, whatever its form', async () => {
      const same = { code: 0, out: 'Nothing to change.\n', err: '' };
      assert.deepEqual(await shell('gatehouse export | gatehouse diff --prune --prune-users -'), same);
      for (const option of ['--json', '--password-hashes']) {
        const { out } = await gatehouse(server, 'export', option);
        const ran = await gatehouseReading(server, out, 'diff', '--prune', '--prune-users', '-');
        assert.deepEqual(ran, same, option);
      }
    });

    it('of one application has that one alone, and of an unknown one says so and exits 65', async () => {
      const { code, out, err } = await gatehouse(server, 'export', '--app', 'blog');
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, /^applications:\n {2}- code: blog\n/m);
      assert.doesNotMatch(out, /code: shop|username/);
      assert.equal((await gatehouseReading(server, out, 'diff', '-')).code, 0);
      const unknown = await gatehouse(server, 'export', '--app', 'nowhere');
      assert.deepEqual(unknown, { code: 65, out: '', err: 'there is no application "nowhere"\n' });
    });

    it('says which stored values are older than a rule that refuses them now, writes them all the same, and exits 65', async () => {
      const account = await server.services.store.findAccount('bob');
      assert(account);
      const profile = { nickname: 'a\u0007b' };
      await server.services.store.provision([{ kind: 'user', sub: account.sub, profile, now: 1 }]);
      const { code, out, err } = await gatehouse(server, 'export');
      assert.deepEqual(
        [code, err],
        [65, 'user "bob": nickname: must not have control characters, nor invisible or direction-changing ones\n'],
      );
      assert.match(out, /nickname: "a\\ab"/);
      const cleared = { nickname: null };
      await server.services.store.provision([{ kind: 'user', sub: account.sub, profile: cleared, now: 1 }]);
    });

    it('ends quietly when nobody reads it any more', async () => {
      assert.deepEqual(await shell('gatehouse export | true'), { code: 0, out: '', err: '' });
    });
  });
}

describe('gatehouse export', () => {
  for (const args of [['FILE'], ['--users'], ['--app'], ['--no-users', '--password-hashes']]) {
    it(`"export ${args.join(' ')}" shows how it is used, and exits 64`, async () => {
      const ran = await runCommand(['export', ...args]);
      assert.equal(ran.code, 64);
      assert.match(ran.err, /^Usage: gatehouse export /);
    });
  }
});
