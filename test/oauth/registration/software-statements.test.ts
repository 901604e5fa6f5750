import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { aSigningPair, encoded } from '../../build/assertion.ts';
import { changeRegistration, PUBLIC, register as registerAt } from '../../build/assistant.ts';
import type { Answered } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { eventDuring } from '../../build/events.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { keySetOf, openKeyServer } from '../../build/key-server.ts';
import { aStatement } from '../../build/software-statement.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { withStatus } from '../../build/with-status.ts';

const DIRECTORY = 'https://directory.example';
/** An issuer need not be an address (RFC 7519 section 4.1.1). */
const BANKS = 'Banks Ltd';
const KEY = aSigningPair('PS256', 'directory');
const NEXT_KEY = aSigningPair('PS256', 'next key of the directory');
const BANKS_KEY = aSigningPair('ES256', 'banks');
const STRANGER = aSigningPair('PS256', 'stranger');

const clock = fixedClock();

const keys = suitePart(() => openKeyServer(keySetOf(KEY.publicJwk)));
const server = suiteServer(() => {
  const issuers = [
    { issuer: DIRECTORY, jwks_uri: keys.address },
    { issuer: BANKS, jwks: { keys: [BANKS_KEY.publicJwk] } },
  ];
  return {
    clock,
    env: { TRUSTED_PROXIES: '127.0.0.1', GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
    applications: [
      anApplication({ dynamic_registration: 'open', software_statements: { issuers }, clients: [aClient()] }),
      anApplication({
        ...{ code: 'partners', name: 'Partners', dynamic_registration: 'open', clients: [] },
        software_statements: { required: true, issuers: [issuers[1]] },
      }),
      anApplication({ code: 'other', name: 'Other', dynamic_registration: 'open', clients: [] }),
    ],
  };
});

const register = (metadata: unknown, app?: string) => registerAt(server, metadata, app);

/** As the directory makes it. */
const claims = (over: Readonly<Record<string, unknown>> = {}) => ({
  ...{ iss: DIRECTORY, iat: clock.now(), exp: clock.now() + 86_400, software_id: 'assistant-4' },
  ...{ client_name: 'Assistant of the directory', redirect_uris: ['https://vouched.example/cb'], ...over },
});
const ofBanks = (over: Readonly<Record<string, unknown>> = {}) =>
  aStatement(BANKS_KEY, claims({ iss: BANKS, ...over }));

function assertError({ status, json, text }: Answered, error: string, description: RegExp): void {
  assert.deepEqual([status, json.error], [400, error], text);
  assert.match(json.error_description, description);
}

describe('software statements (RFC 7591 section 2.3)', () => {
  it('what the statement says takes precedence, is registered, and the statement comes back unmodified (section 3.2.1)', async () => {
    const software_statement = aStatement(KEY, claims({ scope: 'openid', default_max_age: 60 }));
    const { json } = await withStatus(201, register({ ...PUBLIC, scope: 'openid profile', software_statement }));
    assert.equal(json.software_statement, software_statement);
    assert.equal(json.client_name, 'Assistant of the directory');
    assert.deepEqual(json.redirect_uris, ['https://vouched.example/cb']);
    assert.deepEqual([json.scope, json.default_max_age], ['openid', 60]);
    assert.equal(json.token_endpoint_auth_method, 'none', 'what it does not say is as the request says');
    const stored = await server.services.store.findClient('shop', json.client_id);
    assert.deepEqual(stored?.redirect_uris, ['https://vouched.example/cb']);
  });

  it('is one of every installation: the same statement registers any number of clients', async () => {
    const software_statement = ofBanks();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => register({ token_endpoint_auth_method: 'none', software_statement })),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(answers.map(({ json }) => json.client_id)).size, 5);
  });

  it('the event tells who vouched for which software', async () => {
    const created = await eventDuring(server, 'client.created', () =>
      register({ ...PUBLIC, software_statement: ofBanks() }),
    );
    const { software_statement_issuer, software_id } = created.details ?? {};
    assert.deepEqual([software_statement_issuer, software_id], [BANKS, 'assistant-4']);
  });

  it('gives a client nothing that it could not give itself', async () => {
    const widening = ofBanks({
      ...{ client_id: 'web', client_secret: 'chosen-by-the-statement', origin: undefined },
      ...{ require_consent: false, apis: ['https://api.shop.example'], access_token_format: 'jwt' },
      grant_types: ['authorization_code', 'client_credentials', 'password', 'implicit'],
    });
    const { json } = await withStatus(201, register({ ...PUBLIC, software_statement: widening }));
    assert.deepEqual(json.grant_types, ['authorization_code']);
    const stored = await server.services.store.findClient('shop', json.client_id);
    assert.deepEqual(
      [stored?.require_consent, stored?.apis, stored?.access_token_format, stored?.origin, stored?.secret_hash],
      [true, undefined, 'opaque', 'dynamic_registration', undefined],
    );
    assert.notEqual(json.client_id, 'web');
  });

  it('the rules of metadata hold for what it says', async () => {
    const script = ofBanks({ redirect_uris: ['javascript:alert(1)'] });
    assertError(await register({ ...PUBLIC, software_statement: script }), 'invalid_redirect_uri', /redirect_uris/);
  });

  it('null is none, and takes no precedence', async () => {
    const { status, json } = await register({ ...PUBLIC, software_statement: null });
    assert.deepEqual([status, json.software_statement], [201, undefined]);
    const empty = ofBanks({ redirect_uris: null, jwks_uri: null });
    const registered = await register({ ...PUBLIC, software_statement: empty });
    assert.deepEqual(registered.json.redirect_uris, PUBLIC.redirect_uris);
  });

  it('keys of the statement and of the request are not mixed', async () => {
    const jwks_uri = 'https://assistant.example/keys';
    const method = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [KEY.publicJwk] } };
    const mixed = await register({ ...PUBLIC, ...method, software_statement: ofBanks({ jwks_uri }) });
    assertError(mixed, 'invalid_client_metadata', /jwks_uri: must not be set together with jwks/);
  });

  it('a PUT without one replaces what it said, where none is required; the events tell who vouched (RFC 7592)', async () => {
    const { json } = await register({ ...PUBLIC, software_statement: ofBanks() });
    const change = (fields: object) => changeRegistration(json, { ...PUBLIC, ...fields });
    const vouched = await eventDuring(server, 'client.updated', () => change({ software_statement: ofBanks() }));
    assert.deepEqual(
      [vouched.details?.software_statement_issuer, vouched.details?.software_id],
      [BANKS, 'assistant-4'],
    );
    const plain = await eventDuring(server, 'client.updated', () => change({}));
    assert.equal(plain.details?.software_statement_issuer, undefined);
    const stored = await server.services.store.findClient('shop', json.client_id);
    assert.deepEqual([stored?.client_name, stored?.redirect_uris], [PUBLIC.client_name, PUBLIC.redirect_uris]);
  });
});

