import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLocalJWKSet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { responseTypes } from '../../../src/oauth/authorize/response-type.rules.ts';
import { contentEncryptions, keyEncryptionAlgs } from '../../../src/oauth/encryption/algorithms.rules.ts';
import { ALICE, aPkcePair, basic, get, post, type Sending, send, token } from '../../build/client.ts';
import { deliverLogoutNotices } from '../../build/deliver-notices.ts';
import { delivered } from '../../build/delivered.ts';
import { aBox, aWaitingDevice, decide, pollFor } from '../../build/device.ts';
import { anEncryptionPair, decrypted, type EncryptionPair } from '../../build/encryption.ts';
import { aClient, CALLBACK, type ClientInput } from '../../build/fixture.ts';
import { keySetOf, openKeyServer } from '../../build/key-server.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { logIn, signedIn } from '../../build/people.ts';
import { openReceiver } from '../../build/receiver.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, query, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';

const OWN = anEncryptionPair('P-256');
const RSA = anEncryptionPair('RSA');
const X = anEncryptionPair('X25519');
const INTROSPECTION = 'application/token-introspection+jwt';

/** Everything that can be encrypted to it is. */
const SEALED: ClientInput = {
  ...{ id_token_encrypted_response_alg: 'ECDH-ES+A128KW', id_token_encrypted_response_enc: 'A256GCM' },
  ...{ userinfo_signed_response_alg: 'ES256', userinfo_encrypted_response_alg: 'ECDH-ES+A128KW' },
  ...{ authorization_signed_response_alg: 'ES256', authorization_encrypted_response_alg: 'ECDH-ES+A128KW' },
  ...{ introspection_signed_response_alg: 'ES256', introspection_encrypted_response_alg: 'ECDH-ES+A128KW' },
  id_token_signed_response_alg: 'ES256',
};
const GRANTS = ['authorization_code', 'refresh_token', 'password', 'implicit'] as const;

