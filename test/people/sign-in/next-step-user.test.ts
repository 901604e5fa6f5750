import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BrowserState } from '../../../src/people/sign-in/current-user.rules.ts';
import { type Demands, NO_DEMANDS } from '../../../src/people/sign-in/demands.rules.ts';
import { nextStep, opensSession } from '../../../src/people/sign-in/next-step.rules.ts';
import {
  ALICE,
  ANOTHER,
  BOB,
  CONSENTED,
  HERE,
  NOW,
  named,
  OLD,
  OWN,
  PROVED,
  type Progress,
  SELECTED,
  steps,
  table,
} from './given.ts';

describe('when the password is asked for (OIDC Core section 3.1.2.3, row 21)', () => {
  table([
    ['no session', {}, 'password'],
    ['no session, and nothing may be asked', { prompt: ['none'] }, 'login_required'],
    ['a session', { session: OLD }, 'done'],
    ['a session, and nothing may be asked', { session: OLD, prompt: ['none'] }, 'done'],
    ['a new login is asked for', { session: OLD, prompt: ['login'] }, 'password'],
    ['a new login was asked for and made', { session: OWN, prompt: ['login'], progress: HERE }, 'done'],
    ['the new login was not made', { session: OLD, prompt: ['login'], progress: HERE }, 'password'],
    [
      'the new login was made, for another request',
      { session: OWN, prompt: ['login'], progress: { ...HERE, id: 'other' } },
      'password',
    ],
    [
      'continuing with the session is no new login',
      { session: OLD, prompt: ['login'], progress: SELECTED },
      'password',
    ],
    ['consent is no new login', { session: OLD, prompt: ['login'], progress: CONSENTED }, 'password'],
    ['the session is younger than max_age', { session: OLD, maxAge: 61 }, 'done'],
    ['the session is exactly as old as max_age', { session: OLD, maxAge: 60 }, 'done'],
    ['the session is older than max_age', { session: OLD, maxAge: 59 }, 'password'],
    [
      'the session is older than max_age, and nothing may be asked',
      { session: OLD, maxAge: 59, prompt: ['none'] },
      'login_required',
    ],
    ['max_age is 0', { session: { ...OLD, authTime: NOW }, maxAge: 0 }, 'password'],
    ['max_age is 0, and the login was made for this request', { session: OWN, maxAge: 0, progress: HERE }, 'done'],
    [
      'a page of this request was left open for longer than max_age after the login',
      { session: { ...OWN, authTime: NOW - 300 }, maxAge: 60, progress: HERE },
      'done',
    ],
  ]);
});

describe('a request that names a user, by id_token_hint or claims (OIDC Core sections 3.1.2.1 and 5.5.1, row 21)', () => {
  table([
    ['no session', { requiredSub: ALICE }, 'password'],
    ['no session, and nothing may be asked', { requiredSub: ALICE, prompt: ['none'] }, 'login_required'],
    ['the session is theirs', { session: OLD, requiredSub: ALICE }, 'done'],
    ['the session is theirs, and nothing may be asked', { session: OLD, requiredSub: ALICE, prompt: ['none'] }, 'done'],
    ['the session is another user’s', { session: OLD, requiredSub: BOB }, 'password'],
    [
      'the session is another user’s, and nothing may be asked',
      { session: OLD, requiredSub: BOB, prompt: ['none'] },
      'login_required',
    ],
    ['they signed in for this request', { session: OWN, requiredSub: ALICE, progress: HERE }, 'done'],
    [
      'another user signed in for this request: asking again would not help',
      { session: OWN, requiredSub: BOB, progress: HERE },
      'login_required',
    ],
    [
      'the other user chose to continue: still not the one named',
      { session: OLD, requiredSub: BOB, prompt: ['select_account'], progress: SELECTED },
      'password',
    ],
    [
      'the other user consented: still not the one named',
      { session: OLD, requiredSub: BOB, prompt: ['consent'], progress: CONSENTED },
      'password',
    ],
    ['an empty sub is no user’s', { session: OLD, requiredSub: '' }, 'password'],
  ]);
});

