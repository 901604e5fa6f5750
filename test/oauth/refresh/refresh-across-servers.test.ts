import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, it } from 'node:test';
import { assertRefused, aTokenSet, isActive, refresh } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { type Provisioned, startTestServer, TEST_SECRET, type TestServer } from '../../build/test-server.ts';

/** Nothing but the database file and GATEHOUSE_SECRET survives a server, so nothing else may be needed for a retry. */
describe('the successor of a refresh token, on any server and after a restart (row 41)', () => {
  const clock = fixedClock();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-'));
  const open: TestServer[] = [];
  let files = 0;
  afterEach(async () => {
    for (const server of open.splice(0)) await server.close();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const aFile = () => `sqlite:${join(folder, `${++files}.db`)}`;
  const KEPT: Provisioned = { applications: [], users: [] };
  const onFile = async (DATABASE_URL: string, provisioned: Provisioned, env: Record<string, string> = {}) => {
    const server = await startTestServer({ clock, env: { DATABASE_URL, ...env }, ...provisioned });
    open.push(server);
    return server;
  };

  it('is the same after the server was closed and opened again', async () => {
    const file = aFile();
    const before = await onFile(file, {});
    const { refresh_token } = await aTokenSet(before);
    const first = (await refresh(before, refresh_token)).json;
    await before.close();
    open.length = 0;

    const reopened = await onFile(file, KEPT);
    const second = await refresh(reopened, refresh_token);
    assert.equal(second.status, 200, second.text);
    assert.equal(second.json.refresh_token, first.refresh_token);
    assert.equal(await isActive(reopened, first.access_token), true);
    assert.equal((await refresh(reopened, first.refresh_token)).status, 200);
    clock.advance(30);
    assertRefused(await refresh(reopened, refresh_token), 400, 'invalid_grant');
    assert.equal(await isActive(reopened, first.access_token), false);
  });

  it('is the same for two requests at once on two servers', async () => {
    const file = aFile();
    const servers = [await onFile(file, {}), await onFile(file, KEPT)] as const;
    const { refresh_token } = await aTokenSet(servers[0]);
    const answers = await Promise.all(servers.map(server => refresh(server, refresh_token)));
    for (const { status, text } of answers) assert.equal(status, 200, text);
    assert.equal(answers[0]?.json.refresh_token, answers[1]?.json.refresh_token);
  });

  it('is the same after GATEHOUSE_SECRET got a newer first entry', async () => {
    const file = aFile();
    const before = await onFile(file, {});
    const { refresh_token } = await aTokenSet(before);
    const first = (await refresh(before, refresh_token)).json.refresh_token;
    await before.close();
    open.length = 0;

    const rotated = `the newer secret of this very test, ${TEST_SECRET}`;
    const reopened = await onFile(file, KEPT, { GATEHOUSE_SECRET: rotated });
    assert.equal((await refresh(reopened, refresh_token)).json.refresh_token, first);
    assert.equal((await refresh(reopened, first)).status, 200);
  });
});
