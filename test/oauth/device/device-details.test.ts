import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused, basic, claimsOf, introspect, refresh } from '../../build/client.ts';
import { aTv, aWaitingDevice, decide, pollFor, requestDevice, theQuestion, typeCode } from '../../build/device.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { aPayment, BOOKS, PAY, payApis } from '../../build/payments.ts';
import { press, signedIn } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';

const server = suiteServer({
  applications: [
    anApplication({
      apis: payApis,
      clients: [aClient(), aClient({ client_id: 'pay-api', apis: [PAY, BOOKS] }), aTv({ scope: 'openid pay:status' })],
    }),
    anApplication({ code: 'plain', name: 'Plain', clients: [aTv()] }),
  ],
});
const BOOK = { type: 'book', title: 'Emma' };
const asking = (...details: unknown[]) => ({ authorization_details: JSON.stringify(details) });
const seen = async (access: string) =>
  (await introspect(server, { token: access }, { auth: basic('pay-api', 'web-secret-1') })).json;

describe('a device asks for authorization details (RFC 9396 with RFC 8628)', () => {
  it('the page has their sentences, and answer, token, introspection and refresh have them as with a code', async () => {
    const device = await aWaitingDevice(server, asking(aPayment({ reference: 'Invoice 7' }), BOOK));
    const { text } = await theQuestion(server, device.user_code);
    assert(text.includes('Pay <strong>120.00</strong> <strong>EUR</strong> to <strong>Merchant &lt;b&gt;A&lt;/b&gt;'));
    assert(text.includes('reference: Invoice 7'));
    await decide(server, device.user_code, 'allow');
    const { json } = await pollFor(server, device);
    const granted = [aPayment({ reference: 'Invoice 7' })];
    assert.deepEqual(json.authorization_details, granted);
    const told = await seen(json.access_token);
    assert.deepEqual([told.aud, told.authorization_details], [PAY, granted]);
    const book = await refresh(server, json.refresh_token, { client_id: 'tv', resource: BOOKS }, {});
    assert.deepEqual(claimsOf(book.json.access_token).authorization_details, [BOOK]);
  });

  it('a poll leaves some out, and adds none; nothing is spent then (section 6)', async () => {
    const [first, second] = [aPayment(), aPayment({ amount: '7.00' })];
    const device = await aWaitingDevice(server, asking(first, second));
    await decide(server, device.user_code, 'allow');
    const refused = await pollFor(server, device, asking(aPayment({ amount: '7.01' })));
    assertRefused(refused, 400, 'invalid_authorization_details');
    assert.deepEqual((await pollFor(server, device, asking(second))).json.authorization_details, [second]);
  });

  it('asks each time, whatever was agreed to before', async () => {
    const alice = await signedIn(server);
    for (const _ of [1, 2]) {
      const device = await aWaitingDevice(server, asking(aPayment()));
      const question = await typeCode(server, device.user_code, alice);
      assert.match(question.text, /Pay <strong>120\.00/);
      await press(alice, question, 'allow');
      assert.equal((await pollFor(server, device)).status, 200);
    }
  });

  for (const [name, details] of [
    ['an unknown type', [{ type: 'transfer' }]],
    ['a value beside the pattern', [aPayment({ amount: 120 })]],
    ['invisible characters', [aPayment({ payee: { name: 'Merchant\u202e' } })]],
    ['no array', aPayment()],
  ] as const) {
    it(`refuses ${name}: invalid_authorization_details (section 5)`, async () => {
      const answered = await requestDevice(server, { authorization_details: JSON.stringify(details) });
      assertRefused(answered, 400, 'invalid_authorization_details');
    });
  }

  it('a sentence that changes before the answer is shown again, and a type that is gone ends the request', async () => {
    const owner = await anOperatorClient(server);
    const [pay, books] = payApis;
    const change = async (types: object) => {
      const answered = await owner.ask('PATCH', '/applications/shop', {
        apis: [{ ...pay, authorization_details_types: types }, books],
      });
      assert.equal(answered.status, 200, answered.text);
    };
    const types = pay?.authorization_details_types ?? {};
    const alice = await signedIn(server);
    const device = await aWaitingDevice(server, asking(aPayment()));
    const question = await typeCode(server, device.user_code, alice);
    await change({ payment: { ...types.payment, display: 'Give {amount} {currency} to {payee.name}' } });
    const again = await press(alice, question, 'allow');
    assert.match(again.text, /Give <strong>120\.00/);
    await change({});
    await press(alice, again, 'allow');
    assertRefused(await pollFor(server, device), 400, 'authorization_pending');
    await change(types);
  });

  it('an application without types ignores the parameter', async () => {
    const device = await aWaitingDevice(server, asking(aPayment()), {}, 'plain');
    await decide(server, device.user_code, 'allow');
    assert.equal('authorization_details' in (await pollFor(server, device, {}, {}, 'plain')).json, false);
  });
});
