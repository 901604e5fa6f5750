import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkRedirectTarget, readAuthRequest, recheckAuthRequest } from '../../src/protocol/auth-request.ts';
import { parseParams } from '../../src/protocol/params.ts';
import { application, client } from '../store/contract/given.ts';

const ORDERS = 'https://api.shop.example';
const api = {
  identifier: ORDERS,
  name: 'Orders',
  scopes: { 'orders:read': 'Read', 'orders:write': 'Write' },
  require_dpop: false,
};

describe('a request that waited on the sign-in pages', () => {
  for (const strict_oidc of [true, false]) {
    it(`does not keep the scope of an API that its client has lost, strict_oidc: ${strict_oidc}`, () => {
      const shop = application({ strict_oidc, apis: [api] });
      const before = client({ require_pkce: false, scope: ['openid', 'orders:read', 'orders:write'] });
      const [redirect = ''] = before.redirect_uris;
      const query = new URLSearchParams({
        client_id: before.client_id,
        redirect_uri: redirect,
        response_type: 'code',
        scope: 'openid orders:read orders:write',
      });
      const params = parseParams(query.toString());
      const trusted = checkRedirectTarget(params, before);
      assert(trusted.kind === 'trusted');
      const read = readAuthRequest(params, trusted.target, shop);
      assert(read.kind === 'valid');
      const now = recheckAuthRequest(
        read.request,
        client({ require_pkce: false, scope: ['openid', 'orders:read'] }),
        shop,
      );
      const scope = now.kind === 'valid' ? now.request.scope : [];
      assert.equal(scope.includes('orders:write'), false);
      assert.equal(now.kind, strict_oidc ? 'valid' : 'refused');
    });
  }
});
