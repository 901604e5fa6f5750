import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { CIBA_GRANT } from '../../../src/oauth/ciba/rules.ts';
import {
  AS_DESK,
  aDesk,
  anAllowedRequest,
  asDesk,
  askPerson,
  aWaitingRequest,
  decideRequest,
  fetchTokens,
  linksIn,
  theApprovals,
} from '../../build/approvals.ts';
import { assertRefused, basic, post, redeem, refresh, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { pollFor } from '../../build/device.ts';
import { anApplication, aPublicClient, aUser } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { bob } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const clock = fixedClock();
const clients = [
  aDesk(),
  aDesk({ client_id: 'other' }),
  aDesk({
    client_id: 'web',
    redirect_uris: ['https://client.example/cb'],
    grant_types: [CIBA_GRANT, 'authorization_code'],
  }),
];
const server = suiteServer({
  clock,
  applications: [
    anApplication({ clients: [...clients, aPublicClient()] }),
    anApplication({
      code: 'bank',
      name: 'Bank',
      clients: [aDesk()],
    }),
  ],
  users: [aUser(), bob()],
});
beforeEach(() => clock.advance(4000));

const events = (type: string) => server.services.store.listEvents({ types: [type] }, { after: undefined, limit: 50 });
const subOf = async (username: string) => (await server.services.store.findAccount(username))?.sub ?? '';

describe('attack: requests (CIBA sections 7 and 14)', () => {
  it('nothing without the authentication of a client that has the grant, whatever client_id is sent', async () => {
    assertRefused(await askPerson(server, { client_id: 'desk' }, {}), 401, 'access_denied');
    assertRefused(await askPerson(server, {}, { auth: basic('desk', 'wrong-secret-1') }), 401, 'invalid_client');
    assertRefused(await askPerson(server, { client_id: 'spa' }, {}), 400, 'unauthorized_client');
    assert.equal((await events('approval.requested')).length, 0);
  });

  it('a public client cannot be given the grant', async () => {
    const owner = await anOperatorClient(server);
    const patched = await owner.ask('PATCH', '/applications/shop/clients/spa', { grant_types: [CIBA_GRANT] });
    assert.match(patched.text, /needs a client with a secret or a key/);
  });

  for (const [what, fields, error, description] of [
    ['no scope', { scope: undefined }, 'invalid_request', 'OAuth 2.0 Parameter: scope'],
    ['a scope without openid', { scope: 'profile' }, 'invalid_scope', undefined],
    ['a scope that the client may not have', { scope: 'openid admin:read' }, 'invalid_scope', undefined],
    ['no hint', { login_hint: undefined }, 'invalid_request', undefined],
    ['two hints', { id_token_hint: 'x' }, 'invalid_request', undefined],
    ['a message of two lines', { binding_message: 'a\nb' }, 'invalid_binding_message', undefined],
    ['a message that turns round', { binding_message: 'pay \u202e001' }, 'invalid_binding_message', undefined],
    ['a message of 129 characters', { binding_message: 'x'.repeat(129) }, 'invalid_binding_message', undefined],
    ['an empty message', { binding_message: '' }, 'invalid_binding_message', undefined],
    ['a message of spaces', { binding_message: '  ' }, 'invalid_binding_message', undefined],
    ['a negative lifetime', { requested_expiry: '-1' }, 'invalid_request', 'OAuth 2.0 Parameter: requested_expiry'],
    ['a lifetime of zero', { requested_expiry: '0' }, 'invalid_request', 'OAuth 2.0 Parameter: requested_expiry'],
    [
      'a lifetime that is no number',
      { requested_expiry: '1e3' },
      'invalid_request',
      'OAuth 2.0 Parameter: requested_expiry',
    ],
    [
      'a signed request of a client without the setting',
      { request: 'x.y.z' },
      'invalid_request',
      'OAuth 2.0 Parameter: request',
    ],
    ['a hint of 60 KB', { login_hint: 'x'.repeat(60_000) }, 'unknown_user_id', undefined],
    [
      'a login_hint_token of nobody',
      { login_hint: undefined, login_hint_token: 'x.y.z' },
      'invalid_request',
      'OAuth 2.0 Parameter: login_hint_token',
    ],
  ] as const) {
    it(`${what}: ${error}, and nothing is stored`, async () => {
      assertRefused(await askPerson(server, fields), 400, error, description);
      assert.deepEqual(await server.services.store.backchannelRequestsOf(await subOf('alice'), clock.now()), []);
    });
  }

  it('parameters in the address do not count, and repeated ones are refused', async () => {
    const body = 'scope=openid&login_hint=alice&login_hint=bob';
    assertRefused(
      await post(`${server.at()}/bc-authorize`, body, AS_DESK),
      400,
      'invalid_request',
      'OAuth 2.0 Parameter: login_hint',
    );
    assertRefused(
      await post(`${server.at()}/bc-authorize?login_hint=alice`, 'scope=openid', AS_DESK),
      400,
      'invalid_request',
    );
  });

  it('60 names of nobody are looked up, then none for 30 s, also none of somebody; another client is not held up', async () => {
    clock.advance(10_000);
    const statuses: number[] = [];
    for (let guess = 0; guess < 62; guess++)
      statuses.push((await askPerson(server, { login_hint: `nobody${guess}` }, asDesk('other'))).status);
    assert.deepEqual(statuses, [...Array(60).fill(400), 429, 429]);
    const refused = await withStatus(429, askPerson(server, {}, asDesk('other')));
    assert(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await askPerson(server)).status, 200);
    clock.advance(31);
    assert.equal((await askPerson(server, {}, asDesk('other'))).status, 200);
    assert.equal(
      (await askPerson(server, { login_hint: 'nobody' }, asDesk('other'))).status,
      400,
      'the right one was given back',
    );
    assert.equal((await askPerson(server, { login_hint: 'nobody' }, asDesk('other'))).status, 429);
  });

  it('the auth_req_id and the hint are not in the log', async () => {
    const request = await anAllowedRequest(server, { login_hint: 'alice@example.com', binding_message: 'Word 4711' });
    await fetchTokens(server, request);
    for (const secret of [request.auth_req_id, 'alice@example.com', 'Word 4711'])
      assert(!server.logged().includes(secret), secret);
  });
});

