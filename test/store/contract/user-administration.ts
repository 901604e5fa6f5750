import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Event, EventType } from '../../../src/protocol/event.ts';
import type { Act, Change } from '../../../src/store/idempotent-answers.ts';
import type { OperatorWrite } from '../../../src/store/operators.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Account, UserAct, UserFacts, UserWrite } from '../../../src/store/users.ts';
import {
  ALIVE,
  account,
  aFamily,
  aFixture,
  alive,
  aSession,
  code,
  DEAD,
  NOW,
  type Opened,
  type OpenStore,
  presentedCode,
  race,
  rotation,
  session,
  tokens,
  unique,
} from './given.ts';

export const anAct = (type: EventType, subject: string): Act => ({
  event: {
    id: unique('evt'),
    time: NOW,
    type,
    outcome: 'success',
    actor: { kind: 'operator', id: 'op' },
    subject,
  },
});

export function createUser(store: Store, user: Account, act: Act = anAct('user.created', user.sub)) {
  return store.changeUser(user.sub, ({ current }) =>
    current
      ? { result: 'subTaken' as const }
      : { result: 'created' as const, write: { value: { kind: 'create', account: user }, act } },
  );
}

export async function assertRecorded(store: Store, { event }: Act): Promise<void> {
  assert(await isRecorded(store, event), `${event.type} was not recorded`);
}

export async function assertNotRecorded(store: Store, { event }: Act): Promise<void> {
  assert(!(await isRecorded(store, event)), `${event.type} was recorded`);
}

async function isRecorded(store: Store, { id, type }: Event): Promise<boolean> {
  const events = await store.listEvents({ types: [type] }, { after: undefined, limit: 1000 });
  return events.some(event => event.id === id);
}

