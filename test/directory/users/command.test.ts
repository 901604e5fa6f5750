import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changeAddress } from '../../build/changed-address.ts';
import { aTokenSet, introspect, token } from '../../build/client.ts';
import { gatehouse, gatehouseOnTerminal, gatehouseReading } from '../../build/command.ts';
import { aUser, PASSWORD } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';

describe('gatehouse users (admin contract: command line)', () => {
  const server = suiteServer({ users: [aUser()] });
  const run = async (...args: string[]) => {
    const { code, out, err } = await gatehouse(server, 'users', ...args, '--json');
    assert.equal(code, 0, err);
    return out === '' ? undefined : JSON.parse(out);
  };
  const logIn = (username: string, password: string) => token(server, { grant_type: 'password', username, password });

  it('create, list, update, get, set-password, delete: what the admin API does', async () => {
    const made = await run('create', '--username', 'carol', '--email', 'carol@example.com', '--email-verified', 'true');
    assert.equal(made.email_verified, true);
    const { items } = await run('list', '--q', 'CAR');
    assert.deepEqual(
      items.map(({ username }: { username: string }) => username),
      ['carol'],
    );
    const changed = await run('update', made.sub, '--nickname', 'C', '--email', 'null');
    assert.deepEqual([changed.nickname, changed.email], ['C', undefined]);
    assert.deepEqual(await run('get', made.sub), changed);
    assert.equal(
      (await gatehouseReading(server, PASSWORD, 'users', 'set-password', made.sub, '--password-stdin')).code,
      0,
    );
    assert.equal((await logIn('carol', PASSWORD)).status, 200);
    await run('delete', made.sub);
    assert.equal((await logIn('carol', PASSWORD)).status, 400);
    const gone = await gatehouse(server, 'users', 'get', made.sub);
    assert.deepEqual([gone.code, /there is no such user/.test(gone.err)], [65, true]);
  });

  it('email-undos and revoke-email-undos: what the admin API does', async () => {
    const made = await run('create', '--username', 'ursula', '--email', 'u@example.com', '--email-verified', 'true');
    await changeAddress(server, 'ursula', 'u@elsewhere.example');
    const { items } = await run('email-undos', made.sub);
    assert.deepEqual([items.length, items[0].email], [1, 'u@example.com']);
    await run('revoke-email-undos', made.sub);
    assert.deepEqual((await run('email-undos', made.sub)).items, []);
  });

  it('trusted-browsers and distrust-browser: what the admin API does', async () => {
    const { store, clock } = server.services;
    const { sub = '', passwordHash } = (await store.findAccount('alice')) ?? {};
    const times = { createdAt: clock.now(), expiresAt: clock.now() + 600 };
    const browser = { id: 'laptop', tokenHash: 'hash', sub, userAgent: 'Agent/1', passwordHash, ...times };
    assert(await store.trustBrowser(browser, 10));
    const { items } = await run('trusted-browsers', sub);
    assert.deepEqual([items.length, items[0].id, items[0].user_agent], [1, 'laptop', 'Agent/1']);
    await run('distrust-browser', sub, 'laptop');
    assert.deepEqual((await run('trusted-browsers', sub)).items, []);
  });

  it('groups are options, roles are JSON (modern contract, users)', async () => {
    const made = await run('create', '--username', 'gina', '--groups', 'staff,sales', '--roles', '{"shop":["admin"]}');
    assert.deepEqual([made.groups, made.roles], [['staff', 'sales'], { shop: ['admin'] }]);
    const changed = await run('update', made.sub, '--groups', 'null', '--roles', '{"*":["auditor"]}');
    assert.deepEqual([changed.groups, changed.roles], [undefined, { shop: ['admin'], '*': ['auditor'] }]);
  });

  it('a password is read from standard input, without the newline at its end, and never from an option', async () => {
    const { code, out, err } = await gatehouseReading(
      server,
      `${PASSWORD}\n`,
      ...['users', 'create', '--username', 'dora', '--password-stdin', '--json'],
    );
    assert.equal(code, 0, err);
    const { sub } = JSON.parse(out);
    assert.equal((await logIn('dora', PASSWORD)).status, 200);
    for (const given of [['--password', 'another one'], ['--password=another one'], ['--password-hash', 'x']]) {
      const refused = await gatehouse(server, 'users', 'set-password', sub, ...given);
      assert.equal(refused.code, 64);
      assert.match(refused.err, /^--password(-hash)? would show the secret in the list of processes: use --/);
    }
    const silent = await gatehouse(server, 'users', 'set-password', sub);
    assert.deepEqual([silent.code, /--password-stdin is needed/.test(silent.err)], [64, true]);
    assert.equal((await logIn('dora', PASSWORD)).status, 200);
  });

  it('on a terminal, set-password asks twice, without echo', async () => {
    const { sub } = await run('create', '--username', 'emil');
    const type = (answers: readonly string[]) => {
      let asked = 0;
      return (printed: string, typeText: (text: string) => void) => {
        const questions = printed.match(/password( again)?: /g)?.length ?? 0;
        for (; asked < questions; asked++) typeText(`${answers[asked]}\r`);
      };
    };
    const differing = type([PASSWORD, 'another one']);
    const refused = await gatehouseOnTerminal(server, differing, 'users', 'set-password', sub);
    assert.deepEqual([refused.code, /was not typed twice/.test(refused.out)], [64, true], refused.out);
    const typed = `${PASSWORD}x\u007f`;
    const { code, out } = await gatehouseOnTerminal(server, type([typed, typed]), 'users', 'set-password', sub);
    assert.equal(code, 0, out);
    assert(!out.includes(PASSWORD.slice(0, 4)), 'nothing typed is shown');
    assert.equal((await logIn('emil', PASSWORD)).status, 200);
  });

  it('sign-out ends the tokens of a user; faults exit 65 and name the option', async () => {
    const { access_token } = await aTokenSet(server);
    const { items } = await run('list', '--q', 'alice');
    await run('sign-out', items[0].sub);
    assert.equal((await introspect(server, { token: access_token })).json.active, false);
    const faulty = await gatehouse(server, 'users', 'create', '--email', 'none');
    assert.deepEqual([faulty.code, /--email: must be an e-mail address/.test(faulty.err)], [65, true]);
  });
});
