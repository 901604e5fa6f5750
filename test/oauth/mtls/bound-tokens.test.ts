import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import { TOKEN_EXCHANGE } from '../../../src/oauth/token-exchange/rules.ts';
import { aSigningPair } from '../../build/assertion.ts';
import {
  ALICE,
  type Answered,
  aCode,
  aPkcePair,
  assertRefused,
  basic,
  claimsOf,
  introspect,
  post,
  send,
  token,
  WEB,
} from '../../build/client.ts';
import { aTv, aWaitingDevice, decide } from '../../build/device.ts';
import { aProof } from '../../build/dpop.ts';
import { aClient, aPublicClient, CALLBACK } from '../../build/fixture.ts';
import { anOperatorClient, anOperatorToken } from '../../build/operator.ts';
import { suiteServer } from '../../build/test-server.ts';
import { signIn } from '../../build/visitor.ts';
import { ACCESS_TOKEN, apis, PLAIN } from '../token-exchange/token-exchange-fixture.ts';
import {
  another,
  at,
  byName,
  byteSequence,
  expired,
  form,
  getWith,
  HEADER_ENV,
  HOLDER,
  lookAlike,
  mtlsBase,
  own,
  PROXY,
  selfSigned,
  sendFrom,
  TLS_ENV,
  withCertificate,
} from './mtls-fixture.ts';

const BOUND = { tls_client_certificate_bound_access_tokens: true };
const SPA_CALLBACK = 'https://spa.example/cb';
const DESK = { client_id: 'desk', client_secret: 'desk-secret-12' };
const WITH_SECRET = { client_id: 'web', client_secret: 'web-secret-1' };
const PASSWORD = { grant_type: 'password', ...ALICE };

const server = suiteServer(
  {
    env: { ...TLS_ENV, ...HEADER_ENV },
    shop: {
      apis,
      token_exchange: [
        { from: 'web', to: PLAIN },
        { from: 'loose', to: PLAIN },
      ],
      clients: [
        aClient({ ...BOUND, grant_types: ['authorization_code', 'refresh_token', 'password', TOKEN_EXCHANGE] }),
        aClient({ ...BOUND, client_id: 'jwt', access_token_format: 'jwt' }),
        aClient({
          client_id: 'loose',
          grant_types: ['password', TOKEN_EXCHANGE, 'authorization_code'],
          redirect_uris: [CALLBACK],
        }),
        byName({
          ...BOUND,
          client_id: 'machine',
          tls_client_auth_subject_dn: HOLDER,
          grant_types: ['client_credentials'],
          scope: 'orders:read',
        }),
        aPublicClient(BOUND),
        aTv(BOUND),
      ],
    },
  },
  async () => {
    const operator = await anOperatorClient(server);
    await anOperatorToken(server, operator);
    const changed = await operator.ask('PATCH', '/applications/gatehouse/clients/desk', BOUND, {
      'content-type': 'application/merge-patch+json',
    });
    assert.equal(changed.status, 200, changed.text);
  },
);

const ask = (fields: Record<string, string | undefined>, shown = own, app?: string) =>
  withCertificate(shown, app)('/token', fields);

async function setIn(answering: Promise<Answered>) {
  const { status, text, json } = await answering;
  assert.equal(status, 200, text);
  assert.equal(json.token_type, 'Bearer');
  return json;
}

const codeFields = (code: string) => ({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK });

/** Of every grant, for this server itself. */
const ofUsers: Readonly<Record<string, () => Promise<string>>> = {
  'the password grant': async () => (await setIn(ask({ ...WITH_SECRET, ...PASSWORD }))).access_token,
  'the password grant, as a JWT': async () =>
    (await setIn(ask({ ...WITH_SECRET, client_id: 'jwt', ...PASSWORD }))).access_token,
  'an authorization code': async () =>
    (await setIn(ask({ ...WITH_SECRET, ...codeFields(await aCode(server)) }))).access_token,
  'a refresh token': async () => {
    const { refresh_token } = await setIn(ask({ ...WITH_SECRET, ...PASSWORD }, another));
    // The client authenticates: it may have a new certificate (RFC 8705 section 7.1).
    return (await setIn(ask({ ...WITH_SECRET, grant_type: 'refresh_token', refresh_token }))).access_token;
  },
  'a device code': async () => {
    const { device_code, user_code } = await aWaitingDevice(server);
    await decide(server, user_code, 'allow');
    return (await setIn(ask({ client_id: 'tv', grant_type: DEVICE_GRANT, device_code }))).access_token;
  },
};

const forApis: Readonly<Record<string, () => Promise<string>>> = {
  'a token exchange': async () => {
    const subject_token = await (ofUsers['the password grant']?.() ?? '');
    const fields = { grant_type: TOKEN_EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN, resource: PLAIN };
    return (await setIn(ask({ ...WITH_SECRET, ...fields }))).access_token;
  },
  'client credentials': async () =>
    (await setIn(ask({ client_id: 'machine', grant_type: 'client_credentials' }))).access_token,
};

type Use = (headers: Record<string, string>, how: 'plain' | 'tls', shown?: typeof own) => Promise<Answered>;

