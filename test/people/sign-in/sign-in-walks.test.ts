import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHOICES, fc } from '../../build/random.ts';
import { suitePart } from '../../build/suite-part.ts';
import { aMove, OPENINGS, perform } from './walks/moves.ts';
import { openTown, type Traits } from './walks/town.ts';
import { assertSession, aWalk } from './walks/walk.ts';

/**
 * The sign-in as a model: random walks over its pages with two browsers, back buttons, two tabs, replays, skipped steps, forms and
 * addresses that are moved to the other browser or tab. Whatever happens, sessions and answers say exactly what this very browser has
 * proved, and none lacks what was demanded (accounts contract, Sign-in is a sequence of steps).
 *
 *   test/people/sign-in/walks/town.ts    the server, its applications and people      test/people/sign-in/walks/moves.ts, test/people/sign-in/walks/forms.ts  what a walk can do
 *   test/people/sign-in/walks/walk.ts    one walk, and what it looks at               test/people/sign-in/walks/learn.ts            what a form has proved
 *   test/people/sign-in/walks/oracle.ts  what may be claimed after that, and what a request demands
 *
 * A failure prints seed and path: with TEST_SEED, and the path in the options of `fc.assert`, the walk is the same again.
 */
const RUNS = 25 * CHOICES;
const MOVES = 30;

const traits: fc.Arbitrary<Traits> = fc.record({
  hasTotp: fc.boolean(),
  hasPasskey: fc.boolean(),
  isVerified: fc.boolean(),
  mustChangePassword: oneIn(4),
  mustHaveSecondFactor: oneIn(6),
});
/** The first of the people has what the opening needs. */
const begun = fc.oneof(
  traits.map(first => ({ opening: OPENINGS.none, first })),
  traits.map(first => ({ opening: OPENINGS.signUp, first })),
  traits.map(first => ({ opening: OPENINGS.otherUser, first: { ...first, mustHaveSecondFactor: false } })),
  traits.map(first => ({
    opening: OPENINGS.trusted,
    first: { ...first, hasTotp: true, hasPasskey: false, mustChangePassword: false },
  })),
  traits.map(first => ({
    opening: OPENINGS.stepUp,
    first: { ...first, hasTotp: true, mustChangePassword: false, mustHaveSecondFactor: false },
  })),
);
const walk = fc.record({
  begun,
  other: traits,
  moves: fc.array(aMove, { minLength: MOVES, maxLength: MOVES }),
});

function oneIn(times: number): fc.Arbitrary<boolean> {
  return fc.integer({ min: 1, max: times }).map(each => each === 1);
}

/**
 * How often the walks must have been somewhere to mean something: about a fifth of what they reach on average, or less.
 */
const REACHED: Readonly<Record<string, number>> = {
  ...{ 'page /login': 60, 'page /login/totp': 15, 'page /login/recovery': 1, 'page /login/passkey': 4 },
  ...{ 'page /login/enrol': 8, 'page /login/verify-email': 8, 'page /login/new-password': 2, 'page /signup': 2 },
  ...{ 'page /consent': 4, 'proof pwd': 40, 'proof otp as second factor': 12, 'proof rec as second factor': 1 },
  ...{ 'proof hwk': 1, 'proof hwk with user verification': 2, 'passkey as second factor': 2 },
  ...{ 'session opened': 30, 'session stepped up': 2, 'session of another user replaced': 1 },
  ...{ 'authenticator app enrolled': 3, 'address verified': 2, 'password changed': 1, 'account made': 1 },
  ...{ 'consent given': 2, 'browser trusted': 2, 'answer by trust': 1 },
  ...{ 'answer with acr 1': 12, 'answer with acr 2': 25, 'answer with acr phr': 4 },
  ...{ 'answer to acr_values=2': 4, 'answer to acr_values=phr': 3, 'answer to prompt=login': 3 },
  ...{ 'answer to max_age=0': 2, 'error login_required': 10, 'error unmet_authentication_requirements': 2 },
  ...{ 'form of the other browser refused': 5, 'form sent again': 8, 'step skipped': 5 },
  ...{ 'form sent with the sign-in of another tab': 1 },
};

describe('random walks over the pages of a sign-in', () => {
  const town = suitePart(() => openTown());

  it('never reach a session or an answer that lacks a demanded proof, or has one of another browser', async () => {
    const reached = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(walk, async ({ begun: { opening, first }, other, moves }) => {
        const walking = await aWalk(town, [first, other], reached);
        for (const move of [...opening, ...moves]) await perform(walking, move);
        for (const browser of walking.browsers) await assertSession(walking, browser);
      }),
      { numRuns: RUNS },
    );
    for (const [what, times] of Object.entries(REACHED)) {
      const actual = reached.get(what) ?? 0;
      assert(actual >= times, `${what}: ${actual} times, at least ${times} are expected`);
    }
  });
});
