import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { connected } from '../../../src/people/federation/begin.ts';
import { UNCOUNTED_ENTRY } from '../../../src/people/federation/entry-attempts.ts';
import { ldap } from '../../../src/people/ldap/password-checker.ts';
import { fixedClock } from '../../build/clock.ts';
import { BASE, type DirectoryInput, PEOPLE } from '../../build/directory.ts';
import { aClient, anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { IMPATIENT, suiteServer, type TestServer } from '../../build/test-server.ts';
import { Visitor } from '../../build/visitor.ts';
import {
  BIND,
  entry,
  type HostileDirectory,
  message,
  openHostileDirectory,
  result,
  SEARCH,
} from './hostile-directory.ts';
import { assertNotIn, BOB, claimsAfter, claimsOfTyped, staffed, typed, typedRaw } from './staffed.ts';

describe('attacks on a directory through the form', () => {
  const it1 = staffed({
    content: { people: [BOB, { uid: 'o(m)*\\', password: 'of odd' }] },
    provider: () => ({ search_filter: '(&(objectClass=inetOrgPerson)(|(uid={username})(mail={username})))' }),
  });

  // RFC 4515 section 3: a value is a value, whatever signs it has.
  for (const name of [
    '*',
    'b*',
    'bob)(uid=*',
    'bob)(|(uid=*',
    '*)(objectClass=*',
    'bob\\',
    '\\2a',
    'bob\0',
    '(bob)',
    '{username}',
  ]) {
    it(`takes the name ${JSON.stringify(name)} as it is, and finds nobody`, async () => {
      assertNotIn(await typed(it1.server, name, BOB.password));
    });
  }

  it('finds who has such signs in the name', async () => {
    const claims = await claimsOfTyped(it1.server, 'o(m)*\\', 'of odd');
    assert.equal(claims.email, 'o(m)*\\@corp.example');
  });

  for (const password of ['', '\0', `${BOB.password}\0`, `${BOB.password}\0more`]) {
    it(`never binds with the password ${JSON.stringify(password)} (RFC 4513 section 5.1.2)`, async () => {
      assertNotIn(await typedRaw(it1.server, 'bob', password));
    });
  }
});

describe('a directory that would let anybody in who has no password', () => {
  const hostile = hostileSuite(({ id, tag }) => {
    if (tag === BIND) return result(id, 0x61);
    return tag === SEARCH ? Buffer.concat([entry(id, `uid=bob,${PEOPLE}`, PERSON), result(id, 0x65)]) : undefined;
  });

  it('is not asked with an empty password, nor with a NUL', async () => {
    for (const password of ['', '\0', 'a\0b']) {
      assertNotIn(await typedRaw(hostile.server, 'bob', password));
      // Whoever else may ask it.
      const checked = await checkedBy(hostile.server, 'bob', password);
      assert.equal(checked.kind, 'refused');
    }
    assert.equal(hostile.directory.asked().includes(BIND), false);
  });

  it('lets in with a password, as the directory says', async () => {
    assert.equal((await claimsOfTyped(hostile.server, 'bob', 'anything')).preferred_username, 'bob');
  });
});

describe('a directory that knows an entry without a name', () => {
  const hostile = hostileSuite(({ id, tag }) => {
    if (tag === BIND) return result(id, 0x61);
    return tag === SEARCH ? Buffer.concat([entry(id, '', PERSON), result(id, 0x65)]) : undefined;
  });
  it('lets nobody in: a bind without a name is nobody’s (RFC 4513 section 5.1.1)', async () => {
    assertNotIn(await typed(hostile.server, 'bob', 'anything'));
  });
});

describe('a search filter that finds several people', () => {
  const it1 = staffed({
    content: { people: [BOB, { ...BOB, uid: 'carol' }] },
    provider: () => ({ search_filter: '(|(uid={username})(sn=Builder))' }),
  });
  it('lets none of them in', async () => {
    assertNotIn(await typed(it1.server, 'bob', BOB.password));
    assert.match(it1.server.logged(), /several entries/);
  });
});

describe('referrals', () => {
  const it1 = staffed({
    content: {
      people: [BOB],
      ldif: `dn: cn=elsewhere,${PEOPLE}
objectClass: referral
objectClass: extensibleObject
cn: elsewhere
ref: ldap://127.0.0.1:9/${PEOPLE}
`,
      settings: 'referral ldap://127.0.0.1:9/',
    },
  });

  it('are passed by, and the people of this directory found (RFC 4511 section 4.5.3)', async () => {
    assert.equal((await claimsOfTyped(it1.server, 'bob', BOB.password)).preferred_username, 'bob');
  });

  it('to another server are not followed', async () => {
    const other = await openHostileDirectory(() => undefined);
    const reference = `cn=further,${PEOPLE}`;
    await it1.corp.add(reference, {
      objectClass: ['referral', 'extensibleObject'],
      cn: 'further',
      ref: `${other.url}/${PEOPLE}`,
    });
    assertNotIn(await typed(it1.server, 'nobody', 'any password'));
    assert.equal(other.connections(), 0);
    await other.close();
  });

  it('as the answer itself are a refusal', async () => {
    await it1.server.provision({ providers: [it1.corp.provider({ search_base: 'dc=other,dc=example' })] });
    assertNotIn(await typed(it1.server, 'bob', BOB.password));
    assert.match(it1.server.logged(), /"detail":"referral"/);
  });
});

describe('a race of first sign-ins', () => {
  for (const store of ['SQLite', 'PostgreSQL'] as const) {
    describe(`on ${store}`, () => {
      const it1 = staffed({ store });
      it('makes one account', async () => {
        const all = await Promise.all(Array.from({ length: 6 }, () => claimsOfTyped(it1.server, 'bob', BOB.password)));
        assert.equal(new Set(all.map(({ sub }) => sub)).size, 1);
      });
    });
  }
});

describe('an account here and a person there', () => {
  const it1 = staffed({
    content: { people: [{ uid: 'alice', password: 'of alice at corp', mail: 'alice@example.com' }] },
    users: [aUser({ email: 'alice@example.com' })],
  });

  it('of the same name are two: the person proves the account here before both are one', async () => {
    const visitor = new Visitor(it1.server.base);
    const seen = await typed(it1.server, 'alice', 'of alice at corp', visitor);
    assert.equal(new URL(seen.url).pathname, '/login/link');
    assert.match(seen.text, /Is this your account\?/);
  });
});

const GARBAGE: Readonly<Record<string, (id: number) => Buffer>> = {
  'bytes that are no BER': () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'a message of 2 GB': () => Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff, 0x02]),
  'an indefinite length': id => Buffer.from([0x30, 0x80, 0x02, 0x01, id]),
  'a length of nine bytes': () => Buffer.from([0x30, 0x89, 1, 1, 1, 1, 1, 1, 1, 1, 1]),
  'an element longer than its message': id => Buffer.from([0x30, 9, 2, 1, id, 0x64, 4, 4, 0x7f, 0x41, 0x41]),
  'a result without a code': id => Buffer.from([0x30, 5, 2, 1, id, 0x65, 0]),
  'the answer to another request': id => result(id + 1, 0x65),
  'an answer of another operation': id => result(id, 0x61),
  'an operation that does not exist': id => message(id, Buffer.from([0x5f, 0])),
  'more entries than were asked for': id =>
    Buffer.concat(Array.from({ length: 50 }, (_, n) => entry(id, `uid=${n},${BASE}`, PERSON))),
  'an endless stream of references': id =>
    Buffer.concat(Array.from({ length: 100 }, () => message(id, Buffer.from([0x73, 0])))),
};

