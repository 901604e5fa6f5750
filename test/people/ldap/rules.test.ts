import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  BerFault,
  element,
  elementsOf,
  integer,
  integerOf,
  messageLength,
  octets,
} from '../../../src/people/ldap/ber.rules.ts';
import {
  encodeFilter,
  FilterFault,
  filterFault,
  forAnybody,
  parseFilter,
} from '../../../src/people/ldap/filter.rules.ts';
import { readResponse } from '../../../src/people/ldap/message.rules.ts';
import { claimsOf, shutReason, subjectBytes, subjectOf } from '../../../src/people/ldap/person.rules.ts';
import { meaningOf } from '../../../src/people/ldap/result.rules.ts';
import { secondsOf, urlFault } from '../../../src/people/ldap/settings.rules.ts';
import { fc } from '../../build/random.ts';

describe('BER (RFC 4511 section 5.1)', () => {
  it('reads what it writes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70_000 }), fc.nat({ max: 2 ** 31 - 1 }), (bytes, number) => {
        const content = Buffer.from(bytes);
        const written = Buffer.concat([octets(content), integer(number)]);
        const [text, value] = elementsOf(written);
        assert(text?.content.equals(content));
        assert.equal(integerOf(value), number);
        const whole = element(0x30, written);
        assert.equal(messageLength(whole, 100_000), whole.length);
      }),
      { numRuns: 50 },
    );
  });

  it('ends with a fault, or a value, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), bytes => {
        for (const read of [elementsOf, readResponse, (all: Buffer) => messageLength(all, 1000)]) {
          try {
            read(Buffer.from(bytes));
          } catch (fault) {
            assert(fault instanceof BerFault, String(fault));
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('filters of searches (RFC 4515)', () => {
  const encoded = (text: string, values = {}) => encodeFilter(parseFilter(text), values).toString('latin1');

  const same: readonly (readonly [string, string])[] = [
    ['(cn=Babs Jensen)', '\xa3\x11\x04\x02cn\x04\x0bBabs Jensen'],
    ['(objectClass=*)', '\x87\x0bobjectClass'],
    ['(!(a=b))', '\xa2\x08\xa3\x06\x04\x01a\x04\x01b'],
    ['(&(a=b)(c>=d))', '\xa0\x10\xa3\x06\x04\x01a\x04\x01b\xa5\x06\x04\x01c\x04\x01d'],
    ['(|(a<=b)(c~=d))', '\xa1\x10\xa6\x06\x04\x01a\x04\x01b\xa8\x06\x04\x01c\x04\x01d'],
    ['(o=u*ch*an)', '\xa4\x10\x04\x01o0\x0b\x80\x01u\x81\x02ch\x82\x02an'],
    ['(a=\\2a\\28)', '\xa3\x07\x04\x01a\x04\x02*('],
    ['(a:dn:2.4.6:=b)', '\xa9\x10\x81\x052.4.6\x82\x01a\x83\x01b\x84\x01\xff'],
  ];
  for (const [text, bytes] of same) {
    it(`reads ${text}`, () => assert.equal(encoded(text), bytes));
  }

  it('puts a value into one comparison, whatever its signs are', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), value => {
        const bytes = Buffer.from(value);
        const expected = element(0xa3, octets('uid'), octets(bytes));
        assert(encodeFilter(parseFilter('(uid={username})'), { username: value }).equals(expected));
      }),
    );
  });

  for (const text of [
    '',
    'uid={username}',
    '(uid={username}',
    '(uid={username}))',
    '(&)',
    '(=x)',
    '(uid={username})(a=b)',
    '(a=\\zz)',
    '(a:=b',
    '((a=b))',
    '('.repeat(50),
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => parseFilter(text), FilterFault);
      assert.notEqual(filterFault(text, 'username'), undefined);
    });
  }

  it('needs the place of the name', () => {
    assert.equal(filterFault('(uid=bob)', 'username'), 'must have {username} in it');
    assert.equal(filterFault('(&(uid={username})(!(a=b)))', 'username'), undefined);
  });

  it('can be asked for anybody whom it would find', () => {
    assert.equal(
      forAnybody('(|(uid={username})(mail={username}@corp.example))', 'username'),
      '(|(uid=*)(mail=*@corp.example))',
    );
  });
});

