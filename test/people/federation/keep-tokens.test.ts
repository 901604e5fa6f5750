import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { TOKEN_EXCHANGE } from '../../../src/oauth/token-exchange/rules.ts';
import { newestProviderSession } from '../../../src/people/provider-sessions/queries.ts';
import { resealProviderSessions } from '../../../src/people/provider-sessions/reseal.ts';
import { liveProviderTokens } from '../../../src/people/provider-sessions/tokens.ts';
import { createKeyRing } from '../../../src/platform/crypto/key-ring.ts';
import { sql } from '../../../src/platform/store/sql.ts';
import { basic, redeem, token } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { eventDuring } from '../../build/events.ts';
import { aClient, anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { discovery, openRecordedProvider } from '../../build/recorded-provider.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer, TEST_SECRET } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, formWith, Visitor } from '../../build/visitor.ts';
import { aProvider } from './federated.ts';

const TARGET = 'urn:gatehouse:provider:corp';
const ACCESS = 'urn:ietf:params:oauth:token-type:access_token';

describe('keep_tokens: the tokens of a provider, by token exchange alone (contract, Providers; RFC 8693)', () => {
  const theirs = (number: number) => ({
    ...{ access_token: `theirs-${number}`, refresh_token: `refresh-${number}` },
    ...{ token_type: 'Bearer', expires_in: 600 },
  });
  let issued: object;
  let status: number;
  let beforeTokens: (() => Promise<void>) | undefined;
  let subject = 0;
  const clock = suitePart(() => fixedClock(Math.floor(Date.now() / 1000)));
  const server = suiteServer(() => ({
    clock,
    env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
    applications: [],
    users: [aUser()],
  }));
  const provider = suitePart(() =>
    openRecordedProvider(() => ({
      documents: discovery({ userinfo_endpoint: undefined }),
      tokenPath: '/token',
      tokens: issued,
      tokenStatus: status,
      beforeTokens,
      claims: { iss: '{base}', sub: `kept-${subject}` },
    })),
  );
  before(() => provide(true));
  beforeEach(() => {
    subject++;
    status = 200;
    beforeTokens = undefined;
    issued = { ...theirs(1), scope: 'api' };
  });
  const web = (client_id: string) =>
    aClient({ client_id, client_secret: 'web-secret-1', grant_types: ['authorization_code', TOKEN_EXCHANGE] });
  async function provide(keep_tokens: boolean) {
    await server.provision({
      providers: [aProvider(provider.base, { keep_tokens })],
      applications: [
        anApplication({
          providers: ['corp'],
          clients: [web('web'), web('other')],
          token_exchange: [{ from: 'web', to: TARGET, scopes: [] }],
        }),
      ],
    });
  }
  async function signIn(visitor = new Visitor(server.base), client_id = 'web') {
    const { location = '' } = await visitor.follow(
      authorizationUrl(server, { idp_hint: 'corp', scope: 'openid', client_id }),
    );
    const { code } = answerIn(await visitor.follow(provider.answerTo(location)));
    assert(code);
    return (await redeem(server, code, {}, { auth: basic(client_id, 'web-secret-1') })).json;
  }
  const subOfLast = async () =>
    (await server.services.store.findLinkedAccount({ provider: 'corp', subject: `kept-${subject}` }))?.sub ?? '';
  const exchange = (subject_token: string, over: Record<string, string> = {}, client = 'web') =>
    token(
      server,
      { grant_type: TOKEN_EXCHANGE, subject_token, subject_token_type: ACCESS, audience: TARGET, ...over },
      { auth: basic(client, 'web-secret-1') },
    );

  it('a client that a policy names gets the access token of its user, and an event says so', async () => {
    const own = await signIn();
    let answer: unknown;
    const event = await eventDuring(server, 'token.exchanged', async () => {
      const { json, headers } = await exchange(own.access_token);
      assert.equal(headers.get('cache-control'), 'no-store');
      answer = json;
    });
    assert.deepEqual(answer, {
      access_token: 'theirs-1',
      issued_token_type: ACCESS,
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'api',
    });
    assert.equal(event.details?.to, TARGET);
    assert.doesNotMatch(JSON.stringify(event), /theirs-1/);
    assert.doesNotMatch(server.logged(), /theirs-1|refresh-1/);
    const rows = await server.services.store.cold.read(sql`SELECT sealed FROM provider_sessions`);
    for (const { sealed } of rows)
      assert.doesNotMatch(Buffer.from(sealed as Uint8Array).toString('latin1'), /theirs|refresh/);
  });

  it('no policy, no token: another client, another provider, a token of somebody else', async () => {
    const own = await signIn();
    const refused = await exchange((await signIn(undefined, 'other')).access_token, {}, 'other');
    assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_target']);
    assert.equal((await exchange(own.access_token, {}, 'other')).json.error, 'invalid_request', 'not its token');
    const elsewhere = await exchange(own.access_token, { audience: 'urn:gatehouse:provider:nobody' });
    assert.equal(elsewhere.json.error, 'invalid_target');
    for (const over of [{ scope: 'api' }, { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }]) {
      assert.equal((await exchange(own.access_token, over)).status, 400);
    }
  });

  it('who signed in otherwise has none, and the answer is the same', async () => {
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(authorizationUrl(server, { scope: 'openid' }));
    const { code = '' } = answerIn(
      await visitor.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD }),
    );
    const own = (await redeem(server, code)).json;
    assert.equal((await exchange(own.access_token)).json.error, 'invalid_target');
  });

  it('one that has ended is renewed, once for requests at the same time; where the provider refuses, there is none', async () => {
    const own = await signIn();
    clock.advance(580);
    issued = theirs(2);
    provider.asked();
    const answers = await Promise.all([exchange(own.access_token), exchange(own.access_token)]);
    const given = answers.map(({ json }) => json.access_token);
    assert.deepEqual(given, ['theirs-2', 'theirs-2']);
    const renewals = provider.asked().filter(({ path }) => path === '/token');
    const spent = renewals.map(({ body }) => [body.get('grant_type'), body.get('refresh_token')]);
    assert.deepEqual(spent, [['refresh_token', 'refresh-1']]);
    clock.advance(590);
    status = 400;
    issued = { error: 'invalid_grant' };
    assert.equal((await exchange(own.access_token)).json.error, 'invalid_target');
  });

  it('of two nodes one spends the refresh token, and both get what came of it', async () => {
    await signIn();
    const { services } = server;
    const sub = await subOfLast();
    clock.advance(580);
    issued = theirs(2);
    provider.asked();
    // Each object of services is a node: what a process knows of renewals is its own.
    const nodes = [services, { ...services }, { ...services }];
    const all = await Promise.all(nodes.map(node => liveProviderTokens(node, 'corp', sub)));
    const given = all.map(tokens => tokens?.accessToken);
    assert.deepEqual(given, ['theirs-2', 'theirs-2', 'theirs-2']);
    assert.equal(provider.asked().filter(({ path }) => path === '/token').length, 1);
    clock.advance(580);
    issued = { access_token: 'theirs-3', token_type: 'Bearer', expires_in: 600 };
    const last = await liveProviderTokens(services, 'corp', sub);
    assert.equal(last?.accessToken, 'theirs-3', 'and nothing stays locked');
  });

  it('another GATEHOUSE_SECRET: they are encrypted with the newest, once', async () => {
    await signIn();
    const { services } = server;
    const { store } = services;
    const sub = await subOfLast();
    const now = clock.now();
    const newer = createKeyRing(['a newer secret, of which there is enough', TEST_SECRET], services.random);
    await resealProviderSessions({ ...services, ring: newer }, () => false);
    const sealed = async () => (await newestProviderSession(store.cold, 'corp', sub, now))?.sealed;
    const once = await sealed();
    const alone = createKeyRing(['a newer secret, of which there is enough'], services.random);
    assert.equal((await liveProviderTokens({ ...services, ring: alone }, 'corp', sub))?.accessToken, 'theirs-1');
    await resealProviderSessions({ ...services, ring: newer }, () => false);
    assert.deepEqual(await sealed(), once);
    await store.cold.write(sql`DELETE FROM provider_sessions`);
  });

  it('another GATEHOUSE_SECRET comes while they are renewed: the new ones stay, also of a node that knows the old secret alone', async () => {
    const { services } = server;
    const { store, random } = services;
    const newest = 'a newer secret, of which there is enough';
    const resealing = { ...services, ring: createKeyRing([newest, TEST_SECRET], random) };
    for (const secrets of [[TEST_SECRET, newest], [TEST_SECRET]] as const) {
      subject++;
      issued = theirs(1);
      beforeTokens = undefined;
      await signIn();
      const sub = await subOfLast();
      clock.advance(580);
      issued = theirs(2);
      const before = (await newestProviderSession(store.cold, 'corp', sub, clock.now()))?.sealed;
      beforeTokens = () => resealProviderSessions(resealing, () => false);
      const renewing = { ...services, ring: createKeyRing(secrets, random) };
      assert.equal((await liveProviderTokens(renewing, 'corp', sub))?.accessToken, 'theirs-2');
      assert.notDeepEqual((await newestProviderSession(store.cold, 'corp', sub, clock.now()))?.sealed, before);
      provider.asked();
      assert.equal((await liveProviderTokens({ ...resealing }, 'corp', sub))?.accessToken, 'theirs-2');
      assert.deepEqual(provider.asked(), [], 'nothing is left to be renewed');
    }
    await store.cold.write(sql`DELETE FROM provider_sessions`);
  });

  it('a node that stood still for longer than its turn does not undo what the next one got', async () => {
    await signIn();
    const { services } = server;
    const sub = await subOfLast();
    clock.advance(580);
    issued = theirs(2);
    beforeTokens = async () => {
      beforeTokens = undefined;
      clock.advance(11);
      issued = theirs(3);
      assert.equal((await liveProviderTokens({ ...services }, 'corp', sub))?.accessToken, 'theirs-3');
    };
    assert.equal((await liveProviderTokens(services, 'corp', sub))?.accessToken, 'theirs-2');
    assert.equal((await liveProviderTokens({ ...services }, 'corp', sub))?.accessToken, 'theirs-3');
  });

  it('signing out takes them along', async () => {
    const visitor = new Visitor(server.base);
    const own = await signIn(visitor);
    await visitor.follow(`${server.at()}/logout?id_token_hint=${own.id_token}`);
    assert.notEqual((await exchange(own.access_token)).status, 200);
    const rows = await server.services.store.cold.read(sql`SELECT sub FROM provider_sessions`);
    const sub = await subOfLast();
    assert(!rows.some(row => row.sub === sub));
  });

  it('what was kept before keep_tokens was turned off is handed out no more', async () => {
    const own = await signIn();
    await provide(false);
    assert.equal((await exchange(own.access_token)).json.error, 'invalid_target');
    await provide(true);
    assert.equal((await exchange(own.access_token)).status, 200);
  });

  it('without keep_tokens nothing is kept', async () => {
    await provide(false);
    const own = await signIn();
    assert.equal((await exchange(own.access_token)).json.error, 'invalid_target');
    await provide(true);
  });

  it('a policy names a provider of the application, without scopes', async () => {
    for (const policy of [
      { from: 'web', to: 'urn:gatehouse:provider:nobody', scopes: [] },
      { from: 'web', to: TARGET, scopes: ['api'] },
    ]) {
      const application = anApplication({ providers: ['corp'], clients: [web('web')], token_exchange: [policy] });
      await assert.rejects(server.provision({ applications: [application] }), /token_exchange/);
    }
  });
});
