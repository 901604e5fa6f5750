import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { listedFailures } from '../../../src/failures.ts';
import { responseTypes } from '../../../src/oauth/authorize/response-type.rules.ts';
import { CIBA_GRANT } from '../../../src/oauth/ciba/rules.ts';
import { DEVICE_GRANT } from '../../../src/oauth/device/rules.ts';
import { causesOf, errorCodes } from '../../../src/platform/http/error-meanings.rules.ts';
import { assertRefused, aTokenSet, basic, get, post, token } from '../../build/client.ts';
import { assertPage } from '../../build/delivered.ts';
import { aClient, anApplication, aPublicClient } from '../../build/fixture.ts';
import { startTestServer, suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, Visitor } from '../../build/visitor.ts';

const server = suiteServer({
  applications: [
    anApplication({
      clients: [aClient(), aClient({ client_id: 'api', client_secret: 'other-secret' }), aPublicClient()],
    }),
    anApplication({ code: 'a-b_9', name: 'Odd' }),
  ],
});

const OPENID = '.well-known/openid-configuration';
const addresses = (app: string) => [
  `${server.at(app)}/${OPENID}`,
  `${server.base}/.well-known/oauth-authorization-server/api/v1/authorize/${app}/oauth2`,
  `${server.base}/${OPENID}/api/v1/authorize/${app}/oauth2`,
];

describe('issuer and discovery (rows 1 and 2)', () => {
  for (const app of ['shop', 'a-b_9']) {
    it(`is the same document at the three addresses: ${app}`, async () => {
      const issuer = `${server.base}/api/v1/authorize/${app}/oauth2`;
      const answers = await Promise.all(addresses(app).map(address => get(address)));
      for (const { status, headers, json } of answers) {
        assert.equal(status, 200);
        assert.equal(headers.get('content-type'), 'application/json');
        assert.deepEqual(json, answers[0]?.json);
        assert.equal(json.issuer, issuer);
        assert.equal(json.authorization_endpoint, `${issuer}/auth`);
        assert.equal(json.token_endpoint, `${issuer}/token`);
        assert.equal(json.introspection_endpoint, `${issuer}/introspect`);
        assert.equal(json.userinfo_endpoint, `${issuer}/userinfo`);
        assert.equal(json.revocation_endpoint, `${issuer}/revoke`);
        assert.equal(json.jwks_uri, `${issuer}/jwks`);
        assert.equal(json.authorization_response_iss_parameter_supported, true);
      }
    });
  }

  it('names what the interface names', async () => {
    const { json } = await get(addresses('shop')[0] ?? '');
    const scopes = ['address', 'email', 'groups', 'offline_access', 'openid', 'phone', 'profile', 'roles'];
    assert.deepEqual([...json.scopes_supported].sort(), scopes);
    assert.deepEqual(json.response_types_supported, responseTypes);
    for (const mode of ['form_post', 'fragment', 'query']) assert(json.response_modes_supported.includes(mode), mode);
    assert.deepEqual(json.code_challenge_methods_supported, ['S256']);
    const grants = ['authorization_code', 'client_credentials', 'implicit', 'password', 'refresh_token'];
    assert.deepEqual([...json.grant_types_supported].sort(), [...grants, DEVICE_GRANT, CIBA_GRANT]);
    assert.deepEqual([...json.id_token_signing_alg_values_supported].sort(), ['ES256', 'EdDSA', 'RS256']);
    assert.equal(json.request_parameter_supported, true);
    assert.equal(json.request_uri_parameter_supported, true);
  });

  it('names what sessions, claims and logout offer (row 2, row 21)', async () => {
    const { json } = await get(addresses('shop')[0] ?? '');
    assert.equal(json.end_session_endpoint, `${server.at()}/logout`);
    assert.equal(json.backchannel_logout_supported, true);
    assert.equal(json.backchannel_logout_session_supported, true);
    assert.equal(json.claims_parameter_supported, true);
    assert.deepEqual([...json.prompt_values_supported].sort(), ['consent', 'login', 'none', 'select_account']);
    assert.deepEqual(json.acr_values_supported, ['1', '2', 'phr']);
    for (const claim of ['sub', 'acr', 'auth_time', 'sid', 'email', 'phone_number', 'updated_at']) {
      assert(json.claims_supported.includes(claim), claim);
    }
  });

  it('every endpoint it names answers', async () => {
    const { json } = await get(addresses('shop')[0] ?? '');
    for (const [name, address] of Object.entries(json)) {
      if (!/_(endpoint|uri)$/.test(name)) continue;
      assert.notEqual((await get(String(address))).status, 404, name);
    }
  });

  it('derives from BASE_URL, never from the headers of a request', async () => {
    const { port } = new URL(server.base);
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example;proto=https',
    };
    const path = `/api/v1/authorize/shop/oauth2/${OPENID}`;
    const text = await new Promise<string>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, headers }, async response => {
        resolve(Buffer.concat(await response.toArray()).toString());
      });
      asked.on('error', reject).end();
    });
    assert.equal(JSON.parse(text).issuer, server.at());
    assert(!text.includes('evil.example'));
  });

  it('is at these addresses and not beside them', async () => {
    for (const address of [
      `${server.at()}/`,
      server.at(),
      `${server.at()}/${OPENID}/`,
      `${server.base}/.well-known/oauth-authorization-server`,
      `${server.base}/.well-known/oauth-authorization-server/api/v1/authorize/shop/oauth2/`,
      `${server.base}/.well-known/oauth-authorization-server/api/v1/authorize/shop`,
      `${server.base}/${OPENID}`,
      `${server.base}/api/v2/authorize/shop/oauth2/jwks`,
      `${server.base}/api/v1/authorize//oauth2/jwks`,
      `${server.base}/api/v1/authorize/shop/oauth2/toString`,
      `${server.base}/api/v1/authorize/sh%6fp/oauth2/jwks`,
    ]) {
      assert.equal((await get(address)).status, 404, address);
    }
  });
});

