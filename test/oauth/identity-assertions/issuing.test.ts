import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explanationOf } from '../../audit/explain/cases/world.ts';
import {
  type Answered,
  aCode,
  assertRefused,
  aTokenSet,
  basic,
  claimsOf,
  get,
  redeem,
  refresh,
  revoke,
  token,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, anApplication, aPublicClient, aUser } from '../../build/fixture.ts';
import { ID_JAG, ID_TOKEN, REFRESH_TOKEN, TOKEN_EXCHANGE } from '../../build/identity-assertion.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, type Fields, formWith, signIn, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const OTHER = 'https://shop.example';
const API = 'https://api.shop.example';
const clock = fixedClock();
const grant_types = ['authorization_code', 'refresh_token', 'password', 'implicit', TOKEN_EXCHANGE] as never;
const policy = { client: 'desk', audience: OTHER, scopes: ['orders:read', 'orders:write'] };
const desk = aClient({ client_id: 'desk', grant_types });

const server = suiteServer(() => ({
  clock,
  env: { TRUSTED_PROXIES: '127.0.0.1' },
  users: ['alice', 'bob', 'carol', 'dave'].map(username =>
    aUser({ username, email: `${username}@example.com`, email_verified: username !== 'bob', phone_number: null }),
  ),
  applications: [
    anApplication({
      identity_assertions: [
        { ...policy, resources: [API, `${API}/v2`], authorization_details_types: ['payment'] },
        { client: 'rival', audience: OTHER, scopes: ['orders:read'] },
      ],
      clients: [aClient(), desk, aClient({ client_id: 'rival', grant_types, client_secret: 'another-secret' })],
    }),
    anApplication({
      ...{ code: 'club', name: 'Club', access: { users: ['alice', 'carol'] } },
      ...{ identity_assertions: [policy], clients: [desk, aPublicClient()] },
    }),
    anApplication({ code: 'plain', name: 'Plain', clients: [desk] }),
  ],
}));
const owner = suitePart(() => anOperatorClient(server));

const DESK = { auth: basic('desk', 'web-secret-1') };
const exchange = (subject_token: string, over: Fields = {}, sending = DESK, app?: string) =>
  token(
    server,
    {
      ...{ grant_type: TOKEN_EXCHANGE, requested_token_type: ID_JAG, audience: OTHER, subject_token },
      ...{ subject_token_type: ID_TOKEN, ...over },
    },
    sending,
    app,
  );
/** By the page, so that there is a session. */
const signedIn = async (username = 'alice', visitor = new Visitor(server.base), app?: string) => {
  const options = { visitor, username, ...(app !== undefined && { app }) };
  const code = await aCode(server, { client_id: 'desk', scope: 'openid email' }, options);
  return (await withStatus(200, redeem(server, code, {}, DESK, app))).json;
};
const kindsOf = async (answered: Answered) => {
  assertRefused(answered, 400, 'invalid_request', 'OAuth 2.0 Parameter: subject_token');
  clock.advance(60);
  return (await explanationOf(server, answered)).difference?.kinds;
};