/** Each is refused by 401; then the certificate of the token is taken, from the connection and from the proxy. */
async function assertOnlyWithCertificate(held: string, use: Use, viaProxy: (value: string) => Promise<Answered>) {
  const authorization = `Bearer ${held}`;
  const refused: Readonly<Record<string, Promise<Answered>>> = {
    'without TLS': use({ authorization }, 'plain'),
    'with the header of the proxy, by a stranger': use({ authorization, 'client-cert': byteSequence(own) }, 'plain'),
    'over TLS without a certificate': use({ authorization }, 'tls'),
    'with another certificate': use({ authorization }, 'tls', another),
    'with another certificate, and this one in a header': use(
      { authorization, 'client-cert': byteSequence(own) },
      'tls',
      another,
    ),
    'with an expired certificate': use({ authorization }, 'tls', expired),
    'under the scheme DPoP': use({ authorization: `DPoP ${held}` }, 'tls', own),
    'without the last part of an opaque token': use(
      { authorization: `Bearer ${held.replace(/~.*/, '').replace(/^ey/, '')}` },
      'plain',
    ),
    'by the proxy, without a certificate': viaProxy(''),
    'by the proxy, with another certificate': viaProxy(byteSequence(another)),
    'by the proxy, with two': viaProxy(`${byteSequence(own)}, ${byteSequence(own)}`),
  };
  for (const [how, answering] of Object.entries(refused)) {
    const { status, text, headers } = await answering;
    assert.equal(status, 401, `${how}: ${text}`);
    assert.notEqual(headers.get('www-authenticate'), null, how);
  }
  const taken = [await use({ authorization }, 'tls', own), await viaProxy(byteSequence(own))];
  for (const { status, text } of taken) assert.equal(status, 200, text);
  return taken;
}

describe('property: a bound token is never accepted unbound, at any endpoint that takes access tokens', () => {
  const atPath =
    (path: string, body: (() => string) | undefined): Use =>
    (headers, how, shown) => {
      const url = (how === 'tls' ? at() : server.at()) + path;
      if (how === 'tls' && body)
        return withCertificate(shown)(path, Object.fromEntries(new URLSearchParams(body())), headers);
      if (how === 'tls') return getWith(shown, url, headers);
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      return send(url, body ? { method: 'POST', headers: { ...type, ...headers }, body: body() } : { headers });
    };
  const proxied = (url: string, held: string, body?: string) => (value: string) =>
    sendFrom(
      PROXY,
      url,
      [['authorization', `Bearer ${held}`], ...(value === '' ? [] : [['Client-Cert', value] as const])],
      body,
    );

  for (const [grant, made] of Object.entries(ofUsers)) {
    it(`userinfo; the token of ${grant}`, async () => {
      const held = await made();
      const taken = await assertOnlyWithCertificate(
        held,
        atPath('/userinfo', undefined),
        proxied(`${server.at()}/userinfo`, held),
      );
      for (const { json } of taken) assert.equal(typeof json.sub, 'string');
      assertRefused(await withCertificate(another)('/userinfo', { access_token: held }), 401, 'invalid_token');
      assert.equal((await withCertificate(own)('/userinfo', { access_token: held })).status, 200);
    });
  }

  for (const [grant, made] of Object.entries({ ...ofUsers, ...forApis })) {
    it(`introspection by the holder, and cnf (RFC 8705 section 3.2); the token of ${grant}`, async () => {
      const held = await made();
      const body = () => form({ token: held });
      const taken = await assertOnlyWithCertificate(
        held,
        atPath('/introspect', body),
        proxied(`${server.at()}/introspect`, held, body()),
      );
      for (const { json } of taken) {
        assert.deepEqual([json.active, json.token_type, json.cnf], [true, 'Bearer', { 'x5t#S256': own.thumbprint }]);
      }
    });
  }

  it('the admin API', async () => {
    const seen = await signIn(
      server,
      { client_id: 'desk', scope: 'openid admin:read' },
      { username: 'alice', app: 'gatehouse' },
    );
    const code = new URL(seen.location ?? '').searchParams.get('code') ?? '';
    assertRefused(
      await token(server, codeFields(code), { auth: basic(DESK.client_id, DESK.client_secret) }, 'gatehouse'),
      400,
      'invalid_request',
    );
    const { access_token: held } = await setIn(ask({ ...DESK, ...codeFields(code) }, own, 'gatehouse'));
    const path = '/api/v1/admin/applications';
    await assertOnlyWithCertificate(
      held,
      (headers, how, shown) =>
        how === 'tls' ? getWith(shown, mtlsBase + path, headers) : send(server.base + path, { headers }),
      proxied(server.base + path, held),
    );
  });

  it('token exchange: as the subject only with its certificate, and by a client whose tokens are bound', async () => {
    const subject_token = await (ofUsers['the password grant']?.() ?? '');
    const fields = { grant_type: TOKEN_EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN, resource: PLAIN };
    assertRefused(await ask({ ...WITH_SECRET, ...fields }, another), 400, 'invalid_request');
    assertRefused(await ask({ client_id: 'loose', client_secret: 'web-secret-1', ...fields }), 400, 'invalid_request');
    await setIn(ask({ ...WITH_SECRET, ...fields }));
  });
});

