import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { gatehouse, gatehouseOnTerminal } from '../build/command.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { type DatabaseProxy, startProxy } from '../faults/proxy.ts';
import { type TemporaryFolder, temporaryFolder } from '../store/temporary-folder.ts';

const USERS = 2500;
/** A batch of users takes a round trip or more, so every command takes well over a second. */
const ROUND_TRIP_MS = 350;

describe('progress on standard error (admin.md, Command line)', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let server: TestServer;
  let folder: TemporaryFolder;
  before(async () => {
    folder = temporaryFolder();
    database = await createDatabase();
    proxy = await startProxy(database.url);
    server = await startTestServer({ users: [], env: { DATABASE_URL: proxy.url } });
    const users = Array.from({ length: USERS }, (_, index) => ({ username: `user${index}` }));
    writeFileSync(folder.file('users.json'), JSON.stringify({ users }));
    writeFileSync(
      folder.file('changed.json'),
      JSON.stringify({ users: users.map(user => ({ ...user, nickname: 'N' })) }),
    );
    assert.equal((await gatehouse(server, 'apply', folder.file('users.json'))).code, 0);
    proxy.slow(ROUND_TRIP_MS);
  });
  after(async () => {
    await server?.close();
    await proxy?.close();
    await database?.drop();
    await stopOwnServer();
    folder?.remove();
  });

  const onTerminal = (...args: string[]) => gatehouseOnTerminal(server, () => {}, ...args);

  it('diff shows how much of the files it has compared', async () => {
    const { code, out } = await onTerminal('diff', folder.file('users.json'));
    assert.equal(code, 0, out);
    assert.match(out, /\r\[#+\.+\] \d+ %, \d+ compared, \d+\/s/);
    assert(out.includes(`\r\x1b[KNothing to change.`), 'the bar is gone before the result');
  });

  it('apply shows how much it has compared, and that it writes', async () => {
    const { code, out } = await onTerminal('apply', folder.file('changed.json'));
    assert.equal(code, 0, out);
    assert.match(out, /\r\[#+\.+\] \d+ %, \d+ compared, \d+\/s/);
    assert.match(out, new RegExp(`\\rwriting ${USERS} changes`));
  });

  it('export shows how many entries it has written, beside a file', async () => {
    const file = folder.file('exported.yaml');
    const { code, out } = await onTerminal('export', '>', file);
    assert.equal(code, 0, out);
    assert.match(out, /\r\d+ exported, \d+\/s/);
    assert.equal(readFileSync(file, 'utf8').match(/- username: user\d+$/gm)?.length, USERS);
  });

  it('export to the terminal shows no progress between its lines', async () => {
    const { out } = await onTerminal('export', '--json');
    assert.doesNotMatch(out, /exported, \d+\/s/);
  });

  it('nothing is shown where standard error is no terminal', async () => {
    const { code, err } = await gatehouse(server, 'diff', folder.file('changed.json'));
    assert.equal(code, 0);
    assert.doesNotMatch(err, /compared|\r/);
  });
});