describe('entries of a directory', () => {
  const entry = (attributes: Readonly<Record<string, string | Buffer>>) => ({
    dn: 'uid=bob',
    attributes: new Map(
      Object.entries(attributes).map(([name, value]) => [name.toLowerCase(), [Buffer.from(value as string)]]),
    ),
  });
  const NOW = 1_800_000_000;

  it('have the form of Active Directory too', () => {
    const claims = claimsOf(entry({ sAMAccountName: 'bob', mail: 'bob@corp.example', displayName: 'Bob' }));
    assert.deepEqual(claims, {
      preferred_username: 'bob',
      email: 'bob@corp.example',
      name: 'Bob',
      email_verified: true,
    });
  });

  it('are found again by objectGUID, which is shown as Windows shows it', () => {
    const bytes = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
    const subject = subjectOf(entry({ objectGUID: bytes }), 'objectGUID');
    assert.equal(subject, '33221100-5544-7766-8899-aabbccddeeff');
    assert(subjectBytes('objectGUID', subject).equals(bytes));
  });

  it('are different people where their ids of bytes are, and are found again by them', () => {
    const sids = ['ffd0', 'fed0'].map(end =>
      Buffer.from(`010500000000000515000000a065cf7e784b9b5fe77c87705${end.padEnd(7, '0')}`, 'hex'),
    );
    const subjects = sids.map(objectSid => subjectOf(entry({ objectSid }), 'objectSid'));
    assert.equal(subjects[0], `hex:${sids[0]?.toString('hex')}`);
    assert.notEqual(subjects[0], subjects[1]);
    for (const [index, subject] of subjects.entries()) {
      assert.deepEqual(subjectBytes('objectSid', subject ?? ''), sids[index]);
    }
  });

  it('have an id of text that no id of bytes can be taken for', () => {
    const guid = '33221100-5544-7766-8899-aabbccddeeff';
    const values = [
      'bob',
      'é',
      'hex:',
      'hex:zz',
      'hex:626F62',
      'hex:626f62',
      'hex:00ff',
      guid,
      '\u{FFFD}',
      'bob\0',
      ' ',
    ];
    fc.assert(
      fc.property(
        fc.constantFrom('objectGUID', 'objectSid', 'entryUUID'),
        fc.oneof(
          fc.uint8Array({ minLength: 1, maxLength: 120 }),
          fc.constantFrom(...values.map(value => Buffer.from(value))),
        ),
        (name, bytes) => {
          const subject = subjectOf(entry({ [name]: Buffer.from(bytes) }), name) ?? '';
          assert(subjectBytes(name, subject).equals(bytes));
          assert.doesNotMatch(subject, /\p{Cc}/u);
        },
      ),
    );
    assert.equal(subjectOf(entry({ entryUUID: guid }), 'entryUUID'), guid);
    assert.equal(subjectOf(entry({ objectSid: 'hex:zz' }), 'objectSid'), 'hex:zz');
  });

  it('have no id of bytes that is too long for a subject', () => {
    assert.equal(subjectOf(entry({ photo: Buffer.alloc(125, 0xff) }), 'photo')?.length, 254);
    assert.equal(subjectOf(entry({ photo: Buffer.alloc(126, 0xff) }), 'photo'), undefined);
  });

  it('say that their account is shut', () => {
    const reasons: readonly (readonly [Readonly<Record<string, string>>, boolean])[] = [
      [{ userAccountControl: '514' }, true],
      [{ userAccountControl: '512' }, false],
      [{ accountExpires: '0' }, false],
      [{ accountExpires: '9223372036854775807' }, false],
      [{ accountExpires: '116444736000000001' }, true],
      [{ accountExpires: '144444736000000000' }, false],
      [{ nsAccountLock: 'TRUE' }, true],
      [{ loginDisabled: 'FALSE' }, false],
      [{ pwdAccountLockedTime: '000001010000Z' }, true],
      [{ pwdAccountLockedTime: '20260101000000Z' }, false],
    ];
    for (const [attributes, isShut] of reasons) {
      assert.equal(shutReason(entry(attributes), NOW) !== undefined, isShut, JSON.stringify(attributes));
    }
  });

  it('are refused for a reason that Active Directory gives, without its text', () => {
    const diagnostic = '80090308: LdapErr: DSID-0C09041C, comment: AcceptSecurityContext error, data 533, v4563\0';
    assert.equal(meaningOf({ code: 49, diagnostic }), 'invalidCredentials (the account is disabled)');
    assert.equal(meaningOf({ code: 49, diagnostic: '<script>' }), 'invalidCredentials');
  });
});

describe('addresses of a directory', () => {
  const table: readonly (readonly [Readonly<Record<string, unknown>>, boolean])[] = [
    [{ url: 'ldaps://dc.corp.example' }, true],
    [{ url: ['ldaps://a.example:6636', 'ldaps://[2001:db8::1]'] }, true],
    [{ url: 'ldap://dc.corp.example' }, false],
    [{ url: 'ldap://dc.corp.example', starttls: true }, true],
    [{ url: 'ldap://localhost' }, true],
    [{ url: 'ldap://127.0.0.1:3389' }, true],
    [{ url: 'ldap://127.0.0.1.evil.example' }, false],
    [{ url: 'ldaps://dc.corp.example', starttls: true }, false],
    [{ url: 'ldaps://dc.corp.example/dc=corp' }, false],
    [{ url: 'ldaps://user:secret@dc.corp.example' }, false],
    [{ url: 'https://dc.corp.example' }, false],
    [{ url: 'ldapi:///' }, false],
  ];
  for (const [entry, isTaken] of table) {
    it(`${isTaken ? 'take' : 'refuse'} ${JSON.stringify(entry)}`, () =>
      assert.equal(urlFault(entry) === undefined, isTaken));
  }

  it('have times such as 15m', () => {
    assert.deepEqual(['90s', '15m', '2h', '1d', 7].map(secondsOf), [90, 900, 7200, 86_400, 7]);
  });
});