describe('attack: an auth_req_id of others (CIBA section 11)', () => {
  it('does not work at another application, for another client, without credentials, or as another credential', async () => {
    const request = await anAllowedRequest(server);
    assertRefused(await fetchTokens(server, request, {}, AS_DESK, 'bank'), 400, 'invalid_grant');
    assertRefused(await fetchTokens(server, request, {}, asDesk('other')), 400, 'invalid_grant');
    assertRefused(await fetchTokens(server, request, { client_id: 'desk' }, {}), 401, 'access_denied');
    assertRefused(await redeem(server, request.auth_req_id, {}, asDesk('web')), 400, 'invalid_grant');
    assertRefused(await refresh(server, request.auth_req_id, {}, AS_DESK), 400, 'invalid_grant');
    assertRefused(
      await pollFor(server, { device_code: request.auth_req_id }, { client_id: undefined }, AS_DESK),
      400,
      'unauthorized_client',
    );
    assert.equal((await fetchTokens(server, request)).status, 200, 'none of it has used it up');
  });

  it('gives tokens once, and those it gave stay', async () => {
    const request = await anAllowedRequest(server);
    const { json } = await fetchTokens(server, request);
    assertRefused(await fetchTokens(server, request), 400, 'invalid_grant');
    assert.equal((await userinfo(server, json.access_token)).status, 200);
  });
});

describe('attack: what ends between the approval and the poll', () => {
  it('a disabled user: access_denied, also after the user was enabled again', async () => {
    const request = await aWaitingRequest(server, { login_hint: 'bob' });
    await decideRequest(server, 'allow', new Visitor(server.base), 'bob');
    await server.provision({ users: [bob({ disabled: true })] });
    assertRefused(await fetchTokens(server, request), 400, 'access_denied');
    await server.provision({ users: [bob({ disabled: false })] });
    assertRefused(await fetchTokens(server, request), 400, 'access_denied');
  });

  it('a withdrawn consent and the end of all access of a user', async () => {
    const sub = await subOf('alice');
    for (const end of [
      () => server.services.store.withdrawConsent(sub, 'shop', 'desk', clock.now()),
      () => server.services.store.endUserAccess(sub, clock.now()),
    ]) {
      const request = await anAllowedRequest(server);
      await end();
      assertRefused(await fetchTokens(server, request), 400, 'access_denied');
    }
  });

  it('a client that has lost a scope since does not get it; one that was deleted gets nothing, and the page says so', async () => {
    const owner = await anOperatorClient(server);
    const path = '/applications/shop/clients/leaving';
    const made = await owner.ask('POST', '/applications/shop/clients', {
      ...aDesk({ client_id: 'leaving' }),
      scope: 'openid email',
    });
    assert.equal(made.status, 201, made.text);
    const scoped = await anAllowedRequest(server, { scope: 'openid email' }, asDesk('leaving'));
    await owner.ask('PATCH', path, { scope: 'openid' });
    assert.equal((await fetchTokens(server, scoped, {}, asDesk('leaving'))).json.scope, 'openid');

    const request = await aWaitingRequest(server, {}, asDesk('leaving'));
    const visitor = new Visitor(server.base);
    const [address] = linksIn(await theApprovals(server, visitor));
    await owner.ask('DELETE', path);
    assert.match((await withStatus(410, visitor.follow(`${server.base}${address}`))).text, /no longer exists/);
    assert.match((await theApprovals(server, visitor)).text, /No requests are waiting for you/);
    assertRefused(await fetchTokens(server, request, {}, asDesk('leaving')), 401, 'invalid_client');
  });
});
