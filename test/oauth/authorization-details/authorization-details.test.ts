import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { restOf } from '../../../src/oauth/authorization-details/rules.ts';
import { schemaFault, valueFault } from '../../../src/oauth/authorization-details/schema.rules.ts';
import { aTokenSet, basic, claimsOf, get, introspect, post, redeem, refresh, token } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { aPayment, BOOKS, PAY, payApis, paymentSchema as schema } from '../../build/payments.ts';
import { atConsent, press, signedIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, formWith, query } from '../../build/visitor.ts';

const apis = [...payApis, { identifier: 'urn:plain', name: 'Plain' }];
const payment = aPayment;
const BOOK = { type: 'book', title: 'Emma' };

const server = suiteServer({
  applications: [
    anApplication({
      apis,
      clients: [
        aClient(),
        aClient({ client_id: 'shop', scope: 'openid email pay:status' }),
        aClient({ client_id: 'pay-api', apis: [PAY, BOOKS] }),
      ],
    }),
    anApplication({ code: 'plain', name: 'Plain' }),
  ],
});
const alice = suitePart(() => signedIn(server));
const SHOP = { auth: basic('shop', 'web-secret-1') };
const ask = (details: unknown, fields: Fields = {}) =>
  alice.follow(
    authorizationUrl(server, {
      ...{ client_id: 'shop', scope: 'openid', ...fields },
      authorization_details: typeof details === 'string' ? details : JSON.stringify(details),
    }),
  );
const agreed = async (details: unknown, fields: Fields = {}) => {
  const page = await ask(details, fields);
  assert(atConsent(page), page.text.slice(0, 500));
  return delivered(await press(alice, page, 'allow')).fields.code;
};
const seen = async (access: string) =>
  (await introspect(server, { token: access }, { auth: basic('pay-api', 'web-secret-1') })).json;

