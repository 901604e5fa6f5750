import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Prompt } from '../../src/protocol/auth-request.ts';
import type { Scope } from '../../src/protocol/scope.ts';
import { type BrowserState, type Demands, nextStep, opensSession, stepsAt } from '../../src/sign-in/next-step.ts';
import { ALICE, BOB, HERE, NOW, type Progress, proofOf } from './given.ts';

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

  it('is done only as the user that the request names, after a login that is recent enough, and with consent', () => {
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
