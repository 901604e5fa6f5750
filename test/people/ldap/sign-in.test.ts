import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GROUPS, PEOPLE, personDn } from '../../build/directory.ts';
import { eventsDuring } from '../../build/events.ts';
import { PASSWORD } from '../../build/fixture.ts';
import { authorizationUrl, Visitor } from '../../build/visitor.ts';
import { assertNotIn, BOB, claimsOfTyped, staffed, typed } from './staffed.ts';

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`a sign-in with a directory, on ${store}`, () => {
    const it1 = staffed({ store });

    it('makes an account at the first time, and finds it at the second', async () => {
      const first = await claimsOfTyped(it1.server, 'bob', BOB.password);
      assert.deepEqual(first.amr, ['fed']);
      assert.equal(first.acr, '1');
      assert.equal(first.preferred_username, 'bob');
      assert.equal(first.name, 'Bob Builder');
      assert.equal(first.given_name, 'Bob');
      assert.equal(first.email, 'bob@corp.example');
      // The operator has not said that the directory is to be believed about addresses.
      assert.equal(first.email_verified, false);
      const second = await claimsOfTyped(it1.server, 'BOB', BOB.password);
      assert.equal(second.sub, first.sub);
    });

    it('uses the ordinary form, without a button', async () => {
      const page = await new Visitor(it1.server.base).follow(authorizationUrl(it1.server));
      assert.match(page.text, /name="password"/);
      assert.doesNotMatch(page.text, /login\/provider/);
    });

    it('tries the account here first', async () => {
      const claims = await claimsOfTyped(it1.server, 'alice', PASSWORD);
      assert.deepEqual(claims.amr, ['pwd']);
    });

    it('refuses another password, and records why', async () => {
      const events = await eventsDuring(it1.server, 'provider.sign_in.failed', async () => {
        assertNotIn(await typed(it1.server, 'bob', 'another password'));
      });
      assert.deepEqual(
        events.map(({ subject, details }) => ({ subject, details })),
        [{ subject: 'corp', details: { reason: 'wrong', detail: 'invalidCredentials' } }],
      );
    });

    it('refuses a name that nobody has', async () => {
      assertNotIn(await typed(it1.server, 'nobody', 'any password'));
    });
  });
}

describe('who is no longer welcome in the directory', () => {
  const it1 = staffed({
    content: { people: [BOB, { ...BOB, uid: 'carol' }, { ...BOB, uid: 'dave' }] },
    provider: () => ({ search_filter: '(&(uid={username})(!(employeeType=gone)))' }),
  });

  it('is refused at the next sign-in after being locked there', async () => {
    const { server, corp } = it1;
    await claimsOfTyped(server, 'bob', BOB.password);
    await corp.replace(personDn('bob'), 'pwdAccountLockedTime', '000001010000Z');
    assertNotIn(await typed(server, 'bob', BOB.password));
  });

  it('is refused after being deleted there', async () => {
    const { server, corp } = it1;
    await claimsOfTyped(server, 'carol', BOB.password);
    await corp.remove(personDn('carol'));
    assertNotIn(await typed(server, 'carol', BOB.password));
  });

  it('is refused where the filter finds the person no more', async () => {
    const { server, corp } = it1;
    await claimsOfTyped(server, 'dave', BOB.password);
    await corp.replace(personDn('dave'), 'employeeType', 'gone');
    assertNotIn(await typed(server, 'dave', BOB.password));
  });
});

describe('a person is the entry, not its name', () => {
  const it1 = staffed();

  it('keeps the account after being renamed, and another person with the old name gets another account', async () => {
    const { server, corp } = it1;
    const before = await claimsOfTyped(server, 'bob', BOB.password);
    await corp.replace(personDn('bob'), 'mail', 'robert@corp.example');
    const after = await claimsOfTyped(server, 'bob', BOB.password);
    assert.equal(after.sub, before.sub);
    await corp.remove(personDn('bob'));
    await corp.add(personDn('bob'), { objectClass: 'inetOrgPerson', cn: 'b', sn: 'b', userPassword: 'of another bob' });
    const other = await claimsOfTyped(server, 'bob', 'of another bob');
    assert.notEqual(other.sub, before.sub);
  });
});

