import assert from 'node:assert/strict';
import { argon2Sync, generateKeyPair, randomBytes, sign } from 'node:crypto';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { MAX_PASSWORD_LENGTH } from '../../../src/people/password/password.rules.ts';
import { createPasswords, type PasswordLimits, passwordLimits } from '../../../src/people/password/passwords.ts';
import { threadPoolJobs } from '../../build/thread-pool.ts';

const passwords = (limits: PasswordLimits = { atOnce: 2, waiting: 10 }) =>
  createPasswords({ bytes: randomBytes }, limits);

const PHC = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;

describe('passwords (RFC 9106)', () => {
  it('are hashed into the PHC format, with a salt of their own each time', async () => {
    const { hash } = passwords();
    const [one, two] = [await hash('correct horse'), await hash('correct horse')];
    assert.match(one, PHC);
    assert.match(two, PHC);
    assert.notEqual(one.split('$')[4], two.split('$')[4]);
    assert.notEqual(one.split('$')[5], two.split('$')[5]);
  });

  for (const password of ['correct horse', 'ä€😀', ' ', 'a'.repeat(MAX_PASSWORD_LENGTH)]) {
    it(`are right when they are, to the last character: ${password.slice(0, 12)}`, async () => {
      const { hash, verify } = passwords();
      const expected = await hash(password);
      assert.equal(await verify(password, expected), 'right');
      assert.equal(await verify(`${password.slice(0, -1)}x`, expected), 'wrong');
      assert.equal(await verify(`${password}x`, expected), 'wrong');
      assert.equal(await verify('', expected), 'wrong');
    });
  }

  it('are the same in every form of Unicode (accounts contract, Passwords: NFC)', async () => {
    const { hash, verify } = passwords();
    const [composed, decomposed] = ['caf\u00e9 \ud55c\uae00', 'cafe\u0301 \u1112\u1161\u11ab\u1100\u1173\u11af'];
    for (const set of [composed, decomposed])
      for (const typed of [composed, decomposed]) assert.equal(await verify(typed, await hash(set)), 'right');
    assert.equal(await verify('cafe 한글', await hash(composed)), 'wrong');
    assert.equal(await verify('ｃafé 한글', await hash(composed)), 'wrong', 'a wide letter is another letter');
  });

  it('that were stored as they were sent, before they were normalised, are still right', async () => {
    const sent = 'cafe\u0301 with milk';
    const nonce = Buffer.from('sixteen bytes ok');
    const options = { message: sent, nonce, memory: 1024, passes: 1, parallelism: 1, tagLength: 32 };
    const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    const stored = `$argon2id$v=19$m=1024,t=1,p=1$${text(nonce)}$${text(argon2Sync('argon2id', options))}`;
    assert.equal(await passwords().verify(sent, stored), 'right');
    assert.equal(await passwords().verify(`${sent}e\u0301`, stored), 'wrong');
  });

  it('are wrong where there is none to be right for, also when they are right for the stand-in', async () => {
    const { hash, verify } = passwords();
    assert.equal(await verify('correct horse', undefined, await hash('correct horse')), 'wrong');
    assert.equal(await verify('correct horse', undefined), 'wrong');
  });

  it('of other parameters are still checked, so that these can be raised later', async () => {
    const nonce = Buffer.from('sixteen bytes ok');
    const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    const tag = argon2Sync('argon2id', {
      message: 'old',
      nonce,
      memory: 1024,
      passes: 3,
      parallelism: 2,
      tagLength: 24,
    });
    const stored = `$argon2id$v=19$m=1024,t=3,p=2$${text(nonce)}$${text(tag)}`;
    assert.equal(await passwords().verify('old', stored), 'right');
    assert.equal(await passwords().verify('new', stored), 'wrong');
  });

  it('without a stored hash are wrong, whatever they are', async () => {
    assert.equal(await passwords().verify('anything', undefined), 'wrong');
    assert.equal(await passwords().verify('', undefined), 'wrong');
  });

  it('that are too long are wrong, also where the hash of nothing is stored', async () => {
    const { hash, verify } = passwords();
    const long = 'a'.repeat(MAX_PASSWORD_LENGTH + 1);
    assert.equal(await verify(long, await hash('')), 'wrong');
    assert.equal(await verify(long, await hash('a'.repeat(MAX_PASSWORD_LENGTH))), 'wrong');
  });

  it('that are stored in no known form are a fault, not a wrong password', async () => {
    const { verify, hash } = passwords({ atOnce: 1, waiting: 0 });
    await assert.rejects(verify('x', '$2b$12$abcdefghijklmnopqrstuv'), /cannot be checked/);
    assert.equal(await verify('x', await hash('x')), 'right', 'the place in the queue was given back');
  });

  it('wait in a bounded queue, and are rejected when it is full', async () => {
    const { verify, hash, load } = passwords({ atOnce: 2, waiting: 3 });
    const expected = await hash('x');
    const checks = Array.from({ length: 9 }, () => verify('x', expected));
    assert.deepEqual(load(), { running: 2, waiting: 3, refused: 4 });
    const all = await Promise.all(checks);
    assert.deepEqual(all, [...Array(5).fill('right'), ...Array(4).fill('busy')]);
    assert.deepEqual(load(), { running: 0, waiting: 0, refused: 4 });
    assert.equal(await verify('x', expected), 'right', 'the queue is free again');
  });

  it('take their place in the queue for an unknown user and a wrong password alike', async () => {
    const { verify, hash } = passwords({ atOnce: 1, waiting: 0 });
    const expected = await hash('x');
    for (const stored of [expected, undefined]) {
      const first = verify('wrong', stored);
      assert.equal(await verify('wrong', stored), 'busy');
      assert.equal(await first, 'wrong');
    }
  });

  it('cost as much for an unknown user and a password that is too long as a wrong one does (row 42)', async () => {
    const { verify, hash } = passwords();
    const expected = await hash('x');
    const long = 'a'.repeat(MAX_PASSWORD_LENGTH + 1);
    for (const [password, stored] of [
      ['wrong', expected],
      ['wrong', undefined],
      [long, expected],
    ] as const) {
      const jobs = await threadPoolJobs(() => verify(password, stored));
      assert.deepEqual([...jobs], [['ARGON2REQUEST', 1]], `${password.slice(0, 5)} for ${stored}`);
    }
  });
});

describe('many logins at once', () => {
  for (const [cores, workers, atOnce] of [
    [1, 1, 1],
    [2, 1, 1],
    [4, 1, 3],
    [64, 1, 3],
    [64, 64, 1],
    [16, 4, 3],
  ] as const) {
    it(`${cores} cores, ${workers} processes: ${atOnce} in each`, () =>
      assert.equal(passwordLimits(cores, workers).atOnce, atOnce));
  }

  it('leave a thread to sign on: a token with RS256 does not wait for them, however many cores there are', async () => {
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
    const { hash, verify, load } = passwords({ ...passwordLimits(64, 1), waiting: 30 });
    const expected = await hash('correct horse');
    let checked = 0;
    const logins = Array.from({ length: 20 }, async () => {
      assert.equal(await verify('correct horse', expected), 'right');
      checked++;
    });
    while (load().running === 0) await turn();
    await turn();
    await new Promise<void>((resolve, reject) =>
      sign('sha256', Buffer.from('token'), privateKey, error => (error ? reject(error) : resolve())),
    );
    assert(checked < 10, `${checked} of 20 logins were checked before the token was signed`);
    await Promise.all(logins);
  });
});
