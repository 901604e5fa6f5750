import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../scripts/free-port.ts';
import { nodeStart, type Started } from '../assembly/run.ts';
import { citusSettings } from '../build/citus.ts';
import {
  ALICE,
  assertRefused,
  aTokenSet,
  basic,
  get,
  introspect,
  isActive,
  refresh,
  revoke,
  token,
  userinfo,
} from '../build/client.ts';
import { gatehouse } from '../build/command.ts';
import { aClient, anApplication, aUser } from '../build/fixture.ts';
import { bob } from '../build/people.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { startTestServer, TEST_SECRET, type TestServer } from '../build/test-server.ts';
import { until } from '../build/until.ts';

/** Two nodes, each a process of its own, on one database. Changes come from a third: the operator's. */
describe('caches of two nodes on PostgreSQL', () => {
  let database: TestDatabase;
  let operator: TestServer;
  const started: Started[] = [];
  let nodes: readonly [TestServer, TestServer];

  const clients = [
    aClient({ refresh_token_rotation: false }),
    ...['deleted', 'removed'].map(client_id => aClient({ client_id })),
  ];
  const startNode = async (): Promise<TestServer> => {
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    const store = { DATABASE_URL: database.url, ...citusSettings(database.url) };
    const env = { PORT: String(port), BASE_URL: base, ...store, GATEHOUSE_SECRET: TEST_SECRET };
    const node = nodeStart(env);
    started.push(node);
    await node.printed('started');
    return { ...operator, base, at: (app = 'shop') => `${base}/api/v1/authorize/${app}/oauth2` };
  };
  before(async () => {
    database = await createDatabase();
    operator = await startTestServer({
      env: { DATABASE_URL: database.url },
      applications: [anApplication({ clients })],
      users: [aUser(), bob()],
    });
    nodes = [await startNode(), await startNode()];
  });
  after(async () => {
    for (const node of started) node.destroy();
    await operator.close();
    await database.drop();
    await stopOwnServer();
  });

  const untilSeen = async (change: () => Promise<unknown>, seen: (node: TestServer) => Promise<boolean>) => {
    for (const node of nodes) assert.equal(await seen(node), false, 'it is there before it was made');
    await change();
    for (const [index, node] of nodes.entries()) await until(`node ${index + 1} knows it`, () => seen(node));
  };

  /** What may change, each time to something new, and how a node shows it. */
  let refreshToken = '';
  let turn = 0;
  const changes = {
    application: async () => {
      const ttl = 1000 + ++turn;
      return untilSeen(
        () => operator.provision({ applications: [anApplication({ clients, access_token_ttl: ttl })] }),
        async node => (await refresh(node, refreshToken)).json.expires_in === ttl,
      );
    },
    'secret of a client': async () => {
      const secret = `web-secret-${++turn}`;
      const renewed = clients.map((each, index) => (index === 0 ? { ...each, client_secret: secret } : each));
      await untilSeen(
        () => operator.provision({ applications: [anApplication({ clients: renewed })] }),
        async node => (await introspect(node, { token: 'x' }, { auth: basic('web', secret) })).status === 200,
      );
      for (const node of nodes) assert.match(`${(await introspect(node, { token: 'x' })).status}`, /^(401|429)$/);
      await operator.provision({ applications: [anApplication({ clients })] });
      for (const node of nodes)
        await until('the first is good again', async () => (await introspect(node, { token: 'x' })).status === 200);
    },
    'compromised key': async () => {
      const kids = async (node: TestServer) =>
        (await get(`${node.at()}/jwks`)).json.keys.map(({ kid }: { kid: string }) => kid) as string[];
      const before = await kids(nodes[0]);
      return untilSeen(
        async () => {
          const { code, err } = await gatehouse(operator, 'keys', 'rotate', '--app', 'shop', '--compromised');
          assert.equal(code, 0, err);
        },
        async node => !(await kids(node)).some(kid => before.includes(kid)),
      );
    },
    user: async () => {
      const nickname = `Al ${++turn}`;
      const set = (await refresh(nodes[0], refreshToken)).json;
      return untilSeen(
        () => operator.provision({ users: [aUser({ nickname })] }),
        async node => (await userinfo(node, set.access_token)).json.nickname === nickname,
      );
    },
  };
  before(async () => {
    refreshToken = (await aTokenSet(nodes[0])).refresh_token;
  });

  const listeners = () =>
    database.query(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN gatehouse_registry%'",
    );
  const silence = async () => {
    // The operator's store has no cache to keep, so both are the nodes'.
    const found = await listeners();
    for (const { pid } of found) await database.query('SELECT pg_terminate_backend($1::int)', [pid]);
    await until('nobody listens', async () => (await listeners()).length === 0);
    return found.length;
  };

  const untilBothListen = () => until('both nodes listen', async () => (await listeners()).length === 2);

  for (const [what, change] of Object.entries(changes)) it(`a change to ${what} shows on both`, change);

  it('a change takes effect also without a notification, and they listen again', async () => {
    await untilBothListen();
    assert.equal(await silence(), 2, 'no node was listening');
    await changes.application();
    await untilBothListen();
  });

  describe('the very next request to the other node', () => {
    it('knows that a token was revoked', async () => {
      const [one, other] = nodes;
      for (let round = 0; round < 20; round++) {
        const { access_token } = (await refresh(other, refreshToken)).json;
        assert(await isActive(other, access_token));
        await revoke(one, { token: access_token });
        assert.equal(await isActive(other, access_token), false);
      }
    });

    it('knows that a family was revoked', async () => {
      const [one, other] = nodes;
      const set = await aTokenSet(one);
      assert(await isActive(other, set.access_token));
      await revoke(one, { token: set.refresh_token });
      assert.equal(await isActive(other, set.access_token), false);
      assertRefused(await refresh(other, set.refresh_token), 400, 'invalid_grant');
    });

    it('knows that a user was disabled', async () => {
      const [one, other] = nodes;
      const asBob = { ...ALICE, username: 'bob' };
      const set = await aTokenSet(one, asBob);
      assert.equal((await userinfo(other, set.access_token)).status, 200);
      await operator.provision({ users: [bob({ disabled: true })] });
      assert.equal(await isActive(other, set.access_token), false);
      assertRefused(await userinfo(other, set.access_token), 401, 'invalid_token');
      assertRefused(await refresh(other, set.refresh_token), 400, 'invalid_grant');
      assertRefused(await token(other, { grant_type: 'password', ...asBob }), 400, 'invalid_grant');
    });

    for (const [client, lost] of [
      ['deleted', false],
      ['removed', true],
    ] as const) {
      it(`knows that a client was deleted${lost ? ', without a notification' : ''}`, async () => {
        const [one, other] = nodes;
        const auth = basic(client, 'web-secret-1');
        const set = await aTokenSet(one, {}, { auth });
        const others = (await refresh(one, refreshToken)).json;
        assert(await isActive(other, set.access_token, { auth }));
        if (lost) await silence();
        await operator.services.store.deleteClient('shop', client, operator.services.clock.now());
        // Straight after each other, on a node that may or may not have heard of it.
        const [refreshed, own, about, byPassword] = [
          await refresh(other, set.refresh_token, {}, { auth }),
          await userinfo(other, set.access_token),
          await introspect(other, { token: others.access_token }, { auth }),
          await token(other, { grant_type: 'password', ...ALICE }, { auth }),
        ];
        assert.match(refreshed.text, /invalid_grant|invalid_client/);
        assertRefused(own, 401, 'invalid_token');
        assert(about.status === 401 || about.json.active === false, about.text);
        assertRefused(byPassword, 401, 'invalid_client');
      });
    }
  });
});
