import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import type { Store } from '../../src/store.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { aFixture } from './contract/given.ts';
import { ALIVE, aFamily, alive, code, presentedCode, rotation, tokens } from './contract/given-tokens.ts';

/** What callers send goes into arrays, which have a syntax of their own. */
const HOSTILE = ['"', '\\', '{}', 'a","b', 'NULL', '\\x00', "'); DROP TABLE codes; --", 'é\u{1f600}', ' ', ''];

describe('operations of many callers in one statement', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createDatabase();
    store = await openPostgresStore(database.address);
  });
  after(async () => {
    await store.close();
    await database.drop();
    await stopOwnServer();
  });

  it('take every text for what it is', async () => {
    const fixture = await aFixture(store);
    const put = HOSTILE.map(text => code(fixture.grant, { redirectUri: `https://a.example/${text}`, nonce: text }));
    for (const each of put) await store.addCode(fixture.app, each);
    const outcomes = await Promise.all(
      put.map(({ codeHash, redirectUri }) =>
        store.redeemCode(fixture.app, codeHash, { ...presentedCode, redirectUri }, tokens()),
      ),
    );
    assert.deepEqual(
      outcomes.map(outcome => (outcome.kind === 'redeemed' ? outcome.nonce : outcome)),
      HOSTILE,
    );
  });

  it('refuse a text that is another one, and let the neighbours be', async () => {
    const fixture = await aFixture(store);
    const put = HOSTILE.map(() => code(fixture.grant));
    for (const each of put) await store.addCode(fixture.app, each);
    const outcomes = await Promise.all(
      put.map(({ codeHash, redirectUri }, index) => {
        const asked = index % 2 === 0 ? redirectUri : (HOSTILE[index] ?? '');
        return store.redeemCode(fixture.app, codeHash, { ...presentedCode, redirectUri: asked }, tokens());
      }),
    );
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      HOSTILE.map((_, index) => (index % 2 === 0 ? 'redeemed' : 'refused')),
    );
  });

  it('give nothing of one application to another in the same commit', async () => {
    const [one, other] = [await aFixture(store), await aFixture(store)];
    const [ours, theirs] = [await aFamily(store, one), await aFamily(store, other)];
    const outcomes = await Promise.all([
      store.rotateRefreshToken(other.app, rotation(ours.refresh.hash)),
      store.rotateRefreshToken(one.app, rotation(theirs.refresh.hash)),
      store.rotateRefreshToken(one.app, rotation(ours.refresh.hash)),
    ]);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['refused', 'refused', 'rotated'],
    );
    assert.deepEqual(await alive(store, other.app, theirs), ALIVE);
  });
});
