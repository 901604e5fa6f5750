import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { aCode, redeem, refresh } from '../build/client.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { authorizationUrl, Visitor } from '../build/visitor.ts';
import { applicationsOf, startTwoWorkers, type TwoWorkers } from './two-workers.ts';

const CLIENTS = 4;

describe('a shard of a Citus cluster is moved to another worker', () => {
  let citus: TwoWorkers;
  let server: TestServer;
  before(async () => {
    citus = await startTwoWorkers();
    server = await startTestServer({
      applications: applicationsOf(citus),
      // The writes to a shard wait for the end of its move.
      env: { DATABASE_URL: citus.url, DATABASE_TIMEOUT: '30' },
    });
  });
  after(async () => {
    await server?.close();
    await citus?.remove();
  });

  it('while its application is used: no authorization, redemption or refresh fails', async () => {
    const app = citus.here;
    let isMoving = true;
    let served = 0;
    const work = async () => {
      const visitor = new Visitor(server.base);
      await aCode(server, {}, { app, visitor });
      while (isMoving) {
        const seen = await visitor.go(authorizationUrl(server, {}, app));
        assert(seen.location, `${seen.status} ${seen.text}`);
        const code = new URL(seen.location).searchParams.get('code') ?? assert.fail(seen.location);
        const redeemed = await redeem(server, code, {}, undefined, app);
        assert.equal(redeemed.status, 200, redeemed.text);
        const renewed = await refresh(server, redeemed.json.refresh_token, {}, undefined, app);
        assert.equal(renewed.status, 200, renewed.text);
        served++;
      }
    };
    const clients = Array.from({ length: CLIENTS }, work);
    const moves = async () => {
      const [shard] = await citus.query(`SELECT get_shard_id_for_distribution_column('grants', '${app}') AS id`);
      const move = (from: number, to: number) =>
        citus.query(
          `SELECT citus_move_shard_placement(${shard?.id}, '127.0.0.1', ${from}, '127.0.0.1', ${to}, 'block_writes')`,
        );
      await move(citus.healthy.port, citus.lost.port);
      await move(citus.lost.port, citus.healthy.port);
    };
    await moves().finally(() => {
      isMoving = false;
    });
    await Promise.all(clients);
    assert(served > 0);
  });
});