describe('groups of a directory', () => {
  const groups = {
    staff: ['bob', 'group:engineers'],
    engineers: ['alice', 'group:loop'],
    loop: ['bob', 'group:staff'],
    others: ['nobody'],
  };
  const content = { people: [BOB], groups };

  describe('direct ones', () => {
    const it1 = staffed({ content, provider: () => ({ groups: { search_base: GROUPS } }) });
    it('are those that have the person as a member', async () => {
      const { groups: found } = await claimsOfTyped(it1.server, 'bob', BOB.password);
      assert.deepEqual(found.toSorted(), ['loop', 'staff']);
    });
  });

  describe('nested ones', () => {
    const nested = { search_base: GROUPS, filter: '(&(objectClass=groupOfNames)(member={dn}))', nested: true };
    const it1 = staffed({ content, provider: () => ({ groups: nested }) });
    it('are found through a cycle, each once', async () => {
      const { groups: found } = await claimsOfTyped(it1.server, 'bob', BOB.password);
      assert.deepEqual(found.toSorted(), ['engineers', 'loop', 'staff']);
    });
  });

  describe('mapped ones', () => {
    const mapped = { search_base: GROUPS, nested: true, map: { engineers: 'developers' } };
    const it1 = staffed({ content, provider: () => ({ groups: mapped }) });
    it('are the only ones, by their names here', async () => {
      const { groups: found } = await claimsOfTyped(it1.server, 'bob', BOB.password);
      assert.deepEqual(found, ['developers']);
    });
  });
});

describe('attributes of a directory', () => {
  const it1 = staffed({
    content: { people: [{ ...BOB, employeeNumber: 'agent-7', departmentNumber: ['sales', 'spies'] }] },
    provider: () => ({
      search_base: PEOPLE,
      search_filter: '(|(uid={username})(mail={username}))',
      attributes: { username: 'employeeNumber', nickname: 'givenName' },
    }),
  });

  it('become the fields that the operator names', async () => {
    const claims = await claimsOfTyped(it1.server, 'bob@corp.example', BOB.password);
    assert.equal(claims.preferred_username, 'agent-7');
    assert.equal(claims.nickname, 'Bob');
    assert.equal(claims.name, 'Bob Builder');
  });
});

describe('users’ own fields', () => {
  const it1 = staffed({
    content: { people: [{ ...BOB, employeeNumber: '7', departmentNumber: 'sales', carLicense: ['B-1', 'B-2'] }] },
    attributes: [
      { name: 'department', label: 'Department', type: 'string', scope: 'profile' },
      { name: 'number', label: 'Number', type: 'number', scope: 'profile' },
      { name: 'cars', label: 'Cars', type: 'list', scope: 'profile' },
      { name: 'floors', label: 'Floors', type: 'list', scope: 'profile' },
    ],
    provider: () => ({
      attributes: {
        'attributes.department': 'departmentNumber',
        'attributes.number': 'employeeNumber',
        'attributes.cars': 'carLicense',
        'attributes.floors': 'departmentNumber',
      },
    }),
  });

  it('come from the attributes of a directory, by their types', async () => {
    const { department, number, cars, floors } = await claimsOfTyped(it1.server, 'bob', BOB.password);
    assert.deepEqual([department, number, cars, floors], ['sales', 7, ['B-1', 'B-2'], ['sales']]);
  });
});

describe('a way to a directory', () => {
  describe('by TLS from the first byte', () => {
    const it1 = staffed({ provider: ({ tlsUrl, ca }) => ({ url: tlsUrl, tls_ca: ca }) });
    it('is taken where the certificate is trusted', async () => {
      assert.equal((await claimsOfTyped(it1.server, 'bob', BOB.password)).preferred_username, 'bob');
    });
  });

  describe('by StartTLS', () => {
    const it1 = staffed({ provider: ({ url, ca }) => ({ url, starttls: true, tls_ca: ca }) });
    it('is taken where the certificate is trusted', async () => {
      assert.equal((await claimsOfTyped(it1.server, 'bob', BOB.password)).preferred_username, 'bob');
    });
  });

  for (const how of ['TLS', 'StartTLS'] as const) {
    describe(`by ${how} with a certificate that nobody trusts`, () => {
      const it1 = staffed({
        provider: ({ tlsUrl, url }) => (how === 'TLS' ? { url: tlsUrl } : { url, starttls: true }),
      });
      it('is not taken, and the page says that the directory is not available', async () => {
        const seen = await typed(it1.server, 'bob', BOB.password);
        assertNotIn(seen);
        assert.match(seen.text, /Corp, which isn’t available right now/);
        assert.match(it1.server.logged(), /self.signed certificate/);
      });
    });
  }

  describe('of several', () => {
    const it1 = staffed({ provider: ({ url }) => ({ url: ['ldap://127.0.0.1:9', url] }) });
    it('is the next one where the first does not answer', async () => {
      assert.equal((await claimsOfTyped(it1.server, 'bob', BOB.password)).preferred_username, 'bob');
    });
  });
});

describe('an application without local sign-in', () => {
  const it1 = staffed({ application: { local_sign_in: false } });
  it('has the form for its directory, and takes no password of an account here', async () => {
    assertNotIn(await typed(it1.server, 'alice', PASSWORD));
    assert.equal((await claimsOfTyped(it1.server, 'bob', BOB.password)).preferred_username, 'bob');
  });
});
