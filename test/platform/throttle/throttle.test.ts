import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createThrottle } from '../../../src/platform/throttle/throttle.ts';
import { fixedClock } from '../../build/clock.ts';
import { limits } from '../../build/limits.ts';

const THREE = { attempts: 3, refillSeconds: 10 };
const FIVE = { attempts: 5, refillSeconds: 2 };

/** Seconds to wait for a login attempt, and what becomes of it. */
function throttle() {
  const clock = fixedClock();
  const own = createThrottle(clock, limits({ login: THREE, account: THREE, loginAddress: FIVE }));
  const login = (name: string, address: string) => ({ kind: 'login', name, address }) as const;
  return {
    clock,
    admit: (name: string, address: string) => own.admit(login(name, address)).wait,
    succeeded: (name: string, address: string) => own.succeeded(login(name, address)),
    withdrawn: (name: string, address: string) => own.withdrawn(login(name, address)),
    admitAccount: (account: string) => own.admit({ kind: 'account', account }).wait,
  };
}

describe('the throttle of logins (row 42)', () => {
  it('admits as many attempts as the account has, then says how long to wait', () => {
    const { admit, clock } = throttle();
    for (let count = 0; count < 3; count++) assert.equal(admit('alice', `10.0.0.${count}`), 0);
    assert.equal(admit('alice', '10.0.0.9'), 10);
    clock.advance(4);
    assert.equal(admit('alice', '10.0.0.9'), 6);
    clock.advance(6);
    assert.equal(admit('alice', '10.0.0.9'), 0);
    assert.equal(admit('alice', '10.0.0.9'), 10);
  });

  it('admits as many attempts as the address has, whatever the names', () => {
    const { admit, clock } = throttle();
    for (let count = 0; count < 5; count++) assert.equal(admit(`user-${count}`, '10.0.0.1'), 0);
    assert.equal(admit('somebody', '10.0.0.1'), 2);
    assert.equal(admit('somebody', '10.0.0.2'), 0);
    clock.advance(2);
    assert.equal(admit('somebody', '10.0.0.1'), 0);
  });

  it('names the longer of the two waits', () => {
    const { admit } = throttle();
    for (let count = 0; count < 3; count++) admit('alice', '10.0.0.1');
    for (let count = 0; count < 2; count++) admit(`user-${count}`, '10.0.0.1');
    assert.equal(admit('alice', '10.0.0.1'), 10);
  });

  it('does not count an attempt it refused: further attempts do not lengthen the wait', () => {
    const { admit } = throttle();
    for (let count = 0; count < 3; count++) admit('alice', '10.0.0.1');
    for (let count = 0; count < 50; count++) assert.equal(admit('alice', '10.0.0.2'), 10);
    for (let count = 0; count < 5; count++) assert.equal(admit(`user-${count}`, '10.0.0.2'), 0);
  });

  it('is full again after a rest, and never fuller than full', () => {
    const { admit, clock } = throttle();
    for (let count = 0; count < 3; count++) admit('alice', `10.0.0.${count}`);
    clock.advance(100_000);
    for (let count = 0; count < 3; count++) assert.equal(admit('alice', `10.0.1.${count}`), 0);
    assert.equal(admit('alice', '10.0.1.9'), 10);
  });

  it('forgets the failures of an account that succeeded', () => {
    const { admit, succeeded } = throttle();
    for (let count = 0; count < 3; count++) admit('alice', '10.0.0.1');
    succeeded('alice', '10.0.0.1');
    for (let count = 0; count < 3; count++) assert.equal(admit('alice', `10.0.1.${count}`), 0);
  });

  it('gives a success back to the address once, so that one good account does not pay for many guesses', () => {
    const { admit, succeeded } = throttle();
    for (let count = 0; count < 4; count++) admit(`user-${count}`, '10.0.0.1');
    assert.equal(admit('mine', '10.0.0.1'), 0);
    succeeded('mine', '10.0.0.1');
    assert.equal(admit('user-5', '10.0.0.1'), 0);
    assert.equal(admit('user-6', '10.0.0.1'), 2);
  });

  it('gives an undecided attempt back to both', () => {
    const { admit, withdrawn } = throttle();
    for (let count = 0; count < 50; count++) {
      assert.equal(admit('alice', '10.0.0.1'), 0);
      withdrawn('alice', '10.0.0.1');
    }
  });

  it('counts an unknown name like the name of a user', () => {
    const { admit } = throttle();
    const waits = ['alice', 'nobody', ''].map(name =>
      [1, 2, 3, 4].map(octet => admit(name, `10.0.${octet}.${name.length}`)),
    );
    assert.deepEqual(waits[0], [0, 0, 0, 10]);
    assert.deepEqual(waits[1], waits[0]);
    assert.deepEqual(waits[2], waits[0]);
  });

  it('remembers a bounded number of names, the newest of them', () => {
    const { admit } = throttle();
    for (let count = 0; count < 3; count++) admit('early', `10.1.0.${count}`);
    for (let count = 0; count < 50_000; count++)
      admit(`flood-${count}`, `10.2.${count % 250}.${Math.floor(count / 250)}`);
    assert.equal(admit('early', '10.3.0.1'), 0, 'the oldest was dropped');
    for (let count = 0; count < 3; count++) admit('late', `10.4.0.${count}`);
    assert.equal(admit('late', '10.4.0.9'), 10);
  });
});