describe('when an account is selected (OIDC Core section 3.1.2.1, prompt=select_account)', () => {
  const prompt = ['select_account'] as const;
  table([
    ['no session: the login is the selection', { prompt }, 'password'],
    ['a session', { prompt, session: OLD }, 'select-account'],
    ['the selection was not made yet', { prompt, session: OLD, progress: HERE }, 'select-account'],
    ['they chose to continue', { prompt, session: OLD, progress: SELECTED }, 'done'],
    [
      'one user chose, and then another signed in elsewhere',
      { prompt, session: { ...OLD, sub: BOB }, progress: SELECTED },
      'select-account',
    ],
    ['they chose by signing in', { prompt, session: OWN, progress: HERE }, 'done'],
    ['consent is no selection', { prompt, session: OLD, progress: CONSENTED }, 'select-account'],
    ['a new login is asked for too', { prompt: ['login', 'select_account'], session: OLD }, 'password'],
    [
      'a new login was asked for too, and made',
      { prompt: ['login', 'select_account'], session: OWN, progress: HERE },
      'done',
    ],
    ['a session older than max_age cannot be chosen', { prompt, maxAge: 59, session: OLD }, 'password'],
    ['a session older than max_age was chosen', { prompt, maxAge: 59, session: OLD, progress: SELECTED }, 'password'],
  ]);
});

describe('another account is used (prompt=select_account)', () => {
  const prompt = ['select_account'] as const;
  table([
    ['the password of the other user is asked for', { prompt, session: OLD, progress: ANOTHER }, 'password'],
    ['also where the request does not ask for a selection', { session: OLD, progress: ANOTHER }, 'password'],
    ['the other user signed in', { prompt, session: { ...OWN, sub: BOB }, progress: ANOTHER }, 'done'],
    ['the same user signed in again', { prompt, session: OWN, progress: ANOTHER }, 'done'],
  ]);
});

describe('the user cancels (row 24)', () => {
  const progress = { ...HERE, cancelled: true };
  table([
    ['on the login page', { progress }, 'access_denied'],
    ['though signed in', { session: OLD, progress }, 'access_denied'],
    ['after signing in for this request', { session: OWN, progress }, 'access_denied'],
    ['on the consent page', { session: OLD, requireConsent: true, progress }, 'access_denied'],
    ['after having said yes', { session: OLD, progress: { ...CONSENTED, cancelled: true } }, 'access_denied'],
    ['though the request names another user', { session: OWN, requiredSub: BOB, progress }, 'access_denied'],
  ]);
});

describe('a proof counts before its session is open, and before any session that the browser brought', () => {
  table([
    ['no session', { progress: PROVED }, 'done'],
    ['a new login was asked for', { session: OLD, prompt: ['login'], progress: PROVED }, 'done'],
    ['max_age is 0', { session: OLD, maxAge: 0, progress: PROVED }, 'done'],
    ['the session of another user', { session: { ...OLD, sub: BOB }, requiredSub: ALICE, progress: PROVED }, 'done'],
    [
      'the session of the user that the request names',
      { session: OLD, requiredSub: BOB, progress: PROVED },
      'login_required',
    ],
    ['a selection', { prompt: ['select_account'], session: OLD, progress: PROVED }, 'done'],
    ['consent is asked of the user who proved it', { requireConsent: true, progress: PROVED }, 'consent'],
    [
      'the consent of another user, whose session the browser brought',
      { session: { ...OLD, sub: BOB }, consented: ['openid', 'email'], requireConsent: true, progress: PROVED },
      'consent',
    ],
    ['cancelled', { progress: { ...PROVED, cancelled: true } }, 'access_denied'],
  ]);
});

describe('the account page demands nothing', () => {
  const state = (over: Partial<BrowserState>): BrowserState => ({
    session: undefined,
    progress: HERE,
    now: NOW,
    ...over,
  });
  it('but a user', () => {
    assert.equal(named(nextStep(steps, NO_DEMANDS, state({}))), 'password');
    assert.equal(named(nextStep(steps, NO_DEMANDS, state({ progress: PROVED }))), 'done');
  });
});

describe('a session is opened as soon as the user is established', () => {
  const next = (over: Partial<Demands>, progress: Progress) =>
    nextStep(steps, { ...NO_DEMANDS, ...over }, { session: undefined, progress, now: NOW });
  for (const [what, given, opens] of [
    ['not before the password', next({}, HERE), false],
    ['after it', next({}, PROVED), true],
    ['before the consent: a user who refuses it stays signed in', next({ consentTo: ['openid'] }, PROVED), true],
    ['not for another user than the request names', next({ requiredSub: BOB }, PROVED), false],
    ['not after a cancel', next({}, { ...PROVED, cancelled: true }), false],
  ] as const) {
    it(what, () => assert.equal(opensSession(given), opens));
  }
});
