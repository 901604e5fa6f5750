import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { TOKEN_EXCHANGE } from '../../src/oauth/token-exchange/rules.ts';
import { suiteServer } from '../build/test-server.ts';
import { ACCESS_TOKEN, aShop, forOrders, JWT, MAIL, STOCK } from '../oauth/token-exchange/token-exchange-fixture.ts';

const SECRET = 'orders-api-secret-1';

/** Both libraries check the answer of a grant that they have no function for (RFC 8693). */
describe('token exchange by client libraries of others', () => {
  const server = suiteServer({ applications: [aShop()] });

  it('openid-client: genericGrantRequest, impersonation and delegation', async () => {
    const options = { execute: [client.allowInsecureRequests] };
    const authentication = client.ClientSecretBasic(SECRET);
    const config = await client.discovery(new URL(server.at()), 'orders-api', undefined, authentication, options);
    assert(config.serverMetadata().grant_types_supported?.includes(TOKEN_EXCHANGE));
    const subject = { subject_token: await forOrders(server), subject_token_type: ACCESS_TOKEN };
    const set = await client.genericGrantRequest(config, TOKEN_EXCHANGE, { ...subject, resource: STOCK });
    assert.deepEqual([set.token_type, set.scope, set.issued_token_type], ['bearer', 'stock:read', ACCESS_TOKEN]);
    const own = await client.clientCredentialsGrant(config);
    const actor = { actor_token: own.access_token, actor_token_type: ACCESS_TOKEN };
    const acting = await client.genericGrantRequest(config, TOKEN_EXCHANGE, { ...subject, ...actor, audience: STOCK });
    const seen = await client.tokenIntrospection(config, acting.access_token);
    assert.deepEqual([seen.active, seen.act], [true, { sub: 'orders-api', client_id: 'orders-api' }]);
    await assert.rejects(
      client.genericGrantRequest(config, TOKEN_EXCHANGE, { ...subject, resource: STOCK, scope: 'stock:write' }),
      { error: 'invalid_scope' },
    );
  });

  it('oauth4webapi: genericTokenEndpointRequest, and the JWT as RFC 9068 has it', async () => {
    const http = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(server.at());
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, http));
    const api: oauth.Client = { client_id: 'orders-api' };
    const parameters = {
      ...{ subject_token: await forOrders(server), subject_token_type: ACCESS_TOKEN },
      ...{ requested_token_type: JWT, resource: MAIL },
    };
    const authentication = oauth.ClientSecretBasic(SECRET);
    const response = await oauth.genericTokenEndpointRequest(as, api, authentication, TOKEN_EXCHANGE, parameters, http);
    const set = await oauth.processGenericTokenEndpointResponse(as, api, response);
    assert.deepEqual([set.scope, set.issued_token_type], ['mail:send', JWT]);
    // As the mail API does, which receives the token.
    const request = new Request('https://mail.shop.example/', {
      headers: { authorization: `Bearer ${set.access_token}` },
    });
    const claims = await oauth.validateJwtAccessToken(as, request, MAIL, http);
    assert.deepEqual([claims.client_id, claims.scope], ['orders-api', 'mail:send']);
  });
});
