import { describe } from 'node:test';
import { ALICE, codeOf, HERE, NOW, OLD, OWN, PROVED, proofOf, table } from './given.ts';

const UNVERIFIED = { ...HERE, proofs: [proofOf(ALICE)] };
const ADDRESSLESS = { ...HERE, proofs: [{ ...proofOf(ALICE, true), hasEmail: false }] };
const STALE = { ...OLD, authTime: NOW - 301 };
const VERIFIED = { ...HERE, proofs: [{ ...proofOf(ALICE), hasVerifiedEmail: true }] };
const OUTDATED = { ...HERE, proofs: [{ ...proofOf(ALICE), needsNewPassword: true }] };
const BOTH = { ...HERE, proofs: [{ ...proofOf(ALICE, true), needsNewPassword: true }] };

describe('an application that demands a verified e-mail address (accounts contract, require_verified_email)', () => {
  table([
    ['a session of a user without one', { verifiedEmail: true, session: OLD }, 'verify-email'],
    [
      'a session of a user with one',
      { verifiedEmail: true, session: { ...OLD, email: 'a@example.com', emailVerified: true } },
      'done',
    ],
    [
      'a session of a user who is marked so and has no address',
      { verifiedEmail: true, session: { ...OLD, emailVerified: true } },
      'verify-email',
    ],
    [
      'a session of a user without an address that is older than five minutes',
      { verifiedEmail: true, session: STALE },
      'password',
    ],
    [
      'such a session of a user whose address is not verified',
      { verifiedEmail: true, session: { ...STALE, email: 'a@example.com' } },
      'verify-email',
    ],
    ['such a session, asked for silently', { verifiedEmail: true, session: STALE, prompt: ['none'] }, 'login_required'],
    [
      'a session of a user without an address, with a weaker factor than the user has',
      { verifiedEmail: true, mfa: 'off', session: { ...OLD, hasTotp: true } },
      'totp',
    ],
    [
      'a password of a user without an address, who has a stronger factor',
      { verifiedEmail: true, mfa: 'off', progress: ADDRESSLESS },
      'totp',
    ],
    [
      'a browser that is trusted adds no address either',
      { verifiedEmail: true, trustsBrowsers: true, trustedFor: ALICE, progress: ADDRESSLESS },
      'totp',
    ],
    ['a password of a user without one', { verifiedEmail: true, progress: UNVERIFIED }, 'verify-email'],
    ['a password of a user with one', { verifiedEmail: true, progress: VERIFIED }, 'done'],
    ['prompt=none', { verifiedEmail: true, session: OLD, prompt: ['none'] }, 'login_required'],
    ['another application', { session: OLD }, 'done'],
    [
      'the second factor comes first',
      { verifiedEmail: true, progress: { ...HERE, proofs: [proofOf(ALICE, true)] } },
      'totp',
    ],
    [
      'after the second factor',
      { verifiedEmail: true, progress: { ...HERE, proofs: [proofOf(ALICE, true), codeOf(ALICE)] } },
      'verify-email',
    ],
    [
      'a second factor that is required is set up before it',
      { verifiedEmail: true, mfa: 'required', progress: UNVERIFIED },
      'enrol-totp',
    ],
    [
      'consent comes after it',
      { verifiedEmail: true, requireConsent: true, session: OWN, progress: HERE },
      'verify-email',
    ],
  ]);
});

describe('a user who has to set a new password (accounts contract, require_password_change)', () => {
  table([
    ['after the password', { progress: OUTDATED }, 'new-password'],
    ['after the second factor', { progress: { ...BOTH, proofs: [...BOTH.proofs, codeOf(ALICE)] } }, 'new-password'],
    ['before the second factor', { progress: BOTH }, 'totp'],
    ['after the e-mail address', { verifiedEmail: true, progress: OUTDATED }, 'verify-email'],
    ['another user', { progress: PROVED }, 'done'],
    ['before consent', { requireConsent: true, progress: OUTDATED }, 'new-password'],
  ]);
});
