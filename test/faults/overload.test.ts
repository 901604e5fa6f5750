import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { type Answered, aTokenSet, introspect, refresh } from '../build/client.ts';
import { aClient, anApplication } from '../build/fixture.ts';
import { startNginx } from '../build/nginx.ts';
import { writeMigratedFile } from '../build/sqlite.ts';
import { startTestServer } from '../build/test-server.ts';
import { until } from '../build/until.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

/** As many as are handled at the same time (platform/http/concurrency-limit.ts). */
const HANDLED = 256;
const MORE = 100;
/** One refresh token for all of them. */
const CLIENTS = [aClient({ refresh_token_rotation: false })];
const ENV = { TRUSTED_PROXIES: '127.0.0.1' };

/** Without a proxy it is in test/platform/http/backpressure.test.ts; bench/overload.ts measures how long the served wait. */
describe('more requests than the server can answer, behind nginx, where all callers share the connections', () => {
  it('those that have begun are served, the others get 503 with Retry-After, and it is forgotten afterwards', async t => {
    const folder = temporaryFolder();
    t.after(() => folder.remove());
    const path = folder.file('gatehouse.db');
    await writeMigratedFile(path);
    const server = await startTestServer({
      isOverloadReal: true,
      applications: [anApplication({ clients: CLIENTS })],
      env: { ...ENV, DATABASE_URL: `sqlite:${path}` },
    });
    t.after(() => server.close());
    const nginx = await startNginx({ upstream: Number(new URL(server.base).port), tls: false });
    t.after(() => nginx.close());
    const base = `http://127.0.0.1:${nginx.port}`;
    const door = { base, at: (app?: string) => server.at(app).replace(server.base, base) };
    const { access_token, refresh_token } = await aTokenSet(server);

    const holder = new DatabaseSync(path);
    t.after(() => holder.close());
    holder.exec('BEGIN IMMEDIATE');
    const rejected: Answered[] = [];
    const served: Answered[] = [];
    const asked = Array.from({ length: HANDLED + MORE }, async () => {
      const answered = await refresh(door, refresh_token);
      (answered.status === 503 ? rejected : served).push(answered);
    });
    // At most so many are handled, so at least the others are rejected.
    await until('the others are rejected', () => rejected.length >= MORE);
    for (const { json, headers } of rejected) {
      assert.equal(json.error, 'temporarily_unavailable');
      assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    }
    assert.equal(served.length, 0, 'nothing is written while the database is held');

    holder.exec('ROLLBACK');
    await Promise.all(asked);
    assert.deepEqual(
      served.map(({ status }) => status),
      Array(HANDLED + MORE - rejected.length).fill(200),
    );
    for (const token of [access_token, ...served.map(({ json }) => json.access_token)])
      assert.equal((await introspect(door, { token })).json.active, true);
    // A line a second, not one for each.
    await until('it is logged', () => server.logged().includes('"event":"overload"'));
    const lines = server.logged().split('"event":"overload"').length - 1;
    assert(lines < rejected.length / 2, `${lines} lines about the overload`);
  });
});