describe('rich authorization requests (RFC 9396)', () => {
  it('asks in a sentence, for what the sentence leaves out too, and escapes what the client has written', async () => {
    const { text } = await ask([payment({ reference: 'Invoice 7' })]);
    assert(
      text.includes(
        'Pay <strong>120.00</strong> <strong>EUR</strong> to <strong>Merchant &lt;b&gt;A&lt;/b&gt;</strong>',
      ),
      text,
    );
    assert(text.includes('reference: Invoice 7'));
    assert(text.includes('Payments'));
  });

  it('puts them into the answer, the token of their API, and introspection (sections 7 to 9)', async () => {
    const code = await agreed([payment(), BOOK]);
    const { json } = await redeem(server, code, {}, SHOP);
    assert.deepEqual(json.authorization_details, [payment()]);
    const told = await seen(json.access_token);
    assert.deepEqual([told.aud, told.authorization_details], [PAY, [payment()]]);
    const book = await refresh(server, json.refresh_token, { resource: BOOKS }, SHOP);
    assert.deepEqual(book.json.authorization_details, [BOOK]);
    assert.deepEqual(claimsOf(book.json.access_token).authorization_details, [BOOK]);
    assert.deepEqual((await seen(book.json.access_token)).authorization_details, [BOOK]);
    const own = await refresh(server, book.json.refresh_token, { scope: 'openid' }, SHOP);
    assert.equal('authorization_details' in own.json, false);
  });

  it('asks each time, whatever was agreed to before, and never without a page (section 11.1)', async () => {
    for (const _ of [1, 2]) assert(await agreed([payment()]));
    const { error } = delivered(await ask([payment()], { prompt: 'none' })).fields;
    assert.equal(error, 'consent_required');
  });

  it('attack: one click is one grant, however often its last redirect is sent', async () => {
    const { url, location } = await press(alice, await ask([payment()]), 'allow');
    assert(location);
    const again = [await alice.go(url), ...(await Promise.all(Array.from({ length: 20 }, () => alice.go(url))))];
    assert.deepEqual(new Set(again.map(({ status }) => status)), new Set([400]));
    // What was agreed to and not answered yet is answered once, also by many at a time.
    const { action, fields } = formWith(await ask([payment()]), 'action" value="allow');
    fields.set('action', 'allow');
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: server.base };
    const { location: next } = await alice.go(action, { method: 'POST', body: fields.toString(), headers });
    assert(next);
    const seen = await Promise.all(Array.from({ length: 20 }, () => alice.go(next)));
    assert.deepEqual(seen.map(({ status }) => status).sort(), [302, ...Array(19).fill(400)]);
  });

  it('a token request leaves some out, and adds and changes none; nothing is spent then (section 6)', async () => {
    const [first, second] = [payment(), payment({ amount: '7.00' })];
    const code = await agreed([first, second]);
    const asking = (details: unknown) => ({ authorization_details: JSON.stringify(details) });
    for (const more of [[payment({ amount: '121.00' })], [first, BOOK], [{ ...first, reference: 'x' }], 'x', []]) {
      const refused = await redeem(server, code, asking(more), SHOP);
      assert.deepEqual(
        [refused.status, refused.json.error],
        [400, 'invalid_authorization_details'],
        JSON.stringify(more),
      );
    }
    const { json } = await redeem(server, code, asking([second]), SHOP);
    assert.deepEqual(json.authorization_details, [second]);
    assert.deepEqual((await seen(json.access_token)).authorization_details, [second]);
    const grown = await refresh(server, json.refresh_token, asking([payment({ amount: '7.01' })]), SHOP);
    assert.deepEqual([grown.status, grown.json.error], [400, 'invalid_authorization_details']);
    const { payee, ...others } = first;
    const narrowed = await refresh(server, json.refresh_token, asking([{ payee, ...others }]), SHOP);
    assert.deepEqual(narrowed.json.authorization_details, [first], 'the order of members does not count');
    const all = await refresh(server, narrowed.json.refresh_token, {}, SHOP);
    assert.deepEqual(all.json.authorization_details, [first, second]);
  });

  it('a grant without any cannot get some', async () => {
    const code = delivered(await alice.follow(authorizationUrl(server, { client_id: 'shop', scope: 'openid' }))).fields
      .code;
    const refused = await redeem(server, code, { authorization_details: JSON.stringify([payment()]) }, SHOP);
    assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_authorization_details']);
    assert.equal((await redeem(server, code, {}, SHOP)).status, 200);
  });

  const bad: readonly (readonly [string, unknown])[] = [
    ['no JSON', 'x'],
    ['no array', payment()],
    ['nothing', []],
    ['an entry without type', [{ amount: '1.00' }]],
    ['an unknown type', [{ type: 'transfer' }]],
    ['a type by another case', [payment({ type: 'Payment' })]],
    ['a name of every object', [{ type: 'constructor' }]],
    ['a missing member', [payment({ payee: undefined })]],
    ['a member that the type does not have', [payment({ until: 'forever' })]],
    ['a member inside that the type does not have', [payment({ payee: { name: 'A', iban: 'x' } })]],
    ['a value of another type', [payment({ amount: 120 })]],
    ['a value beside the pattern', [payment({ amount: '120.0' })]],
    ['a value that is not in the list', [payment({ currency: 'eur' })]],
    ['characters that nobody sees in the sentence', [payment({ payee: { name: 'Merchant\u202e' } })]],
    ['characters that nobody sees beside it', [payment({ reference: '1\u202e2' })]],
    ['nothing to see in the sentence', [payment({ payee: { name: ' ' } })]],
    ['eleven entries', Array.from({ length: 11 }, () => payment())],
    ['five kilobytes', [payment({ reference: 'x'.repeat(5000) })]],
  ];
  for (const [name, details] of bad) {
    it(`refuses ${name}: invalid_authorization_details, at /auth and /par (section 5)`, async () => {
      const text = typeof details === 'string' ? details : JSON.stringify(details);
      const { error, state } = delivered(await ask(text)).fields;
      assert.deepEqual([error, state], ['invalid_authorization_details', 'st']);
      const url = new URL(authorizationUrl(server, { client_id: 'shop', authorization_details: text }));
      const pushed = await post(`${server.at()}/par`, url.search.slice(1), SHOP);
      assert.deepEqual([pushed.status, pushed.json.error], [400, 'invalid_authorization_details']);
    });
  }

  it('comes by /par', async () => {
    const fields = query({
      client_id: 'shop',
      redirect_uri: 'https://client.example/cb',
      response_type: 'code',
      scope: 'openid',
    });
    const body = `${fields}&${query({ authorization_details: JSON.stringify([BOOK]) })}`;
    const { json } = await post(`${server.at()}/par`, body, SHOP);
    const page = await alice.follow(
      `${server.at()}/auth?${query({ client_id: 'shop', request_uri: json.request_uri })}`,
    );
    assert(page.text.includes('Read <strong>Emma</strong>'));
    const { code } = delivered(await press(alice, page, 'allow')).fields;
    assert.deepEqual((await redeem(server, code, {}, SHOP)).json.authorization_details, [BOOK]);
  });

  it('a client that may not use the API cannot name its types', async () => {
    const { error } = delivered(await ask([payment()], { client_id: 'web' })).fields;
    assert.equal(error, 'invalid_authorization_details');
  });

  it('grants that do not know the parameter refuse it; an application without types ignores it', async () => {
    const authorization_details = JSON.stringify([payment()]);
    const fields = {
      grant_type: 'password',
      username: 'alice',
      password: 'correct horse battery staple',
      authorization_details,
    };
    const refused = await token(server, fields);
    assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_authorization_details']);
    const plain = await aTokenSet(server, { authorization_details }, undefined, 'plain');
    assert.equal('authorization_details' in plain, false);
  });

  it('is in discovery where the application has types (section 10)', async () => {
    const types = async (app?: string) =>
      (await get(`${server.at(app)}/.well-known/openid-configuration`)).json.authorization_details_types_supported;
    assert.deepEqual([await types(), await types('plain')], [['payment', 'book'], undefined]);
  });
});

