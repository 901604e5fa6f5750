import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { describe, it } from 'node:test';
import { hash as bcrypt } from '@node-rs/bcrypt';
import { parsePasswordHash } from '../../../src/people/password/hash.rules.ts';
import { createPasswords } from '../../../src/people/password/passwords.ts';
import { systemRandom } from '../../../src/platform/crypto/random.ts';

const passwords = () => createPasswords(systemRandom, { atOnce: 2, waiting: 10 });
const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
const NONCE = Buffer.from('sixteen bytes ok');

function argon2(algorithm: 'argon2id' | 'argon2i' | 'argon2d', memory = 1024, passes = 1, parallelism = 1): string {
  const tag = argon2Sync(algorithm, { message: 'theirs', nonce: NONCE, memory, passes, parallelism, tagLength: 32 });
  return `$${algorithm}$v=19$m=${memory},t=${passes},p=${parallelism}$${text(NONCE)}$${text(tag)}`;
}

describe('passwords whose hash comes from another system', () => {
  for (const algorithm of ['argon2id', 'argon2i', 'argon2d'] as const) {
    it(`are checked: ${algorithm}`, async () => {
      const stored = argon2(algorithm, 2048, 2, 2);
      assert.equal(await passwords().verify('theirs', stored), 'right');
      assert.equal(await passwords().verify('ours', stored), 'wrong');
    });
  }

  for (const prefix of ['$2a$', '$2b$', '$2y$']) {
    it(`are checked: bcrypt ${prefix}`, async () => {
      const stored = prefix + (await bcrypt('thëirs', 4)).slice(4);
      assert.equal(await passwords().verify('thëirs', stored), 'right');
      assert.equal(await passwords().verify('ours', stored), 'wrong');
    });
  }

  it('are checked: a test vector of crypt_blowfish', async () => {
    const stored = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
    assert.equal(await passwords().verify('U*U', stored), 'right');
    assert.equal(await passwords().verify('U*U*', stored), 'wrong');
  });

  it('do not stop the event loop, however much they cost', async () => {
    const stored = await bcrypt('theirs', 12);
    const { verify } = passwords();
    await verify('load the library', await bcrypt('x', 4));
    let turns = 0;
    let done = false;
    const turn = () => {
      turns++;
      if (!done) setTimeout(turn, 1);
    };
    turn();
    assert.equal(await verify('theirs', stored), 'right');
    done = true;
    assert(turns > 2, `${turns} turns while a quarter of a second was computed`);
  });

  it('are known from our own, also where only the parameters differ', async () => {
    const { isOwnHash, hash } = passwords();
    assert.equal(isOwnHash(await hash('x')), true);
    for (const other of [argon2('argon2id'), argon2('argon2i', 19_456, 2), await bcrypt('x', 4)])
      assert.equal(isOwnHash(other), false);
  });
});

describe('hashes from another system are bounded, so that no login costs gigabytes', () => {
  const at = (parameters: string, salt = text(NONCE), tag = text(Buffer.alloc(32))) =>
    `$argon2id$v=19$${parameters}$${salt}$${tag}`;
  const bcryptOf = (cost: string) => `$2b$${cost}$LxbFgoKCML1opwm7D.JK6.D/jHgTdz8szGcm3i55d4lz/9ahqEruy`;

  for (const taken of [
    at('m=19456,t=2,p=1'),
    at('m=65536,t=3,p=4'),
    at('m=65536,t=4,p=1'),
    at('m=131072,t=4,p=16'),
    at('m=8,t=1,p=1'),
    at('m=7168,t=5,p=1', 'c29tZXNhbHQ'),
    bcryptOf('04'),
    bcryptOf('14'),
  ]) {
    it(`taken: ${taken.slice(0, 36)}`, () => assert.notEqual(parsePasswordHash(taken).kind, 'unusable'));
  }

  for (const [refused, reason] of [
    [at('m=131073,t=1,p=1'), /at most 131072 KiB/],
    [at('m=2097152,t=1,p=4'), /at most 131072 KiB/],
    [at('m=131072,t=5,p=1'), /memory times passes/],
    [at('m=1024,t=17,p=1'), /16 passes/],
    [at('m=1024,t=0,p=1'), /passes/],
    [at('m=1024,t=1,p=17'), /16 lanes/],
    [at('m=1024,t=1,p=0'), /lanes/],
    [at('m=31,t=1,p=4'), /Argon2/],
    [at('m=1024,t=1,p=1', 'c2FsdA'), /salt/],
    [at('m=1024,t=1,p=1', text(NONCE), 'c2hvcnQ'), /tag/],
    [at('m=999999999,t=1,p=1'), /must be/],
    ['$argon2id$m=1024,t=1,p=1$c29tZXNhbHQ$YWJjZGVmZ2hpamtsbW5vcA', /v=19/],
    ['$argon2id$v=16$m=1024,t=1,p=1$c29tZXNhbHQ$YWJjZGVmZ2hpamtsbW5vcA', /v=19/],
    [bcryptOf('15'), /cost from 4 to 14/],
    [bcryptOf('31'), /cost from 4 to 14/],
    [bcryptOf('03'), /cost from 4 to 14/],
    [bcryptOf('12').slice(0, -1), /bcrypt/],
    [bcryptOf('12').replace('$2b$', '$2x$'), /bcrypt/],
    ['plain text', /Argon2/],
  ] as const) {
    it(`refused: ${refused.slice(0, 40)}`, () => {
      const parsed = parsePasswordHash(refused);
      assert(parsed.kind === 'unusable');
      assert.match(parsed.reason, reason);
    });
  }
});
