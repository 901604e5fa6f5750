import { describe } from 'node:test';
import { ALICE, BOB, codeOf, HERE, NOW, OLD, OWN, PROVED, proofOf, table } from './given.ts';

const TWO = ['pwd', 'otp', 'mfa'];
const WITH = { ...OLD, hasTotp: true };
const BOTH = { ...WITH, amr: TWO };
const PROVED_WITH = { ...HERE, proofs: [proofOf(ALICE, true)] };
const KEY = { sub: ALICE, key: 'GEZDGNBVGY3TQOJQ' };
const voluntary = { values: ['2'], essential: false };
const ADMIN = { app: 'gatehouse', operatorMfa: 'required', scope: ['openid', 'admin:read'] } as const;
const essential = { values: ['2'], essential: true };

describe('when a second factor is asked for (accounts contract, mfa: off | optional | required)', () => {
  table([
    ['optional, of a user who has none', { progress: PROVED }, 'done'],
    ['optional, of a user who has one, after the password', { progress: PROVED_WITH }, 'totp'],
    ['optional, of a session with the password alone', { session: WITH }, 'totp'],
    ['optional, of a session with both', { session: BOTH }, 'done'],
    ['optional, of a session with a recovery code', { session: { ...WITH, amr: ['pwd', 'rec', 'mfa'] } }, 'done'],
    ['off, of a user who has one', { mfa: 'off', session: WITH }, 'done'],
    ['off, after the password', { mfa: 'off', progress: PROVED_WITH }, 'done'],
    ['required, of a user who has one', { mfa: 'required', progress: PROVED_WITH }, 'totp'],
    ['required, of a session with both', { mfa: 'required', session: BOTH }, 'done'],
    ['for the admin API, of an operator who has none', { ...ADMIN, progress: PROVED }, 'enrol-totp'],
    ['for the admin API, of a session with both', { ...ADMIN, session: BOTH }, 'done'],
    ['for the admin API, in a trusted browser', { ...ADMIN, session: WITH, trustedFor: ALICE }, 'totp'],
    ['for the admin API, where it is optional', { ...ADMIN, operatorMfa: 'optional', progress: PROVED }, 'done'],
    ['at the built-in application without its scopes', { ...ADMIN, scope: ['openid'], progress: PROVED }, 'done'],
    ['and nothing may be asked', { session: WITH, prompt: ['none'] }, 'login_required'],
    ['after the account was chosen', { session: WITH, prompt: ['select_account'] }, 'select-account'],
    ['before the consent', { session: WITH, requireConsent: true }, 'totp'],
    ['after a new login that the request demands', { session: BOTH, prompt: ['login'], progress: PROVED_WITH }, 'totp'],
  ]);
});

const MUST = { ...HERE, proofs: [{ ...proofOf(ALICE), requiresMfa: true }] };
const unmet = 'unmet_authentication_requirements';

describe('when a second factor is set up in the sign-in (accounts contract, mfa: required)', () => {
  const mfa = 'required' as const;
  const old = { ...OLD, authTime: OLD.authTime - 300 };
  table([
    ['of a user who has none, after the password', { mfa, progress: PROVED }, 'enrol-totp'],
    ['of a session that is a minute old', { mfa, session: OLD }, 'enrol-totp'],
    ['of a session that is older than 5 minutes: the password first', { mfa, session: old }, 'password'],
    ['… which then is recent', { mfa, session: old, progress: PROVED }, 'enrol-totp'],
    [
      'a password of more than 5 minutes ago is asked for again',
      { mfa, progress: { ...HERE, proofs: [{ ...proofOf(ALICE), at: NOW - 301 }] } },
      'password',
    ],
    ['nothing may be asked', { mfa, session: OLD, prompt: ['none'] }, unmet],
    ['nothing may be asked of an old session either', { mfa, session: old, prompt: ['none'] }, unmet],
    ['before the consent', { mfa, session: OLD, requireConsent: true }, 'enrol-totp'],
    ['after the account was chosen', { mfa, session: OLD, prompt: ['select_account'] }, 'select-account'],
    ['the first code is a proof', { mfa, progress: { ...PROVED, proofs: [proofOf(ALICE), codeOf(ALICE)] } }, 'done'],
    ['… of this user alone', { mfa, progress: { ...PROVED, proofs: [proofOf(ALICE), codeOf(BOB)] } }, 'enrol-totp'],
    ['a key that is not confirmed counts for nothing', { mfa, progress: { ...PROVED, enrolment: KEY } }, 'enrol-totp'],
    ['an essential acr 2 alone sets nothing up', { mfa: 'off', progress: PROVED, acr: essential }, unmet],
  ]);
});

describe('a user who must have a second factor, whatever the application says', () => {
  const session = { ...OLD, requiresMfa: true };
  table([
    ['mfa: off', { mfa: 'off', progress: MUST }, 'enrol-totp'],
    ['mfa: optional, in a live session', { session }, 'enrol-totp'],
    ['nothing may be asked', { mfa: 'off', session, prompt: ['none'] }, unmet],
    ['mfa: off, of a user who has one', { mfa: 'off', session: { ...session, hasTotp: true } }, 'totp'],
    ['mfa: off, of a session with both', { mfa: 'off', session: { ...BOTH, requiresMfa: true } }, 'done'],
  ]);
});