/** How operators administer users: lists, search, create, change, delete. */
export function userAdministrationContract(open: OpenStore): void {
  let opened: Opened;
  let store: Store;
  before(async () => {
    opened = await open();
    store = opened.store;
  });
  after(() => opened.discard());

  const created = async (over: Partial<Account> = {}) => {
    const user = account(over);
    assert.equal(await createUser(store, user), 'created');
    return user;
  };
  type Decided = Change<UserAct, string>;
  const change =
    (write: Omit<UserWrite, 'now'>, act = anAct('user.updated', 'u')) =>
    ({ current }: UserFacts): Decided =>
      current
        ? { result: 'changed', write: { value: { kind: 'change', now: NOW, ...write }, act } }
        : { result: 'unknown' };
  const remove =
    (act = anAct('user.deleted', 'u')) =>
    ({ current }: UserFacts): Decided =>
      current ? { result: 'deleted', write: { value: { kind: 'delete', now: NOW }, act } } : { result: 'unknown' };
  const deleted = (sub: string) => store.changeUser(sub, remove());
  const pages = async (prefix: string | undefined, limit: number, between: () => Promise<unknown> = async () => {}) => {
    const names: string[] = [];
    for (let after: string | undefined; ; ) {
      const { users, next } = await store.listUsers({ prefix, after, limit });
      assert(users.length <= limit);
      names.push(...users.map(({ username }) => username));
      if (next === undefined) return names;
      after = next;
      await between();
    }
  };

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
            const page = await own.store.listUsers({ prefix: undefined, after, limit });
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
        if (gone) await deleted(gone.sub);
        await created({ username: `${prefix}-s${round}-new` });
      });
      assert.equal(new Set(seen).size, seen.length, 'twice');
      for (const { username } of stay) assert(seen.includes(username), username);
    });

    it('says of each what is known, and that there is a password, not which', async () => {
      const [locked, open] = [await created({ disabled: true }), await created({ passwordHash: undefined })];
      for (const user of [locked, open]) {
        const { passwordHash, ...rest } = user;
        const expected = { ...rest, hasPassword: passwordHash !== undefined };
        const { users } = await store.listUsers({ prefix: user.username, after: undefined, limit: 5 });
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

  describe('a new user', () => {
    it('is there with its event, and can be found by all its names', async () => {
      const user = account();
      const act = anAct('user.created', user.sub);
      assert.equal(await createUser(store, user, act), 'created');
      assert.deepEqual(await store.findAccount(user.email ?? ''), user);
      await assertRecorded(store, act);
    });

    it('is refused when a login name is taken, and leaves no event', async () => {
      const user = await created();
      const act = anAct('user.created', 'x');
      const taken = { kind: 'loginTaken', loginName: user.username };
      assert.deepEqual(await createUser(store, account({ email: user.username }), act), taken);
      assert.equal(await createUser(store, account({ sub: user.sub }), act), 'subTaken');
      await assertNotRecorded(store, act);
    });

    it('of the same name, wanted by many at the same moment, is one', async () => {
      const stores = [store, await opened.another()];
      for (let round = 0; round < 3; round++) {
        const username = unique('wanted');
        const outcomes = await race(stores, 8, at => createUser(at, account({ username })));
        assert.equal(outcomes.filter(outcome => outcome === 'created').length, 1);
        assert.equal(outcomes.filter(outcome => typeof outcome === 'object').length, 7);
      }
    });
  });

  describe('a change by an operator', () => {
    it('decides by the present user inside the transaction', async () => {
      const user = await created();
      const act = anAct('user.updated', user.sub);
      const outcome = await store.changeUser(user.sub, facts => {
        assert.equal(facts.current?.nickname, 'Al');
        return change({ profile: { nickname: 'New', picture: null } }, act)(facts);
      });
      assert.equal(outcome, 'changed');
      const found = await store.findUser(user.sub);
      assert.deepEqual([found?.nickname, found?.picture, found?.updatedAt], ['New', undefined, NOW]);
      await assertRecorded(store, act);
    });

    it('that is refused writes nothing', async () => {
      const user = await created();
      assert.equal(await store.changeUser(user.sub, () => ({ result: 'changed since' })), 'changed since');
      assert.deepEqual(await store.findAccount(user.username), user);
    });

    it('of a taken name or an unknown user writes nothing and records nothing', async () => {
      const [owner, thief] = [await created(), await created()];
      const act = anAct('user.updated', thief.sub);
      const outcome = await store.changeUser(thief.sub, change({ profile: { email: owner.username } }, act));
      assert.deepEqual(outcome, { kind: 'loginTaken', loginName: owner.username });
      assert.equal(await store.changeUser(unique('nobody'), change({}, act)), 'unknown');
      assert.deepEqual(await store.findAccount(thief.username), thief);
      await assertNotRecorded(store, act);
    });

    it('that disables, or sets a password, ends what the user holds', async () => {
      for (const write of [{ disabled: true }, { passwordHash: 'another' }, { passwordHash: null }]) {
        const fixture = await aFixture(store);
        const pair = await aFamily(store, fixture);
        assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
        const { sub } = fixture.user;
        assert.equal(await store.changeUser(sub, change(write)), 'changed');
        assert.equal((await store.findUser(sub))?.hasPassword, write.passwordHash !== null);
        assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
      }
    });

    it('and others at the same moment happen one after the other: with the expected version, one of them', async () => {
      const stores = [store, await opened.another()];
      for (let round = 0; round < 3; round++) {
        const user = await created();
        const outcomes = await race(stores, 6, at =>
          at.changeUser(user.sub, facts =>
            facts.current?.nickname === 'Al'
              ? change({ profile: { nickname: unique('n') } })(facts)
              : { result: 'changed since' },
          ),
        );
        assert.deepEqual(outcomes.sort(), ['changed', ...Array(5).fill('changed since')]);
      }
    });
  });

  describe('the last owner', () => {
    const owner = async (over: Partial<Account> = {}) => {
      const user = await created(over);
      await store.changeOperator(user.sub, () => ({
        result: undefined,
        write: {
          value: { role: 'owner', applications: undefined, createdAt: NOW },
          act: anAct('operator.added', user.sub),
        },
      }));
      return user;
    };
    const put = (sub: string, value: OperatorWrite | null, at = store) =>
      at.changeOperator(sub, () => ({ result: 'written', write: { value, act: anAct('operator.updated', sub) } }));
    const ownerOf = (applications?: string[]) => ({ role: 'owner', applications, createdAt: NOW }) as const;

    /** The tests before have left some. */
    const removeOwnersBut = async (...kept: string[]) => {
      for (const { sub } of await store.listOperators({ after: undefined, limit: 1000 }))
        if (!kept.includes(sub)) await put(sub, null);
    };

    it('is not deleted, disabled, demoted or removed, by any operation (admin.md, Who may call)', async () => {
      const { sub, username } = await owner();
      await removeOwnersBut(sub);
      await put((await created()).sub, ownerOf(['shop']));
      const user = await created({ disabled: true });
      await put(user.sub, ownerOf());
      const refused = { kind: 'lastOwner', username };
      const disabled = { kind: 'user', sub, disabled: true, now: NOW } as const;
      const entry = { account: account({ sub, username }), keepsSub: true, change: { disabled: true } };
      const event = () => anAct('configuration.applied', 'import').event;
      assert.deepEqual(await store.changeUser(sub, remove()), refused);
      assert.deepEqual(await store.changeUser(sub, change({ disabled: true })), refused);
      assert.deepEqual(await put(sub, null), refused);
      assert.deepEqual(await put(sub, { ...ownerOf(), role: 'operator' }), refused);
      assert.deepEqual(await put(sub, ownerOf(['shop'])), refused);
      for (const dryRun of [true, false]) assert.deepEqual(await store.provision([disabled], dryRun), refused);
      assert.deepEqual(await store.provision([disabled, { ...disabled, sub: user.sub }]), refused);
      assert.deepEqual(await store.checkImport([entry]), [refused]);
      assert.deepEqual(await store.importUsers([entry], event), [refused]);
      await store.provision([{ kind: 'deleteUser', sub, now: NOW }]);
      assert.equal((await store.findUser(sub))?.disabled, false);
      assert.equal((await store.findOperator(sub))?.role, 'owner');
    });

    it('of a file with two owners is the second: the first is disabled', async () => {
      const two = [await owner(), await owner()];
      await removeOwnersBut(...two.map(({ sub }) => sub));
      const entries = two.map(user => ({ account: user, keepsSub: true, change: { disabled: true } }));
      const event = () => anAct('configuration.applied', 'import').event;
      const kinds = (await store.importUsers(entries, event)).map(({ kind }) => kind);
      assert.deepEqual(kinds, ['updated', 'lastOwner']);
      assert.deepEqual(await Promise.all(two.map(async ({ sub }) => (await store.findUser(sub))?.disabled)), [
        true,
        false,
      ]);
    });

    it('stays when owners delete, disable, demote or remove each other at the same time', async () => {
      const stores = [store, await opened.another()];
      let stays = await owner();
      await removeOwnersBut(stays.sub);
      for (let round = 0; round < 4; round++) {
        const two = [stays, await owner()];
        await owner({ disabled: true });
        const ways = [
          (sub: string, at: Store) => at.changeUser(sub, remove()),
          (sub: string, at: Store) => at.provision([{ kind: 'user', sub, disabled: true, now: NOW }]),
          (sub: string, at: Store) => put(sub, null, at),
          (sub: string, at: Store) => at.changeUser(sub, change({ disabled: true })),
        ];
        const outcomes = await Promise.all(
          two.map(({ sub }, index) => ways[(round + index) % ways.length]?.(sub, stores[index] ?? store)),
        );
        const refused = outcomes.map(outcome => typeof outcome === 'object' && outcome.kind === 'lastOwner');
        assert.deepEqual(refused.toSorted(), [false, true]);
        stays = two[refused.indexOf(true)] ?? stays;
        assert.equal((await store.findUser(stays.sub))?.disabled, false);
        assert.equal((await store.findOperator(stays.sub))?.role, 'owner');
      }
    });

    it('is gone with its role when others stay', async () => {
      const [one] = [await owner(), await owner()];
      assert.equal(await store.changeUser(one.sub, remove()), 'deleted');
      assert.equal(await store.findOperator(one.sub), undefined);
    });
  });

  describe('a deleted user', () => {
    it('is gone with names, credentials, sessions, grants, codes, tokens and consents', async () => {
      const other = await opened.another();
      const fixture = await aFixture(store);
      const { user, app } = fixture;
      const open = await aSession(store, fixture);
      const one = code(open.grant);
      await store.addCode(app, one);
      const families = [await aFamily(store, { ...fixture, grant: open.grant }), await aFamily(store, fixture)];
      await store.addConsent(user.sub, app, 'web', ['openid'], NOW);
      const act = anAct('user.deleted', user.sub);
      assert.equal(await store.changeUser(user.sub, remove(act)), 'deleted');
      for (const at of [store, other]) {
        assert.equal(await at.findUser(user.sub), undefined);
        for (const name of [user.username, user.email, user.phoneNumber])
          assert.equal(await at.findAccount(name ?? ''), undefined);
        assert.equal(await at.useSession(open.idHash, NOW, NOW + 60), undefined);
        for (const pair of families) {
          assert.deepEqual(await alive(at, app, pair), DEAD);
          assert.notEqual((await at.rotateRefreshToken(app, rotation(pair.refresh.hash))).kind, 'rotated');
        }
        assert.equal((await at.redeemCode(app, one.codeHash, presentedCode, tokens())).kind, 'unknown');
        assert.deepEqual(await at.consentsOf(user.sub), []);
        assert.deepEqual(await at.grantsOf(user.sub, NOW), []);
      }
      await assertRecorded(store, act);
    });

    it('leaves its names to others, who inherit nothing', async () => {
      const user = await created();
      await deleted(user.sub);
      const heir = await created({ username: user.username, email: user.email, passwordHash: undefined });
      assert.equal((await store.findAccount(user.email ?? ''))?.sub, heir.sub);
      assert.equal((await store.findAccount(user.username))?.passwordHash, undefined);
    });

    it('gets nothing for a login that was under way', async () => {
      const fixture = await aFixture(store);
      await deleted(fixture.user.sub);
      const [late, pair] = [session(fixture.user.sub), tokens()];
      await store.openSession(late, NOW);
      await store.addTokenFamily(fixture.app, { ...fixture.grant, sid: undefined }, pair);
      assert.equal(await store.useSession(late.idHash, NOW, NOW + 60), undefined);
      assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
    });

    it('stays when the decision refuses it, and is unknown afterwards', async () => {
      const user = await created();
      assert.equal(await store.changeUser(user.sub, () => ({ result: 'changed since' })), 'changed since');
      assert.deepEqual(await store.findAccount(user.username), user);
      assert.deepEqual([await deleted(user.sub), await deleted(user.sub)], ['deleted', 'unknown']);
    });

    it('is deleted once, of two deletions at the same moment', async () => {
      const stores = [store, await opened.another()];
      for (let round = 0; round < 3; round++) {
        const { sub } = await created();
        const outcomes = await race(stores, 4, at => at.changeUser(sub, remove()));
        assert.deepEqual(outcomes.sort(), ['deleted', 'unknown', 'unknown', 'unknown']);
      }
    });

    it('does not come back by a change or a login at the same moment', async () => {
      const other = await opened.another();
      for (let round = 0; round < 6; round++) {
        const fixture = await aFixture(store);
        const { user, app, grant } = fixture;
        const pair = tokens();
        const work = [
          () => other.changeUser(user.sub, change({ profile: { email: unique('m@x') } })),
          () => deleted(user.sub),
          () => other.addTokenFamily(app, { ...grant, sid: undefined }, pair),
          () => store.updateProfile(user.sub, { nickname: 'x' }, NOW),
        ];
        await Promise.all((round % 2 === 0 ? work : work.toReversed()).map(each => each()));
        assert.equal(await store.findUser(user.sub), undefined);
        assert.equal(await store.findAccount(user.username), undefined);
        assert.deepEqual(await alive(store, app, pair), DEAD);
      }
    });
  });
}
