import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '../../../src/directory/clients/rules.ts';
import { recheckAuthRequest } from '../../../src/oauth/authorize/request.rules.ts';
import { type Fields, PKCE, valid } from './auth-request-given.ts';
import { application, client } from './given.ts';

describe('a pending request, after the registration of its client has changed', () => {
  const again = (fields: Fields, now: Partial<Client>, strict = false) =>
    recheckAuthRequest(valid(fields, '', {}, strict), client(now), application({ strict_oidc: strict }));

  it('is the same request when nothing that concerns it has changed', () => {
    const request = valid({ ...PKCE, scope: 'openid email', claims: '{"userinfo":{"email":null}}' });
    const now = client({ client_name: 'Renamed', require_pkce: true, scope: ['openid', 'email'] });
    assert.deepEqual(recheckAuthRequest(request, now, application()), { kind: 'valid', request });
  });

  for (const [what, fields, now, expected] of [
    ['the redirect address', {}, { redirect_uris: ['https://client.example/x'] }, 'untrusted redirectUriUntrusted'],
    ['the code flow', {}, { grant_types: ['implicit'] }, 'refused responseTypeNotAllowed query'],
    [
      'the implicit flow',
      { response_type: 'id_token', nonce: 'n' },
      { grant_types: ['authorization_code'] },
      'refused responseTypeNotAllowed fragment',
    ],
    ['a scope', { scope: 'openid email' }, { scope: ['openid'] }, 'refused scopeInvalid query'],
    [
      'a scope of the implicit flow (row 15)',
      { scope: 'openid email', response_type: 'id_token', nonce: 'n' },
      { scope: ['openid'] },
      'refused scopeInvalid query',
    ],
    ['a code without PKCE', {}, { require_pkce: true }, 'refused codeChallengeInvalid query'],
    ['a code without PKCE', {}, { token_endpoint_auth_method: 'none' }, 'refused codeChallengeInvalid query'],
  ] as const) {
    it(`${what} is not allowed any more, with ${JSON.stringify(now)}: ${expected}`, () => {
      const result = again(fields, now);
      assert(result.kind !== 'valid');
      const mode = result.kind === 'refused' ? [result.mode] : [];
      assert.equal([result.kind, result.failure.name, ...mode].join(' '), expected);
    });
  }

  it('under strict_oidc is refused where its answer would have gone', () => {
    const fields = { scope: 'openid email', response_type: 'id_token', nonce: 'n' };
    const result = again(fields, { scope: ['openid'] }, true);
    assert(result.kind === 'refused');
    assert.equal(result.mode, 'fragment');
  });

  it('loses the single claims that are not allowed any more', () => {
    const fields = { scope: 'openid', claims: '{"userinfo":{"email":null,"nickname":null}}' };
    const result = again(fields, { scope: ['openid', 'profile'] });
    assert(result.kind === 'valid');
    assert.deepEqual(result.request.claims.userinfo, ['nickname']);
  });

  for (const strict of [true, false]) {
    it(`does not keep the scope of an API that its client has lost, strict_oidc: ${strict}`, () => {
      const scopes = { 'orders:read': 'Read', 'orders:write': 'Write' };
      const apis = [{ identifier: 'https://api.shop.example', name: 'Orders', scopes, require_dpop: false }];
      const shop = application({ strict_oidc: strict, apis });
      const scope = ['openid', 'orders:read', 'orders:write'] as const;
      const request = { ...valid({ scope: 'openid' }, '', {}, strict), scope };
      const result = recheckAuthRequest(request, client({ scope: ['openid', 'orders:read'] }), shop);
      assert.equal(result.kind, strict ? 'valid' : 'refused');
      if (result.kind === 'valid') assert.deepEqual(result.request.scope, ['openid', 'orders:read']);
    });
  }
});
