import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { loadTables } from '../../../src/assembly/tables.ts';
import { failure } from '../../../src/failures.ts';
import type { Proof } from '../../../src/oauth/proof-of-possession/proof.ts';
import { TOKEN_EXCHANGE } from '../../../src/oauth/token-exchange/rules.ts';
import { header } from '../../../src/platform/http/message.ts';
import {
  ALICE,
  type Answered,
  aCode,
  assertRefused,
  basic,
  claimsOf,
  get,
  introspect,
  redeem,
  refresh,
  type Sending,
  token,
  WEB,
} from '../../build/client.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';

const GRANT = { grant_type: 'password', ...ALICE };
const [KEY, OTHER_KEY] = ['the key of the client', 'the key of another client'];

const thumbprint = (key: string) => createHash('sha256').update(key).digest('base64url');
/** In a real proof, the public key and a signature. */
const proofWith = (key: string, accessToken = '') =>
  `${Buffer.from(key).toString('base64url')}.${createHmac('sha256', key).update(accessToken).digest('base64url')}`;
const withProof = (proof: string): Sending => ({ auth: WEB, headers: { 'test-proof': proof } });

/** In the manner of DPoP (RFC 9449): a header with the key, and a signature over the access token it goes with. */
const testProof: Proof = {
  tokenType: 'Test',
  authorization: /^test +(\S+) *$/i,
  possession: {
    method: 'test-thumbprint',
    presented: request => header(request, 'test-proof'),
    async verify(_services, _request, presented, accessToken) {
      const key = Buffer.from(presented.split('.')[0] ?? '', 'base64url').toString();
      if (presented === '') return { kind: 'refused', failure: failure('tokenInvalid') };
      if (presented === proofWith(key, accessToken)) return { kind: 'proved', thumbprint: thumbprint(key) };
      const headers = { 'test-nonce': 'the next nonce' };
      return { kind: 'refused', failure: failure('parameterMissing', 'test-proof'), headers };
    },
  },
};