describe('the JSON Schema of a type', () => {
  it('has the keywords that are checked, and no other', () => {
    assert.equal(schemaFault(schema), undefined);
    for (const wrong of [
      [],
      { $ref: '#/x' },
      { type: 'null' },
      { pattern: '(' },
      { properties: { a: { oneOf: [] } } },
      { items: { items: { items: { items: { items: { items: {} } } } } } },
      { enum: [] },
    ]) {
      assert(schemaFault(wrong), JSON.stringify(wrong));
    }
  });

  for (const [given, right, wrong] of [
    [{ type: 'integer', minimum: 1, maximum: 3 }, [1, 3], [0, 4, 1.5, '1', null]],
    [
      { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
      [['a'], ['a', 'b']],
      [[], ['a', 1], ['a', 'b', 'c'], {}],
    ],
    [{ type: 'boolean' }, [true, false], [0, 'true', null]],
    [{ const: { a: [1] } }, [{ a: [1] }], [{ a: [2] }, { a: [1], b: 1 }, [1]]],
    [{ type: 'object', additionalProperties: true }, [{}, { a: 1 }], [[], null, 'x']],
    [{ type: 'string', minLength: 1, maxLength: 2 }, ['a', 'ab'], ['', 'abc', 1]],
  ] as const) {
    it(`${JSON.stringify(given)}`, () => {
      for (const value of right) assert.equal(valueFault(given, value), undefined, JSON.stringify(value));
      for (const value of wrong) assert(valueFault(given, value), JSON.stringify(value));
    });
  }
});

describe('what the sentence leaves out (RFC 9396 section 12: the user sees what is asked)', () => {
  const rest = (members: Readonly<Record<string, unknown>>) =>
    restOf({ display: 'Pay {amount} to {payee.name}', schema: {} }, { type: 'payment', ...members });

  it('is shown by its path, and what the sentence says is not said twice', () => {
    assert.deepEqual(rest({}), []);
    assert.deepEqual(rest({ amount: '1', payee: { name: 'A' } }), []);
    assert.deepEqual(rest({ amount: '1', payee: { name: 'A', bank: { iban: 'x', fast: true } }, days: [1, 2] }), [
      ['payee.bank.iban', 'x'],
      ['payee.bank.fast', 'true'],
      ['days', '[1,2]'],
    ]);
    assert.deepEqual(rest({ payee: {}, amount: { value: 1 } }), [
      ['payee', '{}'],
      ['amount.value', '1'],
    ]);
  });

  it('is shown of a member too whose name looks like the path of another', () => {
    assert.deepEqual(rest({ amount: '1', 'payee.name': 'B' }), [['payee\\.name', 'B']]);
    assert.deepEqual(rest({ amount: '1', '': { amount: '1000' } }), [['.amount', '1000']]);
  });
});
