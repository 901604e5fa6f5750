import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isChoosableName, loginName, loginNamesOf } from '../../../src/directory/users/login-name.rules.ts';

describe('login names (interface 4.2: login name, telephone number or e-mail)', () => {
  for (const [typed, name] of [
    ['alice', 'alice'],
    ['ALICE', 'alice'],
    ['  alice\t', 'alice'],
    ['Alice@Example.COM', 'alice@example.com'],
    ['+8613800000000', '+8613800000000'],
    ['+86 138-0000-0000', '+8613800000000'],
    ['+86 (138) 0000.0000', '+8613800000000'],
    ['＋８６１３８', '+86138'],
    ['ａｌｉｃｅ', 'alice'],
    ['e\u0301mile', 'émile'],
    ['大卫', '大卫'],
    ['a b', 'a b'],
    ['al-ice', 'al-ice'],
    ['a+b@example.com', 'a+b@example.com'],
    ['a'.repeat(256), 'a'.repeat(256)],
    ['a'.repeat(257), undefined],
    ['', undefined],
    [' \u3000', undefined],
  ] as const) {
    it(`${JSON.stringify(typed.slice(0, 30))} is ${JSON.stringify(name?.slice(0, 30))}`, () => {
      assert.equal(loginName(typed), name);
    });
  }

  it('of a user are each of the three, once', () => {
    const user = { username: 'Alice@example.com', email: 'alice@EXAMPLE.com', phoneNumber: '+86 138' };
    assert.deepEqual(loginNamesOf({ ...user, phoneNumberVerified: false }), ['alice@example.com', '+86138']);
    const bob = { username: 'bob', email: undefined, phoneNumber: undefined, phoneNumberVerified: false };
    assert.deepEqual(loginNamesOf(bob), ['bob']);
  });

  it('a number that the user typed is none until it is verified', () => {
    const claimed = { username: 'eve', email: undefined, phoneNumber: '+86 138', isPhoneClaimed: true };
    assert.deepEqual(loginNamesOf({ ...claimed, phoneNumberVerified: false }), ['eve']);
    assert.deepEqual(loginNamesOf({ ...claimed, phoneNumberVerified: true }), ['eve', '+86138']);
  });

  for (const [name, isChoosable] of [
    ['eve', true],
    ['李雷', true],
    ['eve138', true],
    ['8613800000000', false],
    ['+86 138 0000 0000', false],
    ['１３８', false],
    ['eve@example.com', false],
    ['(138)', false],
    ['', false],
  ] as const) {
    it(`people ${isChoosable ? 'may' : 'may not'} choose ${JSON.stringify(name)} as their user name`, () => {
      assert.equal(isChoosableName(name), isChoosable);
    });
  }
});