describe('several clients of one application (row 3)', () => {
  it('each has its own credentials', async () => {
    const api = basic('api', 'other-secret');
    assert((await aTokenSet(server, {}, { auth: api })).access_token);
    const mixed = await token(server, { grant_type: 'password' }, { auth: basic('api', 'web-secret-1') });
    assertRefused(mixed, 401, 'invalid_client');
  });
});

describe('an unknown application is 404 (row 5)', () => {
  const unknown = ['nowhere', 'SHOP', 'shop%20', '__proto__', 'x'.repeat(500)];
  for (const app of unknown) {
    it(`in the JSON form at the endpoints of programs: ${app.slice(0, 20)}`, async () => {
      for (const name of ['token', 'introspect', 'revoke']) {
        assertRefused(await post(`${server.at(app)}/${name}`, { token: 'x' }), 404, 'not_found');
      }
      for (const name of ['userinfo', 'jwks', OPENID]) {
        assertRefused(await get(`${server.at(app)}/${name}`), 404, 'not_found');
      }
      for (const address of addresses(app)) assertRefused(await get(address), 404, 'not_found');
    });
  }

  it('a page at the authorization endpoint, by GET and by POST', async () => {
    const visitor = new Visitor(server.base);
    assertPage(await visitor.go(authorizationUrl(server, {}, 'nowhere')), 404);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    assertPage(await visitor.go(`${server.at('nowhere')}/auth`, { method: 'POST', body: 'a=b', headers }), 404);
  });
});

describe('the error reference (row 6)', () => {
  for (const code of errorCodes) {
    it(`${code}: what it means, every cause, how to fix each`, async () => {
      const seen = await new Visitor(server.base).go(`${server.base}/docs/errors/${code}`);
      assert.equal(seen.status, 200);
      assert.equal(seen.headers.get('content-type'), 'text/html; charset=utf-8');
      const text = seen.text.replace(/&(quot|#39|lt|gt|amp);/g, (_, name: string) => ENTITIES[name] ?? '');
      assert(text.includes(`<code>${code}</code>`));
      const causes = causesOf(code, listedFailures);
      assert(causes.length > 0, 'a code that nothing brings about');
      for (const { cause, fix, description } of causes) {
        for (const sentence of [cause, fix, description]) assert(text.includes(sentence), sentence);
      }
    });
  }

  it('knows every code of the interface', () => {
    const documented = ['access_denied', 'invalid_client', 'unsupported_grant_type', 'invalid_grant'];
    for (const code of [...documented, 'invalid_request', 'invalid_scope']) {
      assert((errorCodes as string[]).includes(code), code);
    }
  });

  it('has an index that links to every page', async () => {
    const { text } = await get(`${server.base}/docs/errors`);
    for (const code of errorCodes) assert(text.includes(`href="/docs/errors/${code}"`));
  });

  it('404 for what is no error', async () => {
    for (const code of ['nothing', '__proto__', 'invalid_request/x', 'INVALID_REQUEST', '<b>']) {
      assert.equal((await get(`${server.base}/docs/errors/${code}`)).status, 404, code);
    }
  });

  it('can be elsewhere: DOCS_URL', async () => {
    const elsewhere = await startTestServer({ env: { DOCS_URL: 'https://docs.example/errors/' } });
    const refused = await token(elsewhere, { grant_type: 'x' });
    assert.equal(refused.json.error_uri, 'https://docs.example/errors/unsupported_grant_type');
    const seen = await new Visitor(elsewhere.base).go(authorizationUrl(elsewhere, { scope: 'x' }));
    const sent = new URL(seen.location ?? '').searchParams.get('error_uri');
    assert.equal(sent, 'https://docs.example/errors/invalid_scope');
    await elsewhere.close();
  });
});

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
