import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aSigningPair } from '../../build/assertion.ts';
import { ALICE, type Answered, aCode, get, introspect, post, redeem, token, WEB } from '../../build/client.ts';
import { aProof } from '../../build/dpop.ts';
import { CALLBACK } from '../../build/fixture.ts';
import { anOperatorClient, anOperatorToken, DESK_AUTH } from '../../build/operator.ts';
import { suiteNodes } from '../../build/suite-nodes.ts';
import type { TestServer } from '../../build/test-server.ts';
import { withStatus } from '../../build/with-status.ts';

const KEY = aSigningPair('ES256', 'dpop');
const GRANT = { grant_type: 'password', ...ALICE };
const RACERS = 40;

/** Two servers on one PostgreSQL: a proof counts once (modern contract, "however many nodes race"), and a nonce is good on both. */
describe('DPoP on two nodes', () => {
  const nodes = suiteNodes({}, first => ({ BASE_URL: first.base }));
  const node = (each: number) => nodes[each % 2] as TestServer;
  const now = () => nodes[0].services.clock.now();
  /** The public address of both nodes is that of the first. */
  const proof = (method: string, path: string, accessToken?: string) =>
    aProof(KEY, method, nodes[0].base + path, { now: now(), ...(accessToken === undefined ? {} : { accessToken }) });
  const issuer = (app?: string) => new URL(nodes[0].at(app)).pathname;
  const proofForToken = (app?: string) => proof('POST', `${issuer(app)}/token`);
  const asking = (each: number, dpop: string) => token(node(each), GRANT, { auth: WEB, headers: { dpop } });
  const bound = async (): Promise<string> => (await asking(0, proofForToken())).json.access_token;

  /** One gets `status`, the others the refusal of a proof that was used, and so does whoever comes later, on either node. */
  async function assertOnce(
    status: number,
    send: (each: number) => Promise<Answered>,
    isRefusal: (answered: Answered) => boolean,
  ): Promise<void> {
    const answers = await Promise.all(Array.from({ length: RACERS }, (_, each) => send(each)));
    assert.equal(answers.filter(answered => answered.status === status).length, 1);
    assert.equal(answers.filter(isRefusal).length, RACERS - 1);
    for (const each of [0, 1]) assert(isRefusal(await send(each)));
  }
  const isReplay = ({ json }: Answered) =>
    json.error === 'invalid_dpop_proof' && json.error_description === 'DPoP proof: jti';

  it(`attack: of ${RACERS} parallel token requests with one proof exactly one counts, and none later`, async () => {
    const dpop = proofForToken();
    await assertOnce(200, each => asking(each, dpop), isReplay);
  });

  it(`attack: of ${RACERS} parallel pushed requests with one proof exactly one counts, and none later`, async () => {
    const headers = { dpop: proof('POST', `${issuer()}/par`) };
    const request = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid' };
    await assertOnce(201, each => post(`${node(each).at()}/par`, request, { auth: WEB, headers }), isReplay);
  });

  it(`attack: of ${RACERS} parallel uses of a token with one proof exactly one counts, and none later`, async () => {
    const held = await bound();
    const headers = { authorization: `DPoP ${held}`, dpop: proof('GET', `${issuer()}/userinfo`, held) };
    await assertOnce(200, each => get(`${node(each).at()}/userinfo`, headers), isReplay);
  });

  it(`attack: of ${RACERS} parallel introspections by the holder with one proof exactly one counts, and none later`, async () => {
    const held = await bound();
    const headers = { authorization: `DPoP ${held}`, dpop: proof('POST', `${issuer()}/introspect`, held) };
    const isRefusal = ({ status, json }: Answered) => status === 401 && json.error === 'access_denied';
    await assertOnce(200, each => introspect(node(each), { token: held }, { headers }), isRefusal);
  });

  it(`attack: of ${RACERS} parallel calls of the admin API with one proof exactly one counts, and none later`, async () => {
    const held = await ofOperator();
    const path = '/api/v1/admin/applications';
    const headers = { authorization: `DPoP ${held}`, dpop: proof('GET', path, held) };
    const isRefusal = ({ status, json }: Answered) => status === 401 && json.type.endsWith('/invalid_token');
    await assertOnce(200, each => get(node(each).base + path, headers), isRefusal);
  });

  it('the nonce of one node is good on the other', async () => {
    const made = (nonce?: string) => aProof(KEY, 'POST', `${nodes[0].at()}/token`, { now: 0, claims: { nonce } });
    const refused = await asking(0, made());
    assert.equal(refused.json.error, 'use_dpop_nonce');
    await withStatus(200, asking(1, made(refused.headers.get('dpop-nonce') ?? assert.fail('no nonce'))));
  });

  /** The bound token of an owner, for the admin API. */
  async function ofOperator(): Promise<string> {
    await anOperatorToken(nodes[0], await anOperatorClient(nodes[0]));
    const code = await aCode(nodes[0], { client_id: 'desk', scope: 'openid admin:read' }, { app: 'gatehouse' });
    const sending = { auth: DESK_AUTH, headers: { dpop: proofForToken('gatehouse') } };
    const { json } = await withStatus(200, redeem(nodes[0], code, {}, sending, 'gatehouse'));
    return json.access_token;
  }
});
