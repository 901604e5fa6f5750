import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { aDesk, asDesk, askPerson, aWaitingRequest, decideRequest, fetchTokens } from '../../build/approvals.ts';
import { assertRefused, parameter } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { deliverPings } from '../../build/deliver-notices.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { openReceiver } from '../../build/receiver.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';

/** CIBA section 10.2: the client is told that the person has decided, and fetches its tokens then. */
const TOKEN = 'notification-token-of-160-bits-or-more';
const AS_BELL = asDesk('bell');
const clock = fixedClock();
const bell = suitePart(openReceiver, receiver => receiver.down());
const server = suiteServer(() => ({
  clock,
  env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
  clients: [
    aDesk({
      ...{ client_id: 'bell', backchannel_token_delivery_mode: 'ping' },
      backchannel_client_notification_endpoint: bell.address,
    }),
  ],
}));
beforeEach(() => {
  clock.advance(4000);
  bell.received.length = 0;
  bell.answer();
});

const ask = (fields = {}) => aWaitingRequest(server, { client_notification_token: TOKEN, ...fields }, AS_BELL);
const deliver = () => deliverPings(server.services);

describe('a client in the mode ping (CIBA section 10.2)', () => {
  for (const action of ['allow', 'deny'] as const) {
    it(`is told once when the person has chosen to ${action}, with its own token, and fetches the answer`, async () => {
      const request = await ask();
      await deliver();
      assert.equal(bell.received.length, 0, 'nobody has decided');
      await decideRequest(server, action);
      await deliver();
      await deliver();
      assert.equal(bell.received.length, 1);
      const [{ method, headers, body } = assert.fail()] = bell.received;
      assert.equal(method, 'POST');
      assert.equal(headers.authorization, `Bearer ${TOKEN}`);
      assert.equal(headers['content-type'], 'application/json');
      assert.deepEqual(JSON.parse(body), { auth_req_id: request.auth_req_id });
      const answered = await fetchTokens(server, request, {}, AS_BELL);
      if (action === 'allow') assert.equal(answered.status, 200, answered.text);
      else assertRefused(answered, 400, 'access_denied');
    });
  }

  it('may poll as well', async () => {
    const request = await ask();
    assertRefused(await fetchTokens(server, request, {}, AS_BELL), 400, 'authorization_pending');
    await decideRequest(server, 'allow');
    assert.equal((await fetchTokens(server, request, {}, AS_BELL)).status, 200);
  });

  it('is told again after an error or a redirect, with longer pauses, and no more when the request is over', async () => {
    await ask({ requested_expiry: '60' });
    await decideRequest(server, 'allow');
    bell.answer(
      { status: 500 },
      { status: 302, location: `${bell.address}/elsewhere` },
      { status: 401 },
      { status: 500 },
    );
    const at: number[] = [];
    for (let second = 0; second <= 300; second++) {
      const before = bell.received.length;
      await deliver();
      if (bell.received.length > before) at.push(second);
      clock.advance(1);
    }
    assert.deepEqual(at, [0, 5, 15, 35]);
    assert(
      bell.received.every(({ path }) => path === '/bcl'),
      'a redirect is not followed',
    );
    assert.match(server.logged(), /ping\.undelivered/);
  });

  it('is told once, however many processes look at the same time', async () => {
    await ask();
    await decideRequest(server, 'allow');
    await Promise.all(Array.from({ length: 10 }, deliver));
    assert.equal(bell.received.length, 1);
  });

  it('nothing is sent to an endpoint that was taken away, or is not public', async () => {
    const owner = await anOperatorClient(server);
    const patch = async (fields: object) => {
      const { status, text } = await owner.ask('PATCH', '/applications/shop/clients/bell', fields);
      assert.equal(status, 200, text);
    };
    await ask();
    await patch({ backchannel_client_notification_endpoint: 'https://10.0.0.1/ping' });
    await decideRequest(server, 'allow');
    await deliver();
    await patch({ backchannel_token_delivery_mode: 'poll', backchannel_client_notification_endpoint: null });
    clock.advance(10);
    await deliver();
    await patch({ backchannel_token_delivery_mode: 'ping', backchannel_client_notification_endpoint: bell.address });
    clock.advance(60);
    await deliver();
    assert.equal(bell.received.length, 0);
    assert.match(server.logged(), /ping\.postponed[^\n]*not public/);
  });

  it('neither the token nor the auth_req_id is in the log', async () => {
    const request = await ask();
    await decideRequest(server, 'allow');
    bell.answer({ status: 500 });
    await deliver();
    for (const secret of [TOKEN, request.auth_req_id]) assert(!server.logged().includes(secret));
  });
});

describe('client_notification_token (CIBA section 7.1)', () => {
  const send = (client_notification_token?: string) => askPerson(server, { client_notification_token }, AS_BELL);

  it('is needed', async () => {
    assertRefused(await send(), 400, 'invalid_request', parameter('client_notification_token'));
  });

  for (const [what, token] of [
    ['less than 128 bits', 'x'.repeat(21)],
    ['more than 1024 characters', 'x'.repeat(1025)],
    ['what no header may have', `${TOKEN}\nX-Evil: 1`],
    ['a space', `${TOKEN} ${TOKEN}`],
  ] as const) {
    it(`of ${what} is refused`, async () => {
      assertRefused(await send(token), 400, 'invalid_request', parameter('client_notification_token'));
    });
  }
});
