import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hash as bcrypt } from '@node-rs/bcrypt';
import { authenticatePassword, type PasswordOutcome } from '../../../src/people/password/authenticate.ts';
import { createPasswords, type Passwords } from '../../../src/people/password/passwords.ts';
import { systemRandom } from '../../../src/platform/crypto/random.ts';
import { StoreUnavailable } from '../../../src/platform/store/faults.ts';
import { createThrottle } from '../../../src/platform/throttle/throttle.ts';
import { fixedClock } from '../../build/clock.ts';
import { aUser, PASSWORD } from '../../build/fixture.ts';
import { limits } from '../../build/limits.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer, suiteServer } from '../../build/test-server.ts';

const FOUR = { attempts: 4, refillSeconds: 30 };
const DORA = { username: 'dora', email: 'dora@example.com', phone_number: '+8613800000002' };

/** What the caller sees of an outcome: all but what is only for the log. */
function visible(outcome: PasswordOutcome): object {
  return Object.fromEntries(Object.entries(outcome).filter(([name]) => name !== 'sub' && name !== 'isExhausted'));
}

describe('authentication by password (rows 25 and 42)', () => {
  const server = suiteServer({
    clock: fixedClock(),
    users: [aUser(), aUser({ ...DORA, disabled: true })],
    isPasswordCostReal: true,
  });

  /** A fresh throttle and queue over the users of the server. */
  const services = (queue = { atOnce: 2, waiting: 100 }) => ({
    store: server.services.store,
    metrics: server.services.metrics,
    throttle: createThrottle(fixedClock(), limits({ login: FOUR, account: FOUR })),
    passwords: createPasswords(server.services.random, queue),
    ring: server.services.ring,
  });
  const typed = (username: string, password = 'wrong', address = '10.0.0.1') => ({ username, password, address });

  it('finds the user behind the right password, under every login name', async () => {
    for (const username of ['alice', ' ALICE ', 'Alice@example.com', '+86 138 0000 0001']) {
      const outcome = await authenticatePassword(services(), typed(username, PASSWORD));
      assert(outcome.kind === 'right', outcome.kind);
      assert.equal(outcome.user.username, 'alice');
    }
  });

  for (const [attempt, username, password] of [
    ['a wrong password', 'alice', 'wrong'],
    ['an unknown user', 'nobody', PASSWORD],
    ['a disabled user with the right password', 'dora', PASSWORD],
    ['a name that no user can have', '  ', PASSWORD],
    ['a name that is too long', 'a'.repeat(300), PASSWORD],
  ] as const) {
    it(`${attempt} is wrong, and is throttled after as many attempts as any other`, async () => {
      const own = services();
      const kinds = [];
      for (let count = 0; count < 6; count++) {
        kinds.push(visible(await authenticatePassword(own, typed(username, password))));
      }
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
    const kinds = first.map(({ kind }) => kind);
    assert.deepEqual(kinds, ['wrong', 'busy', 'busy', 'busy']);
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

  describe('guessing under every name of a person', () => {
    const NAMES = ['alice', 'alice@example.com', '+8613800000001', ' ALICE ', '+86 138 0000 0001'];

    it('gives no more guesses than guessing under one: what is more is wrong, be it right', async () => {
      const own = services();
      const exhausted = [];
      for (let count = 0; count < 6; count++) {
        const outcome = await authenticatePassword(own, typed(NAMES[count % NAMES.length] ?? ''));
        assert.equal(outcome.kind, 'wrong');
        exhausted.push(outcome.kind === 'wrong' && outcome.isExhausted === true);
      }
      assert.deepEqual(exhausted, [false, false, false, false, true, true]);
      for (const name of NAMES) {
        const outcome = await authenticatePassword(own, typed(name, PASSWORD));
        assert(outcome.kind !== 'right', name);
      }
    });

    it('takes the time of a comparison also when the account has no attempts left', async () => {
      const own = services();
      const compared: string[] = [];
      const verify: Passwords['verify'] = (password, ...hashes) => {
        compared.push(password);
        return own.passwords.verify(password, ...hashes);
      };
      const watched = { ...own, passwords: { ...own.passwords, verify } };
      for (let count = 0; count < 4; count++) await authenticatePassword(watched, typed('alice'));
      await authenticatePassword(watched, typed('alice@example.com', PASSWORD));
      assert.deepEqual(compared, [...Array(4).fill('wrong'), PASSWORD]);
    });

    it('is counted before any of the guesses is answered', async () => {
      const own = services();
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, at) => authenticatePassword(own, typed(NAMES[at % 3] ?? ''))),
      );
      const wrong = outcomes.filter(outcome => outcome.kind === 'wrong');
      assert.equal(wrong.filter(({ isExhausted }) => !isExhausted).length, 4);
      assert.equal(wrong.length, 12, 'four for each name');
      assert.equal(outcomes.filter(({ kind }) => kind === 'throttled').length, 8);
    });

    it('does not count what was refused: another name has its attempts, and the address too', async () => {
      const own = services();
      for (let count = 0; count < 200; count++) await authenticatePassword(own, typed('alice'));
      for (let count = 0; count < 4; count++) {
        assert.equal((await authenticatePassword(own, typed('alice@example.com'))).kind, 'wrong');
      }
      assert.equal((await authenticatePassword(own, typed('alice@example.com'))).kind, 'throttled');
      assert.equal((await authenticatePassword(own, typed('nobody'))).kind, 'wrong');
    });

    it('is forgotten at the next success under any of them', async () => {
      const own = services();
      for (let round = 0; round < 3; round++) {
        for (const name of ['alice', 'alice@example.com', 'alice']) await authenticatePassword(own, typed(name));
        assert.equal((await authenticatePassword(own, typed('alice', PASSWORD))).kind, 'right');
      }
    });

    it('the sub of a user typed as a name does not count against that user', async () => {
      const own = services();
      const outcome = await authenticatePassword(own, typed('alice', PASSWORD));
      assert(outcome.kind === 'right');
      for (let count = 0; count < 5; count++) await authenticatePassword(own, typed(outcome.user.sub));
      assert.equal((await authenticatePassword(own, typed('alice', PASSWORD))).kind, 'right');
    });

    it('asks the store nothing once the name is throttled, and the same for an unknown name', async () => {
      const lookups: string[] = [];
      const findAccount = (name: string) => {
        lookups.push(name);
        return server.services.store.findAccount(name);
      };
      const own = { ...services(), store: { ...server.services.store, findAccount } };
      for (const name of ['alice', 'nobody']) {
        for (let count = 0; count < 9; count++) await authenticatePassword(own, typed(name));
      }
      assert.deepEqual(lookups, [...Array(4).fill('alice'), ...Array(4).fill('nobody')]);
    });
  });
});

