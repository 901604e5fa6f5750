import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isScope, parseScope, type Scope, scopes } from '../../src/protocol/scope.ts';

describe('scope (interface 4.1, RFC 6749 section 3.3, row 18)', () => {
  for (const [text, allowed, granted] of [
    ['openid', scopes, ['openid']],
    ['openid profile email phone', scopes, scopes],
    ['phone openid', scopes, ['phone', 'openid']],
    ['openid openid', scopes, ['openid']],
    [' openid  email ', scopes, ['openid', 'email']],
    ['email', ['email'], ['email']],
    ['', scopes, undefined],
    ['  ', scopes, undefined],
    ['OpenID', scopes, undefined],
    ['openid admin', scopes, undefined],
    ['offline_access', scopes, undefined],
    ['openid,email', scopes, undefined],
    ['openid\temail', scopes, undefined],
    ['openid\nemail', scopes, undefined],
    ['openid\u00a0email', scopes, undefined],
    ['openid "', scopes, undefined],
    ['openid \\', scopes, undefined],
    ['openid é', scopes, undefined],
    ['constructor', scopes, undefined],
    ['openid email', ['openid'], undefined],
    ['openid', [], undefined],
  ] as readonly (readonly [string, readonly Scope[], readonly Scope[] | undefined])[]) {
    it(`${JSON.stringify(text)} of [${allowed}] grants ${granted ? `[${granted}]` : 'nothing'}`, () => {
      assert.deepEqual(parseScope(text, allowed), granted);
    });
  }

  it('knows the four of the interface and no other', () => {
    assert.deepEqual([...scopes].sort(), ['email', 'openid', 'phone', 'profile']);
    for (const scope of scopes) assert.equal(isScope(scope), true);
    for (const text of ['', 'address', 'OPENID', '__proto__']) assert.equal(isScope(text), false);
  });
});
