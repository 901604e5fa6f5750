import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, it } from 'node:test';
import { openSqliteStore } from '../../../src/assembly/store.sqlite.ts';
import { releaseVersion } from '../../../src/platform/release.ts';
import { type Env, PROGRAM, run } from '../../assembly/run.ts';
import { runCommand } from '../../build/command.ts';
import { testPart } from '../../build/suite-part.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

const FILE = `
applications:
  - code: shop
    name: Shop
    clients:
      - client_name: Till
        redirect_uris: [https://shop.example/callback]
users:
  - username: alice
    password: correct horse battery staple
    email: alice@example.com
`;

describe('the command line', () => {
  let env: Record<string, string>;
  const folder = testPart(temporaryFolder);
  beforeEach(() => {
    env = { DATABASE_URL: `sqlite:${folder.file('data/gatehouse.db')}` };
  });

  const file = (text: string, name = 'gatehouse.yaml') => {
    writeFileSync(folder.file(name), text);
    return folder.file(name);
  };

  describe('gatehouse apply', () => {
    it('prints what it changed, and the second time that there is nothing to change', async () => {
      const first = await runCommand(['apply', file(FILE)], env);
      assert.equal(first.code, 0, first.err);
      assert.match(first.out, /^application shop: created$/m);
      assert.match(first.out, /^client shop\/shop-[0-9a-f]{12}: created$/m);
      assert.match(first.out, /^client shop\/\S+: client_secret [\w-]{43} \(generated, shown only now\)$/m);
      assert.match(first.out, /^user alice: created$/m);
      assert.equal(first.err, '');
      assert.deepEqual(await runCommand(['apply', file(FILE)], env), { code: 0, out: 'Nothing to change.\n', err: '' });
    });

    it('with --dry-run prints the same and changes nothing', async () => {
      const dry = await runCommand(['apply', '--dry-run', file(FILE)], env);
      assert.equal(dry.code, 0, dry.err);
      assert.match(dry.out, /^application shop: created$/m);
      assert.doesNotMatch(dry.out, /client_secret/, 'a secret that is not kept must not be shown');
      const store = openSqliteStore(folder.file('data/gatehouse.db'));
      assert.equal(await store.isEmpty(), true);
      await store.close();
    });

    it('with --dry-run finds a login name that is taken, as the real run does', async () => {
      await runCommand(['apply', file(FILE)], env);
      const thief = file('users: [{username: bob, email: alice@example.com}]', 'thief.yaml');
      for (const args of [
        ['apply', thief],
        ['apply', '--dry-run', thief],
      ]) {
        const ran = await runCommand(args, env);
        assert.equal(ran.code, 65, args.join(' '));
        assert.match(ran.err, /^users\[0\]\.email: /);
      }
    });

    it('with --dry-run and a login name that is taken exits 65, names the place, and lists no change', async () => {
      await runCommand(['apply', file(FILE)], env);
      const users = (user: string) => file(`applications: [{code: bank, name: Bank}]\nusers: [${user}]`, 'thief.yaml');
      for (const [user, place, name] of [
        ['{username: bob}, {username: carol, email: ALICE@example.com}', 'users[1].email', 'carol'],
        ['{username: alice@example.com}', 'users[0].username', 'alice@example.com'],
      ] as const) {
        const ran = await runCommand(['apply', '--dry-run', users(user)], env);
        assert.deepEqual(ran, {
          code: 65,
          out: '',
          err: `${place}: belongs to another user already (user ${name}, line 2)\n`,
        });
      }
      const free = await runCommand(['apply', '--dry-run', users('{username: bob, email: bob@example.com}')], env);
      assert.deepEqual(free, { code: 0, out: 'application bank: created\nuser bob: created\n', err: '' });
      const store = openSqliteStore(folder.file('data/gatehouse.db'));
      assert.equal(await store.findApplication('bank'), undefined);
      assert.equal(await store.findAccount('bob'), undefined);
      await store.close();
    });

    it('with a fault names each place on a line of its own, exits 65 and changes nothing', async () => {
      const faulty = FILE.replace('https://shop.example/callback', 'https://shop.example/#x').replace(
        'email:',
        'mail:',
      );
      const ran = await runCommand(['apply', file(faulty)], env);
      assert.equal(ran.code, 65);
      assert.equal(ran.out, '');
      const [first = '', second = '', ...more] = ran.err.trimEnd().split('\n').sort();
      const place =
        /^applications\[0\]\.clients\[0\]\.redirect_uris\[0\]: must not have a fragment \(client \S+, line \d+\)$/;
      assert.match(first, place);
      assert.match(second, /^users\[0\]\.mail: there is no such setting \(user alice, line \d+\)$/);
      assert.deepEqual(more, []);
      assert.equal(existsSync(folder.file('data/gatehouse.db')), false);
    });

    it('with a fault in one of two files names the file, and applies neither', async () => {
      const ran = await runCommand(['apply', file(FILE, 'a.yaml'), file('{"users":[{}]}', 'b.json')], env);
      assert.equal(ran.code, 65);
      assert.match(ran.err, /b\.json: users\[0\]\.username: is missing.*\n$/);
      assert.equal(existsSync(folder.file('data/gatehouse.db')), false);
    });

    it('with a file that YAML cannot resolve exits 65, not with a trace of the program', async () => {
      const ran = await runCommand(['apply', file('users: *nobody')], env);
      assert.equal(ran.code, 65);
      assert.doesNotMatch(ran.err, /\n {4}at /);
    });

    it('with --reset-passwords sets the password of a user that exists', async () => {
      await runCommand(['apply', file(FILE)], env);
      const changed = file(FILE.replace('correct horse', 'another horse'));
      assert.equal((await runCommand(['apply', changed], env)).out, 'Nothing to change.\n');
      const reset = await runCommand(['apply', '--reset-passwords', changed], env);
      assert.equal(reset.out, 'user alice: password changed\n');
    });

    it('with --dry-run prints what changes, field by field, as it does when it changes it', async () => {
      await runCommand(['apply', file(FILE)], env);
      const changed = file('users: [{username: alice, email: al@example.com, nickname: Al, password: new password}]');
      const options = ['apply', '--reset-passwords', changed];
      const dry = await runCommand([...options, '--dry-run'], env);
      assert.match(dry.out, /^user alice: email .* → "al@example\.com", .*nickname unset → "Al", password changed\n$/);
      assert.deepEqual(await runCommand(options, env), dry);
    });

    it('makes the signing keys, so that the first login does not wait for them', async () => {
      await runCommand(['apply', file(FILE)], env);
      const connection = new DatabaseSync(folder.file('data/gatehouse.db'), { readOnly: true });
      assert.deepEqual(
        connection
          .prepare('SELECT app, alg FROM signing_keys')
          .all()
          .map(row => ({ ...row })),
        [{ app: 'shop', alg: 'RS256' }],
      );
      connection.close();
    });

    it('leaves an event for the whole and for each object, without a value (admin.md, Events)', async () => {
      await runCommand(['apply', file(FILE)], env);
      const changes = 'users: [{username: alice, nickname: Al, disabled: true, password: new password}]';
      await runCommand(['apply', '--dry-run', file(changes)], env);
      await runCommand(['apply', '--reset-passwords', file(changes)], env);
      await runCommand(['apply', '--prune', file('applications: [{code: bank, name: Bank}]')], env);
      const connection = new DatabaseSync(folder.file('data/gatehouse.db'), { readOnly: true });
      const rows = connection.prepare('SELECT type, actor_kind, app, details FROM events ORDER BY id').all();
      connection.close();
      const applied = (counts: object) => {
        const none = { changes: 0, created: 0, updated: 0, restored: 0, deleted: 0 };
        return `configuration.applied  ${JSON.stringify({ ...none, ...counts })}`;
      };
      const expected = [
        applied({ changes: 3, created: 3 }),
        ...['application.created shop', 'client.created shop', 'user.created '],
        applied({ changes: 1, updated: 1 }),
        ...['user.updated  {"fields":["nickname"]}', 'user.disabled ', 'user.password.changed '],
        applied({ changes: 2, created: 1, deleted: 1 }),
        ...['application.deleted shop', 'application.created bank'],
      ];
      const found = rows.map(({ type, app, details }) => [type, app ?? '', details].filter(part => part !== null));
      // Two commands in one second leave no order between their events.
      assert.deepEqual(found.map(parts => parts.join(' ')).sort(), expected.sort());
      assert(rows.every(({ actor_kind }) => actor_kind === 'system'));
    });

    it('of a file that is not there exits 66 and names it', async () => {
      const ran = await runCommand(['apply', folder.file('missing.yaml')], env);
      assert.equal(ran.code, 66);
      assert.match(ran.err, /missing\.yaml/);
    });

    for (const args of [['apply'], ['apply', '--force', 'x.yaml']]) {
      it(`"${args.join(' ')}" explains itself and exits 64`, async () => {
        const ran = await runCommand(args, env);
        assert.equal(ran.code, 64);
        assert.match(ran.err, /Usage: gatehouse apply/);
      });
    }
  });

  const npmRun = (args: readonly string[], given: Env = env) =>
    run('npm', ['run', '--silent', 'gatehouse', '--', ...args], given);
  /** Replaces its process by the server. */
  const runOrServe = (args: readonly string[], given: Env) =>
    args[0] === 'serve' ? npmRun(args, given) : runCommand(args, given);

  it('with wrong settings says one line per fault and exits 78', async () => {
    const wrong = { ...env, PORT: 'http', LOG_LEVEL: 'loud', GATEHOUSE_TYPO: '1', BASE_URL: 'id.example' };
    for (const [command, ...args] of [['apply', file(FILE)], ['check-config'], ['migrate'], ['serve']] as const) {
      const ran = await runOrServe([command, ...args], wrong);
      assert.equal(ran.code, 78, command);
      const names = ran.err
        .trimEnd()
        .split('\n')
        .map(line => line.split(':')[0]);
      assert.deepEqual(names.sort(), ['BASE_URL', 'GATEHOUSE_TYPO', 'LOG_LEVEL', 'PORT'], command);
      assert.equal(existsSync(folder.file('data')), false);
    }
  });

  it('check-config says that all is well', async () => {
    assert.deepEqual(await runCommand(['check-config'], env), { code: 0, out: 'The settings are valid.\n', err: '' });
  });

  it('check-config says that no mail is sent', async () => {
    const { code, out } = await runCommand(['check-config'], { ...env, MAIL_URL: 'none' });
    assert.equal(code, 0);
    assert.match(out, /^The settings are valid\.\nNo mail is sent: .* Set MAIL_URL/);
  });

  it('migrate makes the store and can be repeated', async () => {
    for (let round = 0; round < 2; round++) assert.equal((await runCommand(['migrate'], env)).code, 0);
    assert.equal(existsSync(folder.file('data/gatehouse.db')), true);
  });

  it('with a store that cannot be opened says so in one line and exits 69', async () => {
    file('This is no database. '.repeat(50), 'broken.db');
    for (const [command, ...args] of [['apply', file(FILE)], ['migrate'], ['serve']] as const) {
      const ran = await runOrServe([command, ...args], { DATABASE_URL: `sqlite:${folder.file('broken.db')}` });
      assert.equal(ran.code, 69, command);
      assert.match(ran.err, /^cannot open the database .*broken\.db: .*\n$/);
    }
  });

  for (const [args, code, stream, text] of [
    [[], 0, 'out', /^Usage: gatehouse \[--server URL\] <command>/],
    [['--help'], 0, 'out', /^Usage: gatehouse \[--server URL\] <command>/],
    [['--version'], 0, 'out', new RegExp(`^${releaseVersion().replaceAll('.', '\\.')}\n$`)],
    [['frobnicate'], 64, 'err', /no command "frobnicate"/],
    [['apply', '--help'], 0, 'out', /^Usage: gatehouse apply/],
    [['check-config', '--help'], 0, 'out', /^Usage: gatehouse check-config/],
    [['migrate', '--help'], 0, 'out', /^Usage: gatehouse migrate/],
    [['serve', '--help'], 0, 'out', /^Usage: gatehouse serve/],
  ] as const) {
    it(`"gatehouse ${args.join(' ')}" exits ${code}`, async () => {
      const ran = await runCommand(args, env);
      assert.equal(ran.code, code);
      assert.match(ran[stream], text);
    });
  }

  it('as a program prints to the streams of its process, and leaves the exit code to the shell', async () => {
    const program = (...args: string[]) => run(process.execPath, [PROGRAM, ...args], env);
    assert.deepEqual(await npmRun(['check-config']), { code: 0, out: 'The settings are valid.\n', err: '' });
    const missing = await program('diff', folder.file('missing.yaml'));
    assert.deepEqual([missing.code, missing.out, /missing\.yaml/.test(missing.err)], [66, '', true]);
    for (const [args, code] of [
      [['diff', file(FILE)], 1],
      [['status'], 0],
      [['clients', 'list', '--app', 'nowhere'], 65],
      [['frobnicate'], 64],
    ] as const) {
      const ran = await program(...args);
      assert.equal(ran.code, code, `${args.join(' ')}\n${ran.err}`);
      assert.notEqual(code === 0 || code === 1 ? ran.out : ran.err, '');
    }
  });
});
