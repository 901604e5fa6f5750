import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { freePort } from '../../scripts/free-port.ts';
import { keyOf } from '../../src/platform/crypto/credential.ts';
import { StoreUnavailable } from '../../src/platform/store/faults.ts';
import { aCode, aTokenSet, get, introspect, isActive, redeem, refresh, revoke } from '../build/client.ts';
import { gatehouse } from '../build/command.ts';
import { delivered } from '../build/delivered.ts';
import { aClient } from '../build/fixture.ts';
import { atConsent, bob, press } from '../build/people.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { until } from '../build/until.ts';
import { authorizationUrl, Visitor } from '../build/visitor.ts';
import { isWaitingSql } from '../faults/lock-waits.ts';
import { type NodeProcess, startNode } from '../faults/nodes.ts';
import { credentialKey as digestUntil, usedKey } from '../store/contract/given.ts';
import { applicationsOf, startTwoWorkers, type TwoWorkers } from './two-workers.ts';

/** Shorter than the default: what cannot be served is answered soon. */
const env = (citus: TwoWorkers) => ({ DATABASE_URL: citus.url, DATABASE_TIMEOUT: '2' });

describe('a Citus cluster one of whose workers is down', () => {
  let citus: TwoWorkers;
  let server: TestServer;
  let visitor: Visitor;
  const sets: { readonly access_token: string; readonly refresh_token: string }[] = [];
  const codes: string[] = [];
  before(async () => {
    citus = await startTwoWorkers();
    const clients = [aClient(), aClient({ client_id: 'asks', require_consent: true })];
    const applications = applicationsOf(citus).map(application => ({ ...application, clients }));
    server = await startTestServer({ applications, env: env(citus) });
    for (const app of [citus.there, citus.here]) {
      sets.push(await aTokenSet(server, {}, undefined, app));
      // Both have a signing key then, which is in a reference table.
      codes.push(await aCode(server, {}, { app }));
      const redeemed = await redeem(server, codes.at(-1), {}, undefined, app);
      assert.equal(redeemed.status, 200, redeemed.text);
    }
    visitor = new Visitor(server.base);
    await until('the visitor is signed in', async () => {
      const seen = await visitor.follow(authorizationUrl(server, {}, citus.here));
      if (!seen.text.includes('name="password"')) return true;
      await aCode(server, {}, { app: citus.here, visitor });
      return false;
    });
    await citus.lost.kill();
  });
  after(async () => {
    await server?.close();
    await citus?.remove();
  });

  const workersAt = async (node: TestServer) => {
    const { status, json } = await get(`${node.base}/readyz`);
    return { status, reachable: json.database_workers.map((worker: { reachable: boolean }) => worker.reachable) };
  };
  const assertServed = async (node: TestServer, app: string) => {
    for (let turn = 0; turn < 10; turn++) {
      const code = await aCode(node, {}, { app });
      const redeemed = await redeem(node, code, {}, undefined, app);
      assert.equal(redeemed.status, 200, redeemed.text);
      const renewed = await refresh(node, redeemed.json.refresh_token, {}, undefined, app);
      assert.equal(renewed.status, 200, renewed.text);
      assert.equal(await isActive(node, renewed.json.access_token, undefined, app), true);
      const revoked = await revoke(node, { token: renewed.json.refresh_token }, undefined, app);
      assert.equal(revoked.status, 200, revoked.text);
    }
  };

  /** A process that can be killed, with jobs. */
  const aNode = async () => {
    const port = await freePort();
    return startNode({ databaseUrl: citus.url }, port, `http://127.0.0.1:${port}`);
  };
  const addressOf = ({ url: base }: NodeProcess) => ({
    base,
    at: (app = 'shop') => `${base}/api/v1/authorize/${app}/oauth2`,
  });

  it('logins, tokens and introspection of an application on the other worker go on', () =>
    assertServed(server, citus.here));

  it('a consent is given there, the code of an authenticator app and the identifier of a proof are accepted once', async () => {
    const { store, clock } = server.services;
    const page = await visitor.follow(authorizationUrl(server, { client_id: 'asks' }, citus.here));
    assert(atConsent(page), page.text);
    assert(delivered(await press(visitor, page, 'allow')).fields.code);
    const { sub } = (await store.findAccount('alice')) ?? assert.fail();
    await citus.query(
      `INSERT INTO credentials (sub, id, kind, data, created_at) VALUES ('${sub}', 'totp', 'totp', 'sealed', 1)`,
    );
    const accept = () => store.acceptTotpStep(sub, { sealedKey: 'sealed', step: 7 }, clock.now());
    assert.deepEqual([await accept(), await accept()], [true, false]);
    await citus.query(`DELETE FROM credentials WHERE sub = '${sub}' AND id = 'totp'`);
    assert.equal(await store.useOnce(usedKey('proof'), Buffer.from('one')), true);
    assert.equal(await store.useOnce(usedKey('proof'), Buffer.from('other')), false);
  });

  it('a token is exchanged there', async () => {
    const { store, clock } = server.services;
    const subject = keyOf(sets[1]?.access_token ?? '');
    const now = clock.now();
    const issued = { hash: digestUntil(now + 60), clientId: 'web', scope: [], issuedAt: now, expiresAt: now + 60 };
    const exchange = { actor: 'web', subjectClient: 'web', isDelegated: false } as never;
    const token = { ...issued, audience: 'https://api.example', exchange };
    assert.equal(await store.addExchangedToken(citus.here, subject, token, undefined), 'issued');
  });

  it('the application of the lost worker is answered with 503, not with a wrong answer', async () => {
    const answered = await introspect(server, { token: sets[0]?.access_token }, undefined, citus.there);
    assert.equal(answered.status, 503, answered.text);
  });

  it('what is written on every machine is refused, and not begun: a logout, a new user', async () => {
    const { store } = server.services;
    const { sub } = (await store.findAccount('alice')) ?? assert.fail();
    const [session] = await citus.query(`SELECT sid FROM sessions WHERE sub = '${sub}'`);
    const end = () => store.endSession({ sub, sid: session?.sid as string }, 1, undefined);
    await assert.rejects(end(), StoreUnavailable);
    assert.equal((await citus.query(`SELECT 1 FROM sessions WHERE sid = '${session?.sid}'`)).length, 1);
    await assert.rejects(server.provision({ users: [bob()] }), StoreUnavailable);
    assert.equal(await store.findAccount('bob'), undefined);
  });

  it('/readyz is ready and says that one of two workers does not answer; the log says which', async () => {
    await until('the loss is noticed', async () => (await workersAt(server)).reachable.includes(false));
    assert.deepEqual(await workersAt(server), { status: 200, reachable: [false, true] });
    await until('the log says it', () => server.logged().includes('"event":"store.worker_lost"'));
    assert(server.logged().includes(`127.0.0.1:${citus.lost.port}`));
  });

  it('what has ended on the coordinator is purged, and nothing waits for the lost worker', async () => {
    await citus.query(`INSERT INTO spent_logins (pending_id, expires_at) VALUES ('ended', 1)`);
    const { deleted, complete } = await server.services.store.purge(server.services.clock.now(), 100);
    assert.deepEqual({ deleted: deleted > 0, complete }, { deleted: true, complete: false });
  });

  it('commands work, and `gatehouse status` names the lost worker', async () => {
    const { code, out, err } = await gatehouse(server, 'status', '--json');
    assert.equal(code, 0, err);
    const [lost, healthy] = JSON.parse(out).database_workers;
    assert.deepEqual(lost, { address: `127.0.0.1:${citus.lost.port}`, reachable: false, applications: 1 });
    assert.equal(healthy.reachable, true);
  });

  it('a node starts, and serves what it can reach', async () => {
    const started = await startTestServer({ applications: [], users: [], env: env(citus) });
    try {
      await assertServed(started, citus.here);
      assert.deepEqual(await workersAt(started), { status: 200, reachable: [false, true] });
    } finally {
      await started.close();
    }
  });

  it('when the worker is back, no request fails for a connection that died with it, and a replay revokes', async () => {
    await citus.lost.start();
    await until('the worker is back', async () => !(await workersAt(server)).reachable.includes(false));
    assert.equal(await isActive(server, sets[0]?.access_token ?? '', undefined, citus.there), true);
    await assertServed(server, citus.there);
    const replayed = await redeem(server, codes[0], {}, undefined, citus.there);
    assert.equal(replayed.json.error, 'invalid_grant', replayed.text);
    const { store } = server.services;
    const { sub } = (await store.findAccount('alice')) ?? assert.fail();
    const [session] = await citus.query(`SELECT sid FROM sessions WHERE sub = '${sub}'`);
    await store.endSession({ sub, sid: session?.sid as string }, 1, undefined);
    assert.equal((await citus.query(`SELECT 1 FROM sessions WHERE sid = '${session?.sid}'`)).length, 0);
  });

  it('attack: a replay is seen, the worker and then the node are lost: another node revokes when the worker is back', async () => {
    const app = citus.there;
    const code = await aCode(server, {}, { app });
    const replays = () => citus.query(`SELECT 1 FROM events WHERE type = 'code.replayed'`);
    const before = await replays();
    const saw = await aNode();
    const redeemed = await redeem(addressOf(saw), code, {}, undefined, app);
    assert.equal(redeemed.status, 200, redeemed.text);
    const holder = new Client({ connectionString: citus.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM grants WHERE app = $1 FOR UPDATE', [app]);
    const replayed = redeem(addressOf(saw), code, {}, undefined, app);
    await until('the revocation waits for the row', async () => (await citus.query(isWaitingSql))[0]?.result === true);
    await citus.lost.kill();
    assert.equal((await replayed).status, 503);
    await saw.kill();
    await holder.end();
    const waiting = () => citus.query('SELECT app FROM waiting_revocations');
    assert.deepEqual(await waiting(), [{ app }]);
    await citus.lost.start();
    const next = await aNode();
    try {
      await until('nothing waits', async () => (await waiting()).length === 0);
      const { access_token: access, refresh_token: refreshToken } = redeemed.json;
      assert.equal(await isActive(addressOf(next), access, undefined, app), false);
      assert.equal(await isActive(addressOf(next), refreshToken, undefined, app), false);
      assert.equal((await replays()).length, before.length + 1);
    } finally {
      await next.kill();
    }
  });
});
