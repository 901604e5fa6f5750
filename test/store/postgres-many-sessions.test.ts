/** A user with very many sessions must not be out of reach: what ends them all has the time of one request. */
import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import { DEFAULT_TIMEOUT_MS } from '../../src/platform/store/database-timeouts.ts';
import type { Store } from '../../src/store.ts';
import { storeAddress } from '../build/database-settings.ts';
import { createMigratedDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';
import { aFixture, credentialKey, DAY, type Fixture, NOW, unique } from './contract/given.ts';
import { aSession } from './contract/given-sessions.ts';
import { aFamily, alive, code, DEAD, presentedCode, tokens } from './contract/given-tokens.ts';
import { anAct, change, remove } from './contract/users-fixture.ts';
import { recordStatements } from './postgres-plans.ts';

const MANY = 3000;
const PAGE = { after: undefined, limit: 2 * MANY };

after(stopOwnServer);

describe('a user with very many sessions', () => {
  let database: TestDatabase;
  let store: Store;
  let fixture: Fixture;
  beforeEach(async () => {
    database = await createMigratedDatabase();
    store = await openPostgresStore(storeAddress(database.url), { timeoutMs: DEFAULT_TIMEOUT_MS });
    fixture = await aFixture(store);
  });
  afterEach(async () => {
    await store.close();
    await database.drop();
  });

  /** As if the user had opened so many, at one client each; the first one with a code and with tokens. */
  const signedIn = async (sessions: number) => {
    const first = await aSession(store, fixture);
    const held = code(first.grant);
    await store.addCode(fixture.app, held);
    const pair = await aFamily(store, { ...fixture, grant: first.grant });
    const sids = Array.from({ length: sessions - 1 }, () => unique('sid'));
    const keys = sids.map(() => credentialKey(NOW + DAY));
    await database.query(
      `INSERT INTO sessions (id_hash, sid, sub, auth_time, amr, opened_by, idle_expires_at, expires_at)
       SELECT key, sid, $3, $4::bigint, 'pwd', sid, $5::bigint, $6::bigint FROM unnest($1::bytea[], $2::text[]) AS held (key, sid)`,
      [keys, sids, fixture.user.sub, NOW, NOW + 3600, NOW + DAY],
    );
    await database.query(
      `INSERT INTO session_clients (sid, app, client_id) SELECT sid, $2, 'web' FROM unnest($1::text[]) AS held (sid)`,
      [sids, fixture.app],
    );
    const last = { ...fixture.grant, sid: sids.at(-1) };
    const [lastCode, lastPair] = [code(last), await aFamily(store, { ...fixture, grant: last })];
    await store.addCode(fixture.app, lastCode);
    return { sids: [first.sid, ...sids], codes: [held, lastCode], pairs: [pair, lastPair] };
  };
  const noticed = async () => (await store.takeLogoutNotices(NOW + DAY, NOW + 2 * DAY, 2 * MANY)).map(({ sid }) => sid);
  const sub = () => fixture.user.sub;

  const acts = {
    'changes the password': () => store.changePassword(sub(), '$argon2id$another', NOW),
    'is disabled': () => store.changeUser(sub(), change({ disabled: true })),
    'is signed out': () => store.signOutUser(sub(), NOW, anAct('user.signed_out', sub())),
    'is deleted': () => store.changeUser(sub(), remove()),
  };
  for (const [what, act] of Object.entries(acts)) {
    it(`${what} within the time of a request, and every client of every session gets its notice`, async t => {
      const { sids, codes, pairs } = await signedIn(MANY);
      const startedAt = performance.now();
      await act();
      t.diagnostic(`${MANY} sessions ended in ${Math.round(performance.now() - startedAt)} ms`);
      assert.deepEqual(await store.sessionsOf(sub(), NOW), []);
      for (const pair of pairs) assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
      for (const { codeHash } of codes)
        assert.notEqual((await store.redeemCode(fixture.app, codeHash, presentedCode, tokens())).kind, 'redeemed');
      assert.deepEqual((await noticed()).sort(), sids.sort());
    });
  }

  it('ends all but one within the time of a request, each with its event and its notice', async t => {
    const { sids, pairs } = await signedIn(MANY);
    const [kept = '', ...others] = sids;
    const startedAt = performance.now();
    const ended = await store.endOtherSessions(sub(), kept, NOW, ({ sub, sid }) => {
      const { event } = anAct('session.ended', sub);
      return { ...event, details: { sid } };
    });
    t.diagnostic(`${ended} sessions ended in ${Math.round(performance.now() - startedAt)} ms`);
    assert.equal(ended, MANY - 1);
    assert.deepEqual(
      (await store.sessionsOf(sub(), NOW)).map(({ sid }) => sid),
      [kept],
    );
    const [stays, ends] = pairs;
    assert(stays && ends);
    assert.equal((await alive(store, fixture.app, stays)).refresh, true);
    assert.deepEqual(await alive(store, fixture.app, ends), DEAD);
    assert.deepEqual((await noticed()).sort(), others.sort());
    const events = await store.listEvents({ types: ['session.ended'] }, PAGE);
    assert.deepEqual(events.map(({ details }) => details?.sid).sort(), others.sort());
  });

  it('costs as many statements as a user with a few', async () => {
    const asked: number[] = [];
    for (const sessions of [2, 50]) {
      const { sids } = await signedIn(sessions);
      const [kept = ''] = sids;
      const event = () => anAct('session.ended', sub()).event;
      const others = await recordStatements(() => store.endOtherSessions(sub(), kept, NOW, event));
      await signedIn(sessions);
      const all = await recordStatements(() => store.signOutUser(sub(), NOW, anAct('user.signed_out', sub())));
      asked.push(others.length, all.length);
    }
    const [othersOfFew, allOfFew, othersOfMany, allOfMany] = asked;
    assert.deepEqual([othersOfMany, allOfMany], [othersOfFew, allOfFew]);
  });
});