describe('a further proof of possession is a file and a row (RFC 7800, RFC 9449, RFC 8705)', () => {
  let table: Proof[];
  let server: TestServer;
  before(async () => {
    const clients = [aClient({ access_token_format: 'jwt' }), aClient({ client_id: 'opaque' })];
    const exchanging = aClient({ client_id: 'exchanging', grant_types: ['password', TOKEN_EXCHANGE] });
    const api = { identifier: 'urn:shop:files', name: 'Files' };
    const policy = { from: 'exchanging', to: api.identifier };
    const shop = anApplication({ clients: [...clients, exchanging], apis: [api], token_exchange: [policy] });
    const tables = await loadTables();
    table = [...tables.proofs, testProof];
    server = await startTestServer({ applications: [shop], tables: { ...tables, proofs: table } });
  });
  after(() => server.close());

  const assertBound = ({ status, text, json }: Answered, key = KEY) => {
    assert.equal(status, 200, text);
    assert.equal(json.token_type, 'Test');
    assert.deepEqual(claimsOf(json.access_token).cnf, { 'test-thumbprint': thumbprint(key) });
    return json;
  };
  const bound = async () => assertBound(await token(server, GRANT, withProof(proofWith(KEY))));
  const unbound = async () => (await token(server, GRANT)).json;
  const userinfo = (authorization: string, proof?: string) =>
    get(`${server.at()}/userinfo`, { authorization, ...(proof === undefined ? {} : { 'test-proof': proof }) });

  it('binds the tokens of every grant to the key, under its token_type', async () => {
    const { refresh_token } = await bound();
    assertBound(await refresh(server, refresh_token, {}, withProof(proofWith(OTHER_KEY))), OTHER_KEY);
    assertBound(await redeem(server, await aCode(server), {}, withProof(proofWith(KEY))));
  });

  it('makes a JWT of a token that would be opaque: the token states its key itself', async () => {
    const auth = basic('opaque', 'web-secret-1');
    assertBound(await token(server, GRANT, { ...withProof(proofWith(KEY)), auth }));
    assert.match((await token(server, GRANT, { auth })).json.access_token, /^gat_/);
  });

  it('leaves a request without a proof as it was: Bearer, and no cnf', async () => {
    const { token_type, access_token } = await unbound();
    assert.deepEqual([token_type, 'cnf' in claimsOf(access_token)], ['Bearer', false]);
    const { json } = await introspect(server, { token: access_token });
    assert.deepEqual([json.active, json.token_type, 'cnf' in json], [true, 'Bearer', false]);
    assert.equal((await userinfo(`Bearer ${access_token}`)).status, 200);
  });

  it('refuses a wrong proof at the token endpoint, with the headers of the refusal, and the code is not spent', async () => {
    const code = await aCode(server);
    const answered = await redeem(server, code, {}, withProof(`${proofWith(KEY)}x`));
    assertRefused(answered, 400, 'invalid_request', 'OAuth 2.0 Parameter: test-proof');
    assert.equal(answered.headers.get('test-nonce'), 'the next nonce');
    assertBound(await redeem(server, code, {}, withProof(proofWith(KEY))));
  });

  it('a bound token is exchanged with a proof by its key alone, for one that is bound too (RFC 8693)', async () => {
    const auth = basic('exchanging', 'web-secret-1');
    const by = (proof: string | undefined) => ({ ...(proof === undefined ? {} : withProof(proof)), auth });
    const subject = assertBound(await token(server, GRANT, by(proofWith(KEY)))).access_token;
    const exchange = (proof?: string, over = {}) => {
      const type = 'urn:ietf:params:oauth:token-type:access_token';
      const presented = { subject_token: subject, subject_token_type: type, ...over };
      return token(server, { grant_type: TOKEN_EXCHANGE, ...presented }, by(proof));
    };
    assertRefused(await exchange(), 400, 'invalid_request', 'OAuth 2.0 Parameter: subject_token');
    assertRefused(await exchange(proofWith(OTHER_KEY)), 400, 'invalid_request', 'OAuth 2.0 Parameter: subject_token');
    assertBound(await exchange(proofWith(KEY)));
    const bearer = (await token(server, GRANT, by(undefined))).json.access_token;
    const actor = { actor_token: subject, actor_token_type: 'urn:ietf:params:oauth:token-type:access_token' };
    const refused = await exchange(undefined, { subject_token: bearer, ...actor });
    assertRefused(refused, 400, 'invalid_request', 'OAuth 2.0 Parameter: actor_token');
    assertBound(await exchange(proofWith(OTHER_KEY), { subject_token: bearer }), OTHER_KEY);
  });

  it('is shown by introspection: token_type and cnf (RFC 7662 section 2.2, RFC 8705 section 3.2)', async () => {
    const { access_token } = await bound();
    const { json } = await introspect(server, { token: access_token });
    assert.deepEqual([json.active, json.token_type], [true, 'Test']);
    assert.deepEqual(json.cnf, { 'test-thumbprint': thumbprint(KEY) });
  });

  it('is needed at userinfo with each use of the token, by the same key', async () => {
    const { access_token } = await bound();
    assert.equal((await userinfo(`Test ${access_token}`, proofWith(KEY, access_token))).status, 200);
    assertRefused(await userinfo(`Test ${access_token}`, proofWith(KEY)), 400, 'invalid_request');
    assertRefused(await userinfo(`Test ${access_token}`), 401, 'invalid_token');
    const stolen = proofWith(OTHER_KEY, access_token);
    assertRefused(await userinfo(`Test ${access_token}`, stolen), 401, 'invalid_token');
  });

  it('cannot be left out by presenting the token under another scheme (RFC 9449 section 7.2)', async () => {
    const { access_token } = await bound();
    assertRefused(await userinfo(`Bearer ${access_token}`), 401, 'invalid_token');
    assertRefused(await userinfo(`Bearer ${access_token}`, proofWith(KEY, access_token)), 401, 'invalid_token');
    const { access_token: bearer } = await unbound();
    assertRefused(await userinfo(`Test ${bearer}`, proofWith(KEY, bearer)), 401, 'invalid_token');
  });

  it('is needed where the token authorizes introspection', async () => {
    const { access_token } = await bound();
    const sent = { token: access_token };
    const proof = { 'test-proof': proofWith(KEY, access_token) };
    const answered = await introspect(server, sent, { auth: `Test ${access_token}`, headers: proof });
    assert.equal(answered.json.active, true, answered.text);
    assertRefused(await introspect(server, sent, { auth: `Test ${access_token}` }), 401, 'access_denied');
    assertRefused(await introspect(server, sent, { auth: `Bearer ${access_token}` }), 401, 'access_denied');
  });

  it('of a row that is gone leaves its tokens unusable', async () => {
    const { access_token } = await bound();
    table.splice(table.indexOf(testProof), 1);
    try {
      assertRefused(await userinfo(`Bearer ${access_token}`), 401, 'invalid_token');
      assert.deepEqual((await introspect(server, { token: access_token })).json, { active: false });
    } finally {
      table.push(testProof);
    }
  });
});

describe('the table of proofs today', () => {
  it('has the bearer token, which is bound to nothing (interface.md section 5; RFC 6750), certificates (RFC 8705) and DPoP (RFC 9449)', async () => {
    const { proofs } = await loadTables();
    assert.deepEqual(
      proofs.map(({ tokenType, possession }) => [tokenType, possession?.method]),
      [
        ['Bearer', undefined],
        ['Bearer', 'x5t#S256'],
        ['DPoP', 'jkt'],
      ],
    );
  });
});