describe('certificate-bound access tokens (RFC 8705 section 3)', () => {
  it('a JWT states x5t#S256 itself; an opaque one ends with it', async () => {
    const jwt = await (ofUsers['the password grant, as a JWT']?.() ?? '');
    assert.deepEqual(claimsOf(jwt).cnf, { 'x5t#S256': own.thumbprint });
    const opaque = await (ofUsers['the password grant']?.() ?? '');
    assert.match(opaque, new RegExp(`^gat_[\\w-]+~~${own.thumbprint}$`));
    const shortened = await introspect(server, { token: opaque.replace(/~~.*/, '') });
    assert.deepEqual(shortened.json, { active: false });
    const changed = await introspect(server, { token: opaque.replace(own.thumbprint, another.thumbprint) });
    assert.deepEqual(changed.json, { active: false });
  });

  it('a token request without a certificate is refused, and spends nothing', async () => {
    const code = await aCode(server);
    const without = await token(server, codeFields(code), { auth: WEB });
    assertRefused(without, 400, 'invalid_request', 'Client certificate: missing');
    assertRefused(
      await ask({ ...WITH_SECRET, ...codeFields(code) }, expired),
      400,
      'invalid_request',
      'Client certificate: expired',
    );
    await setIn(ask({ ...WITH_SECRET, ...codeFields(code) }));
  });

  it('a DPoP proof of such a client binds nothing, neither at /par nor at /token: the certificate is what it shows', async () => {
    const KEY = aSigningPair('ES256', 'dpop');
    const now = Math.floor(Date.now() / 1000);
    const dpop = (path: string) => aProof(KEY, 'POST', server.at() + path, { now });
    const request = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid' };
    const pushed = await post(`${server.at()}/par`, request, { auth: WEB, headers: { dpop: dpop('/par') } });
    assert.equal(pushed.status, 201, pushed.text);
    const code = await aCode(server, { request_uri: pushed.json.request_uri });
    const fields = { ...WITH_SECRET, ...codeFields(code) };
    const set = await setIn(withCertificate(own)('/token', fields, { dpop: dpop('/token') }));
    const seen = await introspect(server, { token: set.access_token });
    assert.deepEqual(seen.json.cnf, { 'x5t#S256': own.thumbprint });
  });

  it('any certificate binds, whoever has issued it, and the tokens of others are not bound', async () => {
    const { access_token } = await setIn(ask({ ...WITH_SECRET, ...PASSWORD }, selfSigned));
    const seen = await introspect(server, { token: access_token });
    assert.deepEqual(seen.json.cnf, { 'x5t#S256': selfSigned.thumbprint });
    const loose = await setIn(ask({ client_id: 'loose', client_secret: 'web-secret-1', ...PASSWORD }));
    assert.equal('cnf' in (await introspect(server, { token: loose.access_token })).json, false);
    assert.equal(
      (await send(`${server.at()}/userinfo`, { headers: { authorization: `Bearer ${loose.access_token}` } })).status,
      200,
    );
  });

  it('no access token comes through the browser', async () => {
    const seen = await signIn(server, { response_type: 'id_token token', nonce: 'n' });
    assert.match(seen.location ?? seen.text, /unauthorized_client/);
  });
});

describe('public clients (RFC 8705 section 4)', () => {
  const spa = { client_id: 'spa', redirect_uri: SPA_CALLBACK, grant_type: 'authorization_code' };
  async function aSpaCode() {
    const { verifier, challenge } = aPkcePair();
    const asked = {
      client_id: 'spa',
      redirect_uri: SPA_CALLBACK,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      scope: 'openid offline_access',
    };
    return { ...spa, code: await aCode(server, asked), code_verifier: verifier };
  }

  it('tokens are bound, and the refresh token to the same certificate', async () => {
    const first = await setIn(ask(await aSpaCode(), selfSigned));
    const renew = (refresh_token: string, shown?: typeof own) =>
      withCertificate(shown)('/token', { client_id: 'spa', grant_type: 'refresh_token', refresh_token });
    assertRefused(await renew(first.refresh_token, lookAlike), 400, 'invalid_grant');
    assertRefused(await renew(first.refresh_token), 400, 'invalid_request');
    assertRefused(await renew(first.refresh_token.replace(/~~.*/, ''), lookAlike), 400, 'invalid_grant');
    const second = await setIn(renew(first.refresh_token, selfSigned));
    assertRefused(await renew(second.refresh_token, lookAlike), 400, 'invalid_grant');
    await setIn(renew(second.refresh_token, selfSigned));
  });

  it('a code without a certificate gives nothing, also where the client does not name itself', async () => {
    const { client_id: _, ...unnamed } = await aSpaCode();
    assertRefused(await ask(unnamed, selfSigned), 400, 'invalid_request', 'Client certificate: missing');
    const named = await aSpaCode();
    assertRefused(await token(server, named, {}), 400, 'invalid_request', 'Client certificate: missing');
  });
});