describe('what a client asks for in an assertion (draft section 4.3; modern contract)', () => {
  it('the audience is compared exactly, and is one', async () => {
    const { id_token } = await signedIn();
    for (const audience of [`${OTHER}/`, OTHER.toUpperCase(), 'https://shop.example:443', `${OTHER}\u200b`]) {
      assertRefused(await exchange(id_token, { audience }), 400, 'invalid_target', 'OAuth 2.0 Parameter: audience');
    }
    assertRefused(await exchange(id_token, { audience: undefined }), 400, 'invalid_request');
    const form = new URLSearchParams({ grant_type: TOKEN_EXCHANGE, requested_token_type: ID_JAG, audience: OTHER });
    form.append('audience', 'https://else.example');
    const two = `${form}&subject_token=${id_token}&subject_token_type=${encodeURIComponent(ID_TOKEN)}`;
    assertRefused(await token(server, two, DESK), 400, 'invalid_target');
  });

  it('scope, resource and authorization details are in the policy; more is refused', async () => {
    const { id_token } = await signedIn();
    const claims = async (over: Fields) =>
      claimsOf((await withStatus(200, exchange(id_token, over))).json.access_token);
    assert.equal((await claims({ scope: 'orders:read orders:read' })).scope, 'orders:read');
    for (const scope of ['orders:read admin', 'orders:READ', ' ']) {
      assertRefused(await exchange(id_token, { scope }), 400, 'invalid_scope');
    }
    const { scope, resource } = await claims({ resource: API });
    assert.deepEqual([scope, resource], ['orders:read orders:write', API]);
    assertRefused(await exchange(id_token, { resource: `${API}/` }), 400, 'invalid_target');
    const payment = [{ type: 'payment', amount: 5 }];
    const detailed = await claims({ authorization_details: JSON.stringify(payment) });
    assert.deepEqual([detailed.authorization_details, detailed.scope], [payment, undefined]);
    for (const details of [JSON.stringify([...payment, { type: 'order' }]), '[]', 'x', '{"type":"payment"}']) {
      const answered = await exchange(id_token, { authorization_details: details });
      assertRefused(answered, 400, 'invalid_authorization_details');
    }
  });

  it('the answer is no token here: neither a bearer token, nor a hint, nor a subject', async () => {
    const { id_token } = await signedIn();
    const assertion = (await withStatus(200, exchange(id_token))).json.access_token;
    const bearer = await get(`${server.at()}/userinfo`, { authorization: `Bearer ${assertion}` });
    assert.equal(bearer.status, 401);
    const hinted = await new Visitor(server.base).go(authorizationUrl(server, { id_token_hint: assertion }));
    assert.equal(answerIn(hinted).error, 'invalid_request');
    assert.deepEqual(await kindsOf(await exchange(assertion)), ['no-id-token']);
  });

  it('an actor is refused (draft section 8.5), and so is a subject of another type', async () => {
    const { id_token, access_token } = await signedIn();
    const actor = { actor_token: access_token, actor_token_type: 'urn:ietf:params:oauth:token-type:access_token' };
    assertRefused(await exchange(id_token, actor), 400, 'invalid_request', 'OAuth 2.0 Parameter: actor_token');
    for (const type of ['access_token', 'jwt', 'saml2', 'id-jag']) {
      const subject_token_type = `urn:ietf:params:oauth:token-type:${type}`;
      assertRefused(await exchange(id_token, { subject_token_type }), 400, 'invalid_request');
    }
  });

  it('without a policy of the application there is nothing to request, and discovery says so', async () => {
    const { id_token } = await signedIn('alice', new Visitor(server.base), 'plain');
    const grant = await exchange(id_token, {}, DESK, 'plain');
    assertRefused(grant, 400, 'invalid_request');
    const { json } = await get(`${server.at('plain')}/.well-known/openid-configuration`);
    assert(!json.grant_types_supported.includes(TOKEN_EXCHANGE));
    assert.equal(json.identity_chaining_requested_token_types_supported, undefined);
  });

  it('an address that is not verified does not leave', async () => {
    const { id_token } = await signedIn('bob');
    const claims = claimsOf((await withStatus(200, exchange(id_token))).json.access_token);
    assert.deepEqual([claims.email, claims.email_verified], [undefined, undefined]);
  });
});