describe('the throttle of accounts, whatever name was typed (row 42)', () => {
  it('has attempts of its own, and a name that is spelt the same has others', () => {
    const { admit, admitAccount } = throttle();
    assert.deepEqual(
      [1, 2, 3, 4].map(() => admitAccount('alice')),
      [0, 0, 0, 10],
    );
    assert.equal(admit('alice', '10.0.0.1'), 0);
  });
});

describe('the throttle of client authentication', () => {
  const clients = () => {
    const clock = fixedClock();
    const own = createThrottle(clock, limits({ client: THREE, clientAddress: FIVE }));
    const attempt = (clientId: string, address: string, app = 'shop', secretDigest = 'right') =>
      ({ kind: 'client', app, clientId, address, secretDigest }) as const;
    return {
      clock,
      admit: (...of: Parameters<typeof attempt>) => own.admit(attempt(...of)),
      succeeded: (...of: Parameters<typeof attempt>) => own.succeeded(attempt(...of)),
      withdrawn: (...of: Parameters<typeof attempt>) => own.withdrawn(attempt(...of)),
    };
  };
  const ADMITTED = { wait: 0, known: false };

  it('admits as many attempts per client and address as it has, and says how long to wait', () => {
    const { admit, clock } = clients();
    for (let count = 0; count < 3; count++) assert.deepEqual(admit('web', '10.0.0.1'), ADMITTED);
    assert.deepEqual(admit('web', '10.0.0.1'), { wait: 10, known: false });
    assert.deepEqual(admit('web', '10.0.0.2'), ADMITTED, 'another address');
    assert.deepEqual(admit('api', '10.0.0.1'), ADMITTED, 'another client');
    clock.advance(10);
    assert.deepEqual(admit('web', '10.0.0.1'), ADMITTED);
  });

  it('admits as many attempts as the address has, whatever the clients', () => {
    const { admit } = clients();
    for (let count = 0; count < 5; count++) assert.deepEqual(admit(`made-up-${count}`, '10.0.0.1'), ADMITTED);
    assert.deepEqual(admit('web', '10.0.0.1'), { wait: 2, known: false });
  });

  it('counts nothing across applications', () => {
    const { admit, succeeded } = clients();
    for (let count = 0; count < 4; count++) admit('web', '10.0.0.1', 'shop');
    assert.deepEqual(admit('web', '10.0.0.1', 'bank'), ADMITTED);
    succeeded('web', '10.0.0.1', 'bank');
    assert.equal(admit('web', '10.0.0.1', 'shop').known, false);
  });

  it('does not take one client for another, however the names are cut', () => {
    const { admit } = clients();
    for (let count = 0; count < 3; count++) admit('web', '10.0.0.1', 'shop');
    assert.deepEqual(admit('opweb', '10.0.0.1', 'sh'), ADMITTED);
  });

  it('knows an address from which the client was right, while others use up its attempts', () => {
    const { admit, succeeded } = clients();
    admit('web', '10.0.0.1');
    succeeded('web', '10.0.0.1');
    for (let count = 0; count < 3; count++) assert.deepEqual(admit('web', '10.0.0.1'), { wait: 0, known: true });
    assert.deepEqual(admit('web', '10.0.0.1'), { wait: 10, known: true });
    assert.equal(admit('web', '10.0.0.2').known, false);
    assert.equal(admit('api', '10.0.0.1').known, false);
    assert.equal(admit('web', '10.0.0.1', 'shop', 'a guess').known, false, 'another secret');
  });

  it('knows a network of IPv6 (/64) by any of its addresses, and counts it as one', () => {
    const { admit, succeeded } = clients();
    succeeded('web', '2001:db8:0:1::1');
    assert.equal(admit('web', '2001:db8:0:1::2').known, true);
    assert.equal(admit('web', '2001:db8:0:2::1').known, false);
    for (let count = 0; count < 3; count++) admit('api', `2001:db8:0:3::${count}`);
    assert.equal(admit('api', '2001:db8:0:3::ffff').wait, 10);
  });

  it('gives an undecided attempt back to both', () => {
    const { admit, withdrawn } = clients();
    for (let count = 0; count < 50; count++) {
      assert.deepEqual(admit('web', '10.0.0.1'), ADMITTED);
      withdrawn('web', '10.0.0.1');
    }
  });

  it('a right secret of one client does not pay for guesses at another', () => {
    const { admit, succeeded } = clients();
    for (let count = 0; count < 4; count++) admit(`guessed-${count}`, '10.0.0.1');
    for (let count = 0; count < 20; count++) {
      if (admit('mine', '10.0.0.1').wait === 0) succeeded('mine', '10.0.0.1');
    }
    assert.equal(admit('guessed-5', '10.0.0.1').wait, 0);
    assert.equal(admit('guessed-6', '10.0.0.1').wait, 2);
  });

  it('remembers a bounded number of clients and of addresses, the newest of them', () => {
    const { admit, succeeded } = clients();
    const address = (count: number) => `10.${count >> 16}.${(count >> 8) & 255}.${count & 255}`;
    for (let count = 0; count < 3; count++) admit('early', '192.0.2.1');
    succeeded('known', '192.0.2.1');
    for (let count = 0; count < 50_000; count++) {
      admit(`flood-${count}`, address(count));
      succeeded('flood', address(count));
    }
    assert.deepEqual(admit('early', '192.0.2.2'), ADMITTED);
    assert.deepEqual(admit('early', '192.0.2.1'), ADMITTED, 'the oldest count was dropped');
    assert.equal(admit('known', '192.0.2.1').known, false, 'the oldest address was dropped');
    assert.equal(admit('flood', address(49_999)).known, true);
  });
});