describe('a directory that answers with', () => {
  for (const [what, bytes] of Object.entries(GARBAGE)) {
    describe(what, () => {
      const hostile = hostileSuite(({ id, tag }) => (tag === SEARCH ? bytes(id) : undefined));
      it('lets nobody in, and the connection ends', async () => {
        assertNotIn(await typed(hostile.server, 'bob', 'anything'));
      });
    });
  }

  describe('an empty result of a bind', () => {
    const hostile = hostileSuite(({ id, tag }) => {
      if (tag === BIND) return Buffer.from([0x30, 5, 2, 1, id, 0x61, 0]);
      return tag === SEARCH ? Buffer.concat([entry(id, `uid=bob,${PEOPLE}`, PERSON), result(id, 0x65)]) : undefined;
    });
    it('lets nobody in: a code that is missing is no success', async () => {
      assertNotIn(await typed(hostile.server, 'bob', 'anything'));
    });
  });
});

describe('a directory that writes before TLS begins', () => {
  // What is read after the handshake as if it had come by TLS would say of any password that it is right.
  const hostile = hostileSuite(
    ({ id, tag }) =>
      tag === 0x77 ? Buffer.concat([result(id, 0x78), result(id + 1, 0x61).subarray(0, 5)]) : undefined,
    { starttls: true },
  );
  it('is not believed', async () => {
    assertNotIn(await typed(hostile.server, 'bob', 'anything'));
    assert.match(hostile.server.logged(), /sent something before TLS/);
  });
});

