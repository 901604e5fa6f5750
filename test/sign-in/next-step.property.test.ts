import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { acrOf, amrOf } from '../../src/protocol/acr.ts';
import type { Prompt } from '../../src/protocol/auth-request.ts';
import { mfaPolicies } from '../../src/protocol/client.ts';
import type { Scope } from '../../src/protocol/scope.ts';
import type { Demands } from '../../src/sign-in/demands.ts';
import { type BrowserState, nextStep, opensSession, type Proof, stepsAt } from '../../src/sign-in/next-step.ts';
import { ALICE, BOB, codeOf, HERE, NOW, type Progress, proofOf } from './given.ts';

describe('a browser that does what each page asks', () => {
  const subs = fc.constantFrom(ALICE, BOB);
  const scopes = fc.subarray<Scope>(['openid', 'profile', 'email', 'offline_access'], { minLength: 1 });
  const demands: fc.Arbitrary<Demands> = fc.record({
    prompt: fc.oneof(fc.constant<Prompt[]>(['none']), fc.subarray<Prompt>(['login', 'consent', 'select_account'])),
    maxAge: fc.option(fc.constantFrom(0, 30, 3600), { nil: undefined }),
    requiredSub: fc.option(subs, { nil: undefined }),
    consentTo: fc.option(scopes, { nil: undefined }),
    mfa: fc.constantFrom(...mfaPolicies),
    acr: fc.option(fc.record({ values: fc.subarray(['1', '2'], { minLength: 1 }), essential: fc.boolean() }), {
      nil: undefined,
    }),
  });
  const session = fc.option(
    fc.record({
      user: fc.record({ sub: subs }),
      authTime: fc.constantFrom(NOW, NOW - 60, NOW - 86_400),
      amr: fc.constantFrom(['pwd'], ['pwd', 'otp', 'mfa'], ['pwd', 'rec', 'mfa']),
      hasTotp: fc.boolean(),
      requiresMfa: fc.boolean(),
      openedByRequest: fc.constant('before'),
      consented: fc.subarray<Scope>(['openid', 'profile', 'email']),
    }),
    { nil: undefined },
  );
  /** What the user does on each page, in turn: as which user, and which button. */
  const answers = fc.array(
    fc.record({
      sub: subs,
      hasTotp: fc.boolean(),
      requiresMfa: fc.boolean(),
      another: fc.boolean(),
      agrees: fc.boolean(),
    }),
    {
      minLength: 8,
      maxLength: 8,
    },
  );

  interface Answer {
    readonly sub: string;
    readonly hasTotp: boolean;
    readonly requiresMfa: boolean;
    readonly another: boolean;
    readonly agrees: boolean;
  }

  /** As the pages do it: session.ts and the files of steps/. */
  function answer(
    state: BrowserState & { readonly progress: Progress },
    asked: Demands,
    step: string,
    { sub, hasTotp, requiresMfa, another, agrees }: Answer,
  ): BrowserState & { readonly progress: Progress } {
    const { progress, session: present } = state;
    switch (step) {
      case 'password':
        return prove(state, asked, { ...proofOf(sub), hasTotp, requiresMfa }, undefined);
      case 'enrol-totp':
      case 'totp': {
        const first = progress.proofs[0];
        return prove(state, asked, codeOf(first?.sub ?? present?.user.sub ?? ''), first ? undefined : present);
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

  function prove(
    state: BrowserState & { readonly progress: Progress },
    asked: Demands,
    proof: Proof,
    stepped: BrowserState['session'],
  ): BrowserState & { readonly progress: Progress } {
    const { progress, now } = state;
    const proofs = [
      ...progress.proofs.filter(({ sub, method }) => sub === proof.sub && method !== proof.method),
      proof,
    ];
    const proved = { ...progress, proofs };
    if (!opensSession(nextStep(asked, { session: stepped, progress: proved, now })))
      return { ...state, progress: proved };
    const opened = {
      user: { sub: proof.sub },
      authTime: now,
      amr: amrOf([...(stepped?.amr ?? []), ...proofs.map(({ method }) => method)]),
      hasTotp: stepped?.hasTotp ?? proofs.some(({ hasTotp }) => hasTotp === true),
      requiresMfa: stepped?.requiresMfa ?? proofs.some(({ requiresMfa }) => requiresMfa === true),
      openedByRequest: progress.id,
      consented: stepped?.consented ?? [],
    };
    return { ...state, session: opened, progress: { ...progress, proofs: [] } };
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
        const amr = user?.amr ?? [];
        const mfa = user?.requiresMfa ? 'required' : asked.mfa;
        if (mfa === 'required' || (mfa === 'optional' && user?.hasTotp)) assert.equal(acrOf(amr), '2');
        if (asked.acr?.essential && !asked.acr.values.includes('1')) assert.equal(acrOf(amr), '2');
        const needed = (asked.consentTo ?? []).filter(scope => scope !== 'offline_access');
        for (const scope of needed) assert(user?.consented.includes(scope), scope);
      }),
      { numRuns: 5000 },
    );
  });
});
