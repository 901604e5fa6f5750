import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { aTokenSet, introspect, token } from '../build/client.ts';
import { gatehouse } from '../build/command.ts';
import { aUser, PASSWORD } from '../build/fixture.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';

describe('gatehouse users (admin contract: command line)', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ users: [aUser()] });
  });
  after(() => server.close());
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
    await run('set-password', made.sub, '--password', PASSWORD);
    assert.equal((await logIn('carol', PASSWORD)).status, 200);
    await run('delete', made.sub);
    assert.equal((await logIn('carol', PASSWORD)).status, 400);
    const gone = await gatehouse(server, 'users', 'get', made.sub);
    assert.deepEqual([gone.code, /there is no such user/.test(gone.err)], [65, true]);
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
