import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Prompt } from '../../src/protocol/auth-request.ts';
import { NO_CLAIMS, type RequestedClaims } from '../../src/protocol/claims-request.ts';
import type { Scope } from '../../src/protocol/scope.ts';
import {
  type BrowserState,
  type Demands,
  demandsOf,
  type NextStep,
  NO_DEMANDS,
  NO_OUTCOMES,
  nextStep,
  type Outcomes,
  opensSession,
  type Proof,
  stepsAt,
} from '../../src/sign-in/next-step.ts';
import { CALLBACK } from '../protocol/given.ts';

const NOW = 1_000_000;
const [ALICE, BOB] = ['sub-alice', 'sub-bob'];

interface Session {
  readonly sub: string;
  readonly authTime: number;
  readonly openedByRequest: string;
}
/** Signed in a minute ago, for another request. */
const OLD: Session = { sub: ALICE, authTime: NOW - 60, openedByRequest: 'before' };
/** Signed in on the page of this very request. */
const OWN: Session = { sub: ALICE, authTime: NOW, openedByRequest: 'this' };

type Progress = Outcomes & { readonly id: string };
/** Was on a page of this request, and did nothing there yet. */
const HERE: Progress = { ...NO_OUTCOMES, id: 'this' };
const SELECTED: Progress = { ...HERE, selected: { sub: ALICE } };
const ANOTHER: Progress = { ...HERE, selected: 'another' };
const CONSENTED: Progress = { ...HERE, consentedBy: ALICE };
const proofOf = (sub: string): Proof => ({ sub, method: 'pwd', at: NOW });
/** The password was right, and the session is not open yet. */
const PROVED: Progress = { ...HERE, proofs: [proofOf(ALICE)] };

interface Given {
  readonly prompt?: readonly Prompt[];
  readonly maxAge?: number;
  readonly scope?: readonly Scope[];
  readonly claims?: RequestedClaims;
  readonly requireConsent?: boolean;
  /** Of a public client. */
  readonly nativeRedirect?: string;
  readonly session?: Session;
  readonly requiredSub?: string;
  readonly consented?: readonly Scope[];
  readonly progress?: Progress;
}

function decided({ prompt = [], maxAge, scope = ['openid', 'email'], requireConsent = false, ...given }: Given) {
  const { claims = NO_CLAIMS, session, requiredSub, consented = [], progress, nativeRedirect } = given;
  const client = {
    require_consent: requireConsent,
    token_endpoint_auth_method: nativeRedirect === undefined ? ('client_secret_basic' as const) : ('none' as const),
  };
  const request = { prompt, maxAge, scope, claims, redirectUri: nativeRedirect ?? CALLBACK };
  const present = session && { ...session, user: { sub: session.sub }, consented };
  return named(nextStep(demandsOf(request, client, requiredSub), { session: present, progress, now: NOW }));
}

function named(next: NextStep): string {
  if (next.kind === 'refuse') return next.failure.error;
  return next.kind === 'ask' ? next.step : next.kind;
}

function table(cases: readonly (readonly [what: string, given: Given, outcome: string])[]): void {
  for (const [what, given, outcome] of cases) {
    it(`${what}: ${outcome}`, () => {
      assert.equal(decided(given), outcome);
    });
  }
}

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

