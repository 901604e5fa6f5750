import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PASSWORD } from '../../build/fixture.ts';
import type { TestServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, formWith, type Seen, Visitor } from '../../build/visitor.ts';
import { anAct } from '../../store/contract/users-fixture.ts';
import { buttonOf, federated, toAnswer } from '../federation/federated.ts';

/** Both calls of this operation are made before either goes on: each browser has decided by what it saw before. */
function meetBefore(server: TestServer, operation: 'createLinkedUser' | 'linkUser', count = 2): () => void {
  const store = server.services.store as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const original = store[operation] as (...args: unknown[]) => Promise<unknown>;
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  store[operation] = async (...args) => {
    if (++arrived === count) resolve();
    await promise;
    return original(...args);
  };
  return () => {
    store[operation] = original;
  };
}

describe('linking raced from two browsers: a subject has one account, decided in the store', () => {
  const { server, corp } = federated({
    users: ['ann', 'ben'].map(username => ({
      ...{ username, password: PASSWORD, email: `${username}@corp.example`, email_verified: true },
    })),
  });

  /** A browser at the point where the provider has sent it back, and nothing was done with the answer yet. */
  async function atAnswer(visitor = new Visitor(server.base)): Promise<{ visitor: Visitor; callback: string }> {
    const page = await visitor.follow(authorizationUrl(server, { scope: 'openid' }));
    return { visitor, callback: await toAnswer(server, await visitor.send(buttonOf(page, 'corp'))) };
  }

  it('a new person in two browsers gets one account', async () => {
    corp.person = { sub: 'r-new', email: 'new@corp.example', preferred_username: 'newcomer' };
    const browsers = [await atAnswer(), await atAnswer()];
    const restore = meetBefore(server, 'createLinkedUser');
    const seen = await Promise.all(browsers.map(({ visitor, callback }) => visitor.follow(callback)));
    restore();
    for (const one of seen) assert(answerIn(one).code, one.text);
    const account = await server.services.store.findLinkedAccount({ provider: 'corp', subject: 'r-new' });
    assert.equal(account?.username, 'newcomer');
    const { users } = await server.services.store.listUsers({ search: undefined, after: undefined, limit: 50 });
    assert.deepEqual(users.map(({ username }) => username).sort(), ['ann', 'ben', 'newcomer']);
  });

  it('a person who proves two accounts in two browsers is linked to one of them; the other browser is told', async () => {
    const pages: { visitor: Visitor; page: Seen; username: string }[] = [];
    for (const username of ['ann', 'ben']) {
      // The address there was changed between the two.
      corp.person = { sub: 'r-two', email: `${username}@corp.example` };
      const { visitor, callback } = await atAnswer();
      pages.push({ visitor, page: await visitor.follow(callback), username });
    }
    const restore = meetBefore(server, 'linkUser');
    const seen = await Promise.all(
      pages.map(({ visitor, page, username }) =>
        visitor.send(formWith(page, 'password'), { username, password: PASSWORD }),
      ),
    );
    restore();
    const told = seen.filter(({ text }) => text.includes('is already connected to another account here'));
    const signedIn = seen.filter(({ location }) => location?.startsWith('https://client.example/cb'));
    assert.deepEqual([told.length, signedIn.length], [1, 1]);
    const { store } = server.services;
    const owner = await store.findLinkedAccount({ provider: 'corp', subject: 'r-two' });
    const loser = owner?.username === 'ann' ? 'ben' : 'ann';
    assert.deepEqual(await store.linksOf((await store.findAccount(loser))?.sub ?? ''), []);
  });

  it('an answer that is sent twice at once is taken once', async () => {
    corp.person = { sub: 'r-twice', email: 'twice@corp.example' };
    const { visitor, callback } = await atAnswer();
    const seen = await Promise.all([visitor.go(callback), visitor.go(callback)]);
    const statuses = seen.map(({ status }) => (status < 400 ? 'taken' : 'refused')).sort();
    assert.deepEqual(statuses, ['refused', 'taken']);
  });

  it('a provider that is removed meanwhile gets no link, so a later one of its id signs nobody in by it', async () => {
    const { store } = server.services;
    corp.person = { sub: 'r-late', email: 'late@corp.example' };
    const { visitor, callback } = await atAnswer();
    const { linkUser, createLinkedUser } = store;
    const ann = (await store.findAccount('ann'))?.sub ?? '';
    const act = anAct('user.linked', ann);
    let linked: unknown;
    store.createLinkedUser = async (...args) => {
      await store.changeProvider('corp', () => ({ result: undefined, write: { value: null, act } }));
      const link = { provider: 'corp', subject: 'r-ann', sub: ann, label: undefined, createdAt: 1 };
      linked = await linkUser(link, anAct('user.linked', ann));
      return createLinkedUser(...args);
    };
    const seen = await visitor.follow(callback);
    store.createLinkedUser = createLinkedUser;
    assert.equal(seen.location?.startsWith('https://client.example/cb') ?? false, false);
    assert.equal(linked, 'gone');
    for (const subject of ['r-late', 'r-ann'])
      assert.equal(await store.findLinkedAccount({ provider: 'corp', subject }), undefined);
    assert.equal((await store.listUsers({ search: 'late', after: undefined, limit: 5 })).users.length, 0);
  });
});
