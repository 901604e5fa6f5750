import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Prompt } from '../../src/protocol/auth-request.ts';
import { NO_CLAIMS, type RequestedClaims } from '../../src/protocol/claims-request.ts';
import { decideInteraction, type PresentSession, type Progress } from '../../src/protocol/interaction.ts';
import type { Scope } from '../../src/protocol/scope.ts';
import { CALLBACK } from './given.ts';

const NOW = 1_000_000;
const [ALICE, BOB] = ['sub-alice', 'sub-bob'];
/** Signed in a minute ago, for another request. */
const OLD: PresentSession = { sub: ALICE, authTime: NOW - 60, openedBy: 'before' };
/** Signed in on the page of this very request. */
const OWN: PresentSession = { sub: ALICE, authTime: NOW, openedBy: 'this' };
/** Was on a page of ours, and did nothing there yet. */
const HERE: Progress = { pendingId: 'this', cancelled: false, chosenBy: undefined, consentedBy: undefined };
const CHOSE = { ...HERE, chosenBy: ALICE };
const AGREED = { ...HERE, consentedBy: ALICE };

interface Given {
  readonly prompt?: readonly Prompt[];
  readonly maxAge?: number;
  readonly scope?: readonly Scope[];
  readonly claims?: RequestedClaims;
  readonly requireConsent?: boolean;
  /** Of a public client. */
  readonly nativeRedirect?: string;
  readonly session?: PresentSession;
  readonly demandedSub?: string;
  readonly consented?: readonly Scope[];
  readonly progress?: Progress;
}

function decided({ prompt = [], maxAge, scope = ['openid', 'email'], requireConsent = false, ...given }: Given) {
  const { claims = NO_CLAIMS, session, demandedSub, consented = [], progress, nativeRedirect } = given;
  const client = {
    require_consent: requireConsent,
    token_endpoint_auth_method: nativeRedirect === undefined ? ('client_secret_basic' as const) : ('none' as const),
  };
  const decision = decideInteraction(
    { prompt, maxAge, scope, claims, redirectUri: nativeRedirect ?? CALLBACK, client },
    { session, demandedSub, consented, progress, now: NOW },
  );
  return decision.kind === 'refuse' ? decision.failure.error : decision.kind;
}

function table(cases: readonly (readonly [what: string, given: Given, outcome: string])[]): void {
  for (const [what, given, outcome] of cases) {
    it(`${what}: ${outcome}`, () => {
      assert.equal(decided(given), outcome);
    });
  }
}

describe('who has to be asked to sign in (OIDC Core section 3.1.2.3, row 21)', () => {
  table([
    ['nobody is signed in', {}, 'login'],
    ['nobody is signed in, and nothing may be asked', { prompt: ['none'] }, 'login_required'],
    ['somebody is signed in', { session: OLD }, 'proceed'],
    ['somebody is signed in, and nothing may be asked', { session: OLD, prompt: ['none'] }, 'proceed'],
    ['a new login is asked for', { session: OLD, prompt: ['login'] }, 'login'],
    ['a new login was asked for and made', { session: OWN, prompt: ['login'], progress: HERE }, 'proceed'],
    ['the new login was not made', { session: OLD, prompt: ['login'], progress: HERE }, 'login'],
    [
      'the new login was made, for another request',
      { session: OWN, prompt: ['login'], progress: { ...HERE, pendingId: 'other' } },
      'login',
    ],
    ['going on as oneself is no new login', { session: OLD, prompt: ['login'], progress: CHOSE }, 'login'],
    ['agreeing is no new login', { session: OLD, prompt: ['login'], progress: AGREED }, 'login'],
    ['the session is younger than max_age', { session: OLD, maxAge: 61 }, 'proceed'],
    ['the session is exactly as old as max_age', { session: OLD, maxAge: 60 }, 'proceed'],
    ['the session is older than max_age', { session: OLD, maxAge: 59 }, 'login'],
    [
      'the session is older than max_age, and nothing may be asked',
      { session: OLD, maxAge: 59, prompt: ['none'] },
      'login_required',
    ],
    ['max_age is 0', { session: { ...OLD, authTime: NOW }, maxAge: 0 }, 'login'],
    ['max_age is 0, and the login was made for this request', { session: OWN, maxAge: 0, progress: HERE }, 'proceed'],
    [
      'a page of this request was left open for longer than max_age after the login',
      { session: { ...OWN, authTime: NOW - 300 }, maxAge: 60, progress: HERE },
      'proceed',
    ],
  ]);
});

