import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Provider } from '../../../src/directory/providers/rules.ts';
import { MAX_LINKS_OF_USER } from '../../../src/people/linking/rules.ts';
import { madeBy } from '../../build/stand-in.ts';
import { account, aFixture, NOW, type OpenStore, unique } from './given.ts';
import { openForEach } from './open-store.ts';
import { aCreatedUser, anAct, assertNotRecorded, assertRecorded, change, createUser } from './users-fixture.ts';

/** Links between accounts and people of identity providers (contract federation.md, Linking): a subject has one account. */
export function linksContract(open: OpenStore): void {
  describe('links to identity providers', () => {
    let sub: string;
    const { store, another } = openForEach(open);
    const other = madeBy(beforeEach, another);
    beforeEach(async () => {
      sub = (await aFixture(store)).user.sub;
      await store.provision([
        { kind: 'provider', provider: CORP },
        { kind: 'provider', provider: { ...CORP, id: 'second' } },
      ]);
    });

    const key = (subject = unique('subject'), provider = 'corp') => ({ provider, subject });
    const link = (of: string, subject?: string) => ({ ...key(subject), sub: of, label: undefined, createdAt: NOW });
    const linked = () => anAct('user.linked', sub);
    const unlinked = () => anAct('user.unlinked', sub);

    it('of many calls for different users on two nodes, one links a subject, and the others read whose it is not', async () => {
      const users = await Promise.all([1, 2, 3, 4].map(() => aCreatedUser(store)));
      const { subject } = key();
      const acts = users.map(() => linked());
      const outcomes = await Promise.all(
        users.map((user, index) => {
          const act = acts[index] ?? linked();
          return (index % 2 === 0 ? store : other).linkUser(link(user.sub, subject), act);
        }),
      );
      assert.deepEqual(outcomes.toSorted(), ['linked', 'taken', 'taken', 'taken']);
      const owner = await store.findLinkedAccount(key(subject));
      assert.equal(owner?.sub, users[outcomes.indexOf('linked')]?.sub);
      for (const [index, act] of acts.entries()) {
        await (outcomes[index] === 'linked' ? assertRecorded : assertNotRecorded)(store, act);
      }
    });

    it('of two new accounts for one subject, one is made with its link, and nothing of the other', async () => {
      const { subject } = key();
      const accounts = [account(), account()];
      const outcomes = await Promise.all(
        accounts.map((one, index) => {
          const { event } = anAct('user.created', one.sub);
          return (index === 0 ? store : other).createLinkedUser(link(one.sub, subject), one, event);
        }),
      );
      assert.deepEqual(outcomes.toSorted(), ['created', 'taken']);
      const loser = accounts[outcomes.indexOf('taken')];
      assert.equal(await store.findAccount(loser?.username ?? ''), undefined);
      assert.equal(await store.findUser(loser?.sub ?? ''), undefined);
    });

    it('a second time it is present, and nothing is recorded', async () => {
      const one = link(sub);
      assert.equal(await store.linkUser(one, linked()), 'linked');
      const act = linked();
      assert.equal(await other.linkUser(one, act), 'present');
      await assertNotRecorded(store, act);
    });

    it('a user who is disabled or unknown gets none', async () => {
      const disabled = await aCreatedUser(store, { disabled: true });
      assert.equal(await store.linkUser(link(disabled.sub), linked()), 'gone');
      assert.equal(await store.linkUser(link('nobody'), linked()), 'gone');
    });

    it('a user has at most so many, also by two calls at once', async () => {
      const most = Array.from({ length: MAX_LINKS_OF_USER - 1 }, () => key());
      await store.changeUser(sub, change({ links: most }));
      const outcomes = await Promise.all([store, other].map(at => at.linkUser(link(sub), linked())));
      assert.deepEqual(outcomes.toSorted(), ['full', 'linked']);
      const refused = await store.changeUser(sub, change({ links: [key()] }));
      assert.deepEqual(typeof refused === 'object' && refused.kind === 'linkRefused' && refused.reason, 'full');
    });

    it('the last way in is not removed, also where two links are removed at once on two nodes', async () => {
      const user = await aCreatedUser(store, { passwordHash: undefined });
      const links = [key(), key(undefined, 'second')];
      await store.changeUser(user.sub, change({ links }));
      const outcomes = await Promise.all(
        links.map((each, index) => (index === 0 ? store : other).unlinkUser(user.sub, each, true, unlinked())),
      );
      assert.deepEqual(outcomes.toSorted(), ['lastWay', 'unlinked']);
      const [left] = await store.linksOf(user.sub);
      assert(left);
      assert.equal(await store.unlinkUser(user.sub, left, false, unlinked()), 'unlinked', 'an operator may');
    });

    it('a password, a passkey or a link to a provider that is registered is another way in', async () => {
      const user = await aCreatedUser(store, { passwordHash: 'hash' });
      const one = key();
      await store.changeUser(user.sub, change({ links: [one] }));
      assert.equal(await store.unlinkUser(user.sub, one, true, unlinked()), 'unlinked');
      assert.equal(await store.unlinkUser(user.sub, one, true, unlinked()), 'unknown');
    });

    it('a provider that is deleted takes its links with it', async () => {
      await store.linkUser(link(sub, 'x'), linked());
      await store.provision([{ kind: 'deleteProvider', id: 'corp' }]);
      assert.deepEqual(await store.linksOf(sub), []);
      assert.equal(await store.findLinkedAccount(key('x')), undefined);
    });

    it('a user who is deleted leaves the subject free', async () => {
      const user = await aCreatedUser(store);
      await store.changeUser(user.sub, change({ links: [key('y')] }));
      await store.changeUser(user.sub, ({ current }) =>
        current
          ? { result: 'deleted', write: { value: { kind: 'delete', now: NOW }, act: anAct('user.deleted', user.sub) } }
          : { result: 'unknown' },
      );
      assert.equal(await store.linkUser(link(sub, 'y'), linked()), 'linked');
    });

    it('what operators name is refused as a whole where it belongs to another user or to no provider', async () => {
      const owner = await aCreatedUser(store);
      const taken = key();
      await store.changeUser(owner.sub, change({ links: [taken] }));
      const outcome = await store.changeUser(sub, change({ profile: { nickname: 'New' }, links: [key(), taken] }));
      assert.deepEqual(outcome, { kind: 'linkRefused', link: taken, reason: 'taken', username: owner.username });
      assert.deepEqual(await store.linksOf(sub), []);
      assert.notEqual((await store.findUser(sub))?.nickname, 'New');
      const unknown = { provider: 'nowhere', subject: 's' };
      const made = account({ links: [unknown] });
      assert.deepEqual(await createUser(store, made), {
        kind: 'linkRefused',
        link: unknown,
        reason: 'noProvider',
        username: undefined,
      });
      assert.equal(await store.findUser(made.sub), undefined);
    });

    it('two nodes that name one subject for two users at once: one is written', async () => {
      const users = [await aCreatedUser(store), await aCreatedUser(store)];
      const wanted = key();
      const outcomes = await Promise.all(
        users.map((user, index) => (index === 0 ? store : other).changeUser(user.sub, change({ links: [wanted] }))),
      );
      const kinds = outcomes.map(outcome => (typeof outcome === 'object' ? outcome.kind : outcome));
      assert.deepEqual(kinds.toSorted(), ['changed', 'linkRefused']);
    });

    it('by the users of a page, each in the same order', async () => {
      const user = await aCreatedUser(store);
      await store.changeUser(user.sub, change({ links: [key('b', 'second'), key('b'), key('a')] }));
      const found = await store.linksOfUsers([sub, user.sub]);
      assert.deepEqual([...found.keys()], [user.sub]);
      assert.deepEqual(found.get(user.sub), [key('a'), key('b'), key('b', 'second')]);
    });
  });
}

const CORP: Provider = {
  id: 'corp',
  type: 'oidc',
  issuer: 'https://login.corp.example',
  domains: [],
  trusts_email: false,
  create_users: true,
  update_profile: 'first',
  sealedSecrets: undefined,
};
