import assert from 'node:assert/strict';
import { it } from 'node:test';
import { freePort } from '../../../scripts/free-port.ts';
import { ALICE, assertRefused, introspect } from '../../build/client.ts';
import { aCertificate, anAuthority, fetchWith, type Issued } from '../../build/client-certificate.ts';
import { aClient } from '../../build/fixture.ts';
import { startNginx } from '../../build/nginx.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { byteSequence, form, written } from './mtls-fixture.ts';

const authority = await anAuthority();
const own = await aCertificate({ issuer: authority, subject: 'O=Shop,CN=web' });
const stranger = await aCertificate({ subject: 'O=Shop,CN=web' });
const port = await freePort();
const mtlsPort = await freePort();
const base = `https://127.0.0.1:${port}`;
const mtls = `https://127.0.0.1:${mtlsPort}`;
const PATH = '/api/v1/authorize/shop/oauth2';

const { client_secret: _, ...client } = aClient({
  token_endpoint_auth_method: 'tls_client_auth',
  tls_client_auth_subject_dn: 'CN=web,O=Shop',
  tls_client_certificate_bound_access_tokens: true,
});
const server = suiteServer({
  clients: [client, aClient({ client_id: 'api' })],
  env: {
    BASE_URL: base,
    TRUSTED_PROXIES: '127.0.0.1',
    CLIENT_CERTIFICATE_HEADER: 'Client-Cert',
    TLS_CLIENT_CA: written('nginx-authority.pem', authority.pem),
    MTLS_BASE_URL: mtls,
  },
});
const nginx = suitePart(() => startNginx({ upstream: Number(new URL(server.base).port), port, mtlsPort }));

async function ask(shown: Issued | undefined, url: string, headers: Record<string, string> = {}) {
  const body = form({ client_id: 'web', grant_type: 'password', ...ALICE });
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await fetchWith(shown, nginx.certificate)(`${url}${PATH}/token`, {
    method: 'POST',
    headers: { ...type, ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

it('behind nginx as docs/mtls.md has it: certificates come from the proxy, and what callers write does not', async () => {
  const { status, json, text } = await ask(own, mtls);
  assert.equal(status, 200, text);
  const userinfo = (shown?: Issued) =>
    fetchWith(shown, nginx.certificate)(`${mtls}${PATH}/userinfo`, {
      headers: { authorization: `Bearer ${json.access_token}` },
    });
  assert.equal((await userinfo(own)).status, 200);
  for (const shown of [undefined, stranger]) assert.equal((await userinfo(shown)).status, 401);

  assertRefused(await ask(stranger, mtls), 401, 'invalid_client');
  assertRefused(await ask(undefined, mtls), 401, 'invalid_client');
  const written = { 'client-cert': byteSequence(own) };
  assertRefused(await ask(undefined, mtls, written), 401, 'invalid_client');
  assertRefused(await ask(stranger, mtls, written), 401, 'invalid_client');
  assertRefused(await ask(undefined, base, written), 401, 'invalid_client');

  const direct = { base: server.base, at: () => `${server.base}${PATH}` };
  const auth = `Basic ${Buffer.from('api:web-secret-1').toString('base64')}`;
  const seen = await introspect(direct, { token: json.access_token }, { auth });
  assert.deepEqual(seen.json.cnf, { 'x5t#S256': own.thumbprint });
});