describe('whom the client insists on, by id_token_hint or claims (OIDC Core sections 3.1.2.1 and 5.5.1, row 21)', () => {
  table([
    ['nobody is signed in', { demandedSub: ALICE }, 'login'],
    ['nobody is signed in, and nothing may be asked', { demandedSub: ALICE, prompt: ['none'] }, 'login_required'],
    ['it is who is signed in', { session: OLD, demandedSub: ALICE }, 'proceed'],
    [
      'it is who is signed in, and nothing may be asked',
      { session: OLD, demandedSub: ALICE, prompt: ['none'] },
      'proceed',
    ],
    ['somebody else is signed in', { session: OLD, demandedSub: BOB }, 'login'],
    [
      'somebody else is signed in, and nothing may be asked',
      { session: OLD, demandedSub: BOB, prompt: ['none'] },
      'login_required',
    ],
    ['it is who signed in for this request', { session: OWN, demandedSub: ALICE, progress: HERE }, 'proceed'],
    [
      'somebody else signed in for this request: asking again would not help',
      { session: OWN, demandedSub: BOB, progress: HERE },
      'login_required',
    ],
    [
      'somebody else chose to go on: still not who the client insists on',
      { session: OLD, demandedSub: BOB, prompt: ['select_account'], progress: CHOSE },
      'login',
    ],
    [
      'somebody else agreed: still not who the client insists on',
      { session: OLD, demandedSub: BOB, prompt: ['consent'], progress: AGREED },
      'login',
    ],
    ['an empty name is nobody’s', { session: OLD, demandedSub: '' }, 'login'],
  ]);
});

describe('who may choose an account (OIDC Core section 3.1.2.1, prompt=select_account)', () => {
  const prompt = ['select_account'] as const;
  table([
    ['nobody is signed in: the login is the choice', { prompt }, 'login'],
    ['somebody is signed in', { prompt, session: OLD }, 'select'],
    ['the choice was not made yet', { prompt, session: OLD, progress: HERE }, 'select'],
    ['they chose to go on', { prompt, session: OLD, progress: CHOSE }, 'proceed'],
    [
      'somebody else chose, and then another signed in elsewhere',
      { prompt, session: { ...OLD, sub: BOB }, progress: CHOSE },
      'select',
    ],
    ['they chose by signing in', { prompt, session: OWN, progress: HERE }, 'proceed'],
    ['agreeing is no choice', { prompt, session: OLD, progress: AGREED }, 'select'],
    ['a new login is asked for too', { prompt: ['login', 'select_account'], session: OLD }, 'login'],
    [
      'a new login was asked for too, and made',
      { prompt: ['login', 'select_account'], session: OWN, progress: HERE },
      'proceed',
    ],
    ['a session older than max_age cannot be chosen', { prompt, maxAge: 59, session: OLD }, 'login'],
    ['a session older than max_age was chosen', { prompt, maxAge: 59, session: OLD, progress: CHOSE }, 'login'],
  ]);
});