describe('a statement that cannot be trusted registers nothing', () => {
  const soon = 120;
  const [head = '', body = '', seal = ''] = aStatement(KEY, { iss: DIRECTORY, software_id: 'x' }).split('.');
  const token = { iss: DIRECTORY, sub: 'alice', scope: 'openid profile' };
  const assertion = () => ({ ...token, aud: server.at(), exp: clock.now() + 60, jti: 'x', scope: undefined });
  const publicKey = JSON.stringify(BANKS_KEY.publicJwk);
  const macInput = `${encoded({ alg: 'HS256', kid: BANKS_KEY.publicJwk.kid })}.${encoded({ iss: BANKS })}`;
  const hostile: readonly [string, () => unknown, RegExp][] = [
    ['no text', () => ({}), /no signed JWT/],
    ['no JWT', () => 'x', /no signed JWT/],
    ['without its signature', () => `${head}.${body}.`, /signature/],
    ['the algorithm none', () => `${encoded({ alg: 'none' })}.${body}.`, /algorithm/],
    [
      'a MAC with the public key as its secret',
      () => `${macInput}.${createHmac('sha256', publicKey).update(macInput).digest('base64url')}`,
      /algorithm/,
    ],
    ['the signature of another statement', () => `${head}.${encoded(claims())}.${seal}`, /signature/],
    [
      'signed by a stranger under the kid of the directory',
      () => aStatement(STRANGER, claims(), { kid: KEY.publicJwk.kid }),
      /signature/,
    ],
    ['signed by the key of another trusted issuer', () => aStatement(BANKS_KEY, claims()), /no key/],
    ['a kid that the issuer does not have', () => aStatement(KEY, claims(), { kid: 'unknown' }), /no key/],
    [
      'a key in its own header',
      () => aStatement(STRANGER, claims(), { jwk: STRANGER.publicJwk, kid: undefined }),
      /signature/,
    ],
    ['expired', () => aStatement(KEY, claims({ exp: clock.now() - soon })), /expired/],
    ['an expiry that is no number', () => aStatement(KEY, claims({ exp: 'never' })), /expired/],
    ['not valid yet', () => aStatement(KEY, claims({ nbf: clock.now() + soon })), /not valid yet/],
    ['made in the future', () => aStatement(KEY, claims({ iat: clock.now() + soon })), /not valid yet/],
    ['made for another server', () => aStatement(KEY, claims({ aud: 'https://other.example' })), /another server/],
    [
      'an ID token of the issuer',
      () => aStatement(KEY, claims({ aud: 'client-7', sub: 'alice', nonce: 'n' })),
      /another server/,
    ],
    ['an access token of the issuer', () => aStatement(KEY, claims(), { typ: 'at+jwt' }), /no signed JWT/],
    ['an extension that is critical', () => aStatement(KEY, claims(), { crit: ['exp'] }), /no signed JWT/],
    ['too long', () => aStatement(KEY, claims({ client_uri: 'x'.repeat(8192) })), /no signed JWT/],
    ['an access token of the issuer that does not say so', () => aStatement(KEY, token), /neither software_id nor/],
    [
      'an assertion of the issuer as a client of this server',
      () => aStatement(KEY, assertion()),
      /neither software_id/,
    ],
    ['a token with metadata that is null', () => aStatement(KEY, { ...token, jwks_uri: null }), /neither software_id/],
    ['without an issuer', () => aStatement(KEY, claims({ iss: undefined })), /no iss/],
    ['an issuer that is no text', () => aStatement(KEY, claims({ iss: [DIRECTORY] })), /no iss/],
  ];
  for (const [name, make, description] of hostile) {
    it(`attack: ${name}`, async () => {
      const clients = (await server.services.store.clientsOf('shop')).length;
      const answered = await register({ ...PUBLIC, software_statement: make() });
      assertError(answered, 'invalid_software_statement', description);
      assert.equal((await server.services.store.clientsOf('shop')).length, clients);
    });
  }

  for (const iss of ['https://stranger.example', `${DIRECTORY}/`, 'banks ltd', '__proto__']) {
    it(`an issuer that is not trusted: ${iss}`, async () => {
      const answered = await register({ ...PUBLIC, software_statement: aStatement(KEY, claims({ iss })) });
      assertError(answered, 'unapproved_software_statement', /issuer/);
    });
  }

  it('nothing crosses applications: an issuer is trusted where it is listed', async () => {
    const software_statement = ofBanks();
    assert.equal((await register({ ...PUBLIC, software_statement })).status, 201);
    const elsewhereRefused = await register({ ...PUBLIC, software_statement }, 'other');
    assertError(elsewhereRefused, 'unapproved_software_statement', /issuer/);
  });

  for (const aud of [() => server.at(), () => `${server.at()}/register`, () => ['x', server.at()]]) {
    it(`a statement for this server is taken: ${aud.toString().slice(6)}`, async () => {
      assert.equal((await register({ ...PUBLIC, software_statement: ofBanks({ aud: aud() }) })).status, 201);
    });
  }

  it('clocks may differ by a minute', async () => {
    const late = ofBanks({ exp: clock.now() - 30, iat: clock.now() + 30 });
    assert.equal((await register({ ...PUBLIC, software_statement: late })).status, 201);
  });
});

