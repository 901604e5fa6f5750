import { describe } from 'node:test';
import { ALICE, BOB, codeOf, HERE, NOW, OLD, passkeyOf, proofOf, table } from './given.ts';

const leaving = (hasTotp = false) => ({ ...proofOf(ALICE, hasTotp), deletionDue: NOW + 86_400 });
const LEAVING = { ...HERE, proofs: [leaving()] };
const WITH_FACTOR = { ...HERE, proofs: [leaving(true)] };
const leavingBy = (isUserVerified: boolean) => ({ ...passkeyOf(ALICE, isUserVerified), deletionDue: NOW + 86_400 });
const WITH_PASSKEY = { ...HERE, proofs: [{ ...leaving(), hasPasskey: true }] };

describe('an account that its user has asked to delete (accounts contract, 14 days of grace)', () => {
  table([
    ['is asked about after the password', { progress: LEAVING }, 'keep-account'],
    ['… after the second factor', { progress: { ...HERE, proofs: [leaving(true), codeOf(ALICE)] } }, 'keep-account'],
    [
      '… after a recovery code',
      { progress: { ...HERE, proofs: [leaving(true), codeOf(ALICE, 'rec')] } },
      'keep-account',
    ],
    ['… after a passkey that verified the user', { progress: { ...HERE, proofs: [leavingBy(true)] } }, 'keep-account'],
    ['… before the consent', { progress: LEAVING, requireConsent: true }, 'keep-account'],
    [
      '… where a second factor is required that the user has not',
      { progress: LEAVING, mfa: 'required' },
      'keep-account',
    ],
    ['kept: the sign-in goes on', { progress: { ...HERE, proofs: [proofOf(ALICE)] } }, 'done'],
    ['kept, with a second factor', { progress: { ...HERE, proofs: [proofOf(ALICE, true)] } }, 'totp'],
  ]);
});

describe('attack: a stolen password alone does not come to the question where the user has a second factor', () => {
  table([
    ['an authenticator app', { progress: WITH_FACTOR }, 'totp'],
    ['… where the application asks nobody', { progress: WITH_FACTOR, mfa: 'off' }, 'totp'],
    ['… where the browser was trusted', { progress: WITH_FACTOR, trustsBrowsers: true, trustedFor: ALICE }, 'totp'],
    ['a passkey', { progress: WITH_PASSKEY, mfa: 'off' }, 'passkey'],
    [
      'nor a passkey that did not verify the user',
      { progress: { ...HERE, proofs: [leavingBy(false)] }, mfa: 'off' },
      'second-password',
    ],
  ]);
});

describe('attack: the question cannot be skipped', () => {
  table([
    [
      'by a code of the second factor',
      { progress: { ...HERE, proofs: [leaving(true), codeOf(ALICE)] } },
      'keep-account',
    ],
    [
      'by the session of another user in this browser',
      { session: { ...OLD, sub: BOB }, progress: LEAVING },
      'keep-account',
    ],
    ['by prompt=none', { progress: LEAVING, prompt: ['none'] }, 'login_required'],
  ]);
});