describe('a user whom the request names, by id_token_hint or claims (OIDC Core sections 3.1.2.1 and 5.5.1, row 21)', () => {
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

describe('when consent is asked for (OIDC Core section 3.1.2.4, row 21)', () => {
  const all = ['openid', 'email'] as const;
  const requireConsent = true;
  const prompt = ['consent'] as const;
  table([
    ['the client needs none', { session: OLD }, 'done'],
    ['the client needs it, and there is none', { session: OLD, requireConsent }, 'consent'],
    ['the client needs it, and there is no session', { requireConsent }, 'password'],
    ['it was given before', { session: OLD, requireConsent, consented: all }, 'done'],
    ['more was given before', { session: OLD, requireConsent, consented: [...all, 'phone'] }, 'done'],
    ['less was given before', { session: OLD, requireConsent, consented: ['openid'] }, 'consent'],
    ['other scopes were given before', { session: OLD, requireConsent, consented: ['phone', 'profile'] }, 'consent'],
    ['it was given for this request', { session: OLD, requireConsent, consented: all, progress: CONSENTED }, 'done'],
    [
      'it was given for this request, and withdrawn since',
      { session: OLD, requireConsent, progress: CONSENTED },
      'consent',
    ],
    [
      'it was given for this request, withdrawn since, and nothing may be asked',
      { session: OLD, requireConsent, prompt: ['none'], progress: CONSENTED },
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
      'single claims that what was given covers, and the acr, which needs no consent',
      { session: OLD, requireConsent, consented: all, claims: { userinfo: ['email'], id_token: ['email', 'acr'] } },
      'done',
    ],
    [
      'single claims of a client that needs none',
      { session: OLD, claims: { userinfo: ['nickname'], id_token: [] } },
      'done',
    ],
    [
      'another user gave it for this request',
      { session: { ...OLD, sub: BOB }, requireConsent, progress: CONSENTED },
      'consent',
    ],
    ['a login alone is no consent', { session: OWN, requireConsent, progress: HERE }, 'consent'],
    ['continuing with the session is no consent', { session: OLD, requireConsent, progress: SELECTED }, 'consent'],
    ['there is none, and nothing may be asked', { session: OLD, requireConsent, prompt: ['none'] }, 'consent_required'],
    [
      'there is some, and nothing may be asked',
      { session: OLD, requireConsent, consented: all, prompt: ['none'] },
      'done',
    ],
    [
      'neither login nor consent, and nothing may be asked: the login comes first',
      { requireConsent, prompt: ['none'] },
      'login_required',
    ],
    ['it is asked for anew', { session: OLD, prompt }, 'consent'],
    ['it is asked for anew, though it was given before', { session: OLD, prompt, consented: all }, 'consent'],
    ['it was asked for anew and given', { session: OLD, prompt, progress: CONSENTED }, 'done'],
    [
      'it was asked for anew and given by another user',
      { session: { ...OLD, sub: BOB }, prompt, progress: CONSENTED },
      'consent',
    ],
    ['it is asked for with a login: the login comes first', { session: OLD, prompt: ['login', 'consent'] }, 'password'],
    ['… then the consent', { session: OWN, prompt: ['login', 'consent'], progress: HERE }, 'consent'],
    ['… then all is done', { session: OWN, prompt: ['login', 'consent'], progress: CONSENTED }, 'done'],
    [
      'it is asked for with a selection: the selection comes first',
      { session: OLD, prompt: ['consent', 'select_account'] },
      'select-account',
    ],
    [
      '… then the consent of the selected user',
      { session: OLD, prompt: ['consent', 'select_account'], progress: SELECTED },
      'consent',
    ],
    [
      '… then all is done, selection and consent',
      { session: OLD, prompt: ['consent', 'select_account'], progress: { ...SELECTED, consentedBy: ALICE } },
      'done',
    ],
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

describe('a native client is asked for at its first use (RFC 8252 section 8.6, row 27)', () => {
  const LOOPBACK = 'http://127.0.0.1:51004/cb';
  table([
    ['the first use', { session: OLD, nativeRedirect: LOOPBACK }, 'consent'],
    ['at a private scheme', { session: OLD, nativeRedirect: 'com.example.app:/cb' }, 'consent'],
    ['at https it is no native client', { session: OLD, nativeRedirect: 'https://spa.example/cb' }, 'done'],
    ['nothing may be asked', { session: OLD, nativeRedirect: LOOPBACK, prompt: ['none'] }, 'consent_required'],
    [
      'the user agreed before',
      { session: OLD, nativeRedirect: LOOPBACK, consented: ['openid', 'email', 'phone'], prompt: ['none'] },
      'done',
    ],
    ['it asks for more than before', { session: OLD, nativeRedirect: LOOPBACK, consented: ['openid'] }, 'consent'],
  ]);
});

describe('offline_access alone asks for no consent (row 18)', () => {
  const scope: readonly Scope[] = ['openid', 'offline_access'];
  table([
    ['agreed to the rest before', { session: OLD, scope, requireConsent: true, consented: ['openid'] }, 'done'],
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
    ['no consent is required', { session: OLD, scope }, 'done'],
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

describe('a proof counts before its session is open, and before any session that the browser brought', () => {
  table([
    ['no session', { progress: PROVED }, 'done'],
    ['a new login was asked for', { session: OLD, prompt: ['login'], progress: PROVED }, 'done'],
    ['max_age is 0', { session: OLD, maxAge: 0, progress: PROVED }, 'done'],
    ['the session of another user', { session: { ...OLD, sub: BOB }, requiredSub: ALICE, progress: PROVED }, 'done'],
    [
      'the session of the user whom the request names',
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
    assert.equal(named(nextStep(NO_DEMANDS, state({}))), 'password');
    assert.equal(named(nextStep(NO_DEMANDS, state({ progress: PROVED }))), 'done');
  });
});

describe('a session is opened when it is settled who the user is', () => {
  const next = (over: Partial<Demands>, progress: Progress) =>
    nextStep({ ...NO_DEMANDS, ...over }, { session: undefined, progress, now: NOW });
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

describe('a browser that does what each page asks', () => {
  const subs = fc.constantFrom(ALICE, BOB);
  const scopes = fc.subarray<Scope>(['openid', 'profile', 'email', 'offline_access'], { minLength: 1 });
  const demands: fc.Arbitrary<Demands> = fc.record({
    prompt: fc.oneof(fc.constant<Prompt[]>(['none']), fc.subarray<Prompt>(['login', 'consent', 'select_account'])),
    maxAge: fc.option(fc.constantFrom(0, 30, 3600), { nil: undefined }),
    requiredSub: fc.option(subs, { nil: undefined }),
    consentTo: fc.option(scopes, { nil: undefined }),
  });
  const session = fc.option(
    fc.record({
      user: fc.record({ sub: subs }),
      authTime: fc.constantFrom(NOW, NOW - 60, NOW - 86_400),
      openedByRequest: fc.constant('before'),
      consented: fc.subarray<Scope>(['openid', 'profile', 'email']),
    }),
    { nil: undefined },
  );
  /** What the user does on each page, in turn: as which user, and which button. */
  const answers = fc.array(fc.record({ sub: subs, another: fc.boolean(), agrees: fc.boolean() }), {
    minLength: 8,
    maxLength: 8,
  });

  /** As the pages do it: session.ts and the files of steps/. */
  function answer(
    state: BrowserState & { readonly progress: Progress },
    asked: Demands,
    step: string,
    { sub, another, agrees }: { readonly sub: string; readonly another: boolean; readonly agrees: boolean },
  ): BrowserState & { readonly progress: Progress } {
    const { progress, session: present, now } = state;
    switch (step) {
      case 'password': {
        const proved = { ...progress, proofs: [proofOf(sub)] };
        if (!opensSession(nextStep(asked, { session: undefined, progress: proved, now }))) {
          return { ...state, progress: proved };
        }
        const opened = { user: { sub }, authTime: now, openedByRequest: progress.id, consented: [] };
        return { ...state, session: opened, progress: { ...progress, proofs: [] } };
      }
      case 'select-account':
        return { ...state, progress: { ...progress, selected: another || !present ? 'another' : present.user } };
      default: {
        if (!agrees || !present) return { ...state, progress: { ...progress, cancelled: true } };
        const consented = [...present.consented, ...(asked.consentTo ?? [])];
        return {
          ...state,
          session: { ...present, consented },
          progress: { ...progress, consentedBy: present.user.sub },
        };
      }
    }
  }

  it('is done or refused after each step was asked for once at the most', () => {
    fc.assert(
      fc.property(demands, session, answers, (asked, present, given) => {
        let state: BrowserState & { readonly progress: Progress } = { session: present, progress: HERE, now: NOW };
        const steps: string[] = [];
        for (const one of given) {
          const next = nextStep(asked, state);
          if (next.kind !== 'ask') return;
          assert(!asked.prompt.includes('none'), 'prompt=none asks for nothing');
          assert(!steps.includes(next.step), `${next.step} twice: ${steps.join(', ')}`);
          assert(stepsAt(next.path).includes(next.step));
          steps.push(next.step);
          state = answer(state, asked, next.step, one);
        }
        assert.fail(`no end: ${steps.join(', ')}`);
      }),
      { numRuns: 5000 },
    );
  });

  it('is done only as the user whom the request names, recently enough, and with consent', () => {
    fc.assert(
      fc.property(demands, session, answers, (asked, present, given) => {
        let state: BrowserState & { readonly progress: Progress } = { session: present, progress: HERE, now: NOW };
        let next = nextStep(asked, state);
        for (const one of given) {
          if (next.kind !== 'ask') break;
          state = answer(state, asked, next.step, one);
          next = nextStep(asked, state);
        }
        if (next.kind !== 'done') return;
        const user = state.session;
        assert.equal(user?.user.sub, next.sub, 'there is a session, of this user');
        if (asked.requiredSub !== undefined) assert.equal(next.sub, asked.requiredSub);
        const isFresh = user?.openedByRequest === HERE.id;
        if (asked.prompt.includes('login') || asked.maxAge === 0) assert(isFresh);
        if (asked.maxAge !== undefined) assert(isFresh || NOW - (user?.authTime ?? 0) <= asked.maxAge);
        if (asked.prompt.includes('consent')) assert.equal(state.progress.consentedBy, next.sub);
        const needed = (asked.consentTo ?? []).filter(scope => scope !== 'offline_access');
        for (const scope of needed) assert(user?.consented.includes(scope), scope);
      }),
      { numRuns: 5000 },
    );
  });
});