describe('telling users from unknown names by time, where hashes came from another system (rows 25 and 42)', () => {
  const THEIRS = 'their old password';
  const IMPORTED = 30;
  const server = suitePart(async () => {
    const password_hash = await bcrypt(THEIRS, 4);
    const password = await createPasswords(systemRandom, { atOnce: 1, waiting: 1 }).hash('ours');
    const users = Array.from({ length: 2 * IMPORTED }, (_, number) => ({
      username: `user-${number}`,
      password_hash: number < IMPORTED ? password_hash : password,
    }));
    return startTestServer({ clock: fixedClock(), users });
  });

  /** What the typed password is compared with, without the time that takes. */
  const comparedWith = async (username: string) => {
    const compared: (string | undefined)[] = [];
    const { store, metrics, ring, random } = server.services;
    const passwords: Passwords = {
      ...createPasswords(random, { atOnce: 1, waiting: 1 }),
      verify: async (_, expected, standIn) => {
        compared.push(expected ?? standIn);
        return 'wrong';
      },
    };
    const throttle = createThrottle(fixedClock(), limits({ login: FOUR, account: FOUR }));
    await authenticatePassword(
      { store, metrics, ring, passwords, throttle },
      { username, password: 'guess', address: '10.0.0.1' },
    );
    return compared[0]?.startsWith('$2') ? 'bcrypt' : 'argon2';
  };
  const shareOfBcrypt = async (names: readonly string[]) => {
    const kinds = await Promise.all(names.map(comparedWith));
    return kinds.filter(kind => kind === 'bcrypt').length / names.length;
  };
  const unknown = Array.from({ length: 300 }, (_, number) => `nobody-${number}`);

  it('fails: an unknown name has the hash of some user, as often of each kind as users have it', async () => {
    const share = await shareOfBcrypt(unknown);
    // Half of the users; where each of them stands in the order is chance.
    assert(share > 0.2 && share < 0.8, `${share}`);
  });

  it('fails at the second look, too: a name has the same one each time', async () => {
    for (const name of unknown.slice(0, 20)) {
      const kinds = [await comparedWith(name), await comparedWith(name), await comparedWith(name)];
      assert.equal(new Set(kinds).size, 1, name);
    }
  });

  it('lets no unknown name in by the password of the user whose hash it has', async () => {
    const { store, metrics, ring, random } = server.services;
    for (const username of unknown.slice(0, 10)) {
      const passwords = createPasswords(random, { atOnce: 1, waiting: 1 });
      const throttle = createThrottle(fixedClock(), limits({ login: FOUR, account: FOUR }));
      const own = { store, metrics, ring, passwords, throttle };
      for (const password of [THEIRS, 'ours']) {
        const outcome = await authenticatePassword(own, { username, password, address: '10.0.0.1' });
        assert.deepEqual(visible(outcome), { kind: 'wrong' });
      }
    }
  });
});
