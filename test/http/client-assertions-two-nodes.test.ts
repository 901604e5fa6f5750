import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { aSigningPair, assertionFor, presenting } from '../build/assertion.ts';
import { introspect } from '../build/client.ts';
import { aClient, anApplication } from '../build/fixture.ts';
import { createMigratedDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';

const KEY = aSigningPair('ES256');
const SECRET = 'a secret of 32 characters or more';
const BASE_URL = 'https://id.example';
const RACERS = 40;

/** Two servers on one PostgreSQL: an assertion counts once (modern contract, "however many nodes race"). */
describe('an assertion on two nodes', () => {
  let database: TestDatabase;
  let nodes: [TestServer, TestServer];
  before(async () => {
    database = await createMigratedDatabase();
    const clients = [
      aClient({
        ...{ client_id: 'keys', client_secret: undefined, token_endpoint_auth_method: 'private_key_jwt' },
        jwks: { keys: [KEY.publicJwk] },
      }),
      aClient({ client_id: 'signer', token_endpoint_auth_method: 'client_secret_jwt', client_secret: SECRET }),
    ];
    const options = {
      env: { DATABASE_URL: database.url, BASE_URL },
      applications: [anApplication({ clients })],
    };
    const first = await startTestServer(options);
    nodes = [first, await startTestServer({ ...options, users: [] })];
  });
  after(async () => {
    for (const node of nodes) await node.close();
    await database.drop();
    await stopOwnServer();
  });

  const audience = `${BASE_URL}/api/v1/authorize/shop/oauth2`;
  for (const [clientId, signer] of [
    ['keys', KEY],
    ['signer', SECRET],
  ] as const) {
    it(`attack: of ${RACERS} parallel uses on both nodes exactly one counts, and none later: ${clientId}`, async () => {
      const now = nodes[0].services.clock.now();
      const presented = presenting(assertionFor(nodes[0], signer, { clientId, audience, now }));
      const use = async (each: number) =>
        (await introspect(nodes[each % 2] as TestServer, { token: 'x', ...presented }, {})).status;
      const statuses = await Promise.all(Array.from({ length: RACERS }, (_, each) => use(each)));
      assert.equal(statuses.filter(status => status === 200).length, 1);
      assert.equal(statuses.filter(status => status === 401 || status === 429).length, RACERS - 1);
      for (const each of [0, 1]) assert.notEqual(await use(each), 200);
    });
  }
});
