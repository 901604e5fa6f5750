import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../scripts/free-port.ts';
import { aTokenSet, basic, get, post, userinfo, WEB } from '../build/client.ts';
import { aClient, anApplication, aUser } from '../build/fixture.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { type Apache, startApache } from './apache.ts';

const BOB = { username: 'bob', email: 'bob@example.com', phone_number: '+8613800000002' };

/** The resource server's side: Apache asks the server about every token it is shown (RFC 7662). */
describe('Apache with mod_auth_openidc, guarding an API by access tokens', () => {
  let server: TestServer;
  let apache: Apache;
  let api: string;
  before(async () => {
    const port = await freePort();
    api = `http://127.0.0.1:${port}/api/page`;
    const clients = [aClient(), aClient({ client_id: 'jwt', access_token_format: 'jwt' })];
    const guard = aClient({ client_id: 'api', redirect_uris: [], grant_types: [] });
    server = await startTestServer({
      applications: [
        anApplication({ clients: [...clients, guard] }),
        anApplication({ code: 'other', name: 'Other', clients }),
      ],
      users: [aUser(), aUser(BOB)],
    });
    const directives = [
      // The introspection endpoint is found as RFC 8414 section 3.1 says.
      `OIDCOAuthServerMetadataURL ${server.at().replace('/api/', '/.well-known/oauth-authorization-server/api/')}`,
      'OIDCOAuthClientID api',
      'OIDCOAuthClientSecret web-secret-1',
    ];
    apache = await startApache([{ port, directives }]);
  });
  after(async () => {
    await apache?.close();
    await server?.close();
  });

  const call = (token: string) => get(api, { authorization: `Bearer ${token}` });

  for (const [kind, client, auth] of [
    ['an opaque', 'web', WEB],
    ['a JWT', 'jwt', basic('jwt', 'web-secret-1')],
  ] as const) {
    it(`asks about ${kind} access token and learns whose it is (row 52)`, async () => {
      const { access_token } = await aTokenSet(server, {}, { auth });
      const answered = await call(access_token);
      assert.equal(answered.status, 200, apache.faults().join('\n'));
      const { sub } = (await userinfo(server, access_token)).json;
      assert(answered.text.includes(`REMOTE_USER=${sub}\n`), answered.text);
      assert(answered.text.includes(`OIDC_CLAIM_client_id=${client}\n`), answered.text);
    });

    it(`refuses ${kind} access token from the moment it is revoked (RFC 7009)`, async () => {
      const { access_token } = await aTokenSet(server, {}, { auth });
      assert.equal((await call(access_token)).status, 200);
      await post(`${server.at()}/revoke`, { token: access_token }, { auth });
      assert.equal((await call(access_token)).status, 401);
    });
  }

  it('refuses a token from the moment its user is disabled', async () => {
    const { access_token } = await aTokenSet(server, { username: 'bob' });
    assert.equal((await call(access_token)).status, 200);
    await server.provision({ users: [aUser({ ...BOB, disabled: true })] });
    assert.equal((await call(access_token)).status, 401);
  });

  it('refuses tokens of another application, ID tokens and inventions (rows 4, 52)', async () => {
    const { id_token } = await aTokenSet(server);
    const { access_token } = await aTokenSet(server, {}, undefined, 'other');
    for (const token of [access_token, id_token, 'invented']) assert.equal((await call(token)).status, 401);
  });
});
