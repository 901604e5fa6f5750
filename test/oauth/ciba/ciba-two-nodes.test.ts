import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { MAX_OPEN_OF_CLIENT } from '../../../src/oauth/ciba/rules.ts';
import {
  aDesk,
  asDesk,
  askPerson,
  aWaitingRequest,
  decideRequest,
  fetchTokens,
  theApproval,
} from '../../build/approvals.ts';
import { assertRefused, userinfo } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { deliverPings } from '../../build/deliver-notices.ts';
import { aUser } from '../../build/fixture.ts';
import { bob } from '../../build/people.ts';
import { openReceiver } from '../../build/receiver.ts';
import { suiteNodes } from '../../build/suite-nodes.ts';
import { suitePart } from '../../build/suite-part.ts';
import type { TestServer } from '../../build/test-server.ts';
import { type Form, formWith, Visitor } from '../../build/visitor.ts';

/** Two servers on one PostgreSQL: what counts once, and what is bounded, is so for both together. */
const clock = fixedClock();
const bell = suitePart(openReceiver, receiver => receiver.down());
const nodes = suiteNodes(() => ({
  clock,
  env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
  clients: [
    aDesk(),
    aDesk({
      ...{ client_id: 'bell', backchannel_token_delivery_mode: 'ping' },
      backchannel_client_notification_endpoint: bell.address,
    }),
  ],
  users: [aUser(), bob()],
}));
beforeEach(() => clock.advance(100_000));

const node = (at: number) => nodes[at % 2] as TestServer;
const count = (statuses: readonly number[], status: number) => statuses.filter(each => each === status).length;
const many = <T>(times: number, of: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, at) => of(at)));

describe('attack: floods over two nodes (CIBA section 14)', () => {
  it('1,000 requests to one person: three reach the person, and no more in this hour than five that are not approved', async () => {
    const answers = await many(1000, at => askPerson(node(at)));
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual([count(statuses, 200), count(statuses, 429)], [MAX_OPEN_OF_CLIENT, 1000 - MAX_OPEN_OF_CLIENT]);
    const sub = (await node(0).services.store.findAccount('alice'))?.sub ?? '';
    assert.equal((await node(1).services.store.backchannelRequestsOf(sub, clock.now())).length, MAX_OPEN_OF_CLIENT);
    let reached = MAX_OPEN_OF_CLIENT;
    for (let minute = 0; minute < 59; minute++) {
      clock.advance(60);
      if ((await askPerson(node(minute))).status === 200) reached++;
    }
    assert.equal(reached, 5);
  });

  it('300 names of nobody: exactly 60 are looked up', async () => {
    const answers = await many(300, at =>
      askPerson(node(at), { login_hint: `nobody${at}` }, asDesk('bell')).catch(assert.fail),
    );
    const statuses = answers.map(({ json }) => json.error);
    // The mode ping needs a token: nothing is looked up without.
    assert(statuses.every(error => error === 'invalid_request'));
    const counted = await many(300, at => askPerson(node(at), { login_hint: `nobody${at}` }));
    const errors = counted.map(({ status }) => status);
    assert.deepEqual([count(errors, 400), count(errors, 429)], [60, 240]);
  });
});

describe('attack: races over two nodes (CIBA section 11)', () => {
  it('20 parallel polls: one gets tokens, and they work', async () => {
    const request = await aWaitingRequest(node(0));
    await decideRequest(node(1), 'allow');
    const answers = await many(20, at => fetchTokens(node(at), request));
    const got = answers.filter(({ status }) => status === 200);
    assert.equal(got.length, 1);
    for (const other of answers) if (other !== got[0]) assertRefused(other, 400, 'invalid_grant');
    assert.equal((await userinfo(node(1), got[0]?.json.access_token)).status, 200);
  });

  it('20 parallel approvals and denials: one decides, all agree on it, and one ping tells of it', async () => {
    for (let round = 0; round < 3; round++) {
      clock.advance(4000);
      bell.received.length = 0;
      const request = await aWaitingRequest(node(0), { client_notification_token: 'x'.repeat(40) }, asDesk('bell'));
      const { form, cookie } = await questionOf();
      const pressed = await many(20, at => press(node(at), form, at % 4 < 2 ? 'allow' : 'deny', cookie));
      const given = pressed.filter(({ text }) => /You (already allowed this|allowed the) request/.test(text));
      const denied = pressed.filter(({ text }) => /You did not allow the request/.test(text));
      assert.equal(given.length + denied.length, 20, pressed.map(({ status }) => status).join());
      assert(given.length === 0 || denied.length === 0);
      await many(4, at => deliverPings(node(at).services));
      assert.equal(bell.received.length, 1);
      const { status, json } = await fetchTokens(node(1), request, {}, asDesk('bell'));
      assert.deepEqual([status, json.error], given.length > 0 ? [200, undefined] : [400, 'access_denied']);
    }
  });

  it('the access of the person ends while the client polls: no token survives', async () => {
    const sub = (await node(0).services.store.findAccount('bob'))?.sub ?? '';
    for (let round = 0; round < 5; round++) {
      const request = await aWaitingRequest(node(0), { login_hint: 'bob' });
      await decideRequest(node(0), 'allow', new Visitor(node(0).base), 'bob');
      const [polled] = await Promise.all([
        fetchTokens(node(1), request),
        node(0).services.store.endUserAccess(sub, clock.now()),
      ]);
      if (polled.status === 200) assert.equal((await userinfo(node(0), polled.json.access_token)).status, 401);
      else assertRefused(polled, 400, 'access_denied');
      clock.advance(4000);
    }
  });
});

async function questionOf(): Promise<{ form: Form; cookie: string }> {
  const visitor = new Visitor(node(0).base);
  const question = await theApproval(node(0), visitor);
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return { form: formWith(question, 'action" value="allow'), cookie };
}

async function press(at: TestServer, { fields }: Form, action: string, cookie: string) {
  const response = await fetch(`${at.base}/account/approvals`, {
    method: 'POST',
    body: new URLSearchParams({ ...Object.fromEntries(fields), action }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: at.base, accept: 'text/html', cookie },
    redirect: 'manual',
  });
  return { status: response.status, text: await response.text() };
}