describe('the published keys of an issuer', () => {
  it('a new key counts as soon as it is published; while keys cannot be fetched the answer is 503', async () => {
    const ofNext = () => register({ ...PUBLIC, software_statement: aStatement(NEXT_KEY, claims()) });
    clock.advance(10);
    assertError(await ofNext(), 'invalid_software_statement', /no key/);
    keys.answer(keySetOf(KEY.publicJwk, NEXT_KEY.publicJwk));
    clock.advance(10);
    assert.equal((await ofNext()).status, 201);
    clock.advance(86_400);
    keys.answer({ status: 500 });
    const down = await register({ ...PUBLIC, software_statement: aStatement(KEY, claims()) });
    assert.deepEqual([down.status, down.json.error], [503, 'temporarily_unavailable'], down.text);
    assert.equal(down.headers.get('retry-after'), '30');
    keys.answer(keySetOf(KEY.publicJwk));
    clock.advance(60);
    assert.equal((await register({ ...PUBLIC, software_statement: aStatement(KEY, claims()) })).status, 201);
  });

  it('attack: 50 unknown kids at once cause one fetch', async () => {
    clock.advance(10);
    const before = keys.count();
    const unknown = (each: number) => aStatement(KEY, claims(), { kid: `unknown-${each}` });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, each) => register({ ...PUBLIC, software_statement: unknown(each) })),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([400]));
    assert.equal(keys.count(), before + 1);
  });
});

describe('an application that demands a statement', () => {
  it('registers nobody without one', async () => {
    const answered = await register(PUBLIC, 'partners');
    assertError(answered, 'invalid_client_metadata', /software_statement: must be sent/);
    assert.equal((await register({ ...PUBLIC, software_statement: ofBanks() }, 'partners')).status, 201);
  });

  it('attack: a client does not leave its statement behind when it changes itself (RFC 7592 section 2.2)', async () => {
    const software_statement = ofBanks();
    const { json } = await register({ ...PUBLIC, software_statement }, 'partners');
    const change = (fields: object) => changeRegistration(json, { ...PUBLIC, ...fields });
    const evil = { redirect_uris: ['https://evil.example/cb'] };
    assertError(await change(evil), 'invalid_client_metadata', /software_statement: must be sent/);
    const expired = await change({ ...evil, software_statement: ofBanks({ exp: clock.now() - 3600 }) });
    assertError(expired, 'invalid_software_statement', /expired/);
    const changed = await withStatus(200, change({ ...evil, software_statement, default_max_age: 5 }));
    assert.deepEqual(
      [changed.json.redirect_uris, changed.json.default_max_age, changed.json.software_statement],
      [['https://vouched.example/cb'], 5, software_statement],
    );
  });
});
