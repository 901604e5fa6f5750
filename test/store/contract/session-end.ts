import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EndedSession, NewSession, SessionKey } from '../../../src/people/sessions/store.ts';
import { aFixture, client, DAY, digest, disable, NOW, type OpenStore, race, unique } from './given.ts';
import { aSession, session } from './given-sessions.ts';
import { ALIVE, aFamily, alive, code, DEAD, rotation, tokens } from './given-tokens.ts';
import { sessionsFixture } from './sessions-fixture.ts';
import { anAct } from './users-fixture.ts';

/** The list of sessions, what ends with a session, and which clients get a logout notice. */
export function sessionEndContract(open: OpenStore): void {
  const { store, another, fixture, prepareEach, use, aCode, redeem, queuedNotices, notice } = sessionsFixture(open);
  const REFUSED = { kind: 'refused', verdict: 'invalid' };

  describe('the list of sessions', () => {
    prepareEach();

    const sids = async (now = NOW) => (await store.sessionsOf(fixture.user.sub, now)).map(({ sid }) => sid).sort();

    it('has each session of the user, and of no other user, the newest login first', async () => {
      assert.deepEqual(await sids(), []);
      const [one, two] = [await aSession(store, fixture), await aSession(store, fixture, { authTime: NOW - 9 })];
      await aSession(store, await aFixture(store));
      const listed = [one, two].map(({ sid, authTime, idleExpiresAt, expiresAt, userAgent, address }) => {
        return { sid, authTime, idleExpiresAt, expiresAt, userAgent, address, startedAt: NOW };
      });
      assert.deepEqual(await store.sessionsOf(fixture.user.sub, NOW), listed);
    });

    it('has none that ended, was idle for too long, or was replaced', async () => {
      const kept = await aSession(store, fixture, { idleExpiresAt: NOW + 500 });
      await aSession(store, fixture, { idleExpiresAt: NOW + 100 });
      await aSession(store, fixture, { idleExpiresAt: NOW + 500, expiresAt: NOW + 100 });
      const ended = await aSession(store, fixture);
      await store.endSession({ idHash: ended.idHash }, NOW);
      assert.equal((await sids(NOW + 99)).length, 3);
      assert.deepEqual(await sids(NOW + 100), [kept.sid]);
      const next = await aSession(store, fixture, { replaces: kept.idHash });
      assert.deepEqual(await sids(NOW + 100), [kept.sid], 'one session that goes on, not two');
      const [present] = await store.sessionsOf(fixture.user.sub, NOW + 100);
      assert.equal(present?.idleExpiresAt, next.idleExpiresAt);
    });

    it('has the browser and address of the last sign-in, and the time of the first', async () => {
      const first = await aSession(store, fixture, { userAgent: 'Former', address: '192.0.2.1' });
      const next = session(fixture.user.sub, { replaces: first.idHash, userAgent: undefined, address: '2001:db8::1' });
      await store.openSession({ ...next, authTime: NOW + 500 }, NOW + 500);
      const [listed] = await store.sessionsOf(fixture.user.sub, NOW + 500);
      assert.deepEqual(
        [listed?.sid, listed?.userAgent, listed?.address, listed?.startedAt],
        [first.sid, undefined, '2001:db8::1', NOW],
      );
      const [held] = await store.userSessions(fixture.user.sub, NOW + 500, { after: undefined, limit: 10 });
      assert.deepEqual({ ...held, amr: undefined }, { ...listed, amr: undefined });
    });

    it('another user in the same browser begins anew', async () => {
      const former = await aSession(store, await aFixture(store));
      await store.openSession(session(fixture.user.sub, { replaces: former.idHash }), NOW + 500);
      assert.equal((await store.sessionsOf(fixture.user.sub, NOW + 500))[0]?.startedAt, NOW + 500);
    });

    it('ends all but one, with what came from them, and records each', async () => {
      const [kept, ...others] = [
        await aSession(store, fixture),
        await aSession(store, fixture),
        await aSession(store, fixture),
      ];
      const [stays, ends] = [
        await aFamily(store, { ...fixture, grant: kept.grant }),
        await aFamily(store, { ...fixture, grant: others[0]?.grant ?? kept.grant }),
      ];
      const stranger = await aFixture(store);
      const strangers = await aSession(store, stranger);
      const ended: string[] = [];
      const event = ({ sid }: EndedSession) => {
        ended.push(sid);
        return anAct('session.ended', fixture.user.sub).event;
      };
      assert.equal(await store.endOtherSessions(fixture.user.sub, kept.sid, NOW, event), 2);
      assert.deepEqual(ended.sort(), others.map(({ sid }) => sid).sort());
      assert.deepEqual(await sids(), [kept.sid]);
      assert.equal((await store.sessionsOf(stranger.user.sub, NOW))[0]?.sid, strangers.sid);
      assert.deepEqual(await alive(store, fixture.app, stays), ALIVE);
      assert.deepEqual(await alive(store, fixture.app, ends), DEAD);
      assert.equal(await store.endOtherSessions(fixture.user.sub, kept.sid, NOW), 0);
    });

    it('ends all but one as a logout ends each: codes, later requests, and a notice to every client of every session', async () => {
      const kept = await aSession(store, fixture);
      const others = [await aSession(store, fixture), await aSession(store, fixture), await aSession(store, fixture)];
      const [stays, ...ends] = await Promise.all([kept, ...others].map(({ grant }) => aCode(grant)));
      assert(stays);
      for (const { sid } of others) await store.noteSessionClient(fixture.app, 'id-token', sid);
      const recorded: string[] = [];
      await store.endOtherSessions(fixture.user.sub, kept.sid, NOW, ({ sub, sid }) => {
        const { event } = anAct('session.ended', sub);
        recorded.push(event.id);
        return { ...event, userAgent: 'A "browser"', details: { sid } };
      });
      const told = others.flatMap(one => [notice(one), notice(one, 'id-token')]);
      assert.deepEqual(await queuedNotices(), told.sort());
      for (const { codeHash } of ends) assert.equal((await redeem(codeHash)).kind, 'refused');
      assert.equal((await redeem(stays.codeHash)).kind, 'redeemed');
      for (const { grant } of others)
        assert.deepEqual(await redeem((await aCode(grant)).codeHash), { kind: 'unknown' });
      const events = await store.listEvents(
        { types: ['session.ended'], user: fixture.user.sub },
        { after: undefined, limit: 10 },
      );
      assert.deepEqual(events.map(({ id }) => id).sort(), recorded.sort());
      assert.deepEqual(events.map(({ details }) => details?.sid).sort(), others.map(({ sid }) => sid).sort());
      const [{ id: _, details: __, ...event } = {}] = events;
      assert.deepEqual(event, {
        ...{ time: NOW, type: 'session.ended', outcome: 'success', subject: fixture.user.sub },
        ...{ actor: { kind: 'operator', id: 'op' }, userAgent: 'A "browser"' },
        ...{ app: undefined, clientId: undefined, address: undefined, requestId: undefined },
      });
    });

    it('ends nothing of another user, whose sid is given', async () => {
      await aSession(store, fixture);
      const stranger = await aFixture(store);
      const strangers = await aSession(store, stranger);
      assert.equal(await store.endOtherSessions(fixture.user.sub, strangers.sid, NOW), 1);
      assert.equal((await store.sessionsOf(stranger.user.sub, NOW)).length, 1);
    });

    it('shows the idle time as use prolonged it', async () => {
      const { idHash } = await aSession(store, fixture);
      await store.useSession(idHash, NOW + 1800, NOW + 5400);
      assert.equal((await store.sessionsOf(fixture.user.sub, NOW + 1800))[0]?.idleExpiresAt, NOW + 5400);
    });
  });

  for (const [by, keyOf] of [
    ['by its identifier', ({ idHash }: NewSession): SessionKey => ({ idHash })],
    ['by its user and sid', ({ sub, sid }: NewSession): SessionKey => ({ sub, sid })],
  ] as const) {
    describe(`the end of a session, ${by}`, () => {
      prepareEach();

      it('is seen at once on every store object, with the end of its grants', async () => {
        const other = await another();
        const put = await aSession(store, fixture);
        const pair = await aFamily(store, { ...fixture, grant: put.grant });
        await store.endSession(keyOf(put), NOW);
        for (const each of [store, other]) {
          assert.equal(await each.useSession(put.idHash, NOW, NOW + 3600), undefined);
          assert.deepEqual(await each.sessionsOf(put.sub, NOW), []);
          assert.deepEqual(await alive(each, fixture.app, pair), DEAD);
          assert.deepEqual(await each.rotateRefreshToken(fixture.app, rotation(pair.refresh.hash)), REFUSED);
        }
      });

      it('ends codes that were not redeemed yet, from that very second on', async () => {
        const put = await aSession(store, fixture);
        const { codeHash } = await aCode(put.grant);
        await store.endSession(keyOf(put), NOW);
        const pair = tokens();
        assert.equal((await redeem(codeHash, pair)).kind, 'refused');
        assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
      });

      it('ends them for as long as they would have lived, also after a purge', async () => {
        const put = await aSession(store, fixture);
        const late = [await aCode(put.grant), await aCode(put.grant), await aCode(put.grant)];
        await store.endSession(keyOf(put), NOW);
        for (const [index, wait] of [299, 3601, DAY].entries()) {
          await store.purge(NOW + wait, 1000);
          const pair = tokens({ issuedAt: NOW + wait });
          assert.deepEqual(await redeem(late[index]?.codeHash ?? digest(), pair), {
            kind: 'refused',
            verdict: 'expired',
          });
        }
      });

      it('leaves nothing to a request that was on its way, whichever of them came first', async () => {
        const put = await aSession(store, fixture);
        const [late, pair] = [code(put.grant), tokens()];
        await Promise.all([
          store.endSession(keyOf(put), NOW),
          store.addCode(fixture.app, late),
          store.addTokenFamily(fixture.app, put.grant, pair),
          store.noteSessionClient(fixture.app, 'web', put.sid),
        ]);
        assert.notEqual((await redeem(late.codeHash)).kind, 'redeemed');
        assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
        // A client that took part before the end gets a notice, a later one does not.
        assert.deepEqual((await queuedNotices()).slice(1), []);
      });

      it('leaves nothing to a request that comes after it: no code, no tokens, no client to tell', async () => {
        const put = await aSession(store, fixture);
        const [late, pair] = [code(put.grant), tokens()];
        await store.endSession(keyOf(put), NOW);
        await store.addCode(fixture.app, late);
        await store.addTokenFamily(fixture.app, put.grant, pair);
        await store.noteSessionClient(fixture.app, 'web', put.sid);
        assert.deepEqual(await redeem(late.codeHash), { kind: 'unknown' });
        assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
        assert.deepEqual(await queuedNotices(), []);
      });

      it('leaves a redeemed code what it is: shown again, it is a replay', async () => {
        const put = await aSession(store, fixture);
        const { codeHash } = await aCode(put.grant);
        await redeem(codeHash);
        await store.endSession(keyOf(put), NOW);
        assert.deepEqual(await redeem(codeHash), { kind: 'refused', verdict: 'replayed' });
      });

      it('leaves alone what came from no session or from another one', async () => {
        const [put, kept] = [await aSession(store, fixture), await aSession(store, fixture)];
        const grants = [kept.grant, { ...fixture.grant, sid: undefined }];
        const codes = await Promise.all(grants.map(aCode));
        const pairs = await Promise.all(grants.map(grant => aFamily(store, { ...fixture, grant })));
        await store.endSession(keyOf(put), NOW);
        assert(await use(kept.idHash));
        for (const pair of pairs) assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
        for (const { codeHash } of codes) assert.equal((await redeem(codeHash)).kind, 'redeemed');
        assert.deepEqual(await queuedNotices(), []);
      });

      it('tells every client that took part in it, each once, however it took part', async () => {
        const put = await aSession(store, fixture);
        const as = (clientId: string) => ({ ...put.grant, clientId });
        const others = ['code', 'implicit', 'elsewhere', 'password'];
        await store.provision(
          others.map(id => ({ kind: 'client', app: fixture.app, client: client({ client_id: id }) })),
        );
        await aCode(as('code'));
        await aCode(as('code'));
        await redeem((await aCode(put.grant)).codeHash);
        await aFamily(store, { ...fixture, grant: as('implicit') });
        await store.noteSessionClient(fixture.app, 'id-token', put.sid);
        await store.noteSessionClient(fixture.app, 'id-token', put.sid);
        await aCode({ ...as('elsewhere'), sid: unique('sid') });
        await aFamily(store, { ...fixture, grant: { ...as('password'), sid: undefined } });
        await store.endSession(keyOf(put), NOW);
        const clients = ['code', 'id-token', 'implicit', 'web'];
        assert.deepEqual(await queuedNotices(), clients.map(client => notice(put, client)).sort());
      });

      it('tells them once, also when it is ended again or by many at once', async () => {
        const stores = [store, await another()];
        const put = await aSession(store, fixture);
        await aCode(put.grant);
        await race(stores, 20, each => each.endSession(keyOf(put), NOW));
        await store.endSession(keyOf(put), NOW + 60);
        assert.deepEqual(await queuedNotices(), [notice(put)]);
      });

      it('is one also for a session that was idle for too long, until it is purged', async () => {
        const put = await aSession(store, fixture, { idleExpiresAt: NOW + 10 });
        const pair = await aFamily(store, { ...fixture, grant: put.grant });
        await store.endSession(keyOf(put), NOW + 20);
        assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
        assert.deepEqual(await queuedNotices(), [notice(put)]);
      });

      it('and a redemption at the same time leave no token alive, whichever comes first', async () => {
        const stores = [store, await another()] as const;
        for (let round = 0; round < 10; round++) {
          const put = await aSession(store, fixture);
          const { codeHash } = await aCode(put.grant);
          const pair = tokens();
          const [early, late] = round % 2 === 0 ? stores : [stores[1], stores[0]];
          const redemption = () => redeem(codeHash, pair, late);
          const end = () => early.endSession(keyOf(put), NOW);
          await Promise.all(round < 5 ? [end(), redemption()] : [redemption(), end()]);
          assert.deepEqual(await alive(store, fixture.app, pair), DEAD);
        }
      });
    });
  }

  describe('the end of a session that is not there', () => {
    prepareEach();

    it('changes nothing: the sid of another user, an unknown sid or identifier', async () => {
      const { user: stranger } = await aFixture(store);
      const put = await aSession(store, fixture);
      const pair = await aFamily(store, { ...fixture, grant: put.grant });
      for (const key of [
        { sub: stranger.sub, sid: put.sid },
        { sub: put.sub, sid: unique('sid') },
        { idHash: digest() },
      ])
        await store.endSession(key, NOW);
      assert(await use(put.idHash));
      assert.deepEqual(await alive(store, fixture.app, pair), ALIVE);
      assert.deepEqual(await queuedNotices(), []);
    });
  });

  describe('the end of all sessions, when their user is disabled', () => {
    prepareEach();

    it('tells the clients of each, and leaves those of other users alone', async () => {
      const [one, two] = [await aSession(store, fixture), await aSession(store, fixture)];
      const bob = await aFixture(store);
      const kept = await aSession(store, bob);
      const pair = await aFamily(store, { ...bob, grant: kept.grant });
      await aCode(one.grant);
      await store.noteSessionClient(fixture.app, 'id-token', two.sid);
      await disable(store, fixture.user);
      assert.deepEqual(await store.sessionsOf(fixture.user.sub, NOW), []);
      assert.deepEqual(await queuedNotices(), [notice(one), notice(two, 'id-token')].sort());
      assert(await use(kept.idHash));
      assert.deepEqual(await alive(store, bob.app, pair), ALIVE);
    });
  });
}