describe('a directory that never answers', () => {
  const hostile = hostileSuite(() => undefined);

  it('delays nobody with an account here', async () => {
    const waiting = typed(hostile.server, 'bob', 'anything');
    // Nobody has answered bob when alice is in.
    let isAnswered = false;
    void waiting.finally(() => {
      isAnswered = true;
    });
    assert.deepEqual((await claimsOfTyped(hostile.server, 'alice', PASSWORD)).amr, ['pwd']);
    assert.equal(isAnswered, false);
    await hostile.directory.close();
    assertNotIn(await waiting);
  });

  const impatient = hostileSuite(() => undefined, {}, IMPATIENT);
  it('is waited for until the timeout of outbound requests, and the page says whose answer is missing', async () => {
    const seen = await typed(impatient.server, 'bob', 'anything');
    assertNotIn(seen);
    assert.match(seen.text, /Corp, which isn’t available right now/);
  });
});

describe('guessing', () => {
  const hostile = hostileSuite(({ id, tag }) => {
    if (tag === BIND) return result(id, 0x61, 49);
    return tag === SEARCH ? Buffer.concat([entry(id, `uid=bob,${PEOPLE}`, PERSON), result(id, 0x65)]) : undefined;
  });
  const count = (tag: number) => hostile.directory.asked().filter(each => each === tag).length;

  it('asks the directory about accounts here too, so that the time tells nothing', async () => {
    const before = count(SEARCH);
    assertNotIn(await typed(hostile.server, 'alice', 'a wrong password'));
    assert.equal(count(SEARCH), before + 1);
  });

  it('counts as for an account here, and the directory is asked no more', async () => {
    let seen = await typed(hostile.server, 'bob', 'guess');
    for (let n = 0; n < 20 && seen.status !== 429; n++) seen = await typed(hostile.server, 'bob', `guess ${n}`);
    assert.equal(seen.status, 429);
    const before = count(BIND);
    assert.equal((await typed(hostile.server, 'bob', 'one more')).status, 429);
    assert.equal(count(BIND), before);
  });
});

describe('guessing by many spellings of a name, which all find one entry', () => {
  const it1 = staffed({ provider: () => ({ search_filter: '(|(uid={username})(cn={username}))' }) });

  it('has the guesses of one name: then the right password is as good as a wrong one', async () => {
    const spelled = (n: number) => `bob${' '.repeat(n)}builder`;
    const wrong = await typed(it1.server, spelled(1), 'a guess');
    for (let n = 2; n <= 10; n++) assertNotIn(await typed(it1.server, spelled(n), `guess ${n}`));
    const seen = await typed(it1.server, spelled(11), BOB.password);
    assertNotIn(seen);
    assert.equal(seen.status, wrong.status, 'told as a wrong password');
    assertNotIn(await typed(it1.server, 'bob', BOB.password));
  });
});

