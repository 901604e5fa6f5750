import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALICE, assertRefused, get, post } from '../../build/client.ts';
import { aCertificate } from '../../build/client-certificate.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, aPublicClient } from '../../build/fixture.ts';
import { keySetOf, openKeyServer } from '../../build/key-server.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import {
  another,
  at,
  authority,
  byName,
  byteSequence,
  escapedPem,
  expired,
  forged,
  form,
  future,
  HEADER_ENV,
  HOLDER,
  lookAlike,
  own,
  PROXY,
  selfSigned,
  sendFrom,
  TLS_ENV,
  withCertificate,
} from './mtls-fixture.ts';

const GRANT = { grant_type: 'password', ...ALICE };
const named = await aCertificate({
  issuer: authority,
  subject: 'CN=service',
  names: [
    { type: 'dns', value: 'web.example' },
    { type: 'url', value: 'spiffe://example/web' },
    { type: 'ip', value: '2001:db8::1' },
    { type: 'ip', value: '192.0.2.7' },
    { type: 'email', value: 'Web@example.com' },
  ],
});
const forServers = await aCertificate({ issuer: authority, subject: 'O=Shop,CN=web', usages: ['1.3.6.1.5.5.7.3.1'] });

const names: Readonly<Record<string, Parameters<typeof byName>[0]>> = {
  web: { tls_client_auth_subject_dn: HOLDER },
  dns: { tls_client_auth_san_dns: 'WEB.example' },
  'dns-star': { tls_client_auth_san_dns: '*.example' },
  uri: { tls_client_auth_san_uri: 'spiffe://example/web' },
  'uri-prefix': { tls_client_auth_san_uri: 'spiffe://example/we' },
  ip4: { tls_client_auth_san_ip: '192.0.2.7' },
  ip6: { tls_client_auth_san_ip: '2001:DB8:0:0::1' },
  'ip-other': { tls_client_auth_san_ip: '192.0.2.70' },
  email: { tls_client_auth_san_email: 'Web@EXAMPLE.com' },
  'email-case': { tls_client_auth_san_email: 'web@example.com' },
  reversed: { tls_client_auth_subject_dn: 'O=Shop,CN=web' },
  shorter: { tls_client_auth_subject_dn: 'CN=web' },
};
const registered = (client_id: string, over: Parameters<typeof byName>[0] = {}) =>
  byName({ client_id, token_endpoint_auth_method: 'self_signed_tls_client_auth', ...over });

