import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { CIBA_GRANT } from '../../../src/oauth/ciba/rules.ts';
import { askPerson, decideRequest, fetchTokens, theApproval, theApprovals } from '../../build/approvals.ts';
import { assertRefused, basic, introspect, isActive, refresh } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { anApplication, aUser, type ClientInput } from '../../build/fixture.ts';
import { aPayment, PAY, payApis } from '../../build/payments.ts';
import { bob } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { formWith, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const SECRET = 'agent-secret-1';
const agent = (client_id: string, owner: ClientInput['owner']): ClientInput => ({
  ...{ client_id, client_secret: SECRET, client_name: 'Buyer', client_type: 'agent', owner },
  ...{ grant_types: ['client_credentials', 'refresh_token', CIBA_GRANT], scope: 'pay:status', apis: [PAY] },
});
const AS_BUYER = { auth: basic('buyer', SECRET) };
const AS_TEAM = { auth: basic('team', SECRET) };

const [payments] = payApis as [(typeof payApis)[number]];
const clock = fixedClock();
const server = suiteServer({
  clock,
  applications: [
    anApplication({
      apis: [{ ...payments, scopes: { ...payments.scopes, 'pay:send': 'Send payments' } }],
      clients: [
        agent('buyer', { user: 'alice' }),
        agent('team', { group: 'buyers' }),
        { ...agent('desk', undefined), client_type: undefined },
      ],
    }),
  ],
  users: [
    aUser(),
    bob({ groups: ['buyers'] }),
    bob({ username: 'carol', email: 'carol@example.com', phone_number: '+8613800000003' }),
  ],
});
beforeEach(() => clock.advance(10_000));

const NO_HINT = { login_hint: undefined };
const ask = (over: Record<string, string | undefined> = {}, sending = AS_BUYER) =>
  askPerson(server, { ...NO_HINT, scope: 'openid', ...over }, sending);

describe('an agent asks its owner for more than its standing access (modern contract: Agents, by CIBA)', () => {
  it('without a hint, for authorization details; the tokens act for the owner, and say that the agent acts', async () => {
    const asked = await withStatus(200, ask({ authorization_details: JSON.stringify([aPayment()]) }));
    const visitor = new Visitor(server.base);
    const question = await theApproval(server, visitor);
    assert.match(question.text, /Buyer/);
    assert.match(question.text, /agent that you are responsible for/);
    await visitor.send(formWith(question, 'action" value="allow'), { action: 'allow' });
    const { json } = await withStatus(200, fetchTokens(server, asked.json, {}, AS_BUYER));
    const found = (await introspect(server, { token: json.access_token }, AS_BUYER)).json;
    assert.deepEqual(found.act, { sub: 'buyer', client_id: 'buyer' });
    assert.notEqual(found.sub, 'buyer');
    assert.equal(found.authorization_details.length, 1);
  });

  it('for a scope beyond its own, which it keeps at a refresh and never gets by itself', async () => {
    const asked = await withStatus(200, ask({ scope: 'openid profile pay:send' }));
    await decideRequest(server, 'allow');
    const { json } = await withStatus(200, fetchTokens(server, asked.json, { resource: PAY }, AS_BUYER));
    assert.match(json.scope, /pay:send/);
    const next = await withStatus(200, refresh(server, json.refresh_token, { resource: PAY }, AS_BUYER));
    assert.match(next.json.scope, /pay:send/);
    assert.equal(await isActive(server, next.json.access_token, AS_BUYER), true);
  });

  it('another client asks for no more than its own scope', async () => {
    const asked = await ask({ login_hint: 'alice', scope: 'openid pay:send' }, { auth: basic('desk', SECRET) });
    assertRefused(asked, 400, 'invalid_scope');
  });

  it('and nobody else: another person does not exist for it', async () => {
    assertRefused(await ask({ login_hint: 'carol' }), 400, 'unknown_user_id');
    assertRefused(await ask({ login_hint: 'nobody' }), 400, 'unknown_user_id');
    assert.equal((await ask({ login_hint: 'alice@example.com' })).status, 200);
  });

  it('one person of the group that owns it, who has to be named', async () => {
    assertRefused(await ask({}, AS_TEAM), 400, 'invalid_request');
    assertRefused(await ask({ login_hint: 'alice' }, AS_TEAM), 400, 'unknown_user_id');
    assert.equal((await ask({ login_hint: 'bob' }, AS_TEAM)).status, 200);
  });

  it('not while it is stopped, and what it was given ends with that', async () => {
    const asked = await withStatus(200, ask({ scope: 'openid pay:send' }));
    await decideRequest(server, 'allow');
    const { json } = await withStatus(200, fetchTokens(server, asked.json, { resource: PAY }, AS_BUYER));
    const waiting = await withStatus(200, ask());
    await decideRequest(server, 'allow');
    const undecided = await withStatus(200, ask());
    const visitor = new Visitor(server.base);
    await theApprovals(server, visitor);
    const press = async (what: string) =>
      visitor.send(formWith(await visitor.follow(`${server.base}/account/agents`), `${what}" value="buyer`));
    await press('stop');
    assert.match((await theApprovals(server, visitor)).text, /No requests are waiting for you/);
    assertRefused(await ask(), 400, 'unauthorized_client');
    assertRefused(await refresh(server, json.refresh_token, {}, AS_BUYER), 400, 'unauthorized_client');
    await press('start');
    assertRefused(await refresh(server, json.refresh_token, {}, AS_BUYER), 400, 'invalid_grant');
    for (const { json: request } of [waiting, undecided]) {
      assertRefused(await fetchTokens(server, request, {}, AS_BUYER), 400, 'access_denied');
    }
  });
});
