import { describe } from 'node:test';
import { ALICE, BOB, codeOf, HERE, NOW, OLD, proofOf, table } from './given.ts';

const leaving = (hasTotp = false) => ({ ...proofOf(ALICE, hasTotp), deletionDue: NOW + 86_400 });
const LEAVING = { ...HERE, proofs: [leaving()] };

describe('an account that its user has asked to delete (accounts contract, 14 days of grace)', () => {
  table([
    ['is asked about after the password', { progress: LEAVING }, 'keep-account'],
    ['… before the second factor', { progress: { ...HERE, proofs: [leaving(true)] } }, 'keep-account'],
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