describe('a browser that the user trusts (accounts contract, Second factors)', () => {
  const trusted = { trustsBrowsers: true, trustedFor: ALICE };
  table([
    ['skips the second factor after the password', { ...trusted, progress: PROVED_WITH }, 'done'],
    ['skips it in a session with the password alone', { ...trusted, session: WITH }, 'done'],
    ['skips it where it is required', { ...trusted, mfa: 'required', progress: PROVED_WITH }, 'done'],
    ['skips it with prompt=none', { ...trusted, session: WITH, prompt: ['none'] }, 'done'],
    ['skips no password', { ...trusted }, 'password'],
    ['skips no password that prompt=login demands', { ...trusted, session: WITH, prompt: ['login'] }, 'password'],
    ['skips no password that max_age demands', { ...trusted, session: WITH, maxAge: 30 }, 'password'],
    ['and only the password after them', { ...trusted, progress: PROVED_WITH, prompt: ['login'], maxAge: 0 }, 'done'],
    ['is no factor for acr_values', { ...trusted, session: WITH, acr: voluntary }, 'totp'],
    ['is no factor for an essential acr', { ...trusted, progress: PROVED_WITH, acr: essential }, 'totp'],
    ['is no factor for default_acr_values', { ...trusted, session: WITH, defaultAcr: ['2'] }, 'totp'],
    ['counts only where the application says so', { trustedFor: ALICE, progress: PROVED_WITH }, 'totp'],
    ['counts for no other user', { ...trusted, trustedFor: BOB, progress: PROVED_WITH }, 'totp'],
    [
      'stands in for no factor that the user does not have',
      { ...trusted, mfa: 'required', progress: PROVED },
      'enrol-totp',
    ],
    [
      'skips it for a user who must have one',
      {
        ...trusted,
        mfa: 'off',
        progress: { ...HERE, proofs: [{ ...proofOf(ALICE), hasTotp: true, requiresMfa: true }] },
      },
      'done',
    ],
  ]);
});

describe('attack: a step cannot be skipped', () => {
  table([
    ['the code alone is no login', { progress: { ...HERE, proofs: [codeOf(ALICE)] } }, 'password'],
    ['a recovery code alone is no login', { progress: { ...HERE, proofs: [codeOf(ALICE, 'rec')] } }, 'password'],
    [
      'the code of another user does not count',
      { progress: { ...HERE, proofs: [proofOf(ALICE, true), codeOf(BOB)] } },
      'totp',
    ],
    [
      "another user's code does not step up a session",
      { session: WITH, progress: { ...HERE, proofs: [codeOf(BOB)] } },
      'totp',
    ],
    ['both, of one user', { progress: { ...HERE, proofs: [proofOf(ALICE, true), codeOf(ALICE)] } }, 'done'],
    ['the code adds to the live session', { session: WITH, progress: { ...HERE, proofs: [codeOf(ALICE)] } }, 'done'],
    [
      '… not to one that is too old',
      { session: WITH, maxAge: 5, progress: { ...HERE, proofs: [codeOf(ALICE)] } },
      'password',
    ],
  ]);
});

describe('step-up (accounts contract; OIDC Core sections 3.1.2.1 and 5.5.1.1)', () => {
  const off = { mfa: 'off' } as const;
  table([
    ['acr_values=2 of a session with one factor', { ...off, session: WITH, acr: voluntary }, 'totp'],
    ['acr_values=2 of a user who has no second factor', { ...off, session: OLD, acr: voluntary }, 'done'],
    ['acr_values=2 of a session with both', { ...off, session: BOTH, acr: voluntary }, 'done'],
    ['acr_values=2 and nothing may be asked', { ...off, session: WITH, acr: voluntary, prompt: ['none'] }, 'done'],
    ['acr_values=1 2', { ...off, session: WITH, acr: { values: ['1', '2'], essential: false } }, 'done'],
    ['an essential acr 2', { ...off, session: WITH, acr: essential }, 'totp'],
    [
      'an essential acr 2 and nothing may be asked',
      { ...off, session: WITH, acr: essential, prompt: ['none'] },
      'login_required',
    ],
    [
      'an essential acr 2 that the user cannot reach',
      { ...off, session: OLD, acr: essential },
      'unmet_authentication_requirements',
    ],
    ['… nor after a new login', { ...off, progress: PROVED, acr: essential }, 'unmet_authentication_requirements'],
    ['… but the login comes first', { ...off, acr: essential }, 'password'],
    [
      'essential, 2 is preferred and 1 accepted',
      { ...off, session: OLD, acr: { values: ['2', '1'], essential: true } },
      'done',
    ],
    ['default_acr_values of the client', { ...off, session: WITH, defaultAcr: ['2'] }, 'totp'],
    [
      'the request has precedence over them',
      { ...off, session: WITH, defaultAcr: ['2'], acr: { values: ['1'], essential: false } },
      'done',
    ],
    ['default_max_age of the client', { session: OLD, defaultMaxAge: 30 }, 'password'],
    ['default_max_age, and a login for this request', { session: OWN, progress: HERE, defaultMaxAge: 0 }, 'done'],
    ['max_age has precedence over it', { session: OLD, defaultMaxAge: 30, maxAge: 3600 }, 'done'],
  ]);
});
