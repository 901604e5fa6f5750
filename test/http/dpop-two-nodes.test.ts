import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { aSigningPair } from '../build/assertion.ts';
import { ALICE, get, token, WEB } from '../build/client.ts';
import { aProof } from '../build/dpop.ts';
import { createMigratedDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';

const KEY = aSigningPair('ES256', 'dpop');
const BASE_URL = 'https://id.example';
const ISSUER = `${BASE_URL}/api/v1/authorize/shop/oauth2`;
const GRANT = { grant_type: 'password', ...ALICE };
const RACERS = 40;

/** Two servers on one PostgreSQL: a proof counts once (modern contract, "however many nodes race"), and a nonce is good on both. */
describe('DPoP on two nodes', () => {
  let database: TestDatabase;
  let nodes: [TestServer, TestServer];
  before(async () => {
    database = await createMigratedDatabase();
    const options = { env: { DATABASE_URL: database.url, BASE_URL } };
    const first = await startTestServer(options);
    nodes = [first, await startTestServer({ ...options, users: [] })];
  });
  after(async () => {
    for (const node of nodes) await node.close();
    await database.drop();
    await stopOwnServer();
  });

  const now = () => nodes[0].services.clock.now();
  const asking = (each: number, dpop: string) =>
    token(nodes[each % 2] as TestServer, GRANT, { auth: WEB, headers: { dpop } });

  it(`attack: of ${RACERS} parallel token requests with one proof exactly one counts, and none later`, async () => {
    const dpop = aProof(KEY, 'POST', `${ISSUER}/token`, { now: now() });
    const answers = await Promise.all(Array.from({ length: RACERS }, (_, each) => asking(each, dpop)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ json }) => json.error === 'invalid_dpop_proof').length, RACERS - 1);
    for (const each of [0, 1]) assert.equal((await asking(each, dpop)).json.error, 'invalid_dpop_proof');
  });

  it(`attack: of ${RACERS} parallel uses of a token with one proof exactly one counts`, async () => {
    const { access_token } = (await asking(0, aProof(KEY, 'POST', `${ISSUER}/token`, { now: now() }))).json;
    const dpop = aProof(KEY, 'GET', `${ISSUER}/userinfo`, { now: now(), accessToken: access_token });
    const use = (each: number) =>
      get(`${(nodes[each % 2] as TestServer).at()}/userinfo`, { authorization: `DPoP ${access_token}`, dpop });
    const answers = await Promise.all(Array.from({ length: RACERS }, (_, each) => use(each)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ json }) => json.error === 'invalid_dpop_proof').length, RACERS - 1);
  });

  it('the nonce of one node is good on the other', async () => {
    const made = (nonce?: string) => aProof(KEY, 'POST', `${ISSUER}/token`, { now: 0, claims: { nonce } });
    const refused = await asking(0, made());
    assert.equal(refused.json.error, 'use_dpop_nonce');
    const answered = await asking(1, made(refused.headers.get('dpop-nonce') ?? assert.fail('no nonce')));
    assert.equal(answered.status, 200, answered.text);
  });
});
