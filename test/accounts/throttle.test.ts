import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createThrottle } from '../../src/accounts/throttle.ts';
import { fixedClock } from '../build/clock.ts';

const perAccount = { attempts: 3, refill: 10 };
const perAddress = { attempts: 5, refill: 2 };

function throttle() {
  const clock = fixedClock();
  return { clock, ...createThrottle(clock, perAccount, perAddress) };
}

describe('the throttle of logins (row 42)', () => {
  it('admits as many attempts as the account has, then says how long to wait', () => {
    const { admit, clock } = throttle();
    for (let count = 0; count < 3; count++) assert.equal(admit('alice', `10.0.0.${count}`), undefined);
    assert.equal(admit('alice', '10.0.0.9'), 10);
    clock.advance(4);
    assert.equal(admit('alice', '10.0.0.9'), 6);
    clock.advance(6);
    assert.equal(admit('alice', '10.0.0.9'), undefined);
    assert.equal(admit('alice', '10.0.0.9'), 10);
  });

  it('admits as many attempts as the address has, whatever the names', () => {
    const { admit, clock } = throttle();
    for (let count = 0; count < 5; count++) assert.equal(admit(`user-${count}`, '10.0.0.1'), undefined);
    assert.equal(admit('somebody', '10.0.0.1'), 2);
    assert.equal(admit('somebody', '10.0.0.2'), undefined);
    clock.advance(2);
    assert.equal(admit('somebody', '10.0.0.1'), undefined);
  });

  it('names the longer of the two waits', () => {
    const { admit } = throttle();
    for (let count = 0; count < 3; count++) admit('alice', '10.0.0.1');
    for (let count = 0; count < 2; count++) admit(`user-${count}`, '10.0.0.1');
    assert.equal(admit('alice', '10.0.0.1'), 10);
  });

  it('does not count an attempt it refused: knocking on does not lengthen the wait', () => {
    const { admit } = throttle();
    for (let count = 0; count < 3; count++) admit('alice', '10.0.0.1');
    for (let count = 0; count < 50; count++) assert.equal(admit('alice', '10.0.0.2'), 10);
    for (let count = 0; count < 5; count++) assert.equal(admit(`user-${count}`, '10.0.0.2'), undefined);
  });

  it('is full again after a rest, and never fuller than full', () => {
    const { admit, clock } = throttle();
    for (let count = 0; count < 3; count++) admit('alice', `10.0.0.${count}`);
    clock.advance(100_000);
    for (let count = 0; count < 3; count++) assert.equal(admit('alice', `10.0.1.${count}`), undefined);
    assert.equal(admit('alice', '10.0.1.9'), 10);
  });

  it('forgets the failures of an account that succeeded', () => {
    const { admit, succeeded } = throttle();
    for (let count = 0; count < 3; count++) admit('alice', '10.0.0.1');
    succeeded('alice', '10.0.0.1');
    for (let count = 0; count < 3; count++) assert.equal(admit('alice', `10.0.1.${count}`), undefined);
  });

  it('gives a success back to the address once, so that one good account does not pay for many guesses', () => {
    const { admit, succeeded } = throttle();
    for (let count = 0; count < 4; count++) admit(`user-${count}`, '10.0.0.1');
    assert.equal(admit('mine', '10.0.0.1'), undefined);
    succeeded('mine', '10.0.0.1');
    assert.equal(admit('user-5', '10.0.0.1'), undefined);
    assert.equal(admit('user-6', '10.0.0.1'), 2);
  });

  it('gives an undecided attempt back to both', () => {
    const { admit, withdrawn } = throttle();
    for (let count = 0; count < 50; count++) {
      assert.equal(admit('alice', '10.0.0.1'), undefined);
      withdrawn('alice', '10.0.0.1');
    }
  });

  it('counts a name nobody has like one that somebody has', () => {
    const { admit } = throttle();
    const waits = ['alice', 'nobody', ''].map(name =>
      [1, 2, 3, 4].map(octet => admit(name, `10.0.${octet}.${name.length}`)),
    );
    assert.deepEqual(waits[0], [undefined, undefined, undefined, 10]);
    assert.deepEqual(waits[1], waits[0]);
    assert.deepEqual(waits[2], waits[0]);
  });

  it('remembers a bounded number of names, the newest of them', () => {
    const { admit } = throttle();
    for (let count = 0; count < 3; count++) admit('early', `10.1.0.${count}`);
    for (let count = 0; count < 50_000; count++)
      admit(`flood-${count}`, `10.2.${count % 250}.${Math.floor(count / 250)}`);
    assert.equal(admit('early', '10.3.0.1'), undefined, 'the oldest was dropped');
    for (let count = 0; count < 3; count++) admit('late', `10.4.0.${count}`);
    assert.equal(admit('late', '10.4.0.9'), 10);
  });
});
