import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loginName, loginNamesOf } from '../../../src/directory/users/login-name.rules.ts';
import { indexUsers } from '../../../src/directory/users/search.job.ts';
import type { Account, User } from '../../../src/directory/users/store.ts';
import { sql } from '../../../src/platform/store/sql.ts';
import { fixedClock } from '../../build/clock.ts';
import { fc, SEED } from '../../build/random.ts';
import { account, DAY, NOW, type OpenStore, unique } from './given.ts';
import { openLater } from './open-store.ts';
import { aCreatedUser, anAct, change, remove } from './users-fixture.ts';

/** The search for users by a part of what they are called, against a filter that looks at all of them. */
export function userSearchContract(open: OpenStore): void {
  const { store, another, openEach } = openLater(open);
  const clock = fixedClock(NOW + 1);
  const runJob = () => indexUsers({ store: store, clock }, () => false);
  const imported = async (users: readonly Account[]) => {
    const entries = users.map(user => ({ account: user, keepsSub: true, change: undefined }));
    const outcomes = await store.importUsers(entries, () => anAct('configuration.applied', 'import').event);
    assert(outcomes.every(({ kind }) => kind === 'created'));
  };
  const search = async (q: string, limit = 50) => {
    const found: User[] = [];
    for (let after: string | undefined; ; ) {
      const page = await store.listUsers({ search: loginName(q), after, limit });
      assert(page.users.length <= limit);
      found.push(...page.users);
      if (page.next === undefined) return found;
      after = page.next;
    }
  };
  const nameless = { email: undefined, phoneNumber: undefined, standardClaims: undefined };
  const crowd = (count: number, over: (n: number) => Partial<Account> = () => ({})) =>
    Array.from({ length: count }, (_, n) => account({ ...nameless, username: unique('crowd'), ...over(n) }));
  const waiting = async () => {
    const [row] = await store.cold.read(sql`SELECT count(*) AS waiting FROM user_places WHERE place IS NULL`);
    return Number(row?.waiting);
  };
  const names = (users: readonly { readonly username: string }[]) => users.map(({ username }) => username);

  describe('the search for users by a part', () => {
    openEach();

    for (const isIndexed of [false, true]) {
      it(`finds each field without case, and no other field${isIndexed ? ', from the index' : ', before the index has them'}`, async () => {
        const user = account({
          username: 'u-Marlene.Dietrich',
          email: 'Lola@Blue-Angel.example',
          phoneNumber: '+49 (30) 123-4567',
          nickname: 'nicknamed',
          picture: 'https://pictures.example/1',
          standardClaims: {
            name: 'Marie Magdalene 李明',
            given_name: 'Ｍａｒｉｅ',
            family_name: 'ΟΔΟΣ',
            middle_name: 'middlename',
            address: { locality: 'Schöneberg' },
          },
        });
        await imported([user, ...crowd(100)]);
        if (isIndexed) await runJob();
        assert.equal(await waiting(), isIndexed ? 0 : 101);
        for (const q of 'LENE.d,blue-ANGEL,30) 123,301234,+49 30 12,magdalene 李,李明,李,明,MARIE,arie,δος,ΔΟΣ,οδο'.split(
          ',',
        )) {
          assert.deepEqual(names(await search(q)), [user.username], q);
        }
        for (const q of ['nicknamed', 'pictures', 'middlename', 'schön', 'richlola', 'lene\nlola', 'xyz']) {
          assert.deepEqual(names(await search(q)), [], q);
        }
      });
    }

    it('of one or two letters finds by the beginning of a login name alone, of one Chinese character by any part', async () => {
      await imported(
        crowd(100, n => ({ username: `${'abcdefghij'[n % 10]}${n}-zq${n}`, standardClaims: { name: `王${n}芳` } })),
      );
      await runJob();
      assert.equal((await search('a')).length, 10);
      assert.equal((await search('zq')).length, 0);
      assert.equal((await search('zq1')).length, 11);
      assert.equal((await search('芳')).length, 100);
      assert.deepEqual((await search('王7')).length, 11);
    });

    it('has those first whose login name begins with it', async () => {
      await imported([...crowd(80, n => ({ username: `x${n}-klara` })), ...crowd(3, n => ({ username: `klara${n}` }))]);
      await runJob();
      const found = names(await search('klara', 7));
      assert.deepEqual(found.slice(0, 3), ['klara0', 'klara1', 'klara2']);
      assert.equal(new Set(found).size, 83);
      assert.equal(found.length, 83);
    });

    it('takes the characters that SQL gives a meaning for themselves', async () => {
      await imported([
        ...crowd(70),
        ...['a%b_c', 'a%bxc', "it's", 'back\\slash', '"quoted"', 'a\u{1F600}b'].map(name =>
          account({ ...nameless, username: `u-${name}` }),
        ),
      ]);
      await runJob();
      for (const [q, expected] of [
        ['%b_', ['u-a%b_c']],
        ['___', []],
        ['%%%', []],
        ["t's", ["u-it's"]],
        ['k\\s', ['u-back\\slash']],
        ['"quo', ['u-"quoted"']],
        ['\u{1F600}', ['u-a\u{1F600}b']],
      ] as const) {
        assert.deepEqual(names(await search(q)), expected, q);
      }
    });

    it('finds the present names of users who are changed, created and deleted around it', async () => {
      const users = crowd(150, n => ({ username: `user${n}-before` }));
      await imported(users);
      await runJob();
      const [first, second, third] = users as [Account, Account, Account];
      await store.changeUser(first.sub, change({ profile: { username: 'x-after-0' } }));
      await store.changeUser(second.sub, remove());
      await store.changeUser(third.sub, change({ profile: { standardClaims: { name: 'also after' } } }));
      const fresh = await aCreatedUser(store, { ...nameless, username: 'fresh-after' });
      for (const state of ['waiting', 'indexed']) {
        if (state === 'indexed') {
          await imported(crowd(100));
          await runJob();
          assert.equal(await waiting(), 0);
        }
        const after = names(await search('after'));
        assert.deepEqual(after.toSorted(), [fresh.username, third.username, 'x-after-0'].toSorted(), state);
        assert.equal((await search('-before')).length, 148, state);
      }
    });

    it('forgets within a day under which parts a user was indexed', async () => {
      const user = account({ ...nameless, username: 'u-qqqq' });
      const renamed = account({ ...nameless, username: 'u-jjjj' });
      await imported([...crowd(100), user, renamed]);
      await runJob();
      const known = async (gram: string) =>
        (await store.cold.read(sql`SELECT 1 FROM user_grams WHERE gram = ${gram}`)).length;
      assert.deepEqual([await known('qqq'), await known('jjj')], [1, 1]);
      await store.changeUser(user.sub, remove());
      await store.changeUser(renamed.sub, change({ profile: { username: 'u-kkkk' } }));
      clock.advance(DAY + 1);
      await runJob();
      assert.deepEqual([await known('qqq'), await known('jjj')], [0, 0]);
      assert.equal((await search('crowd')).length, 100);
    });

    it('finds within a day whom a release without the index wrote, and forgets whom it deleted', async () => {
      const users = crowd(100);
      await imported(users);
      await runJob();
      const [changed, deleted] = users as [Account, Account];
      const { cold } = store;
      await cold.write(sql`UPDATE users SET username = 'x-renamed-by-it' WHERE sub = ${changed.sub}`);
      await cold.write(sql`DELETE FROM users WHERE sub = ${deleted.sub}`);
      await cold.write(sql`INSERT INTO users (sub, username, email_verified, phone_number_verified, disabled, updated_at)
        VALUES ('by-it', 'x-created-by-it', ${false}, ${false}, ${false}, ${NOW})`);
      assert.deepEqual(names(await search('by-it')), []);
      clock.advance(DAY + 1);
      await runJob();
      assert.deepEqual(names(await search('by-it')).toSorted(), ['x-created-by-it', 'x-renamed-by-it']);
      assert.deepEqual(await cold.read(sql`SELECT 1 AS found FROM user_places WHERE sub = ${deleted.sub}`), []);
    });

    it('finds the users of a database from before the index once the job has looked at all', async () => {
      await imported(crowd(100, n => ({ username: `u${n}-older` })));
      await store.cold.write(sql`DELETE FROM user_places`);
      assert.equal((await search('-older')).length, 0);
      assert.equal((await search('u1')).length, 11, 'by the beginning they are found at once');
      await runJob();
      assert.equal((await search('-older')).length, 100);
    });

    it('survives a process that died while it added to the index, and two that add to it at once', async () => {
      await imported(crowd(300, n => ({ username: `u${n}-crash` })));
      const { cold } = store;
      let writes = 0;
      const dying = {
        ...store,
        cold: {
          ...cold,
          transaction: ((steps: never) => {
            if (writes++ === 2) throw new Error('died');
            return cold.transaction(steps);
          }) as typeof cold.transaction,
        },
      };
      await assert.rejects(
        indexUsers({ store: dying, clock }, () => false),
        /died/,
      );
      await Promise.all([runJob(), runJob(), indexUsers({ store: await another(), clock }, () => false)]);
      await runJob();
      const found = names(await search('-crash'));
      assert.equal(found.length, 300);
      assert.equal(new Set(found).size, 300);
    });

    it('is bounded where the index has many candidates and none is the one: the next page goes on', async () => {
      await imported(crowd(1200, n => ({ username: `u${n}-abcd-bcda` })));
      await runJob();
      const page = await store.listUsers({ search: 'cdabcd', after: undefined, limit: 50 });
      assert.deepEqual(page.users, []);
      const needle = account({ ...nameless, username: 'u-needle-abcdabcda' });
      await aCreatedUser(store, needle);
      assert.deepEqual(names(await search('cdabcd')), [needle.username]);
    });

    it(`finds what a plain filter finds, in every state of the index (seed ${SEED})`, async () => {
      const characters = fc.constantFrom(...'aaabbcABé-._%\\李明ßΣσς1 2É'.split(''));
      const word = fc.string({ unit: characters, minLength: 1, maxLength: 9 });
      const text = (n: number) => fc.sample(word, { numRuns: 1, seed: SEED + n })[0] as string;
      const random = (n: number): Partial<Account> => ({
        username: `${text(n)}~${n}`,
        email: n % 3 ? undefined : `m${n}@${text(n + 1e4).replaceAll(/[\s@]/g, '')}`,
        phoneNumber: n % 4 ? undefined : `+49 30-${1000 + n}`,
        standardClaims: n % 2 ? { name: text(n + 2e4), given_name: text(n + 3e4) } : { family_name: text(n + 4e4) },
      });
      const users = crowd(260, random);
      const lower = (field: string | undefined) => (field ?? '').normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');
      const matches = (q: string) => {
        const term = lower(loginName(q));
        const isLong = [...term].length >= 3 || /[李明]/.test(term);
        return users.filter(({ username, email, phoneNumber = '', standardClaims: claims }) => {
          const logins = [username, email, phoneNumber.replaceAll(/[ -]/g, '')].map(lower).filter(name => name !== '');
          const all = [...logins, ...[phoneNumber, claims?.name, claims?.given_name, claims?.family_name].map(lower)];
          if (isLong) return all.some(field => field.includes(term));
          return loginNamesOf({ username, email, phoneNumber, phoneNumberVerified: false }).some(name =>
            name.startsWith(loginName(q) ?? ''),
          );
        });
      };
      const agree = async (state: string) => {
        for (let n = 0; n < 60; n++) {
          const q = n % 3 === 0 ? `${1000 + n}` : text(n + 5e4).slice(0, 1 + (n % 4));
          if (loginName(q) === undefined) continue;
          const found = (await search(q, 1 + (n % 7))).map(({ sub }) => sub).toSorted();
          assert.deepEqual(
            found,
            matches(q)
              .map(({ sub }) => sub)
              .toSorted(),
            `${JSON.stringify(q)}, ${state}`,
          );
        }
      };
      await imported(users.slice(0, 130));
      await runJob();
      await imported(users.slice(130));
      await agree('half of it indexed');
      await runJob();
      await agree('all indexed');
    });
  });
}
