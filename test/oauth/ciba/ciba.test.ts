import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { CIBA_GRANT } from '../../../src/oauth/ciba/rules.ts';
import {
  AS_DESK,
  aDesk,
  anAllowedRequest,
  askPerson,
  aWaitingRequest,
  decideRequest,
  fetchTokens,
  theApproval,
  theApprovals,
} from '../../build/approvals.ts';
import { aSigningPair } from '../../build/assertion.ts';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import {
  assertNotStored,
  assertRefused,
  basic,
  claimsOf,
  get,
  introspect,
  refresh,
  userinfo,
} from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aProof, thumbprintOf } from '../../build/dpop.ts';
import { anApplication, aUser } from '../../build/fixture.ts';
import { aPayment, PAY, payApis } from '../../build/payments.ts';
import { bob, press } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { formWith, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const clock = fixedClock();
const server = suiteServer({
  clock,
  applications: [
    anApplication({
      apis: payApis,
      clients: [
        aDesk({ scope: 'openid profile email pay:status' }),
        aDesk({ client_id: 'once', grant_types: [CIBA_GRANT] }),
        aDesk({ client_id: 'plain', grant_types: ['client_credentials'] }),
      ],
    }),
    anApplication({ code: 'vault', name: 'Vault', mfa: 'required', clients: [aDesk()] }),
    anApplication({ code: 'club', name: 'Club', access: { groups: ['members'] }, clients: [aDesk()] }),
  ],
  users: [
    aUser(),
    bob(),
    bob({ ...{ username: 'tina', email: 'tina@example.com', phone_number: null }, totp_secret: TOTP_SECRET }),
  ],
});
beforeEach(() => clock.advance(10_000));

const subOf = async (username: string) => (await server.services.store.findAccount(username))?.sub;

describe('a request through the backchannel is approved (CIBA sections 7 to 11)', () => {
  it('the client names a person, who reads it on the account page and allows it; the client gets tokens as with a code', async () => {
    const answered = await withStatus(
      200,
      askPerson(server, { scope: 'openid profile', binding_message: 'Word 4711' }),
    );
    assertNotStored(answered);
    const { auth_req_id, ...rest } = answered.json;
    assert.match(auth_req_id, /^gar_[\w-]{51}$/);
    assert.deepEqual(rest, { expires_in: 600, interval: 5 });
    assertRefused(await fetchTokens(server, answered.json), 400, 'authorization_pending');

    const visitor = new Visitor(server.base);
    const list = await theApprovals(server, visitor);
    for (const part of ['Help desk', 'Shop', 'Word 4711']) assert(list.text.includes(part), part);
    const question = await theApproval(server, visitor);
    for (const part of ['Help desk', 'Shop', 'Word 4711', 'your profile', 'alice'])
      assert(question.text.includes(part), part);
    assert.match((await press(visitor, question, 'allow')).text, /You allowed the request/);

    const issued = await withStatus(200, fetchTokens(server, answered.json));
    assertNotStored(issued);
    const { access_token, refresh_token, id_token, scope, token_type } = issued.json;
    assert.deepEqual([token_type, scope], ['Bearer', 'openid profile']);
    const { sub, auth_time, amr, acr, aud, sid, ...claims } = claimsOf(id_token);
    assert.equal(sub, await subOf('alice'));
    assert.deepEqual([aud, auth_time, amr, acr, sid], ['desk', clock.now(), ['pwd'], '1', undefined]);
    // Section 10.3.1 has it in the mode push alone.
    assert(!('urn:openid:params:jwt:claim:auth_req_id' in claims));
    assert.equal((await userinfo(server, access_token)).json.preferred_username, 'alice');
    await withStatus(200, refresh(server, refresh_token, {}, AS_DESK));
    assert.doesNotMatch((await theApprovals(server, visitor)).text, /Word 4711/, 'it waits no more');
  });

  it('after a denial the client is told access_denied, again and again (section 11)', async () => {
    const request = await aWaitingRequest(server);
    assert.match((await decideRequest(server, 'deny')).text, /You did not allow the request/);
    assertRefused(await fetchTokens(server, request), 400, 'access_denied');
    assertRefused(await fetchTokens(server, request), 400, 'access_denied');
  });

  it('after expires_in the client is told expired_token, and the page says that the request is over', async () => {
    const visitor = new Visitor(server.base);
    const request = await aWaitingRequest(server, { requested_expiry: '90' });
    assert.equal(request.expires_in, 90);
    const question = await theApproval(server, visitor);
    clock.advance(90);
    assertRefused(await fetchTokens(server, request), 400, 'expired_token');
    assert.match((await withStatus(410, press(visitor, question, 'allow'))).text, /This request is no longer valid/);
    assert.match((await theApprovals(server, visitor)).text, /No requests are waiting for you/);
    clock.advance(3601);
    await server.services.store.purge(clock.now(), 1000);
    assertRefused(await fetchTokens(server, request), 400, 'invalid_grant');
  });

  it('a client that polls too early is told slow_down, and its interval grows by 5 s', async () => {
    const request = await aWaitingRequest(server);
    const errors: string[] = [];
    for (const seconds of [0, 1, 5, 15]) {
      clock.advance(seconds);
      errors.push((await fetchTokens(server, request)).json.error);
    }
    assert.deepEqual(errors, ['authorization_pending', 'slow_down', 'slow_down', 'authorization_pending']);
  });

  it('the lifetime that the client asks for is kept between one minute and one hour (section 7.1, requested_expiry)', async () => {
    for (const [requested, given] of [
      ['1', 60],
      ['300', 300],
      ['999999', 3600],
    ] as const) {
      assert.equal(
        (await aWaitingRequest(server, { requested_expiry: requested, login_hint: 'bob' })).expires_in,
        given,
      );
    }
  });

  it('a second factor is asked for where the application demands it, and where acr_values does', async () => {
    for (const [app, fields] of [
      ['vault', {}],
      ['shop', { acr_values: '2' }],
    ] as const) {
      const request = await aWaitingRequest(server, { login_hint: 'tina', ...fields }, AS_DESK, app);
      const visitor = new Visitor(server.base);
      const list = await theApprovals(server, visitor, 'tina');
      // The account page asks those who have a second factor for it anyway.
      const seen = list.url.includes('/login/totp')
        ? await visitor.send(formWith(list, 'code'), { code: anAuthenticator(clock).code() })
        : list;
      assert.match(seen.text, /Help desk/);
      await press(visitor, await theApproval(server, visitor, 'tina'), 'allow');
      const { amr, acr } = claimsOf((await fetchTokens(server, request, {}, AS_DESK, app)).json.id_token);
      assert.deepEqual([amr, acr], [['pwd', 'otp', 'mfa'], '2']);
      clock.advance(60);
    }
  });

  it('authorization details are on the page in a sentence, and in the token (RFC 9396)', async () => {
    const request = await aWaitingRequest(server, { authorization_details: JSON.stringify([aPayment()]) });
    const visitor = new Visitor(server.base);
    const question = await theApproval(server, visitor);
    assert.match(question.text, /Pay <strong>120.00<\/strong> <strong>EUR<\/strong> to <strong>Merchant &lt;b&gt;A/);
    await press(visitor, question, 'allow');
    const issued = await withStatus(200, fetchTokens(server, request, { resource: PAY }));
    assert.deepEqual(issued.json.authorization_details, [aPayment()]);
  });

  it('a proof at the poll binds the tokens to the key of the client (RFC 9449)', async () => {
    const key = aSigningPair('ES256');
    const request = await anAllowedRequest(server);
    const dpop = aProof(key, 'POST', `${server.at()}/token`, { now: clock.now() });
    const { json } = await fetchTokens(server, request, {}, { ...AS_DESK, headers: { dpop } });
    assert.equal(json.token_type, 'DPoP');
    const seen = await introspect(server, { token: json.access_token, token_type_hint: 'access_token' }, AS_DESK);
    assert.deepEqual(seen.json.cnf, { jkt: thumbprintOf(key) });
  });

  it('a client without the refresh grant gets no refresh token', async () => {
    const once = { auth: basic('once', 'desk-secret-1') };
    const request = await anAllowedRequest(server, {}, once);
    assert.equal((await fetchTokens(server, request, {}, once)).json.refresh_token, undefined);
  });

  it('discovery lists the endpoint and the grant (section 4)', async () => {
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    assert.equal(json.backchannel_authentication_endpoint, `${server.at()}/bc-authorize`);
    assert(json.grant_types_supported.includes(CIBA_GRANT));
  });
});

describe('which person (CIBA section 7.1)', () => {
  const hint = (login_hint: string, app?: string) => askPerson(server, { login_hint }, AS_DESK, app);

  it('login_hint is the user name, the e-mail address or the telephone number', async () => {
    for (const name of ['alice', 'Alice@Example.com', '+86 138 0000 0001']) {
      clock.advance(3600);
      assert.equal((await hint(name)).status, 200, name);
    }
  });

  it('id_token_hint is an ID token of this client, also an expired one; of another client it names nobody', async () => {
    const { json } = await fetchTokens(server, await anAllowedRequest(server));
    clock.advance(90_000);
    const byToken = (sending = AS_DESK) =>
      askPerson(server, { login_hint: undefined, id_token_hint: json.id_token }, sending);
    assert.equal((await byToken()).status, 200);
    assertRefused(
      await byToken({ auth: basic('once', 'desk-secret-1') }),
      400,
      'invalid_request',
      'OAuth 2.0 Parameter: id_token_hint',
    );
    const broken = { login_hint: undefined, id_token_hint: `${json.id_token.slice(0, -9)}AAAAAAAAA` };
    assertRefused(await askPerson(server, broken), 400, 'invalid_request', 'OAuth 2.0 Parameter: id_token_hint');
  });

  it('nobody, somebody disabled and somebody whom the application does not admit are the same: unknown_user_id', async () => {
    const answers = [await hint('nobody'), await hint('x'.repeat(5000)), await hint('alice', 'club')];
    const bobs = await subOf('bob');
    await server.provision({ users: [bob({ disabled: true })] });
    answers.push(await hint('bob'));
    await server.provision({ users: [bob({ disabled: false })] });
    assert(bobs !== undefined);
    for (const answered of answers)
      assertRefused(answered, 400, 'unknown_user_id', 'The hint names nobody who can be asked.');
  });
});
