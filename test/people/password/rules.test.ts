import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  type CommonPasswords,
  ENTRY_BYTES,
  loadCommonPasswords,
} from '../../../src/people/password/common-passwords.ts';
import { passwordFaultText } from '../../../src/people/password/fault-text.ts';
import {
  judgePassword,
  type PasswordFault,
  type PasswordPurpose,
} from '../../../src/people/password/password.rules.ts';
import { PASSWORD } from '../../build/fixture.ts';
import { fc } from '../../build/random.ts';
import { suitePart } from '../../build/suite-part.ts';

const NONE: CommonPasswords = { has: () => false };
const ALICE: PasswordPurpose = { username: 'alice', email: 'al.smith@example.com', application: 'Corner Shop' };
const kindOf = (password: string, purpose = ALICE, common = NONE) => judgePassword(password, purpose, common)?.kind;

describe('length of a new password (accounts contract, Passwords)', () => {
  it('is 8 to 256 code points, or what the application demands', () => {
    assert.deepEqual(judgePassword('x7#kQ2p', {}, NONE), { kind: 'tooShort', min: 8 });
    assert.equal(kindOf('x7#kQ2pz'), undefined);
    assert.equal(kindOf('z'.repeat(256), {}), undefined);
    assert.deepEqual(judgePassword('z'.repeat(257), {}, NONE), { kind: 'tooLong', max: 256 });
    assert.deepEqual(judgePassword('x7#kQ2pzabc', { minLength: 12 }, NONE), { kind: 'tooShort', min: 12 });
  });

  it('counts a character once, in whatever form and however many code units it has', () => {
    assert.equal(kindOf('😀😁😂😃😄😅😆', {}), 'tooShort');
    assert.equal(kindOf('😀😁😂😃😄😅😆😇', {}), undefined);
    assert.equal(kindOf('😀'.repeat(256), {}), undefined);
    assert.equal(kindOf('e\u0301'.repeat(7), {}), 'tooShort', 'seven letters with an accent of their own');
  });

  it('is judged alike in every form of the same text (property)', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 40 }),
        fc.string({ maxLength: 12 }),
        (password, username) => {
          const judged = (form: string) => judgePassword(password.normalize(form), { username }, NONE);
          assert.deepEqual(judged('NFD'), judged('NFC'));
        },
      ),
    );
  });

  it('has no rules about kinds of characters: letters, digits or spaces alone do (property)', () => {
    const unit = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz');
    fc.assert(fc.property(fc.string({ unit, minLength: 8, maxLength: 256 }), text => kindOf(text, {}) === undefined));
    for (const password of ['84619357201', '        a', '密码密码密码密码'])
      assert.equal(kindOf(password, {}), undefined);
  });
});

describe('a new password that is made of the names around it (accounts contract, Passwords)', () => {
  const like: readonly (readonly [password: string, name: string])[] = [
    ['alice123', 'username'],
    ['ALICE2024', 'username'],
    ['123alice!', 'username'],
    ['alicealice', 'username'],
    ['alice!!!!!!!!', 'username'],
    ['ａｌｉｃｅ1234', 'username'],
    ['al.smith', 'email'],
    ['Al.Smith@Example.com', 'email'],
    ['al.smith@example.com1', 'email'],
    ['alsmith99', 'email'],
    ['example.com', 'email'],
    ['corner shop', 'application'],
    ['CornerShop1', 'application'],
    ['corner-shop-24', 'application'],
  ];
  for (const [password, name] of like) {
    it(`"${password}" is like the ${name}`, () =>
      assert.deepEqual(judgePassword(password, ALICE, NONE), { kind: 'like', name }));
  }

  for (const password of ['alice in wonderland', 'malice aforethought', 'my corner shop sells tea', PASSWORD]) {
    it(`"${password}" is not`, () => assert.equal(kindOf(password), undefined));
  }

  it('where it belongs to no application, the name is that of this service', () => {
    assert.deepEqual(judgePassword('gatehouse!', {}, NONE), { kind: 'like', name: 'application' });
    assert.equal(kindOf('gatehouse!'), undefined, 'one of an application');
  });

  it('a name of one letter, or none, refuses no ordinary password', () => {
    for (const username of ['a', '', '.']) assert.equal(kindOf('a banana. for me', { username }), undefined);
    assert.equal(kindOf('!#€%a&/()=?', { username: 'a' }), undefined);
  });

  it('a name and up to four characters are refused, whatever the name (property)', () => {
    const text = (minLength: number, maxLength: number) =>
      fc.string({ unit: fc.constantFrom(...'abcxyzABCéß019.-_ @'), minLength, maxLength });
    fc.assert(
      fc.property(text(8, 40), text(0, 2), text(0, 2), (username, head, tail) => {
        assert.equal(kindOf(`${head}${username.toUpperCase()}${tail}`, { username: username.toUpperCase() }), 'like');
        assert.equal(kindOf(`${head}${username}${tail}`, { application: username }), 'like');
      }),
    );
  });
});

describe('the list of common passwords (accounts contract, Passwords)', () => {
  const list = suitePart(() => loadCommonPasswords());

  it('has the most common of eight characters and more, in upper and lower case alike', () => {
    for (const password of ['password', 'Password1', '12345678', 'QWERTYUIOP', 'iloveyou1', 'woaini1314', 'p@ssw0rd'])
      assert.deepEqual(judgePassword(password, {}, list), { kind: 'common' }, password);
  });

  it('does not have passphrases, nor the examples of the documents', () => {
    for (const password of [PASSWORD, 'another long enough password', 's3cret-s3cret', 'twelve blue herons at dawn'])
      assert.equal(judgePassword(password, {}, list), undefined, password);
  });

  it('takes no random password for a common one: none of 200,000', () => {
    const found = Array.from({ length: 200_000 }, (_, index) => `random-${index * 7919}-password`).filter(list.has);
    assert.deepEqual(found, []);
  });

  it('is in strictly ascending order, as the binary search needs it', () => {
    const bytes = readFileSync(new URL('../../../src/people/password/common-passwords.bin', import.meta.url));
    assert.equal(bytes.length % ENTRY_BYTES, 0);
    for (let at = ENTRY_BYTES; at < bytes.length; at += ENTRY_BYTES)
      assert(bytes.compare(bytes, at - ENTRY_BYTES, at, at, at + ENTRY_BYTES) > 0, `entry at byte ${at}`);
  });
});

describe('texts of password faults', () => {
  const faults: readonly PasswordFault[] = [
    { kind: 'tooShort', min: 12 },
    { kind: 'tooLong', max: 256 },
    { kind: 'like', name: 'username' },
    { kind: 'like', name: 'email' },
    { kind: 'like', name: 'application' },
    { kind: 'common' },
    { kind: 'breached' },
  ];
  const FORMS = [
    ['en', /^(must have|is) [\x20-\x7e]+$/],
    ['zh', /\p{Script=Han}/u],
    ['de', /^(muss|darf|ist|gehört) /],
  ] as const;
  it('say in every language what to do, each in its own words', () => {
    for (const [locale, form] of FORMS) {
      const texts = faults.map(fault => passwordFaultText(fault, locale));
      assert.equal(new Set(texts).size, faults.length);
      for (const text of texts) assert.match(text, form);
    }
    assert.match(passwordFaultText({ kind: 'tooShort', min: 12 }), /at least 12/);
  });
});
