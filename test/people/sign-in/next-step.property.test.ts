import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Membership, mayEnter } from '../../../src/directory/access/rules.ts';
import { mfaPolicies } from '../../../src/directory/applications/rules.ts';
import type { Prompt } from '../../../src/oauth/authorize/request.rules.ts';
import type { Scope } from '../../../src/oauth/token/scope.rules.ts';
import { acrOf, amrOf, hasTwoFactors, isFirstFactor, satisfies } from '../../../src/people/sign-in/acr.rules.ts';
import {
  type BrowserState,
  currentUser,
  methodsOf,
  type ShownFactor,
} from '../../../src/people/sign-in/current-user.rules.ts';
import type { Demands } from '../../../src/people/sign-in/demands.rules.ts';
import { nextStep, opensSession } from '../../../src/people/sign-in/next-step.rules.ts';
import { missingClass } from '../../../src/people/sign-in/strength.rules.ts';
import { fc } from '../../build/random.ts';
import { ALICE, BOB, codeOf, HERE, NOW, type Progress, passkeyOf, proofOf, steps } from './given.ts';

describe('a browser that does what each page asks', () => {
  const subs = fc.constantFrom(ALICE, BOB);
  const scopes = fc.subarray<Scope>(['openid', 'profile', 'email', 'offline_access'], { minLength: 1 });
  /** Alice is in a group, Bob has roles: one here, one at every application. */
  const people: Readonly<Record<string, { readonly username: string; readonly membership: Membership }>> = {
    [ALICE]: { username: 'alice', membership: { groups: ['staff'] } },
    [BOB]: { username: 'bob', membership: { roles: { shop: ['admin'], '*': ['auditor'], bank: ['teller'] } } },
  };
  const access = fc.record({
    code: fc.constant('shop'),
    access: fc.record({
      groups: fc.subarray(['staff', 'guests']),
      roles: fc.subarray(['admin', 'auditor', 'teller']),
      users: fc.subarray(['Alice', 'carol']),
    }),
  });
  const demands: fc.Arbitrary<Demands> = fc.record({
    prompt: fc.oneof(fc.constant<Prompt[]>(['none']), fc.subarray<Prompt>(['login', 'consent', 'select_account'])),
    maxAge: fc.option(fc.constantFrom(0, 30, 3600), { nil: undefined }),
    requiredSub: fc.option(subs, { nil: undefined }),
    consentTo: fc.option(scopes, { nil: undefined }),
    mfa: fc.constantFrom(...mfaPolicies),
    trustsBrowsers: fc.boolean(),
    verifiedEmail: fc.boolean(),
    acr: fc.option(fc.record({ values: fc.subarray(['phr', '2', '1'], { minLength: 1 }), essential: fc.boolean() }), {
      nil: undefined,
    }),
    passkeys: fc.boolean(),
    access: fc.option(access, { nil: undefined }),
  });
  const session = fc.option(
    fc.record({
      user: fc
        .record({ sub: subs, email: fc.constant('a@example.com'), emailVerified: fc.boolean() })
        .map(user => ({ username: '', ...people[user.sub], ...user })),
      authTime: fc.constantFrom(NOW, NOW - 60, NOW - 86_400),
      amr: fc.constantFrom(
        ['pwd'],
        ['pwd', 'otp', 'mfa'],
        ['pwd', 'rec', 'mfa'],
        ['hwk'],
        ['swk', 'user', 'mfa'],
        ['pwd', 'hwk', 'mfa'],
      ),
      hasTotp: fc.boolean(),
      requiresMfa: fc.boolean(),
      hasPasskey: fc.boolean(),
      hasPassword: fc.boolean(),
      openedByRequest: fc.constant('before'),
      consented: fc.subarray<Scope>(['openid', 'profile', 'email']),
    }),
    { nil: undefined },
  );
  /** What the user does on each page, in turn: as which user, and which button. */
  const answers = fc.array(
    fc.record({
      ...{ sub: subs, hasTotp: fc.boolean(), hasPasskey: fc.boolean(), another: fc.boolean(), agrees: fc.boolean() },
      ...{ hasVerifiedEmail: fc.boolean(), needsNewPassword: fc.boolean() },
      requiresMfa: fc.boolean(),
      ...{ byPasskey: fc.boolean(), isVerified: fc.boolean() },
    }),
    { minLength: 10, maxLength: 10 },
  );

  interface Answer {
    readonly sub: string;
    readonly hasTotp: boolean;
    readonly requiresMfa: boolean;
    readonly hasVerifiedEmail: boolean;
    readonly needsNewPassword: boolean;
    readonly hasPasskey: boolean;
    readonly another: boolean;
    readonly agrees: boolean;
    /** On the login page: with a passkey, which verifies the user or not. */
    readonly byPasskey: boolean;
    readonly isVerified: boolean;
  }

  /** As the pages do it: session.ts and the files of steps/. */
  function answer(
    state: BrowserState & { readonly progress: Progress },
    asked: Demands,
    step: string,
    { sub, another, agrees, byPasskey, isVerified, ...account }: Answer,
  ): BrowserState & { readonly progress: Progress } {
    const { progress, session: present } = state;
    switch (step) {
      case 'password':
      case 'second-password':
        if (byPasskey && asked.passkeys && progress.proofs.length === 0) {
          // A passkey has nothing to do with the password that an operator wants changed.
          const passkey = { ...passkeyOf(sub, isVerified), ...account, hasPasskey: true, needsNewPassword: false };
          return prove(state, asked, passkey, undefined);
        }
        return prove(state, asked, { ...proofOf(progress.proofs[0]?.sub ?? sub), ...account }, undefined);
      case 'verify-email':
        return settle(state, asked, { hasVerifiedEmail: true });
      case 'new-password':
        return settle(state, asked, { needsNewPassword: false });
      case 'passkey': {
        const first = progress.proofs.find(({ stepsUp = false }) => !stepsUp);
        const who = first?.sub ?? present?.user.sub ?? '';
        const known = currentUser(state) ?? assert.fail('nobody is asked for a passkey');
        // people/passkey/step.ts: without the password, or for phr, the user must be verified.
        const mustVerify = missingClass(asked, known) === 'phr' || !known.amr.includes('pwd');
        const proof = { ...passkeyOf(who, mustVerify || isVerified), stepsUp: !first };
        return prove(state, asked, proof, first ? undefined : present);
      }
      case 'enrol-totp':
      case 'totp': {
        const first = progress.proofs[0];
        return prove(state, asked, codeOf(first?.sub ?? present?.user.sub ?? ''), first ? undefined : present);
      }
      case 'no-access':
        return { ...state, progress: { ...progress, toldNoAccess: present?.user.sub } };
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

  /** What the account lacked is there: the proofs are told, or the session says so itself. */
  function settle(
    state: BrowserState & { readonly progress: Progress },
    asked: Demands,
    told: Partial<ShownFactor>,
  ): BrowserState & { readonly progress: Progress } {
    const { progress, session: present } = state;
    const isFirst = ({ method, stepsUp = false }: ShownFactor) => isFirstFactor(method) && !stepsUp;
    const verified = present && { ...present, user: { ...present.user, emailVerified: true } };
    const proofs = progress.proofs.map(proof => (isFirst(proof) ? { ...proof, ...told } : proof));
    const last = proofs.at(-1);
    if (!last) return { ...state, session: verified };
    const stepped = proofs.some(isFirst) ? undefined : verified;
    return prove({ ...state, progress: { ...progress, proofs } }, asked, last, stepped);
  }

  function prove(
    state: BrowserState & { readonly progress: Progress },
    asked: Demands,
    proof: ShownFactor,
    stepped: BrowserState['session'],
  ): BrowserState & { readonly progress: Progress } {
    const { progress, now } = state;
    const proofs = [
      ...progress.proofs.filter(({ sub, method }) => sub === proof.sub && method !== proof.method),
      proof,
    ];
    const proved = { ...progress, proofs };
    if (!opensSession(nextStep(steps, asked, { session: stepped, progress: proved, now })))
      return { ...state, progress: proved };
    const opened = {
      user: {
        username: '',
        ...people[proof.sub],
        sub: proof.sub,
        email: 'a@example.com',
        emailVerified: stepped?.user.emailVerified ?? proofs.some(({ hasVerifiedEmail }) => hasVerifiedEmail === true),
      },
      authTime: now,
      amr: amrOf([...(stepped?.amr ?? []), ...methodsOf(proofs)]),
      hasTotp: stepped?.hasTotp ?? proofs.some(({ hasTotp }) => hasTotp === true),
      requiresMfa: stepped?.requiresMfa ?? proofs.some(({ requiresMfa }) => requiresMfa === true),
      hasPasskey: stepped?.hasPasskey ?? proofs.some(({ hasPasskey }) => hasPasskey === true),
      hasPassword: stepped?.hasPassword ?? proofs.some(({ hasPassword, method }) => hasPassword ?? method === 'pwd'),
      openedByRequest: progress.id,
      consented: stepped?.consented ?? [],
    };
    return { ...state, session: opened, progress: { ...progress, proofs: [] } };
  }

  it('is done or refused after each step was asked for once at the most', () => {
    fc.assert(
      fc.property(demands, session, answers, (asked, present, given) => {
        let state: BrowserState & { readonly progress: Progress } = { session: present, progress: HERE, now: NOW };
        const asking: string[] = [];
        for (const one of given) {
          const next = nextStep(steps, asked, state);
          if (next.kind !== 'ask') return;
          assert(!asked.prompt.includes('none'), 'prompt=none asks for nothing');
          // Its page takes a passkey too, which may not have verified the user either.
          const isPasskeyAgain =
            next.step === 'second-password' && state.progress.proofs.some(({ method }) => method === 'hwk');
          assert(isPasskeyAgain || !asking.includes(next.step), `${next.step} twice: ${asking.join(', ')}`);
          assert(steps.some(({ name, path }) => name === next.step && path === next.path));
          asking.push(next.step);
          state = answer(state, asked, next.step, one);
        }
        assert.fail(`no end: ${asking.join(', ')}`);
      }),
      { numRuns: 5000 },
    );
  });

  it('is done only as the user that the request names, after a login that is recent enough, and with consent', () => {
    fc.assert(
      fc.property(demands, session, answers, (asked, present, given) => {
        let state: BrowserState & { readonly progress: Progress } = { session: present, progress: HERE, now: NOW };
        let next = nextStep(steps, asked, state);
        for (const one of given) {
          if (next.kind !== 'ask') break;
          state = answer(state, asked, next.step, one);
          next = nextStep(steps, asked, state);
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
        const hasFactor = user?.hasTotp || (user?.hasPasskey && asked.passkeys);
        if (mfa === 'required' || (mfa === 'optional' && hasFactor && amr.includes('pwd')))
          assert(hasTwoFactors(amr), amr.join());
        const { acr } = asked;
        if (acr?.essential)
          assert(
            acr.values.some(value => satisfies(acrOf(amr), value)),
            amr.join(),
          );
        if (asked.access) assert(user && mayEnter(asked.access, user.user), 'the application admits this user');
        if (asked.verifiedEmail) assert(user?.user.emailVerified);
        const needed = (asked.consentTo ?? []).filter(scope => scope !== 'offline_access');
        for (const scope of needed) assert(user?.consented.includes(scope), scope);
      }),
      { numRuns: 5000 },
    );
  });

  it('is never done as a user whom the application does not admit, whatever it claims to have done before', () => {
    const proofs = fc.array(
      fc.oneof(
        subs.map(sub => proofOf(sub)),
        subs.map(sub => codeOf(sub)),
        subs.map(sub => passkeyOf(sub, true)),
      ),
      { maxLength: 3 },
    );
    const progress = fc.record({
      id: fc.constantFrom('this', 'before'),
      cancelled: fc.constant(false),
      proofs,
      selected: fc.option(fc.oneof(fc.constant('another' as const), fc.record({ sub: subs })), { nil: undefined }),
      consentedBy: fc.option(subs, { nil: undefined }),
      toldNoAccess: fc.option(subs, { nil: undefined }),
    });
    const trusting = fc.option(subs, { nil: undefined });
    let refused = 0;
    fc.assert(
      fc.property(demands, session, progress, trusting, (asked, present, seen, trustedFor) => {
        const next = nextStep(steps, asked, { session: present, progress: seen, now: NOW, trustedFor });
        const isAdmitted = !present || !asked.access || mayEnter(asked.access, present.user);
        // oauth/authorize/endpoint.ts answers the client only for the user of the session.
        if (next.kind === 'done' && next.sub === present?.user.sub) assert(isAdmitted);
        const isTurnedAway = next.kind === 'refuse' && next.failure.name === 'userNotAllowed';
        if (isTurnedAway || (next.kind === 'ask' && next.step === 'no-access')) {
          assert(!isAdmitted);
          refused += 1;
        }
        if (isTurnedAway) assert(asked.prompt.includes('none') || seen.toldNoAccess === present?.user.sub);
      }),
      { numRuns: 5000 },
    );
    assert(refused > 100, `only ${refused} were turned away`);
  });
});
