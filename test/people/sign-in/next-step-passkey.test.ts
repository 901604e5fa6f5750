import { describe } from 'node:test';
import { ALICE, BOB, codeOf, HERE, OLD, passkeyOf, proofOf, table } from './given.ts';

const PHR = ['swk', 'user', 'mfa'];
const WITH = { ...OLD, hasPasskey: true };
const STRONG = { ...WITH, amr: PHR };
const VERIFIED = { ...HERE, proofs: [passkeyOf(ALICE, true)] };
const TOUCHED = { ...HERE, proofs: [passkeyOf(ALICE, false)] };
const PASSWORD_FIRST = { ...HERE, proofs: [{ ...proofOf(ALICE), hasPasskey: true }] };
const off = { mfa: 'off' } as const;
const essential = { values: ['phr'], essential: true };

describe('signing in with a passkey (accounts contract, acr 1, 2 and phr)', () => {
  table([
    ['with user verification it is two factors', { mfa: 'required', progress: VERIFIED }, 'done'],
    [
      'with user verification it meets an essential acr 2',
      { acr: { ...essential, values: ['2'] }, progress: VERIFIED },
      'done',
    ],
    ['without, the password is asked for too', { progress: TOUCHED }, 'second-password'],
    ['without, one factor is enough where no second is asked', { ...off, progress: TOUCHED }, 'done'],
    [
      'without, an essential phr asks for the passkey once more',
      { ...off, acr: essential, progress: TOUCHED },
      'passkey',
    ],
    [
      'without, of a user who has no password, it is asked for once more',
      { progress: { ...HERE, proofs: [{ ...passkeyOf(ALICE, false), hasPassword: false }] } },
      'passkey',
    ],
    ['and the password after it', { progress: { ...HERE, proofs: [passkeyOf(ALICE, false), proofOf(ALICE)] } }, 'done'],
    [
      'another user’s password after it is a login of that user',
      { progress: { ...HERE, proofs: [proofOf(BOB)] }, requiredSub: ALICE },
      'login_required',
    ],
  ]);
});

describe('a passkey as second factor', () => {
  const both = { ...PASSWORD_FIRST.proofs[0], hasTotp: true } as ReturnType<typeof proofOf>;
  table([
    ['after the password', { progress: PASSWORD_FIRST }, 'passkey'],
    ['in a session with the password alone', { session: WITH }, 'passkey'],
    ['not in a session that was opened with one', { session: STRONG }, 'done'],
    ['before an authenticator app', { progress: { ...HERE, proofs: [both] } }, 'passkey'],
    ['the app will do', { progress: { ...HERE, proofs: [both, codeOf(ALICE)] } }, 'done'],
    ['a recovery code will do', { progress: { ...HERE, proofs: [both, codeOf(ALICE, 'rec')] } }, 'done'],
    ['the key adds to the password', { progress: { ...HERE, proofs: [both, passkeyOf(ALICE, false)] } }, 'done'],
    ['and nothing may be asked', { session: WITH, prompt: ['none'] }, 'login_required'],
    ['off', { ...off, session: WITH }, 'done'],
    ['where the application takes none', { passkeys: false, session: WITH }, 'done'],
    [
      'where the application takes none and requires two, an app is set up',
      { passkeys: false, mfa: 'required', session: WITH },
      'enrol-totp',
    ],
    [
      'a user of a passkey alone, who has no password that an app could add to, is not asked in vain',
      { passkeys: false, mfa: 'required', session: { ...WITH, amr: ['hwk'], hasPassword: false } },
      'unmet_authentication_requirements',
    ],
    [
      'a user who must have a second factor has one',
      { mfa: 'off', session: { ...WITH, requiresMfa: true } },
      'passkey',
    ],
    ['where the application takes none, the app', { passkeys: false, session: { ...WITH, hasTotp: true } }, 'totp'],
  ]);
});

describe('acr=phr (OIDC Core section 5.5.1.1)', () => {
  const voluntary = { values: ['phr', '2'], essential: false };
  const two = { ...WITH, hasTotp: true, amr: ['pwd', 'otp', 'mfa'] };
  table([
    ['essential, of a session with the password', { ...off, session: WITH, acr: essential }, 'passkey'],
    ['essential, of a session with two other factors', { ...off, session: two, acr: essential }, 'passkey'],
    [
      'essential, of a session with a recovery code',
      { ...off, session: { ...two, amr: ['pwd', 'rec', 'mfa'] }, acr: essential },
      'passkey',
    ],
    ['essential, met', { ...off, session: STRONG, acr: essential }, 'done'],
    [
      'essential, of a user without a passkey',
      { ...off, session: OLD, acr: essential },
      'unmet_authentication_requirements',
    ],
    [
      'essential, where the application takes none',
      { ...off, passkeys: false, session: WITH, acr: essential },
      'unmet_authentication_requirements',
    ],
    [
      'essential, and nothing may be asked',
      { ...off, session: WITH, acr: essential, prompt: ['none'] },
      'login_required',
    ],
    ['voluntary, of a user with a passkey', { ...off, session: two, acr: voluntary }, 'passkey'],
    [
      'voluntary, of a user who can reach the second choice',
      { ...off, session: { ...OLD, hasTotp: true }, acr: voluntary },
      'totp',
    ],
    ['voluntary, of a user who can reach none', { ...off, session: OLD, acr: voluntary }, 'done'],
    [
      'voluntary, after a recovery code',
      { ...off, session: { ...two, amr: ['pwd', 'rec', 'mfa'] }, acr: voluntary },
      'done',
    ],
  ]);
});

describe('attack: a passkey that steps a session up is no login of its own', () => {
  const stepping = { ...HERE, proofs: [{ ...passkeyOf(ALICE, false), stepsUp: true }] };
  table([
    ['without the session', { ...off, progress: stepping }, 'password'],
    ['in the session of another user', { session: { ...WITH, sub: BOB }, progress: stepping }, 'passkey'],
    ['in its session', { session: WITH, progress: stepping }, 'done'],
    ['in a session that is too old', { session: WITH, maxAge: 5, progress: stepping }, 'password'],
  ]);
});