// The certificates are valid now.
const clock = fixedClock(Math.floor(Date.now() / 1000));
const server = suiteServer({
  clock,
  env: { ...TLS_ENV, ...HEADER_ENV, GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
  clients: [
    ...Object.entries(names).map(([client_id, name]) => byName({ client_id, ...name })),
    registered('registered', { jwks: { keys: [another.jwk, selfSigned.jwk] } as never }),
    aClient({ client_id: 'secret' }),
    aPublicClient(),
  ],
});

const ask = (client_id: string, shown?: Parameters<typeof withCertificate>[0]) =>
  withCertificate(shown)('/token', { client_id, ...GRANT });
const assertFailed = (answered: Awaited<ReturnType<typeof ask>>) => assertRefused(answered, 401, 'invalid_client');
const assertTokens = ({ status, text, json }: Awaited<ReturnType<typeof ask>>) => {
  assert.equal(status, 200, text);
  assert.equal(json.token_type, 'Bearer');
};

const withAddress = (client_id: string, jwks_uri: string) =>
  server.provision({ clients: [registered(client_id, { jwks_uri })] });
/** Nobody listens there. */
async function silentAddress(): Promise<string> {
  const closed = await openKeyServer(keySetOf(selfSigned.jwk));
  await closed.close();
  return closed.address;
}

/** First: of many refusals alike few are kept. */
it('a refusal is explained: which check failed, what was expected, what came', async () => {
  const operator = await anOperatorClient(server, { role: 'auditor' });
  const explained = async (refused: Awaited<ReturnType<typeof ask>>) =>
    (await operator.ask('GET', `/refusals/${refused.headers.get('x-request-id')}`)).json;
  const kinds = async (refused: Awaited<ReturnType<typeof ask>>) => (await explained(refused)).difference.kinds;
  const holder = await explained(await ask('web', another));
  assert.match(holder.expected, /CN=web,O=Shop/);
  assert.match(holder.received, /CN=another,O=Shop/);
  assert.deepEqual(await kinds(await ask('web', forged)), ['issuer']);
  assert.deepEqual(await kinds(await ask('web', undefined)), ['certificate-missing']);
  assert.deepEqual(await kinds(await ask('registered', lookAlike)), ['certificate-unregistered']);
  await withAddress('silent', await silentAddress());
  assert.deepEqual(await kinds(await ask('silent', selfSigned)), ['keys-unreachable']);
  const headers = { 'client-cert': byteSequence(own) };
  const stranger = await post(`${server.at()}/token`, { client_id: 'web', ...GRANT }, { headers });
  assert.deepEqual(await kinds(stranger), ['certificate-not-from-proxy']);
});

describe('tls_client_auth (RFC 8705 section 2.1)', () => {
  it('takes a certificate of a trusted authority with the registered subject', async () => {
    assertTokens(await ask('web', own));
  });

  it('at each endpoint at which clients authenticate', async () => {
    const send = withCertificate(own);
    const { json } = await ask('web', own);
    const seen = await send('/introspect', { client_id: 'web', token: json.access_token });
    assert.deepEqual([seen.status, seen.json.active, 'cnf' in seen.json], [200, true, false], seen.text);
    const redirect_uri = 'https://shop.example/cb';
    const pushed = await send('/par', {
      client_id: 'web',
      response_type: 'code',
      redirect_uri,
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    });
    assert(pushed.status === 201 || pushed.json.error === 'invalid_request', pushed.text);
    assert.equal((await send('/revoke', { client_id: 'web', token: json.access_token })).status, 200);
    assert.equal((await send('/introspect', { client_id: 'web', token: json.access_token })).json.active, false);
  });

  for (const [what, shown] of Object.entries({
    'no certificate': undefined,
    another,
    forged,
    'self-signed': selfSigned,
    expired,
    future,
    'for servers': forServers,
  })) {
    it(`refuses ${what === 'another' ? 'another subject' : what === 'forged' ? 'the right subject by another authority of the same name' : what}`, async () => {
      assertFailed(await ask('web', shown));
    });
  }

  it('compares names whole and by their kind (section 2.1.2)', async () => {
    const taken = ['dns', 'uri', 'ip4', 'ip6', 'email'];
    for (const client of taken) assertTokens(await ask(client, named));
    for (const client of ['dns-star', 'uri-prefix', 'ip-other', 'email-case']) assertFailed(await ask(client, named));
    for (const client of [...taken, 'reversed', 'shorter']) assertFailed(await ask(client, own));
  });

  it('demands the client_id, and is no second method beside a secret', async () => {
    assertRefused(await withCertificate(own)('/token', GRANT), 401, 'access_denied');
    assertTokens(
      await withCertificate(own)('/token', { client_id: 'secret', client_secret: 'web-secret-1', ...GRANT }),
    );
    assertFailed(await withCertificate(own)('/token', { client_id: 'web', client_secret: 'web-secret-1', ...GRANT }));
    assertFailed(await withCertificate(own)('/token', { client_id: 'secret', client_secret: 'wrong', ...GRANT }));
    assertRefused(await ask('secret', own), 401, 'access_denied');
  });

  it('is counted and logged like any failed authentication', async () => {
    assert.match(server.logged(), /"reason":"clientAuthenticationFailed".*"client":"web"/);
  });
});

describe('self_signed_tls_client_auth (RFC 8705 section 2.2)', () => {
  it('takes each registered certificate, whoever has issued it, and no other with the same name', async () => {
    assertTokens(await ask('registered', selfSigned));
    assertTokens(await ask('registered', another));
    for (const shown of [lookAlike, own, forged, undefined]) assertFailed(await ask('registered', shown));
  });
});

describe('self_signed_tls_client_auth with jwks_uri', () => {
  const published = suitePart(() => openKeyServer(keySetOf(selfSigned.jwk)));

  it('takes the certificates that the client publishes, and a new one as soon as it is published', async () => {
    await withAddress('published', published.address);
    assertTokens(await ask('published', selfSigned));
    for (const shown of [lookAlike, own]) assertFailed(await ask('published', shown));
    assert.equal(published.count(), 1, 'strangers cause no fetch of what was read a moment ago');
    published.answer(keySetOf(another.jwk));
    clock.advance(10);
    assertTokens(await ask('published', another));
    assertFailed(await ask('published', selfSigned));
  });

  it('refuses everybody while the address does not answer', async () => {
    await withAddress('unreachable', await silentAddress());
    assertFailed(await ask('unreachable', selfSigned));
  });
});

describe('a certificate in the header of a proxy (RFC 9440, CLIENT_CERTIFICATE_HEADER)', () => {
  const from = (address: string, values: readonly string[], client_id = 'web') =>
    sendFrom(
      address,
      `${server.at()}/token`,
      values.map(value => ['Client-Cert', value] as const),
      form({ client_id, ...GRANT }),
    );

  it('counts from a trusted proxy, as a byte sequence or as PEM with percent-encoding', async () => {
    for (const value of [byteSequence(own), escapedPem(own), encodeURIComponent(own.pem.replaceAll('\n', '\r\n'))])
      assertTokens(await from(PROXY, [value]));
    assertTokens(await from(PROXY, [byteSequence(selfSigned)], 'registered'));
  });

  it('is verified here: issuer, subject, validity', async () => {
    for (const shown of [forged, another, expired, future, selfSigned, forServers])
      assertFailed(await from(PROXY, [byteSequence(shown)]));
    assertFailed(await from(PROXY, [byteSequence(lookAlike)], 'registered'));
  });

  it('counts for nothing from another caller, also one that names the proxy in X-Forwarded-For, and over TLS', async () => {
    assertFailed(await from('127.0.0.1', [byteSequence(own)]));
    const forwarded = [
      ['Client-Cert', byteSequence(own)],
      ['X-Forwarded-For', PROXY],
    ] as const;
    assertFailed(await sendFrom('127.0.0.1', `${server.at()}/token`, forwarded, form({ client_id: 'web', ...GRANT })));
    const sent = { 'client-cert': byteSequence(own) };
    assertFailed(await withCertificate()('/token', { client_id: 'web', ...GRANT }, sent));
    assertFailed(await withCertificate(another)('/token', { client_id: 'web', ...GRANT }, sent));
    // The certificate of the connection stays the one that counts.
    const other = { 'client-cert': byteSequence(another) };
    assertTokens(await withCertificate(own)('/token', { client_id: 'web', ...GRANT }, other));
  });

  it('is refused twice, empty, and in any other form', async () => {
    const right = byteSequence(own);
    const bad = [
      [right, right],
      [right, byteSequence(another)],
      [escapedPem(own), escapedPem(own)],
      [''],
      [`${right};a=b`],
      [right.slice(1)],
      [own.der.toString('base64url')],
      [own.pem.replaceAll('\n', ' ')].map(text => `${text} x`),
      [encodeURIComponent(own.pem + another.pem)],
      [`:${Buffer.concat([own.der, Buffer.from('x')]).toString('base64')}:`],
      [`:${own.der.subarray(0, -1).toString('base64')}:`],
      ['%'],
      [`:${'A'.repeat(20_000)}:`],
    ];
    for (const values of bad) assertFailed(await from(PROXY, values));
  });
});

it('discovery lists the methods and the endpoints under the address with TLS (RFC 8705 sections 3.3 and 5)', async () => {
  const { json } = await get(`${server.at()}/.well-known/openid-configuration`);
  assert(json.token_endpoint_auth_methods_supported.includes('tls_client_auth'));
  assert(json.token_endpoint_auth_methods_supported.includes('self_signed_tls_client_auth'));
  assert.equal(json.tls_client_certificate_bound_access_tokens, true);
  assert.deepEqual(json.mtls_endpoint_aliases, {
    token_endpoint: `${at()}/token`,
    revocation_endpoint: `${at()}/revoke`,
    introspection_endpoint: `${at()}/introspect`,
    pushed_authorization_request_endpoint: `${at()}/par`,
    device_authorization_endpoint: `${at()}/device_authorization`,
    backchannel_authentication_endpoint: `${at()}/bc-authorize`,
    userinfo_endpoint: `${at()}/userinfo`,
  });
  assert.equal(json.token_endpoint, `${server.at()}/token`);
});