describe('encrypted answers (OpenID Connect Core section 10.2, JARM, RFC 9701)', () => {
  const keys = suitePart(() => openKeyServer(keySetOf({ ...OWN.publicJwk, use: undefined })));
  const told = suitePart(openReceiver, ({ down }) => down());
  const jwks = { keys: [OWN.publicJwk] };
  const sealed = { ...SEALED, jwks, grant_types: [...GRANTS], response_types: [...responseTypes] };
  const server = suiteServer(() => ({
    env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
    clients: [
      aClient(),
      aClient({ ...sealed, client_id: 'sealed', backchannel_logout_uri: told.address }),
      aClient({ ...sealed, client_id: 'fetches', jwks: undefined, jwks_uri: keys.address }),
      aBox({ jwks, id_token_encrypted_response_alg: 'ECDH-ES' }),
      aClient({ client_id: 'unsigned', jwks, userinfo_encrypted_response_alg: 'ECDH-ES' }),
      aClient({ client_id: 'plain' }),
      aClient({ client_id: 'by-verifier', jwks_uri: keys.address, id_token_encrypted_response_alg: 'ECDH-ES' }),
      aClient({ client_id: 'published', jwks_uri: keys.address, id_token_encrypted_response_alg: 'ECDH-ES' }),
      ...keyEncryptionAlgs.map((alg, index) =>
        aClient({
          client_id: `by ${alg}`.replace(' ', '-'),
          jwks: { keys: [(alg.startsWith('RSA') ? RSA : X).publicJwk] },
          id_token_encrypted_response_alg: alg,
          id_token_encrypted_response_enc: contentEncryptions[index % contentEncryptions.length],
        }),
      ),
    ],
  }));
  const alice = suitePart(() => signedIn(server));

  const as = (clientId: string): Sending => ({ auth: basic(clientId, 'web-secret-1') });
  const tokens = async (clientId = 'sealed') => {
    return token(server, { grant_type: 'password', ...ALICE, scope: 'openid email' }, as(clientId));
  };
  /** Decrypted and verified, as the client does. */
  const opened = async (jwe: unknown, pair: EncryptionPair = OWN, audience = 'sealed') => {
    const { text, header } = await decrypted(jwe, pair);
    const { payload } = await jwtVerify(text, createLocalJWKSet((await get(`${server.at()}/jwks`)).json), {
      ...{ issuer: server.at(), audience },
    });
    return { payload, header };
  };
  const ask = (fields: Fields, visitor = alice) =>
    visitor.go(
      authorizationUrl(server, { client_id: 'sealed', nonce: 'n1', scope: 'openid email', prompt: 'none', ...fields }),
    );
  const introspecting = (tokenValue: string, accept: string, clientId = 'sealed') =>
    send(`${server.at()}/introspect`, {
      ...{ method: 'POST', body: query({ token: tokenValue }) },
      headers: {
        ...{ authorization: basic(clientId, 'web-secret-1'), accept },
        'content-type': 'application/x-www-form-urlencoded',
      },
    });

  for (const [index, alg] of keyEncryptionAlgs.entries()) {
    it(`encrypts ID tokens with ${alg}, signed before, and names the key and what is inside`, async () => {
      const clientId = `by-${alg}`;
      const { json } = await tokens(clientId);
      const { payload, header } = await opened(json.id_token, alg.startsWith('RSA') ? RSA : X, clientId);
      const enc = contentEncryptions[index % contentEncryptions.length];
      assert.deepEqual([header.alg, header.enc, header.cty], [alg, enc, 'JWT']);
      assert.equal(header.kid, (alg.startsWith('RSA') ? RSA : X).publicJwk.kid);
      assert(payload.sub && payload.at_hash);
    });
  }

  it('property: nothing that a client has registered for leaves in clear, by any response type, mode and grant', async () => {
    const seen: string[] = [];
    const note = (...texts: (string | undefined)[]) => seen.push(...texts.map(text => text ?? ''));
    for (const response_type of responseTypes) {
      for (const response_mode of [
        undefined,
        'jwt',
        'fragment.jwt',
        'form_post.jwt',
        'query',
        'fragment',
        'form_post',
      ]) {
        for (const over of [{}, { scope: 'openid admin' }, { max_age: 'x' }, { nonce: undefined }]) {
          const { fields, raw } = delivered(await ask({ response_type, response_mode, ...over }));
          const name = `${response_type} ${response_mode} ${JSON.stringify(over)}: ${raw}`;
          assert.deepEqual(Object.keys(fields), ['response'], name);
          const { payload } = await opened(fields.response);
          assert(payload.state, name);
          if (payload.id_token !== undefined) await opened(payload.id_token);
          note(...Object.values(fields));
        }
      }
    }
    const stranger = delivered(await ask({}, new Visitor(server.base)));
    assert.equal((await opened(stranger.fields.response)).payload.error, 'login_required');
    note(stranger.raw);
    const { json } = await tokens();
    note(json.id_token);
    const refreshed = await token(
      server,
      { grant_type: 'refresh_token', refresh_token: json.refresh_token },
      as('sealed'),
    );
    await opened(refreshed.json.id_token);
    note(refreshed.json.id_token);
    note((await get(`${server.at()}/userinfo`, { authorization: `Bearer ${json.access_token}` })).text);
    for (const accept of ['application/json', '*/*', INTROSPECTION]) {
      note((await introspecting(json.access_token, accept)).text, (await introspecting('nothing', accept)).text);
    }
    const box = { auth: basic('box', 'web-secret-1') };
    const waiting = await aWaitingDevice(server, { client_id: 'box' }, box);
    await decide(server, waiting.user_code, 'allow');
    const polled = await pollFor(server, waiting, { client_id: undefined }, box);
    await opened(polled.json.id_token, OWN, 'box');
    note(polled.json.id_token);
    for (const text of seen) {
      assert(!text.includes('alice'), text);
      // Three parts in a row would be a JWT that is signed only.
      for (const jwt of text.match(/[\w-]{10,}(\.[\w-]*)+/g) ?? []) assert.equal(jwt.split('.').length, 5, jwt);
    }
  });

  it('a mode in clear is refused, and the client is told so encrypted', async () => {
    const { place, fields } = delivered(await ask({ response_mode: 'fragment' }));
    const { payload } = await opened(fields.response);
    assert.deepEqual([place, payload.error], ['query', 'invalid_request']);
    assert.equal(payload.error_description, 'OAuth 2.0 Parameter: response_mode');
  });

  it('a sign-in that began before the client registered encryption ends encrypted', async () => {
    const owner = await anOperatorClient(server);
    const visitor = new Visitor(server.base);
    const page = await visitor.follow(authorizationUrl(server, { client_id: 'plain', scope: 'openid' }));
    const { publicJwk } = OWN;
    const changed = {
      ...{ jwks: { keys: [publicJwk] }, authorization_signed_response_alg: 'ES256' },
      authorization_encrypted_response_alg: 'ECDH-ES',
    };
    await withStatus(200, owner.ask('PATCH', '/applications/shop/clients/plain', changed));
    const { fields } = delivered(await logIn(visitor, page));
    assert((await opened(fields.response, OWN, 'plain')).payload.code);
  });

  it('userinfo is encrypted with the media type of a JWT, also without a signature (OpenID Connect Core section 5.3.2)', async () => {
    const { json } = await tokens('unsigned');
    const answered = await get(`${server.at()}/userinfo`, { authorization: `Bearer ${json.access_token}` });
    assert.equal(answered.headers.get('content-type'), 'application/jwt');
    const { text, header } = await decrypted(answered.text, OWN);
    const claims = JSON.parse(text);
    assert.deepEqual([claims.email, claims.iss, claims.aud], ['alice@example.com', server.at(), 'unsigned']);
    assert.equal(header.cty, undefined);
    const signed = (await tokens()).json.access_token;
    const { payload } = await opened(
      (await get(`${server.at()}/userinfo`, { authorization: `Bearer ${signed}` })).text,
    );
    assert.equal(payload.email, 'alice@example.com');
  });

  it('logout tokens are encrypted as ID tokens are (Back-Channel Logout section 2.4)', async () => {
    const visitor = await signedIn(server);
    const { fields } = delivered(await ask({}, visitor));
    const { payload } = await opened(fields.response);
    const redeemed = await token(
      server,
      { grant_type: 'authorization_code', code: String(payload.code), redirect_uri: CALLBACK },
      as('sealed'),
    );
    const { text } = await decrypted(redeemed.json.id_token, OWN);
    await visitor.follow(`${server.at()}/logout?${query({ id_token_hint: text })}`);
    await deliverLogoutNotices(server.services);
    const { payload: logout } = await opened(told.received.at(-1)?.form.get('logout_token'));
    assert('http://schemas.openid.net/event/backchannel-logout' in (logout.events as object));
  });

  describe('where the key is not there', () => {
    const withoutKeys = async <T>(clientId: string, run: () => Promise<T>): Promise<T> => {
      const owner = await anOperatorClient(server);
      const path = `/applications/shop/clients/${clientId}`;
      const nowhere = { jwks_uri: `${keys.address}/none-${clientId}` };
      keys.answer({ status: 404 });
      await withStatus(200, owner.ask('PATCH', path, nowhere));
      try {
        return await run();
      } finally {
        keys.answer(keySetOf(OWN.publicJwk));
        const back = { jwks_uri: `${keys.address}/back-${clientId}` };
        await withStatus(200, owner.ask('PATCH', path, back));
      }
    };

    it('nothing is sent: a page in place of a response, an error in place of tokens; nothing is spent', async () => {
      const { json } = await tokens('fetches');
      await opened(json.id_token, OWN, 'fetches');
      const { refresh_token } = json;
      await withoutKeys('fetches', async () => {
        const page = await ask({ client_id: 'fetches' });
        assert.deepEqual([page.status, page.location], [400, undefined]);
        const refused = await token(server, { grant_type: 'refresh_token', refresh_token }, as('fetches'));
        assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_client_metadata']);
        const user = await get(`${server.at()}/userinfo`, { authorization: `Bearer ${json.access_token}` });
        assert.deepEqual([user.status, user.json.error], [400, 'invalid_client_metadata']);
        const seen = await introspecting(json.access_token, INTROSPECTION, 'fetches');
        assert.deepEqual([seen.status, seen.json.error], [400, 'invalid_client_metadata']);
      });
      await withStatus(200, token(server, { grant_type: 'refresh_token', refresh_token }, as('fetches')));
    });

    for (const named of [{ client_id: 'by-verifier' }, {}]) {
      it(`no code is spent by a verifier alone, ${named.client_id ? 'with' : 'without'} its client_id`, async () => {
        const { asked, verifier } = aPkcePair();
        const { code } = delivered(await ask({ client_id: 'by-verifier', ...asked })).fields;
        const body = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: verifier };
        const redeem = () => token(server, { ...body, ...named }, {});
        await withoutKeys('by-verifier', async () => {
          const refused = await redeem();
          assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_client_metadata'], refused.text);
        });
        const { json } = await withStatus(200, redeem());
        const { payload } = await opened(json.id_token, OWN, 'by-verifier');
        assert(payload.sub);
      });
    }

    const point = 'A'.repeat(43);
    const modulus = (last: string) => ({ kty: 'RSA', n: `_${'_'.repeat(340)}${last}`, e: 'AQAB' });
    for (const [alg, name, key] of [
      ['ECDH-ES', 'a point beside its curve', { kty: 'EC', crv: 'P-256', x: point, y: point }],
      ['ECDH-ES', 'a point that everybody shares a secret with', { kty: 'OKP', crv: 'X25519', x: point }],
      ['RSA-OAEP-256', 'a modulus of zeros', { kty: 'RSA', n: 'A'.repeat(342), e: 'AQAB' }],
      ['RSA-OAEP-256', 'an even modulus', modulus('g')],
    ] as const) {
      it(`nor is anything spent where the only key has ${name}`, async () => {
        const owner = await anOperatorClient(server);
        const registered = { id_token_encrypted_response_alg: alg, jwks_uri: `${keys.address}/${encodeURI(name)}` };
        keys.answer(keySetOf(key));
        await withStatus(200, owner.ask('PATCH', '/applications/shop/clients/published', registered));
        const { location = '' } = await ask({ client_id: 'published' });
        const code = new URL(location).searchParams.get('code') ?? '';
        const redeem = () =>
          token(server, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }, as('published'));
        const refused = await redeem();
        assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_client_metadata'], refused.text);
        const pair = alg === 'ECDH-ES' ? OWN : RSA;
        keys.answer(keySetOf(key, { ...pair.publicJwk, use: undefined }));
        const mended = { jwks_uri: `${keys.address}/mended/${encodeURI(name)}` };
        await withStatus(200, owner.ask('PATCH', '/applications/shop/clients/published', mended));
        const { json } = await withStatus(200, redeem());
        await opened(json.id_token, pair, 'published');
      });
    }

    it('and another key takes its place where the client publishes a new one', async () => {
      const newer = anEncryptionPair('P-256', 'newer');
      keys.answer(keySetOf({ ...OWN.publicJwk, use: 'sig' }, newer.publicJwk));
      const owner = await anOperatorClient(server);
      const there = { jwks_uri: `${keys.address}/newer` };
      assert.equal((await owner.ask('PATCH', '/applications/shop/clients/fetches', there)).status, 200);
      const { payload } = await opened((await tokens('fetches')).json.id_token, newer, 'fetches');
      assert(payload.sub);
    });
  });

  it('openid-client decrypts ID tokens, userinfo and responses', async () => {
    const metadata = {
      client_secret: 'web-secret-1',
      ...{ authorization_signed_response_alg: 'ES256', userinfo_signed_response_alg: 'ES256' },
      id_token_signed_response_alg: 'ES256',
    };
    const config = await client.discovery(new URL(server.at()), 'sealed', metadata, undefined, {
      execute: [client.allowInsecureRequests, client.useJwtResponseMode],
    });
    const { privateKey, publicJwk } = OWN;
    const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' });
    const algorithm = { name: 'ECDH', namedCurve: 'P-256' };
    const key = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['deriveBits']);
    client.enableDecryptingResponses(config, undefined, { key, kid: publicJwk.kid });
    const url = client.buildAuthorizationUrl(config, {
      ...{ redirect_uri: CALLBACK, scope: 'openid email', state: 'st', prompt: 'none' },
    });
    const { location } = await alice.go(url.href);
    const set = await client.authorizationCodeGrant(config, new URL(location ?? ''), { expectedState: 'st' });
    const claims = set.claims();
    assert(claims);
    const user = await client.fetchUserInfo(config, set.access_token, claims.sub);
    assert.equal(user.email, 'alice@example.com');
  });

  it('oauth4webapi decrypts introspection', async () => {
    const as: oauth.AuthorizationServer = {
      ...{ issuer: server.at(), introspection_endpoint: `${server.at()}/introspect`, jwks_uri: `${server.at()}/jwks` },
    };
    const own: oauth.Client = { client_id: 'sealed', introspection_signed_response_alg: 'ES256' };
    const options = { [oauth.allowInsecureRequests]: true, requestJwtResponse: true };
    const { json } = await tokens();
    const secret = oauth.ClientSecretBasic('web-secret-1');
    const response = await oauth.introspectionRequest(as, own, secret, json.access_token, options);
    const jweDecrypt = async (jwe: string) => (await decrypted(jwe, OWN)).text;
    const seen = await oauth.processIntrospectionResponse(as, own, response, { [oauth.jweDecrypt]: jweDecrypt });
    assert.equal(seen.active, true);
  });

  it('a registration that does not fit together is refused, field by field', async () => {
    const owner = await anOperatorClient(server);
    const jwks = { keys: [RSA.publicJwk] };
    const point = 'A'.repeat(43);
    const besideCurve = { keys: [{ kty: 'EC', crv: 'P-256', x: point, y: point }] };
    const signing = { authorization_signed_response_alg: 'ES256' };
    for (const [field, fields] of [
      ['jwks', { id_token_encrypted_response_alg: 'RSA-OAEP-256' }],
      ['jwks', { id_token_encrypted_response_alg: 'ECDH-ES', jwks }],
      ['jwks', { id_token_encrypted_response_alg: 'ECDH-ES', jwks: besideCurve }],
      ['jwks', { id_token_encrypted_response_alg: 'RSA-OAEP', jwks: { keys: [{ ...RSA.publicJwk, use: 'sig' }] } }],
      ['id_token_encrypted_response_enc', { id_token_encrypted_response_enc: 'A128GCM', jwks }],
      ['id_token_encrypted_response_alg', { id_token_encrypted_response_alg: 'RSA1_5', jwks }],
      ['id_token_encrypted_response_alg', { id_token_encrypted_response_alg: 'dir', jwks }],
      ['authorization_encrypted_response_alg', { authorization_encrypted_response_alg: 'RSA-OAEP', jwks }],
      ['introspection_encrypted_response_alg', { introspection_encrypted_response_alg: 'RSA-OAEP', jwks }],
      ['request_object_encryption_alg', { request_object_encryption_alg: 'RSA-OAEP', jwks }],
      ['jwks', { ...signing, authorization_encrypted_response_alg: 'ECDH-ES', jwks }],
    ] as const) {
      const { status, text } = await owner.ask('POST', '/applications/shop/clients', fields);
      assert.equal(status, 400, `${JSON.stringify(fields)}: ${text}`);
      assert(text.includes(`"/${field}"`), `${field}: ${text}`);
    }
  });

  it('is in discovery (OpenID Connect Discovery section 3, JARM section 4, RFC 9701 section 7)', async () => {
    const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
    for (const what of ['id_token', 'userinfo', 'authorization', 'introspection', 'request_object']) {
      assert.deepEqual(json[`${what}_encryption_alg_values_supported`], keyEncryptionAlgs);
      assert.deepEqual(json[`${what}_encryption_enc_values_supported`], contentEncryptions);
    }
  });

  it('a client registers itself with it (RFC 7591)', async () => {
    const owner = await anOperatorClient(server);
    const opening = await owner.ask('POST', '/applications', {
      code: 'open',
      name: 'Open',
      dynamic_registration: 'open',
    });
    assert.equal(opening.status, 201, opening.text);
    const fields = {
      ...{ redirect_uris: ['https://a.example/cb'], jwks: { keys: [RSA.publicJwk] } },
      id_token_encrypted_response_alg: 'RSA-OAEP-256',
    };
    const register = (over: object) =>
      post(`${server.at('open')}/register`, JSON.stringify({ ...fields, ...over }), {
        headers: { 'content-type': 'application/json' },
      });
    const made = await register({});
    assert.deepEqual([made.status, made.json.id_token_encrypted_response_alg], [201, 'RSA-OAEP-256'], made.text);
    const refused = await register({ id_token_encrypted_response_alg: 'RSA1_5' });
    assert.deepEqual([refused.status, refused.json.error], [400, 'invalid_client_metadata']);
  });
});
