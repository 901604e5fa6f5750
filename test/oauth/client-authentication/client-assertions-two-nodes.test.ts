import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { explanationOf } from '../../audit/explain/cases/world.ts';
import { aSigningPair, assertionFor, presenting } from '../../build/assertion.ts';
import { ALICE, assertRefused, introspect, post, revoke, type Sending, token } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, anApplication, CALLBACK } from '../../build/fixture.ts';
import { elsewhere } from '../../build/limits.ts';
import { createMigratedDatabase, stopOwnServer, type TestDatabase } from '../../build/postgres.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import type { Fields } from '../../build/visitor.ts';

const KEY = aSigningPair('ES256');
const SECRET = 'a secret of 32 characters or more';
const BASE_URL = 'https://id.example';
const AUDIENCE = `${BASE_URL}/api/v1/authorize/shop/oauth2`;
const RACERS = 40;

/** Where a client authenticates, and the status that says it has. */
const ENDPOINTS = {
  introspect: { success: 200, send: introspect, fields: { token: 'x' } },
  revoke: { success: 200, send: revoke, fields: { token: 'x' } },
  token: { success: 200, send: token, fields: { grant_type: 'password', ...ALICE } },
  par: {
    success: 201,
    send: (server: TestServer, body: Fields, sending: Sending) => post(`${server.at()}/par`, body, sending),
    fields: { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid' },
  },
} as const;
type Endpoint = keyof typeof ENDPOINTS;
const NAMES = Object.keys(ENDPOINTS) as Endpoint[];

/** Two servers on one PostgreSQL: an assertion counts once (modern contract, "however many nodes race"). */
describe('an assertion on two nodes', () => {
  const clock = fixedClock();
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
      clock,
      env: { DATABASE_URL: database.url, BASE_URL, TRUSTED_PROXIES: '127.0.0.1' },
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
  // So that the refusals of one test do not fill the minute of the next: a limited number is kept for an explanation.
  beforeEach(() => clock.advance(61));

  const node = (at: number) => nodes[at % 2] as TestServer;
  /** Each from a network of its own: the limit of wrong credentials must not refuse in place of the check under test. */
  const use = (at: number, endpoint: Endpoint, presented: Fields) => {
    const { send, fields } = ENDPOINTS[endpoint];
    return send(node(at), { ...fields, ...presented }, { headers: elsewhere() });
  };
  const succeeded = (endpoint: Endpoint, status: number) => status === ENDPOINTS[endpoint].success;

  for (const [clientId, signer] of [
    ['keys', KEY],
    ['signer', SECRET],
  ] as const) {
    const anAssertion = () =>
      presenting(assertionFor(node(0), signer, { clientId, audience: AUDIENCE, now: clock.now() }));

    /** Each of the racers uses the endpoint at its place, and the nodes take turns. */
    async function assertOneCounts(endpoints: readonly Endpoint[]): Promise<void> {
      const presented = anAssertion();
      const endpointOf = (at: number) => endpoints[(at >> 1) % endpoints.length] as Endpoint;
      const answers = await Promise.all(Array.from({ length: RACERS }, (_, at) => use(at, endpointOf(at), presented)));
      const winners = answers.filter(({ status }, at) => succeeded(endpointOf(at), status));
      assert.equal(winners.length, 1, answers.map(({ status }) => status).join());
      for (const loser of answers) if (loser !== winners[0]) assertRefused(loser, 401, 'invalid_client');
      for (const endpoint of endpoints) {
        for (const at of [0, 1]) assertRefused(await use(at, endpoint, presented), 401, 'invalid_client');
        for (const at of [0, 1]) {
          const { status, text } = await use(at, endpoint, anAssertion());
          assert(succeeded(endpoint, status), `a new one counts: ${text}`);
        }
      }
    }

    for (const endpoint of NAMES) {
      it(`attack: of ${RACERS} parallel uses at /${endpoint} exactly one counts, and none later: ${clientId}`, () =>
        assertOneCounts([endpoint]));
    }
    it(`attack: of ${RACERS} parallel uses over all endpoints exactly one counts, and none later: ${clientId}`, () =>
      assertOneCounts(NAMES));

    it(`what one node has taken the other refuses because it was used before: ${clientId}`, async () => {
      for (const [at, endpoint] of NAMES.entries()) {
        const presented = anAssertion();
        const first = await use(at, endpoint, presented);
        assert(succeeded(endpoint, first.status), first.text);
        const second = await use(at + 1, endpoint, presented);
        assertRefused(second, 401, 'invalid_client');
        const { difference } = await explanationOf(node(at + 1), second);
        assert.deepEqual(difference?.kinds, ['replayed']);
      }
    });
  }
});