describe('who has to be asked for consent (OIDC Core section 3.1.2.4, row 21)', () => {
  const all = ['openid', 'email'] as const;
  const requireConsent = true;
  const prompt = ['consent'] as const;
  table([
    ['the client needs none', { session: OLD }, 'proceed'],
    ['the client needs it, and there is none', { session: OLD, requireConsent }, 'consent'],
    ['the client needs it, and nobody is signed in', { requireConsent }, 'login'],
    ['it was given before', { session: OLD, requireConsent, consented: all }, 'proceed'],
    ['more was given before', { session: OLD, requireConsent, consented: [...all, 'phone'] }, 'proceed'],
    ['less was given before', { session: OLD, requireConsent, consented: ['openid'] }, 'consent'],
    ['other scopes were given before', { session: OLD, requireConsent, consented: ['phone', 'profile'] }, 'consent'],
    ['it was given for this request', { session: OLD, requireConsent, consented: all, progress: AGREED }, 'proceed'],
    [
      'it was given for this request, and withdrawn since',
      { session: OLD, requireConsent, progress: AGREED },
      'consent',
    ],
    [
      'it was given for this request, withdrawn since, and nothing may be asked',
      { session: OLD, requireConsent, prompt: ['none'], progress: AGREED },
      'consent_required',
    ],
    [
      'single claims go beyond what was given',
      { session: OLD, requireConsent, consented: all, claims: { userinfo: ['nickname'], id_token: [] } },
      'consent',
    ],
    [
      'single claims of the ID token go beyond what was given',
      { session: OLD, requireConsent, consented: all, claims: { userinfo: [], id_token: ['phone_number'] } },
      'consent',
    ],
    [
      'single claims that what was given covers, and the acr, which nobody is asked about',
      { session: OLD, requireConsent, consented: all, claims: { userinfo: ['email'], id_token: ['email', 'acr'] } },
      'proceed',
    ],
    [
      'single claims of a client that needs none',
      { session: OLD, claims: { userinfo: ['nickname'], id_token: [] } },
      'proceed',
    ],
    [
      'somebody else gave it for this request',
      { session: { ...OLD, sub: BOB }, requireConsent, progress: AGREED },
      'consent',
    ],
    ['a login alone is no consent', { session: OWN, requireConsent, progress: HERE }, 'consent'],
    ['going on as oneself is no consent', { session: OLD, requireConsent, progress: CHOSE }, 'consent'],
    ['there is none, and nothing may be asked', { session: OLD, requireConsent, prompt: ['none'] }, 'consent_required'],
    [
      'there is some, and nothing may be asked',
      { session: OLD, requireConsent, consented: all, prompt: ['none'] },
      'proceed',
    ],
    [
      'neither login nor consent, and nothing may be asked: the login comes first',
      { requireConsent, prompt: ['none'] },
      'login_required',
    ],
    ['it is asked for anew', { session: OLD, prompt }, 'consent'],
    ['it is asked for anew, though it was given before', { session: OLD, prompt, consented: all }, 'consent'],
    ['it was asked for anew and given', { session: OLD, prompt, progress: AGREED }, 'proceed'],
    [
      'it was asked for anew and given by somebody else',
      { session: { ...OLD, sub: BOB }, prompt, progress: AGREED },
      'consent',
    ],
    ['it is asked for with a login: the login comes first', { session: OLD, prompt: ['login', 'consent'] }, 'login'],
    ['… then the consent', { session: OWN, prompt: ['login', 'consent'], progress: HERE }, 'consent'],
    ['… then all is done', { session: OWN, prompt: ['login', 'consent'], progress: AGREED }, 'proceed'],
    [
      'it is asked for with a choice: the choice comes first',
      { session: OLD, prompt: ['consent', 'select_account'] },
      'select',
    ],
    [
      '… then the consent of whoever was chosen',
      { session: OLD, prompt: ['consent', 'select_account'], progress: CHOSE },
      'consent',
    ],
    [
      '… then all is done, choice and consent',
      { session: OLD, prompt: ['consent', 'select_account'], progress: { ...CHOSE, consentedBy: ALICE } },
      'proceed',
    ],
  ]);
});

describe('the user said no (row 24)', () => {
  const progress = { ...HERE, cancelled: true };
  table([
    ['on the login page', { progress }, 'access_denied'],
    ['though signed in', { session: OLD, progress }, 'access_denied'],
    ['after signing in for this request', { session: OWN, progress }, 'access_denied'],
    ['on the consent page', { session: OLD, requireConsent: true, progress }, 'access_denied'],
    ['after having said yes', { session: OLD, progress: { ...AGREED, cancelled: true } }, 'access_denied'],
    ['though the client insists on somebody else', { session: OWN, demandedSub: BOB, progress }, 'access_denied'],
  ]);
});

describe('a native client is asked for at its first use (RFC 8252 section 8.6, row 27)', () => {
  const LOOPBACK = 'http://127.0.0.1:51004/cb';
  table([
    ['the first use', { session: OLD, nativeRedirect: LOOPBACK }, 'consent'],
    ['at a private scheme', { session: OLD, nativeRedirect: 'com.example.app:/cb' }, 'consent'],
    ['at https it is no native client', { session: OLD, nativeRedirect: 'https://spa.example/cb' }, 'proceed'],
    ['nothing may be asked', { session: OLD, nativeRedirect: LOOPBACK, prompt: ['none'] }, 'consent_required'],
    [
      'somebody agreed before',
      { session: OLD, nativeRedirect: LOOPBACK, consented: ['openid', 'email', 'phone'], prompt: ['none'] },
      'proceed',
    ],
    ['it asks for more than before', { session: OLD, nativeRedirect: LOOPBACK, consented: ['openid'] }, 'consent'],
  ]);
});

describe('offline_access asks nobody by itself (row 18)', () => {
  const scope: readonly Scope[] = ['openid', 'offline_access'];
  table([
    ['agreed to the rest before', { session: OLD, scope, requireConsent: true, consented: ['openid'] }, 'proceed'],
    ['agreed to nothing yet', { session: OLD, scope, requireConsent: true }, 'consent'],
    [
      'agreed to nothing yet, and it is all that is asked',
      { session: OLD, scope: ['offline_access'], requireConsent: true },
      'consent',
    ],
    [
      'a native client that another program imitates, with nothing else',
      { session: OLD, scope: ['offline_access'], nativeRedirect: 'http://127.0.0.1/cb', prompt: ['none'] },
      'consent_required',
    ],
    ['no consent is required', { session: OLD, scope }, 'proceed'],
  ]);
});
