import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loginName } from '../../../src/directory/users/login-name.rules.ts';
import { typedUserCode } from '../../../src/oauth/device/rules.ts';
import { judgePassword, type PasswordFault } from '../../../src/people/password/password.rules.ts';
import { createPasswords } from '../../../src/people/password/passwords.ts';
import { typedEmail, typedUsername } from '../../../src/people/sign-up/typed-names.rules.ts';
import { systemRandom } from '../../../src/platform/crypto/random.ts';
import { craftedText, LONGEST, watchNormalize } from '../../build/crafted-text.ts';

const CRAFTED = craftedText(32_000);

describe('64 KB of combining characters in the wrong order (more than a second of processor time to normalise)', () => {
  const passwords = createPasswords(systemRandom, { atOnce: 1, waiting: 1 }, { memoryKib: 64, passes: 1 });
  for (const [name, read] of [
    ['a login name', () => loginName(CRAFTED)],
    ['an e-mail address', () => typedEmail(`${CRAFTED}@example.com`)],
    ['a user name', () => typedUsername(CRAFTED)],
    ['the code of a device', () => typedUserCode(CRAFTED)],
    ['a new password', () => judgePassword(CRAFTED, { username: 'alice' }, { has: () => false })],
    ['a password', () => passwords.verify(CRAFTED, undefined)],
  ] as const) {
    it(`${name} is refused before it is normalised`, async context => {
      const normalized = watchNormalize(context);
      const answer = await read();
      assert(answer === undefined || answer === 'wrong' || (answer as PasswordFault).kind === 'tooLong');
      assert.deepEqual(normalized(), []);
    });
  }

  it('a password of 256 characters is judged in every form, also with four code units to each', () => {
    const password = 'ᾂ'.repeat(256).normalize('NFD');
    assert.equal(password.length, LONGEST);
    assert.equal(judgePassword(password, {}, { has: () => false }), undefined);
  });
});
