import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EndedSession, NewSession } from '../../../src/people/sessions/store.ts';
import { MAX_SESSIONS_OF_USER } from '../../../src/people/sessions/store.ts';
import { aFixture, credentialKey, DAY, NOW, type OpenStore } from './given.ts';
import { aSession, session } from './given-sessions.ts';
import { ALIVE, aFamily, alive, DEAD } from './given-tokens.ts';
import { sessionsFixture } from './sessions-fixture.ts';
import { anAct } from './users-fixture.ts';

/** A user who signs in more often than a person does. */
export function sessionLimitContract(open: OpenStore): void {
  const { store, fixture, prepareEach, use, aCode, redeem, queuedNotices, notice } = sessionsFixture(open);

  /** A login that counts the sessions, also where one in eight does. */
  const countedKey = () => {
    const key = credentialKey(NOW + DAY);
    key[key.length - 1] = 0;
    return key;
  };
  const openMany = (count: number, over: (number: number) => Partial<NewSession> = () => ({})) =>
    Promise.all(
      Array.from({ length: count }, (_, number) => aSession(store, fixture, { idHash: countedKey(), ...over(number) })),
    );
  const openOne = async (over: Partial<NewSession> = {}, now = NOW) => {
    const put = session(fixture.user.sub, { idHash: countedKey(), ...over });
    const ended: string[] = [];
    const { event } = anAct('user.login.succeeded', put.sub);
    await store.openSession(put, now, {
      succeeded: () => event,
      replaced: () => assert.fail('nobody else'),
      outnumbered: ({ sub, sid }: EndedSession) => {
        ended.push(sid);
        return { ...anAct('session.ended', sub).event, details: { sid } };
      },
    });
    return { put, ended };
  };
  const held = async (now = NOW) => (await store.sessionsOf(fixture.user.sub, now)).length;

  describe(`the sessions of a user, ${MAX_SESSIONS_OF_USER} at most`, () => {
    prepareEach();

    it('the oldest ends when one more opens, as by a logout: codes, grants, a notice, and an event', async () => {
      const stranger = await aFixture(store);
      const strangers = await aSession(store, stranger, { authTime: NOW - 5000 });
      const oldest = await aSession(store, fixture, { authTime: NOW - 900 });
      const next = await aSession(store, fixture, { authTime: NOW - 800 });
      const [{ codeHash }, ends, stays] = [
        await aCode(oldest.grant),
        await aFamily(store, { ...fixture, grant: oldest.grant }),
        await aFamily(store, { ...fixture, grant: next.grant }),
      ];
      await openMany(MAX_SESSIONS_OF_USER - 2);
      assert.equal(await held(), MAX_SESSIONS_OF_USER, 'none has ended yet');
      const { put, ended } = await openOne();
      assert.deepEqual(ended.slice(-1), [oldest.sid]);
      assert.equal(await held(), MAX_SESSIONS_OF_USER);
      assert(await use(put.idHash));
      assert(await use(next.idHash));
      assert(await use(strangers.idHash));
      assert.equal(await use(oldest.idHash), undefined);
      assert.equal((await redeem(codeHash)).kind, 'refused');
      assert.deepEqual(await alive(store, fixture.app, ends), DEAD);
      assert.deepEqual(await alive(store, fixture.app, stays), ALIVE);
      assert.deepEqual(await queuedNotices(), [notice(oldest)]);
      const events = await store.listEvents({ types: ['session.ended'] }, { after: undefined, limit: 10 });
      assert.deepEqual(
        events.map(({ details }) => details?.sid),
        [oldest.sid],
      );
    });

    it('the one that goes on with a new identifier is none more', async () => {
      const own = await aSession(store, fixture);
      await openMany(MAX_SESSIONS_OF_USER - 1);
      const { put, ended } = await openOne({ replaces: own.idHash });
      assert.deepEqual(ended, []);
      assert.equal((await use(put.idHash))?.sid, own.sid);
      assert.equal(await held(), MAX_SESSIONS_OF_USER);
    });

    it('those that were idle for too long go first, and what came from them lives on', async () => {
      const idle = await aSession(store, fixture, { idleExpiresAt: NOW + 10 });
      const pair = await aFamily(store, { ...fixture, grant: idle.grant });
      await openMany(MAX_SESSIONS_OF_USER - 1, number => (number < 50 ? { idleExpiresAt: NOW + 10 } : {}));
      const { ended } = await openOne({}, NOW + 20);
      assert.deepEqual(ended, []);
      assert.equal(await held(NOW + 20), MAX_SESSIONS_OF_USER - 50);
      assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
      assert.deepEqual(await queuedNotices(), []);
    });

    it('logins at the same moment all succeed, and the next one brings the number down', async () => {
      await openMany(MAX_SESSIONS_OF_USER, () => ({ authTime: NOW - 100 }));
      const opened = await openMany(8);
      const { put } = await openOne();
      assert.equal(await held(), MAX_SESSIONS_OF_USER);
      for (const { idHash } of [...opened, put]) assert(await use(idHash));
    });
  });
}
