import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Prompt } from '../../src/protocol/auth-request.ts';
import { decideInteraction } from '../../src/protocol/interaction.ts';

const NOW = 1_000_000;
/** Signed in a minute ago, for another request. */
const OLD = { authTime: NOW - 60, openedBy: 'before' };
/** Signed in on the page of this very request. */
const OWN = { authTime: NOW, openedBy: 'this' };
const HERE = { pendingId: 'this', cancelled: false };

type Case = {
  readonly what: string;
  readonly prompt?: readonly Prompt[];
  readonly maxAge?: number;
  readonly session?: typeof OLD;
  readonly progress?: { pendingId: string; cancelled: boolean };
  readonly outcome: string;
};

const cases: readonly Case[] = [
  { what: 'nobody is signed in', outcome: 'login' },
  { what: 'nobody is signed in and nothing may be asked', prompt: ['none'], outcome: 'login_required' },
  { what: 'somebody is signed in', session: OLD, outcome: 'proceed' },
  { what: 'somebody is signed in and nothing may be asked', session: OLD, prompt: ['none'], outcome: 'proceed' },
  { what: 'a new login is asked for', session: OLD, prompt: ['login'], outcome: 'login' },
  { what: 'another account may be chosen', session: OLD, prompt: ['select_account'], outcome: 'login' },
  { what: 'consent is asked for', session: OLD, prompt: ['consent'], outcome: 'proceed' },
  { what: 'a new login was asked for and made', session: OWN, prompt: ['login'], progress: HERE, outcome: 'proceed' },
  { what: 'the new login was not made', session: OLD, prompt: ['login'], progress: HERE, outcome: 'login' },
  { what: 'the session is younger than max_age', session: OLD, maxAge: 61, outcome: 'proceed' },
  { what: 'the session is exactly as old as max_age', session: OLD, maxAge: 60, outcome: 'proceed' },
  { what: 'the session is older than max_age', session: OLD, maxAge: 59, outcome: 'login' },
  {
    what: 'the session is older than max_age and nothing may be asked',
    session: OLD,
    maxAge: 59,
    prompt: ['none'],
    outcome: 'login_required',
  },
  { what: 'max_age is 0', session: { ...OLD, authTime: NOW }, maxAge: 0, outcome: 'login' },
  {
    what: 'max_age is 0 and the login was made for this request',
    session: OWN,
    maxAge: 0,
    progress: HERE,
    outcome: 'proceed',
  },
  {
    what: 'the login page of this request was left open for longer than max_age',
    session: { ...OWN, authTime: NOW - 300 },
    maxAge: 60,
    progress: HERE,
    outcome: 'proceed',
  },
  { what: 'the user cancelled', progress: { ...HERE, cancelled: true }, outcome: 'access_denied' },
  {
    what: 'the user cancelled though signed in',
    session: OLD,
    progress: { ...HERE, cancelled: true },
    outcome: 'access_denied',
  },
];

describe('who has to be asked what (OIDC Core section 3.1.2.3, rows 21 and 24)', () => {
  for (const { what, prompt = [], maxAge, session, progress, outcome } of cases) {
    it(`${what}: ${outcome}`, () => {
      const decision = decideInteraction({ prompt, maxAge }, session, progress, NOW);
      assert.equal(decision.kind === 'refuse' ? decision.failure.error : decision.kind, outcome);
    });
  }
});
