import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { authenticatePassword } from '../../src/accounts/authenticate.ts';
import { createPasswords } from '../../src/accounts/passwords.ts';
import { createThrottle } from '../../src/accounts/throttle.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { fixedClock } from '../build/clock.ts';
import { aUser, PASSWORD } from '../build/fixture.ts';
import { type House, openHouse } from '../build/house.ts';

const DORA = { username: 'dora', email: 'dora@example.com', phone_number: '+8613800000002' };

describe('who is this (rows 25 and 42)', () => {
  let house: House;
  before(async () => {
    house = await openHouse({ clock: fixedClock(), users: [aUser(), aUser({ ...DORA, disabled: true })] });
  });
  after(() => house.close());

  /** A fresh throttle and queue over the users of the house. */
  const services = (limits = { atOnce: 2, waiting: 100 }) => ({
    store: house.services.store,
    metrics: house.services.metrics,
    throttle: createThrottle(fixedClock(), { attempts: 4, refill: 30 }, { attempts: 100, refill: 3 }),
    passwords: createPasswords(house.services.random, limits),
  });
  const typed = (username: string, password = 'wrong', address = '10.0.0.1') => ({ username, password, address });

  it('finds the user behind the right password, under every login name', async () => {
    for (const username of ['alice', ' ALICE ', 'Alice@example.com', '+86 138 0000 0001']) {
      const outcome = await authenticatePassword(services(), typed(username, PASSWORD));
      assert(outcome.kind === 'right', outcome.kind);
      assert.equal(outcome.user.username, 'alice');
    }
  });

  for (const [who, username, password] of [
    ['a wrong password', 'alice', 'wrong'],
    ['an unknown user', 'nobody', PASSWORD],
    ['a disabled user with the right password', 'dora', PASSWORD],
    ['what can be nobody’s name', '  ', PASSWORD],
    ['a name that is too long', 'a'.repeat(300), PASSWORD],
  ] as const) {
    it(`${who} is wrong, and is throttled after as many attempts as any other`, async () => {
      const own = services();
      const kinds = [];
      for (let count = 0; count < 6; count++) kinds.push(await authenticatePassword(own, typed(username, password)));
      const wrong = { kind: 'wrong' };
      const throttled = { kind: 'throttled', retryAfter: 30 };
      assert.deepEqual(kinds, [wrong, wrong, wrong, wrong, throttled, throttled]);
    });
  }

  for (const username of ['alice', 'nobody']) {
    it(`counts parallel guesses for ${username} before any of them is answered`, async () => {
      const own = services();
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => authenticatePassword(own, typed(username))));
      assert.equal(outcomes.filter(({ kind }) => kind === 'wrong').length, 4);
      assert.equal(outcomes.filter(({ kind }) => kind === 'throttled').length, 16);
    });
  }

  it('does not look at the password of a throttled attempt, be it right', async () => {
    const own = services();
    for (let count = 0; count < 4; count++) await authenticatePassword(own, typed('alice'));
    assert.equal((await authenticatePassword(own, typed('alice', PASSWORD))).kind, 'throttled');
  });

  it('does not count what a full queue could not decide', async () => {
    const own = services({ atOnce: 1, waiting: 0 });
    const first = await Promise.all([1, 2, 3, 4].map(() => authenticatePassword(own, typed('alice'))));
    assert.deepEqual(
      first.map(({ kind }) => kind),
      ['wrong', 'busy', 'busy', 'busy'],
    );
    for (let count = 0; count < 3; count++)
      assert.equal((await authenticatePassword(own, typed('alice'))).kind, 'wrong');
    assert.equal((await authenticatePassword(own, typed('alice'))).kind, 'throttled');
  });

  it('does not count what the store could not decide', async () => {
    const own = services();
    const broken = {
      ...own,
      store: { ...own.store, findAccount: () => Promise.reject(new StoreUnavailable('gone')) },
    };
    for (let count = 0; count < 9; count++)
      await assert.rejects(authenticatePassword(broken, typed('alice')), StoreUnavailable);
    assert.equal((await authenticatePassword(own, typed('alice', PASSWORD))).kind, 'right');
  });

  it('forgets failures at the next success', async () => {
    const own = services();
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < 3; count++)
        assert.equal((await authenticatePassword(own, typed('alice'))).kind, 'wrong');
      assert.equal((await authenticatePassword(own, typed('alice', PASSWORD))).kind, 'right');
    }
  });
});
