import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  defaultScope,
  everyScope,
  operatorScopes,
  parseScope,
  type Scope,
  scopes,
  scopesOf,
} from '../../../src/oauth/token/scope.rules.ts';

describe('scope (interface 4.1, RFC 6749 section 3.3, row 18)', () => {
  for (const [text, allowed, granted] of [
    ['openid', scopes, ['openid']],
    ['openid profile email phone', scopes, defaultScope],
    ['phone openid', scopes, ['phone', 'openid']],
    ['openid openid', scopes, ['openid']],
    [' openid  email ', scopes, ['openid', 'email']],
    ['email', ['email'], ['email']],
    ['openid offline_access', defaultScope, ['openid', 'offline_access']],
    ['openid address', ['openid'], ['openid', 'address']],
    ['offline_access', ['openid'], ['offline_access']],
  ] as readonly (readonly [string, readonly Scope[], readonly Scope[]])[]) {
    it(`${JSON.stringify(text)} of [${allowed}] grants [${granted}]`, () => {
      for (const unknown of ['refused', 'ignored'] as const) {
        assert.deepEqual(parseScope(text, allowed, unknown), { kind: 'granted', scope: granted });
      }
    });
  }

  for (const [text, allowed, token] of [
    ['', scopes, ''],
    ['  ', scopes, ''],
    ['openid\temail', scopes, 'openid\temail'],
    ['openid\nemail', scopes, 'openid\nemail'],
    ['openid\u00a0email', scopes, 'openid\u00a0email'],
    ['openid "', scopes, '"'],
    ['openid \\', scopes, '\\'],
    ['openid é', scopes, 'é'],
    ['openid email', ['openid'], 'email'],
    ['openid', [], 'openid'],
    ['email offline_access', ['email'], 'offline_access'],
    ['email address', ['email'], 'address'],
  ] as readonly (readonly [string, readonly Scope[], string])[]) {
    it(`${JSON.stringify(text)} of [${allowed}] is refused because of ${JSON.stringify(token)}, in every dialect`, () => {
      for (const unknown of ['refused', 'ignored'] as const) {
        assert.deepEqual(parseScope(text, allowed, unknown), { kind: 'refused', token });
      }
    });
  }

  for (const [text, unknown, known] of [
    ['OpenID', 'OpenID', undefined],
    ['openid admin', 'admin', ['openid']],
    ['admin openid', 'admin', ['openid']],
    ['openid,email', 'openid,email', undefined],
    ['constructor', 'constructor', undefined],
    ['openid read:pets email', 'read:pets', ['openid', 'email']],
  ] as const) {
    it(`${JSON.stringify(text)}: ${unknown} is refused by name, and ignored under strict_oidc`, () => {
      assert.deepEqual(parseScope(text, scopes), { kind: 'refused', token: unknown });
      assert.deepEqual(
        parseScope(text, scopes, 'ignored'),
        known === undefined ? { kind: 'refused', token: unknown } : { kind: 'granted', scope: known },
      );
    });
  }

  it('knows the four of the interface, offline_access, address, groups and roles, and no other', () => {
    assert.deepEqual([...defaultScope].sort(), ['email', 'openid', 'phone', 'profile']);
    const others = ['address', 'groups', 'offline_access', 'roles'];
    assert.deepEqual([...scopes].sort(), [...defaultScope, ...others].sort());
    assert.deepEqual(scopesOf({ code: 'shop', apis: [] }), scopes);
  });

  it('grants groups and roles to a client that is registered for them alone (modern contract)', () => {
    for (const scope of ['groups', 'roles']) {
      assert.deepEqual(parseScope(`openid ${scope}`, defaultScope), { kind: 'refused', token: scope });
      const granted = { kind: 'granted', scope: ['openid', scope] };
      assert.deepEqual(parseScope(`openid ${scope}`, [...defaultScope, scope]), granted);
    }
  });

  it('knows admin:read and admin:write in the built-in application alone (admin.md, who may call)', () => {
    for (const scope of operatorScopes) {
      assert.equal(scopesOf({ code: 'gatehouse', apis: [] }).includes(scope), true);
      assert.equal(scopesOf({ code: 'shop', apis: [] }).includes(scope), false);
      assert.deepEqual(parseScope(`openid ${scope}`, scopes), { kind: 'refused', token: scope });
      assert.deepEqual(parseScope(`openid ${scope}`, scopes, 'ignored'), { kind: 'granted', scope: ['openid'] });
      assert.deepEqual(parseScope(scope, everyScope), { kind: 'granted', scope: [scope] });
    }
  });
});
