import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../../../src/directory/users/store.ts';
import { account, type OpenStore, unique } from './given.ts';
import { openForSuite } from './open-store.ts';
import { aCreatedUser, createUser, remove } from './users-fixture.ts';

/** How operators find users: pages of all, and the search by a prefix. */
export function userListsContract(open: OpenStore): void {
  const { store } = openForSuite(open);

  const created = (over: Partial<Account> = {}) => aCreatedUser(store, over);
  const pages = async (prefix: string | undefined, limit: number, between: () => Promise<unknown> = async () => {}) => {
    const names: string[] = [];
    for (let after: string | undefined; ; ) {
      const { users, next } = await store.listUsers({ search: prefix, after, limit });
      assert(users.length <= limit);
      names.push(...users.map(({ username }) => username));
      if (next === undefined) return names;
      after = next;
      await between();
    }
  };

  it('finds the users with some identifiers, those that exist', async () => {
    const [one, other] = [await created(), await created()];
    const found = await store.findUsers([one.sub, unique('nobody'), other.sub]);
    assert.deepEqual(found.map(({ sub }) => sub).sort(), [one.sub, other.sub].sort());
    assert.deepEqual(await store.findUsers([]), []);
  });

  describe('the list of users', () => {
    it('has each once, in the order of bytes of their names, page by page', async () => {
      const own = await open();
      try {
        const names = ['Zoe', 'anna', 'bob', 'Émile', 'emile', 'a', 'ann', '李雷', 'b-2'];
        for (const username of names) {
          assert.equal(await createUser(own.store, account({ username })), 'created');
        }
        const sorted = names.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
        for (const limit of [1, 2, 4, 9, 20]) {
          const seen: string[] = [];
          for (let after: string | undefined; ; ) {
            const page = await own.store.listUsers({ search: undefined, after, limit });
            seen.push(...page.users.map(({ username }) => username));
            after = page.next;
            if (after === undefined) break;
          }
          assert.deepEqual(seen, sorted, `pages of ${limit}`);
        }
      } finally {
        await own.discard();
      }
    });

    it('loses nobody and repeats nobody when users come and go between two pages', async () => {
      const prefix = unique('stable');
      const stay = await Promise.all(Array.from({ length: 9 }, (_, n) => created({ username: `${prefix}-s${n}` })));
      const go = await Promise.all(Array.from({ length: 9 }, (_, n) => created({ username: `${prefix}-s${n}-x` })));
      let round = 0;
      const seen = await pages(prefix, 2, async () => {
        const gone = go[round++];
        if (gone) await store.changeUser(gone.sub, remove());
        await created({ username: `${prefix}-s${round}-new` });
      });
      assert.equal(new Set(seen).size, seen.length, 'twice');
      for (const { username } of stay) assert(seen.includes(username), username);
    });

    it('says of each what is known, and that there is a password, not which', async () => {
      const [locked, open] = [await created({ disabled: true }), await created({ passwordHash: undefined })];
      for (const user of [locked, open]) {
        const { passwordHash, ...rest } = user;
        const expected = { ...rest, hasPassword: passwordHash !== undefined, requiresMfa: false };
        const { users } = await store.listUsers({ search: user.username, after: undefined, limit: 5 });
        assert.deepEqual(users, [expected]);
        assert.deepEqual(await store.findUser(user.sub), expected);
      }
    });
  });

  describe('the search for users', () => {
    it('finds by the beginning of user name, e-mail or telephone number, each user once', async () => {
      const word = unique('search');
      const both = await created({ username: `${word}-a`, email: `${word}-a@example.com` });
      const byMail = await created({ username: unique('other'), email: `${word}-b@example.com` });
      const phone = `+4477${Date.now()}`;
      const byPhone = await created({ phoneNumber: phone });
      assert.deepEqual(await pages(word, 10), [both.username, byMail.username]);
      assert.deepEqual(await pages(word, 1), [both.username, byMail.username]);
      assert.deepEqual(await pages(phone.slice(0, -1), 10), [byPhone.username]);
      assert.deepEqual(await pages(`${word}-a@`, 10), [both.username]);
      assert.deepEqual(await pages(`${word}-c`, 10), []);
    });

    it('takes the characters that SQL gives a meaning for themselves', async () => {
      const word = unique('pct');
      const odd = await created({ username: `${word}%_\\'"-x`, email: undefined, phoneNumber: undefined });
      await created({ username: `${word}abc-x`, email: undefined, phoneNumber: undefined });
      for (const prefix of [`${word}%`, `${word}%_`, `${word}%_\\'"`])
        assert.deepEqual(await pages(prefix, 10), [odd.username]);
      assert.deepEqual(await pages(`${word}_`, 10), []);
    });

    it('is by bytes: letters beyond ASCII, and the last characters of Unicode', async () => {
      const word = unique('uni');
      const names = [`${word}é`, `${word}ü`, `${word}李`, `${word}\u{10FFFD}`];
      for (const username of names) await created({ username, email: undefined, phoneNumber: undefined });
      assert.deepEqual(await pages(word, 2), names);
      assert.deepEqual(await pages(`${word}ü`, 2), [names[1]]);
    });
  });
}
