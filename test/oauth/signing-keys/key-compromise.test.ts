import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createRemoteJWKSet, decodeProtectedHeader, type JWK, jwtVerify } from 'jose';
import { startJobs } from '../../../src/assembly/jobs.ts';
import { publishNextKey, replaceCompromisedKeys, rotateDueKeys } from '../../../src/oauth/signing-keys/rotation.ts';
import { aTokenSet, basic, get, isActive, refresh, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { assertSentBack, delivered } from '../../build/delivered.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { signedIn, tokensOf } from '../../build/people.ts';
import { startTestServer, suiteServer, type TestServer } from '../../build/test-server.ts';
import { until } from '../../build/until.ts';
import { authorizationUrl } from '../../build/visitor.ts';

const DAY = 86_400;
const JWT = { auth: basic('jwt', 'web-secret-1') };
const applications = () => [
  anApplication({
    clients: [
      aClient(),
      aClient({ client_id: 'jwt', access_token_format: 'jwt' }),
      aClient({ client_id: 'ecdsa', id_token_signed_response_alg: 'ES256' }),
    ],
  }),
  anApplication({ code: 'bank', name: 'Bank' }),
];
/** Those that the clients of the shop use. */
const ALGS = ['RS256', 'ES256'] as const;
const kids = async (server: TestServer, app?: string) =>
  (await get(`${server.at(app)}/jwks`)).json.keys.map(({ kid }: JWK) => kid) as string[];
const kidOf = (jwt: string) => decodeProtectedHeader(jwt).kid ?? '';

describe('a compromised key goes at once', () => {
  const clock = fixedClock();
  const server = suiteServer({ clock, applications: applications() });

  it('from the key set and with every token it signed; a new one signs at once', async () => {
    const visitor = await signedIn(server);
    const set = await tokensOf(server, visitor, { client_id: 'jwt' }, { sending: JWT });
    const opaque = await aTokenSet(server);
    const [shop, bank] = [await kids(server), await kids(server, 'bank')];
    await replaceCompromisedKeys(server.services, 'shop');

    const present = await kids(server);
    assert.deepEqual(
      present.filter(kid => shop.includes(kid)),
      [],
    );
    assert.equal(present.length, ALGS.length);
    assert.equal(await isActive(server, set.access_token), false);
    assert.equal((await userinfo(server, set.access_token)).json.error, 'invalid_token');
    const hinted = await visitor.go(authorizationUrl(server, { id_token_hint: set.id_token, prompt: 'none' }));
    assertSentBack(server, hinted, { error: 'invalid_request' });

    assert.equal(await isActive(server, opaque.access_token), true, 'no key signed an opaque token');
    const renewed = await refresh(server, set.refresh_token, {}, JWT);
    assert.equal(renewed.status, 200, renewed.text);
    assert(present.includes(kidOf(renewed.json.id_token)));
    await jwtVerify(renewed.json.id_token, createRemoteJWKSet(new URL(`${server.at()}/jwks`)), {
      currentDate: new Date(clock.now() * 1000),
    });
    const next = await visitor.go(authorizationUrl(server, { id_token_hint: renewed.json.id_token, prompt: 'none' }));
    assert(delivered(next).fields.code);
    assert.deepEqual(await kids(server, 'bank'), bank, 'keys are per application (row 4)');
  });

  it('with one that waits to sign, and with old ones that are still shown', async () => {
    for (const alg of ALGS) await publishNextKey(server.services, 'shop', alg);
    clock.advance(DAY + 1);
    for (const alg of ALGS) await publishNextKey(server.services, 'shop', alg);
    const before = await kids(server);
    assert.equal(before.length, 3 * ALGS.length);
    await replaceCompromisedKeys(server.services, 'shop');
    const present = await kids(server);
    assert.equal(present.length, ALGS.length);
    assert(!present.some(kid => before.includes(kid)));
  });

  it('of one algorithm only, when asked so', async () => {
    const ecdsa = await aTokenSet(server, {}, { auth: basic('ecdsa', 'web-secret-1') });
    const before = await kids(server);
    await replaceCompromisedKeys(server.services, 'shop', ['RS256']);
    const present = await kids(server);
    assert.equal(present.filter(kid => before.includes(kid)).length, 1);
    assert(present.includes(kidOf(ecdsa.id_token)));
  });
});

describe('several nodes on one store', () => {
  let nodes: readonly [TestServer, TestServer];
  const clock = fixedClock();
  before(async () => {
    const first = await startTestServer({ clock, applications: applications() });
    // One public address for both, as behind a load balancer.
    const env = { DATABASE_URL: first.services.config.database.url, BASE_URL: first.base };
    nodes = [first, await startTestServer({ clock, env, applications: [], users: [] })];
  });
  after(async () => {
    for (const node of [...nodes].reverse()) await node.close();
  });
  const stored = (app: string) => nodes[0].services.store.signingKeys(app);
  const application = async (node: TestServer, app: string) =>
    (await node.services.registry.application(app)) ?? assert.fail();

  it('that miss a key at the same moment end with one', async () => {
    const [one, other] = nodes;
    const first = (await stored('bank')).map(({ kid }) => kid);
    await one.services.store.dropSigningKeys('bank', first);
    for (const node of nodes) node.services.signer.invalidate();
    const sets = await Promise.all([one, other, one, other].map(node => aTokenSet(node, {}, undefined, 'bank')));
    assert.equal(new Set(sets.map(set => kidOf(set.id_token))).size, 1);
    assert.deepEqual(await kids(one, 'bank'), await kids(other, 'bank'));
    assert.equal((await stored('bank')).length, 1);
  });

  it('that find the next key due at the same moment publish one', async () => {
    await Promise.all(nodes.map(node => kids(node)));
    clock.advance(89 * DAY);
    const runs = [...nodes, ...nodes].map(async node => rotateDueKeys(node.services, await application(node, 'shop')));
    await Promise.all(runs);
    for (const alg of ALGS) {
      assert.equal((await stored('shop')).filter(key => key.alg === alg).length, 2, alg);
    }
  });

  it('that rotate at the same time publish one', async () => {
    await Promise.all(nodes.map(node => publishNextKey(node.services, 'bank', 'RS256')));
    assert.equal((await stored('bank')).filter(({ alg }) => alg === 'RS256').length, 2);
  });

  it('follow each other: a key that one drops is gone at the other within a second', async () => {
    const [one, other] = nodes;
    const { access_token } = await aTokenSet(other, {}, JWT);
    const stop = startJobs(other.services);
    try {
      const before = await kids(other);
      await replaceCompromisedKeys(one.services, 'shop');
      await until('the keys are gone there too', async () => !(await kids(other)).some(kid => before.includes(kid)));
      assert.deepEqual(await kids(other), await kids(one));
      assert.equal(await isActive(other, access_token), false);
      assert((await kids(one)).includes(kidOf((await aTokenSet(other)).id_token)));
    } finally {
      stop();
    }
  });

  it('verify what a key has signed that another node has just made', async () => {
    const [one, other] = nodes;
    await aTokenSet(one, {}, JWT);
    await replaceCompromisedKeys(other.services, 'shop');
    clock.advance(1);
    const { access_token } = await aTokenSet(other, {}, JWT);
    assert.equal(await isActive(one, access_token), true);
  });
});