describe('guessing at an entry with an account here that has its name', () => {
  for (const store of ['SQLite', 'PostgreSQL'] as const) {
    describe(`on ${store}`, () => {
      const it1 = staffed({
        store,
        clock: fixedClock(),
        users: [aUser(), aUser({ username: 'bob', email: null, phone_number: null })],
      });

      it('the browser of that account has the guesses of every browser: its own password gives back none', async () => {
        const { server } = it1;
        const thief = new Visitor(server.base);
        const guess = async (password: string) => {
          thief.cookies.delete('gatehouse_session');
          return typed(server, 'bob', password, thief);
        };
        const giveBack = async () => claimsAfter(server, await guess(PASSWORD));
        await giveBack();
        for (let n = 1; n <= 9; n++) assertNotIn(await guess(`guess ${n}`));
        await giveBack();
        assertNotIn(await guess('guess 10'));
        await giveBack();
        assertNotIn(await guess(BOB.password));
      });
    });
  }
});

describe('an owner whom others try to lock out of an entry', () => {
  const provider = () => ({ search_filter: '(|(uid={username})(cn={username}))' });
  const it1 = staffed({ clock: fixedClock(), provider });

  it('has guesses of their own in a browser in which they have signed in, and no more of them by other spellings', async () => {
    const { server } = it1;
    const owner = new Visitor(server.base);
    const own = async (name: string, password: string) => {
      owner.cookies.delete('gatehouse_session');
      return typed(server, name, password, owner);
    };
    await claimsAfter(server, await own('bob', BOB.password));
    const spelled = (n: number) => `bob${' '.repeat(n)}builder`;
    for (let n = 1; n <= 11; n++) assertNotIn(await typed(server, spelled(n), `guess ${n}`));
    await claimsAfter(server, await own('bob', BOB.password));
    for (let n = 1; n <= 10; n++) assertNotIn(await own(spelled(n), `guess ${n}`));
    assertNotIn(await own('bob', BOB.password));
  });
});

describe('a directory that fails', () => {
  const hostile = hostileSuite(() => Buffer.from('no LDAP'));

  it('is left alone after three failures', async () => {
    for (let n = 0; n < 3; n++) assertNotIn(await typed(hostile.server, 'bob', 'anything'));
    const before = hostile.directory.connections();
    assertNotIn(await typed(hostile.server, 'bob', 'anything'));
    assert.equal(hostile.directory.connections(), before);
  });
});

describe('a directory on an address that must not be reached', () => {
  const server = suiteServer({ applications: [] });
  it('is not connected to (GATEHOUSE_OUTBOUND_ALLOW)', async () => {
    const directory = await openHostileDirectory(() => undefined);
    await provide(server, directory);
    assertNotIn(await typed(server, 'bob', 'anything'));
    assert.equal(directory.connections(), 0);
    await directory.close();
  });
});

async function provide(
  server: TestServer,
  { url }: HostileDirectory,
  over: Partial<DirectoryInput> = {},
): Promise<void> {
  const provider = { id: 'corp', type: 'ldap', name: 'Corp', url, search_base: PEOPLE, ...over } as const;
  const clients = [aClient({ scope: 'openid profile email groups' })];
  await server.provision({ providers: [provider], applications: [anApplication({ providers: ['corp'], clients })] });
}

/** As the server asks it, without the form. */
async function checkedBy({ services }: TestServer, username: string, password: string) {
  const [registered] = await services.registry.providers();
  assert(registered);
  const provider = connected({ services }, registered);
  const countEntry = UNCOUNTED_ENTRY;
  return ldap.check({ services, provider, username, password, account: undefined, countEntry });
}

const PERSON = { uid: 'bob', cn: 'Bob', entryUUID: '5e3d0a1c-0000-4000-8000-000000000001' };

function hostileSuite(
  answer: Parameters<typeof openHostileDirectory>[0],
  over: Partial<DirectoryInput> = {},
  env: Readonly<Record<string, string>> = {},
): { readonly server: TestServer; readonly directory: HostileDirectory } {
  let directory: HostileDirectory | undefined;
  const server = suiteServer({ env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1', ...env }, applications: [] }, async () => {
    directory = await openHostileDirectory(answer);
    await provide(server, directory, over);
  });
  after(() => directory?.close());
  return {
    server,
    get directory() {
      return directory ?? assert.fail('it opens with the first test');
    },
  };
}
