import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { gatehouse, runCommand } from '../../build/command.ts';
import { aUser } from '../../build/fixture.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer } from '../../build/test-server.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

describe('gatehouse backup FILE (running.md)', () => {
  const folder = suitePart(temporaryFolder);
  const server = suitePart(() => startTestServer({ store: 'SQLite' }));

  it('writes a copy that a server can serve from, for its owner alone, while users are written', async () => {
    const file = folder.file('copy.db');
    const users = Array.from({ length: 200 }, (_, n) =>
      aUser({ username: `user${n}`, email: null, phone_number: null }),
    );
    const writing = Promise.all(users.map(user => server.provision({ applications: [], users: [user] })));
    const ran = await gatehouse(server, 'backup', file);
    await writing;
    const out = `${file}: written and checked. Keep the secret of this server with it.\n`;
    assert.deepEqual(ran, { code: 0, out, err: '' });
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder.file('.')), ['copy.db']);
    const env = { DATABASE_URL: `sqlite:${file}`, GATEHOUSE_SECRET: server.services.config.secrets?.join() ?? '' };
    const verified = await runCommand(['events', 'verify'], { ...env, BASE_URL: server.base });
    assert.equal(verified.code, 0, verified.err);
    using copy = new DatabaseSync(file);
    const { count } = copy.prepare("SELECT count(*) AS count FROM users WHERE username LIKE 'user%'").get() as {
      count: number;
    };
    const { credentials } = copy.prepare('SELECT count(*) AS credentials FROM credentials').get() as {
      credentials: number;
    };
    const known = await server.services.store.listEvents({ types: ['backup.made'] }, { after: undefined, limit: 2 });
    assert.equal(known.length, 1, 'the overview knows of it');
    assert(
      credentials >= count,
      `${credentials} credentials of ${count} users: a user without the password is no state of the store`,
    );
  });

  it('replaces nothing', async () => {
    writeFileSync(folder.file('mine.db'), 'mine');
    const ran = await gatehouse(server, 'backup', folder.file('mine.db'));
    assert.deepEqual([ran.code, ran.out], [73, '']);
    assert.match(ran.err, /mine\.db: exists already/);
    assert.equal(statSync(folder.file('mine.db')).size, 4);
  });

  it('leaves nothing where it cannot write', async () => {
    const ran = await gatehouse(server, 'backup', folder.file('nowhere/copy.db'));
    assert.equal(ran.code, 73);
    assert.match(ran.err, /ENOENT/);
  });

  it('of a damaged database is none', async () => {
    const path = folder.file('damaged.db');
    assert.equal((await gatehouse(server, 'backup', path)).code, 0);
    const bytes = Buffer.alloc(4096, 7);
    const { open } = await import('node:fs/promises');
    const handle = await open(path, 'r+');
    await handle.write(bytes, 0, bytes.length, 4096 * 3);
    await handle.close();
    const env = { DATABASE_URL: `sqlite:${path}`, BASE_URL: server.base };
    const ran = await runCommand(['backup', folder.file('from-damaged.db')], env);
    assert.equal(ran.code, 73, ran.out);
    assert(!readdirSync(folder.file('.')).some(name => name.startsWith('from-damaged')));
  });

  for (const [what, args, env, code, text] of [
    ['no file', [], {}, 64, /^Usage: gatehouse backup FILE/],
    [
      'PostgreSQL',
      ['x.db'],
      { DATABASE_URL: 'postgres://a:b@127.0.0.1/c', GATEHOUSE_SECRET: 'x'.repeat(32) },
      78,
      /pg_dump/,
    ],
    ['no database', ['x.db'], { DATABASE_URL: 'sqlite:/nowhere/at/all.db' }, 66, /there is no database/],
  ] as const) {
    it(`with ${what} exits ${code}`, async () => {
      const ran = await runCommand(['backup', ...args], { BASE_URL: server.base, ...env });
      assert.equal(ran.code, code, ran.err);
      assert.match(ran.err, text);
    });
  }
});