describe('whose assertion a client gets: that of a person who is signed in to it', () => {
  it('attack: the ID token or refresh token of another client', async () => {
    const rival = { auth: basic('rival', 'another-secret') };
    const { id_token, refresh_token } = await signedIn();
    assert.deepEqual(await kindsOf(await exchange(id_token, {}, rival)), ['other-client']);
    const stolen = await exchange(refresh_token, { subject_token_type: REFRESH_TOKEN }, rival);
    assert.deepEqual(await kindsOf(stolen), ['other-client']);
    await withStatus(200, refresh(server, refresh_token, {}, DESK));
  });

  it('attack: tokens of another application', async () => {
    const { id_token, refresh_token } = await signedIn('alice', new Visitor(server.base), 'club');
    assert.deepEqual(await kindsOf(await exchange(id_token)), ['no-id-token']);
    const there = await exchange(refresh_token, { subject_token_type: REFRESH_TOKEN });
    assert.deepEqual(await kindsOf(there), ['no-refresh-token']);
  });

  it('attack: tokens in the place of others', async () => {
    const { id_token, refresh_token, access_token } = await signedIn();
    for (const subject of [access_token, refresh_token, 'x', 'a.b.c', `${id_token}x`]) {
      assert.deepEqual(await kindsOf(await exchange(subject)), ['no-id-token']);
    }
    for (const subject of [access_token, id_token, 'x']) {
      const answered = await exchange(subject, { subject_token_type: REFRESH_TOKEN });
      assert.deepEqual(await kindsOf(answered), ['no-refresh-token']);
    }
  });

  it('a rotated refresh token is none; looking at it does not rotate it', async () => {
    const { refresh_token } = await signedIn();
    const asked = () => exchange(refresh_token, { subject_token_type: REFRESH_TOKEN });
    await withStatus(200, asked());
    await withStatus(200, asked());
    const { json } = await withStatus(200, refresh(server, refresh_token, {}, DESK));
    assert.deepEqual(await kindsOf(await asked()), ['no-refresh-token']);
    await withStatus(200, exchange(json.refresh_token, { subject_token_type: REFRESH_TOKEN }));
  });

  it('an ID token without a sign-in that can end: of the implicit flow', async () => {
    const fields = { client_id: 'desk', response_type: 'id_token', nonce: 'n', scope: 'openid' };
    const { id_token = '' } = answerIn(await signIn(server, fields, { username: 'dave' }));
    assert.deepEqual(await kindsOf(await exchange(id_token)), ['ended']);
  });

  it('of the password grant too: there is no session, but a sign-in', async () => {
    const { id_token, refresh_token } = await aTokenSet(server, {}, DESK);
    await withStatus(200, exchange(id_token));
    await revoke(server, { token: refresh_token }, DESK);
    assert.deepEqual(await kindsOf(await exchange(id_token)), ['ended']);
  });
});

describe('whoever is not signed in any more gets none', () => {
  it('after a logout', async () => {
    const visitor = new Visitor(server.base);
    const { id_token } = await signedIn('alice', visitor);
    await withStatus(200, exchange(id_token));
    await visitor.send({ action: `${server.base}/logout`, fields: new URLSearchParams() });
    assert.deepEqual(await kindsOf(await exchange(id_token)), ['ended']);
  });

  it('after the user has withdrawn the access of the client', async () => {
    const visitor = new Visitor(server.base);
    const { id_token } = await signedIn('alice', visitor);
    const page = await visitor.follow(`${server.base}/account/access`);
    await visitor.send(formWith(page, 'withdraw'), { app: 'shop', withdraw: 'desk' });
    assert.deepEqual(await kindsOf(await exchange(id_token)), ['ended']);
  });

  it('after the refresh token was revoked; another sign-in of the same person is another one', async () => {
    const first = await signedIn();
    clock.advance(5);
    const second = await signedIn();
    await revoke(server, { token: first.refresh_token }, DESK);
    assert.deepEqual(await kindsOf(await exchange(first.id_token)), ['ended']);
    await withStatus(200, exchange(second.id_token));
  });

  it('when the application does not admit the user any more (access)', async () => {
    const { id_token, refresh_token } = await signedIn('carol', new Visitor(server.base), 'club');
    const byBoth = () => [
      exchange(id_token, {}, DESK, 'club'),
      exchange(refresh_token, { subject_token_type: REFRESH_TOKEN }, DESK, 'club'),
    ];
    for (const asked of byBoth()) await withStatus(200, asked);
    await withStatus(200, owner.ask('PATCH', '/applications/club', { access: { users: ['alice'] } }));
    for (const asked of byBoth()) assert.deepEqual(await kindsOf(await asked), ['not-admitted']);
  });

  it('when the user is disabled, also after being enabled again', async () => {
    const { id_token } = await signedIn('dave');
    const dave = await server.services.store.findAccount('dave');
    const set = (disabled: boolean) => withStatus(200, owner.ask('PATCH', `/users/${dave?.sub}`, { disabled }));
    await set(true);
    assert.deepEqual(await kindsOf(await exchange(id_token)), ['ended']);
    await set(false);
    assert.deepEqual(await kindsOf(await exchange(id_token)), ['ended']);
  });
});
