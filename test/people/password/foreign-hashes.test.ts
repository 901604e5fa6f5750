import assert from 'node:assert/strict';
import { pbkdf2Sync, scryptSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { looksLikeHash, parsePasswordHash } from '../../../src/people/password/hash.rules.ts';
import { createPasswords } from '../../../src/people/password/passwords.ts';
import { systemRandom } from '../../../src/platform/crypto/random.ts';

const passwords = createPasswords(systemRandom, { atOnce: 2, waiting: 10 });
const PASSWORD = 'corréct horse';

/** Made by these libraries themselves for PASSWORD: Django 5.2.19, passlib 1.7.4, Werkzeug 3.1.9. */
const MADE_BY_OTHERS = {
  'Django pbkdf2_sha256': 'pbkdf2_sha256$1000$saltsaltsalt$4/yat87bzj1sBa08Fi2yRQJU+2XnTP6O1yqsgpNCsng=',
  'Django pbkdf2_sha1': 'pbkdf2_sha1$1000$saltsaltsalt$uAnW2B6orNxXecnncyjkYgXxYbY=',
  'Django argon2': 'argon2$argon2id$v=19$m=1024,t=2,p=2$c2FsdHNhbHRzYWx0$nUSyVAlYBtFs0+fuDZzuJ12giNM6XP8mNWPopk/SFoM',
  'Django bcrypt_sha256': 'bcrypt_sha256$$2b$04$mV.IoAdrGffcon5wUhMpVOxqy3LDa/jjkt.A0Lkkr3urNos5vX8Ou',
  'Django bcrypt': 'bcrypt$$2b$04$usPJxlJeU6CbURAITwVeGODFDZ48YwZzfXyuWf8oeSt6bJvAbAwvO',
  'Django scrypt':
    'scrypt$1024$saltsaltsalt$8$1$JaYxff+kTQ/CaTInwIngO+8DQGGzsxv1lMkEQtNapdrAabTgazcrrslX4im+RFgi2ceusen/t7LmRYQmzVjgkA==',
  'passlib pbkdf2_sha256': '$pbkdf2-sha256$1000$SCkFgFDq/T.nNGYshZCS8g$j1uWcoay24MrxW0SO1Dc7pQ2unS7V6WMyDq31EmKWUk',
  'passlib pbkdf2_sha512':
    '$pbkdf2-sha512$1000$bM35vxcihNAao/S.V6o1Bg$dkmDReTbQNXYAm898PyPwIDDirnQXqBPzHw5jPOCQp2.FUq0UEFNXO2KrDI4fiy/LNw2ujMNJ/PFKTa6ltE/cg',
  'passlib pbkdf2_sha1': '$pbkdf2$1000$zPkfQwhByPl/zzkHoLQ2Bg$gvdLt/9sHvTsWxgtFzVg5j8uSVc',
  'passlib scrypt': '$scrypt$ln=10,r=8,p=1$dY7xvjcGIITw3hsDYIyxNg$MIAqVJB65XiwoaHyO+RqReHnqNmzHbtRHRHn/B+lyMs',
  'passlib argon2': '$argon2id$v=19$m=1024,t=1,p=2$YCwF4LwXwjgHoHQOQUhJqQ$yHXDiP74FgsDxIX4enlMs1MbmeKHXR1UX+oEVApdLUw',
  'passlib bcrypt': '$2b$04$4alcuZ5oyK96bSjo2X84w.tNAX8nXLB7PLKqQINOmrL4iO7biW0qq',
  'Werkzeug pbkdf2':
    'pbkdf2:sha256:1000$ZEBnSjRzEaXCrlMP$7f2f85b48b92e002212771ece361c3b759e7c7281ddb4144d89d9edbc638f9be',
  'Werkzeug scrypt':
    'scrypt:1024:8:1$UGW3BdaIA1LJuGEZ$a49c30bfd4b19e071e8ad939240f26bfeecdfb5b55f2efe2802a966ffe5c11ab07c7feea19cb4ae5b2046a7e304f1921e2fe67c464f7970373a755931c74887b',
};

const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
const SALT = Buffer.from('sixteen bytes ok');

describe('password hashes of other systems', () => {
  for (const [system, stored] of Object.entries(MADE_BY_OTHERS)) {
    it(`are checked: ${system}`, async () => {
      assert.equal(await passwords.verify(PASSWORD, stored), 'right');
      assert.equal(await passwords.verify(`${PASSWORD} `, stored), 'wrong');
      assert.equal(passwords.isOwnHash(stored), false);
      assert.equal(looksLikeHash(stored), true, 'it is not taken for a password');
    });
  }

  it('are checked: PBKDF2 in the PHC string format', async () => {
    for (const digest of ['sha1', 'sha256', 'sha512']) {
      const tag = pbkdf2Sync(PASSWORD, SALT, 500, 20, digest);
      for (const length of ['', ',l=20']) {
        const stored = `$pbkdf2-${digest}$i=500${length}$${text(SALT)}$${text(tag)}`;
        assert.equal(await passwords.verify(PASSWORD, stored), 'right', stored);
      }
    }
  });

  it('are checked: scrypt with the parameters that OWASP recommends, in 128 MiB', async () => {
    const tag = scryptSync(PASSWORD, SALT, 32, { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 });
    const stored = `$scrypt$ln=17,r=8,p=1$${text(SALT)}$${text(tag)}`;
    assert.equal(await passwords.verify(PASSWORD, stored), 'right');
  });

  it('are checked: with the label of Spring Security or LDAP', async () => {
    const bcrypt = MADE_BY_OTHERS['passlib bcrypt'];
    for (const label of ['{bcrypt}', '{CRYPT}'])
      assert.equal(await passwords.verify(PASSWORD, label + bcrypt), 'right');
  });
});

describe('hashes by PBKDF2 and scrypt are bounded, so that no login costs gigabytes or minutes', () => {
  const tag = text(Buffer.alloc(32, 7));
  for (const taken of [
    `$pbkdf2-sha256$i=2000000$${text(SALT)}$${tag}`,
    `pbkdf2_sha256$1200000$salt$${tag}=`,
    `$scrypt$ln=17,r=8,p=4$${text(SALT)}$${tag}`,
  ]) {
    it(`taken: ${taken.slice(0, 30)}`, () => assert.notEqual(parsePasswordHash(taken).kind, 'unusable'));
  }
  for (const [refused, reason] of [
    [`$pbkdf2-sha256$i=2000001$${text(SALT)}$${tag}`, /2000000 iterations/],
    [`$pbkdf2-sha256$i=0$${text(SALT)}$${tag}`, /iterations/],
    [`$pbkdf2-md5$i=1000$${text(SALT)}$${tag}`, /PBKDF2/],
    [`$pbkdf2-sha256$i=1000$${text(SALT)}$c2hvcnQ`, /tag of 16/],
    [`$pbkdf2-sha256$i=1000$${text(Buffer.alloc(65))}$${tag}`, /salt/],
    [`$scrypt$ln=18,r=8,p=1$${text(SALT)}$${tag}`, /128 MiB/],
    [`$scrypt$ln=17,r=8,p=5$${text(SALT)}$${tag}`, /512 MiB/],
    [`$scrypt$ln=10,r=0,p=1$${text(SALT)}$${tag}`, /scrypt/],
    [`scrypt:1000:8:1$salt$${'ab'.repeat(32)}`, /power of 2/],
    [`$scrypt$ln=10,r=8,p=1$${text(SALT)}$c2hvcnQ`, /tag of 16/],
    ['5f4dcc3b5aa765d61d8327deb882cf99', /others are not taken/],
  ] as const) {
    it(`refused: ${refused.slice(0, 40)}`, () => {
      const parsed = parsePasswordHash(refused);
      assert(parsed.kind === 'unusable');
      assert.match(parsed.reason, reason);
    });
  }
});
