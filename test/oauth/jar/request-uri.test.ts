import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { importJWK, type JWK, SignJWT } from 'jose';
import { aSigningPair } from '../../build/assertion.ts';
import { basic, get, post } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { encryptedTo } from '../../build/encryption.ts';
import { aClient, CALLBACK } from '../../build/fixture.ts';
import { openKeyServer } from '../../build/key-server.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { signedIn } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { query } from '../../build/visitor.ts';

const OWN = aSigningPair('ES256');
const BESIDE = { response_type: 'code', redirect_uri: CALLBACK, state: 'beside' };
/** Longer than a document is fresh that does not say how long. */
const LATER_SECONDS = 301;

describe('signed requests by reference (request_uri, RFC 9101 section 5.2)', () => {
  const clock = fixedClock();
  const documents = suitePart(() => openKeyServer({ status: 404 }));
  const signs = { jwks: { keys: [OWN.publicJwk] }, request_object_signing_alg: 'ES256' } as const;
  const server = suiteServer(() => ({
    clock,
    env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
    clients: [
      aClient(),
      aClient({
        ...{
          client_id: 'refers',
          ...signs,
          request_uris: [documents.address, `${documents.address}?fixed#${'A'.repeat(43)}`],
        },
        request_object_encryption_alg: 'ECDH-ES',
      }),
      aClient({ client_id: 'signs', ...signs }),
    ],
  }));
  const alice = suitePart(() => signedIn(server));

  const object = async (over: Record<string, unknown> = {}) => {
    const claims = {
      ...{ iss: 'refers', aud: server.at(), client_id: 'refers', exp: clock.now() + 60, prompt: 'none' },
      ...{ response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', state: 'inside', ...over },
    };
    const jwt = new SignJWT(claims).setProtectedHeader({
      alg: 'ES256',
      kid: OWN.publicJwk.kid,
      typ: 'oauth-authz-req+jwt',
    });
    return jwt.sign(await importJWK(OWN.privateKey.export({ format: 'jwk' }), 'ES256'));
  };
  const publish = (body: string) =>
    documents.answer({ headers: { 'content-type': 'application/oauth-authz-req+jwt' }, body });
  const auth = async (request_uri: string, over: Record<string, string | undefined> = {}) =>
    delivered(await alice.go(`${server.at()}/auth?${query({ ...BESIDE, client_id: 'refers', request_uri, ...over })}`))
      .fields;
  const hashed = (text: string) => `${documents.address}#${hash('sha256', text, 'base64url')}`;

  it('is fetched once, answered, and cached; parameters beside it do not count', async () => {
    clock.advance(LATER_SECONDS);
    publish(await object());
    const before = documents.count();
    for (const _ of [1, 2, 3]) {
      const { code, state } = await auth(documents.address);
      assert(code);
      assert.equal(state, 'inside');
    }
    assert.equal(documents.count(), before + 1);
  });

  it('may be encrypted to the application', async () => {
    clock.advance(LATER_SECONDS);
    const { keys } = (await get(`${server.at()}/jwks`)).json;
    publish(
      await encryptedTo(
        keys.find((key: JWK) => key.use === 'enc'),
        await object({ state: 'encrypted' }),
      ),
    );
    assert.equal((await auth(documents.address)).state, 'encrypted');
  });

  it('has the hash that its address names, and another hash makes it be fetched again (OpenID Connect Core section 6.2)', async () => {
    clock.advance(LATER_SECONDS);
    const first = await object({ state: 'first' });
    publish(first);
    assert.equal((await auth(hashed(first))).state, 'first');
    clock.advance(11);
    const second = await object({ state: 'second' });
    publish(second);
    assert.equal((await auth(hashed(second))).state, 'second');
    const { error, state } = await auth(hashed('another text'));
    assert.deepEqual([error, state], ['invalid_request_uri', 'beside']);
  });

  it('one whose time is over is fetched again, and refused if it is still there', async () => {
    clock.advance(LATER_SECONDS);
    publish(await object());
    assert((await auth(documents.address)).code);
    clock.advance(150);
    publish(await object({ state: 'anew' }));
    assert.equal((await auth(documents.address)).state, 'anew');
    clock.advance(150);
    assert.equal((await auth(documents.address)).error, 'invalid_request_object');
  });

  it('attack: nothing is fetched that is not registered, and nothing with request beside it', async () => {
    const before = documents.count();
    const { address } = documents;
    const addresses = [
      ...[
        `${address}/`,
        `${address}?x=1`,
        address.replace('127.0.0.1', 'localhost'),
        `${address}?fixed`,
        `${address}#x`,
      ],
      ...[
        `${address}?fixed#${'B'.repeat(43)}`,
        `${address}#${'A'.repeat(43)}#`,
        'http://169.254.169.254/',
        'file:///etc/passwd',
      ],
    ];
    for (const request_uri of addresses) {
      const { error, state } = await auth(request_uri);
      assert.deepEqual([error, state], ['invalid_request_uri', 'beside'], request_uri);
    }
    assert.equal((await auth(address, { request: await object() })).error, 'invalid_request_uri');
    assert.equal((await auth(address, { client_id: 'signs' })).error, 'request_uri_not_supported');
    assert.equal(documents.count(), before);
    const sending = { auth: basic('refers', 'web-secret-1') };
    const pushed = await post(`${server.at()}/par`, { ...BESIDE, request_uri: address }, sending);
    assert.deepEqual([pushed.status, pushed.json.error], [400, 'invalid_request']);
  });

  it('attack: a flood of other hashes causes one request in ten seconds', async () => {
    clock.advance(LATER_SECONDS);
    publish(await object());
    const before = documents.count();
    for (let at = 0; at < 20; at++) assert.equal((await auth(hashed(`guess ${at}`))).error, 'invalid_request_uri');
    assert.equal(documents.count(), before + 1);
  });

  it('what cannot be read is refused: too long, a redirect, not there, an object without a signature', async () => {
    for (const answer of [
      { body: 'x'.repeat(13_000) },
      { status: 302, headers: { location: documents.address } },
      { status: 404 },
    ]) {
      clock.advance(3601);
      documents.answer(answer);
      assert.equal((await auth(documents.address)).error, 'invalid_request_uri', JSON.stringify(answer).slice(0, 50));
    }
    clock.advance(3601);
    publish('eyJhbGciOiJub25lIn0.eyJjbGllbnRfaWQiOiJyZWZlcnMifQ.');
    assert.equal((await auth(documents.address)).error, 'invalid_request_object');
  });

  it('is registered with addresses that can be fetched, and with a signature', async () => {
    const owner = await anOperatorClient(server);
    const signs = { jwks: { keys: [OWN.publicJwk] }, request_object_signing_alg: 'ES256' };
    for (const [fields, field] of [
      [{ ...signs, request_uris: ['ftp://a.example/x'] }, '/request_uris/0'],
      [{ ...signs, request_uris: ['https://a.example/x#short'] }, '/request_uris/0'],
      [{ ...signs, request_uris: Array.from({ length: 21 }, (_, at) => `https://a.example/${at}`) }, '/request_uris'],
      [{ request_uris: ['https://a.example/x'] }, '/request_uris'],
    ] as const) {
      const { status, text } = await owner.ask('POST', '/applications/shop/clients', fields);
      assert.equal(status, 400, text);
      assert(text.includes(`"${field}"`), text);
    }
  });
});
