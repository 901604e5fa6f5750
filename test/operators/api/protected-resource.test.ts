import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as oauth from 'oauth4webapi';
import { get } from '../../build/client.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suiteServer } from '../../build/test-server.ts';

const server = suiteServer();

describe('the admin API as a protected resource (RFC 9728)', () => {
  it('says which server issues its tokens, with which scopes, to programs of any origin (section 2)', async () => {
    const address = `${server.base}/.well-known/oauth-protected-resource/api/v1/admin`;
    const { json, headers } = await get(address, { origin: 'https://elsewhere.example' });
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.deepEqual(json, {
      resource: `${server.base}/api/v1/admin`,
      authorization_servers: [server.at('gatehouse')],
      scopes_supported: ['admin:read', 'admin:write'],
      bearer_methods_supported: ['header'],
      resource_name: 'Gatehouse admin API',
    });
  });

  it('is found by oauth4webapi from the address of the API alone', async () => {
    const resource = new URL(`${server.base}/api/v1/admin`);
    const response = await oauth.resourceDiscoveryRequest(resource, { [oauth.allowInsecureRequests]: true });
    const { authorization_servers } = await oauth.processResourceDiscoveryResponse(resource, response);
    assert.deepEqual(authorization_servers, [server.at('gatehouse')]);
  });

  it('leads a caller without a token, or with a wrong one, to it (section 5.1)', async () => {
    const metadata = `resource_metadata="${server.base}/.well-known/oauth-protected-resource/api/v1/admin"`;
    for (const headers of [undefined, { authorization: 'Bearer gak_wrong' }]) {
      const refused = await get(`${server.base}/api/v1/admin/applications`, headers);
      assert.equal(refused.status, 401);
      assert(
        refused.headers.get('www-authenticate')?.includes(metadata),
        refused.headers.get('www-authenticate') ?? '',
      );
    }
    const owner = await anOperatorClient(server);
    assert.equal((await owner.ask('GET', '/applications')).status, 200);
  });
});
