import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { aCode, aTokenSet, get, introspect, isActive, redeem, refresh, userinfo } from '../build/client.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { until } from '../build/until.ts';
import { applicationsOf, startTwoWorkers, type TwoWorkers } from './two-workers.ts';

/** More than all connections of a process have room for, one behind the other. */
const STUCK = 40;
const TURNS = 10;

describe('a Citus cluster one of whose workers is frozen', () => {
  let citus: TwoWorkers;
  let server: TestServer;
  let there: { readonly access_token: string; readonly refresh_token: string };
  let here: { readonly access_token: string; readonly refresh_token: string };
  before(async () => {
    citus = await startTwoWorkers();
    server = await startTestServer({ applications: applicationsOf(citus), env: { DATABASE_URL: citus.url } });
    for (const app of [citus.there, citus.here])
      assert.equal((await redeem(server, await aCode(server, {}, { app }), {}, undefined, app)).status, 200);
    there = await aTokenSet(server, {}, undefined, citus.there);
    here = await aTokenSet(server, {}, undefined, citus.here);
  });
  after(async () => {
    await server?.close();
    await citus?.remove();
  });

  const areReachable = async () => {
    const { json } = await get(`${server.base}/readyz`);
    return json.database_workers.map((worker: { reachable: boolean }) => worker.reachable);
  };

  it('applications on the other worker are served: no request of theirs waits behind one of its', async () => {
    citus.lost.signal('SIGSTOP');
    const stuck = Array.from({ length: STUCK }, (_, turn) =>
      turn % 2 === 0
        ? introspect(server, { token: there.access_token }, undefined, citus.there)
        : refresh(server, there.refresh_token, {}, undefined, citus.there),
    );
    let settled = 0;
    for (const each of stuck) void each.then(() => settled++);
    let { access_token, refresh_token } = here;
    for (let turn = 0; turn < TURNS; turn++) {
      assert.equal(await isActive(server, access_token, undefined, citus.here), true);
      assert.equal((await userinfo(server, access_token, citus.here)).status, 200);
      const renewed = await refresh(server, refresh_token, {}, undefined, citus.here);
      assert.equal(renewed.status, 200, renewed.text);
      ({ access_token, refresh_token } = renewed.json);
      const redeemed = await redeem(server, await aCode(server, {}, { app: citus.here }), {}, undefined, citus.here);
      assert.equal(redeemed.status, 200, redeemed.text);
    }
    const answers = await Promise.all(stuck);
    assert.equal(settled, STUCK);
    for (const { status, headers } of answers) {
      assert.equal(status, 503);
      assert.match(headers.get('retry-after') ?? '', /^\d+$/);
    }
  });

  it('what needs it is refused at once when it is known to be lost, and served when it answers again', async () => {
    await until('the loss is noticed', async () => (await areReachable()).includes(false));
    assert.deepEqual(await areReachable(), [false, true]);
    assert.equal((await introspect(server, { token: there.access_token }, undefined, citus.there)).status, 503);
    assert(server.logged().includes(`the worker 127.0.0.1:${citus.lost.port} of the database does not answer`));
    citus.lost.signal('SIGCONT');
    await until('the worker answers again', async () => !(await areReachable()).includes(false));
    for (let turn = 0; turn < TURNS; turn++)
      assert.equal(await isActive(server, there.access_token, undefined, citus.there), true);
  });
});
