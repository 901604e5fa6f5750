import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { NO_CLAIMS } from '../../../src/oauth/authorize/claims-request.rules.ts';
import { MAX_OPEN, MAX_OPEN_OF_CLIENT, MAX_UNWANTED_OF_CLIENT, WINDOW_SECONDS } from '../../../src/oauth/ciba/rules.ts';
import type { NewBackchannelRequest } from '../../../src/oauth/ciba/store.ts';
import type { Store } from '../../../src/store.ts';
import { madeBy } from '../../build/stand-in.ts';
import { aFixture, credentialKey, type Fixture, NOW, type OpenStore, unique } from './given.ts';
import { aSession } from './given-sessions.ts';
import { openForEach } from './open-store.ts';
import { anApproval, polledRequestsContract } from './polled-requests.ts';
import { anAct, assertNotRecorded, assertRecorded, change, remove } from './users-fixture.ts';

export function aBackchannelRequest(
  { user }: Fixture,
  over: Partial<NewBackchannelRequest> = {},
): NewBackchannelRequest {
  return {
    ...{ requestHash: credentialKey(NOW + 600), id: unique('request'), clientId: 'web', sub: user.sub },
    ...{ scope: ['openid', 'email'], resources: undefined, claims: NO_CLAIMS, acr: undefined },
    ...{
      bindingMessage: undefined,
      interval: 5,
      event: anAct('approval.requested', user.sub).event,
      mail: undefined,
      ping: undefined,
    },
    ...{ createdAt: NOW, expiresAt: NOW + 600, ...over },
  };
}

async function addRequest(store: Store, fixture: Fixture, over: Partial<NewBackchannelRequest> = {}) {
  const request = aBackchannelRequest(fixture, over);
  const reach = await store.openBackchannelRequest(fixture.app, request);
  assert.equal(reach.kind, 'reaches');
  return request;
}

/** CIBA. */
export function backchannelRequestsContract(open: OpenStore): void {
  polledRequestsContract(open, {
    name: 'backchannel requests',
    async add(store, fixture, wish) {
      const { requestHash, id } = await addRequest(store, fixture, wish);
      return { hash: requestHash, key: id };
    },
    decide: (store, { user }, key, decision, now) => store.decideBackchannelRequest(key, user.sub, decision, now),
    poll: store => store.pollBackchannelRequest,
    redeem: store => store.redeemBackchannelRequest,
  });

  describe('backchannel requests', () => {
    const { store, another } = openForEach(open);
    const fixture = madeBy(beforeEach, () => aFixture(store));
    const add = (over: Partial<NewBackchannelRequest> = {}) => addRequest(store, fixture, over);
    const ask = (over: Partial<NewBackchannelRequest> = {}, at: Store = store, app = fixture.app) =>
      at.openBackchannelRequest(app, aBackchannelRequest(fixture, over));
    const deny = (id: string, sub: string) =>
      store.decideBackchannelRequest(id, sub, { kind: 'deny', events: [] }, NOW + 1);

    it('is found by its id for its person alone, with what it asks for', async () => {
      const wish = {
        ...{ resources: ['https://api.example'], acr: { values: ['2'], essential: false }, bindingMessage: 'Word 1' },
        claims: { ...NO_CLAIMS, authorization_details: [{ type: 'payment', amount: '1.00' }] },
      };
      const { id } = await add(wish);
      const { sub } = fixture.user;
      assert.deepEqual(await store.findBackchannelRequest(id, sub), {
        ...{ id, app: fixture.app, clientId: 'web', sub, scope: ['openid', 'email'], ...wish },
        ...{ createdAt: NOW, expiresAt: NOW + 600, state: 'pending' },
      });
      const stranger = await aFixture(store);
      assert.equal(await store.findBackchannelRequest(id, stranger.user.sub), undefined);
      assert.deepEqual(await deny(id, stranger.user.sub), { kind: 'gone' });
      assert.equal((await store.findBackchannelRequest(id, sub))?.state, 'pending');
    });

    it('what waits for a person is listed, the newest first, until it is decided or over', async () => {
      const { sub } = fixture.user;
      const listed = async (now: number) => (await store.backchannelRequestsOf(sub, now)).map(({ id }) => id);
      const first = await add();
      const second = await add({ createdAt: NOW + 1, expiresAt: NOW + 60 });
      const third = await add({ createdAt: NOW + 2 });
      assert.deepEqual(await listed(NOW + 3), [third.id, second.id, first.id]);
      await deny(third.id, sub);
      assert.deepEqual(await listed(NOW + 60), [first.id]);
    });

    it('1,000 at once over two nodes: three wait, and the others are told when there is room', async () => {
      const other = await another();
      const reached = await Promise.all(Array.from({ length: 1000 }, (_, at) => ask({}, at % 2 ? other : store)));
      assert.equal(reached.filter(({ kind }) => kind === 'reaches').length, MAX_OPEN_OF_CLIENT);
      assert(reached.every(reach => reach.kind === 'reaches' || (reach.kind === 'tooMany' && reach.wait === 600)));
      assert.equal((await store.backchannelRequestsOf(fixture.user.sub, NOW)).length, MAX_OPEN_OF_CLIENT);
    });

    it('of those that were not approved a handful in an hour reach the person; approved ones do not count', async () => {
      const { sid } = await aSession(store, fixture);
      const { sub } = fixture.user;
      for (let count = 0; count < 2 * MAX_UNWANTED_OF_CLIENT; count++) {
        const { id } = await add();
        await store.decideBackchannelRequest(id, sub, anApproval(fixture, sid), NOW + 1);
      }
      for (let count = 0; count < MAX_UNWANTED_OF_CLIENT; count++) await deny((await add()).id, sub);
      assert.deepEqual(await ask(), { kind: 'tooMany', wait: WINDOW_SECONDS });
      assert.deepEqual(await ask({ createdAt: NOW + 3599 }), { kind: 'tooMany', wait: 1 });
      assert.equal((await ask({ createdAt: NOW + WINDOW_SECONDS, expiresAt: NOW + 9999 })).kind, 'reaches');
    });

    it('requests of all clients together are bounded too, and those to others are not counted', async () => {
      for (let count = 0; count < MAX_OPEN; count++) await add({ clientId: `client ${count}` });
      assert.equal((await ask({ clientId: 'one more' })).kind, 'tooMany');
      const stranger = await aFixture(store);
      assert.equal((await ask({ sub: stranger.user.sub }, store, stranger.app)).kind, 'reaches');
    });

    it('a mail tells of the first five in an hour', async () => {
      const before = await store.countWaitingMails();
      for (let count = 0; count < 8; count++) {
        const sealed = { sealed: new Uint8Array([1]), createdAt: NOW, expiresAt: NOW + 600 };
        await add({ clientId: `client ${count}`, mail: { id: unique('mail'), ...sealed } });
      }
      assert.equal((await store.countWaitingMails()) - before, 5);
    });

    it('its ping is due when the person has decided, for one process at a time, until it was answered', async () => {
      const { sub } = fixture.user;
      const ids: string[] = [];
      const take = async (now: number, at: Store = store) =>
        (await at.takePings(now, now + 60, 100)).filter(({ id }) => ids.includes(id));
      const ping = new Uint8Array([1, 2, 3]);
      const { id } = await add({ ping });
      const waiting = await add({ ping });
      ids.push(id, waiting.id, (await add()).id);
      assert.deepEqual(await take(NOW + 9), []);
      await deny(id, sub);
      await deny(id, sub);
      const other = await another();
      const taken = await Promise.all(Array.from({ length: 10 }, (_, at) => take(NOW + 9, at % 2 ? other : store)));
      const about = { id, app: fixture.app, clientId: 'web', sealed: ping, expiresAt: NOW + 600 };
      assert.deepEqual(taken.flat(), [{ ...about, attempts: 1 }]);
      await store.postponePing(id, NOW + 20);
      assert.deepEqual(await take(NOW + 19), []);
      const busy = [`${fixture.app} web`];
      assert(
        !(await store.takePings(NOW + 20, NOW + 80, 100, busy)).some(ping => ping.id === id),
        'its client is busy',
      );
      assert.deepEqual(await take(NOW + 20), [{ ...about, attempts: 2 }]);
      await store.finishPing(id);
      assert.deepEqual(await take(NOW + 9999), []);
      await deny(waiting.id, sub);
      await store.purge(NOW + 601 + 3600, 1000);
      assert.deepEqual(await take(NOW + 9999), [], 'it goes with its request');
    });

    it('a person has one approval code, the last one, until it is removed', async () => {
      const { sub } = fixture.user;
      assert.equal(await store.approvalCodeOf(sub), undefined);
      for (const hash of ['first', 'second']) {
        await store.setApprovalCode(sub, { hash, setAt: NOW }, anAct('approval.code_set', sub).event);
        assert.deepEqual(await store.approvalCodeOf(sub), { hash, setAt: NOW });
      }
      const [removed, again] = [anAct('approval.code_removed', sub), anAct('approval.code_removed', sub)];
      await store.removeApprovalCode(sub, removed.event);
      assert.equal(await store.approvalCodeOf(sub), undefined);
      await store.removeApprovalCode(sub, again.event);
      await assertRecorded(store, removed);
      await assertNotRecorded(store, again);
    });

    it('reaches nobody who was disabled or deleted meanwhile', async () => {
      await store.changeUser(fixture.user.sub, change({ disabled: true }));
      assert.deepEqual(await ask(), { kind: 'nobody' });
      await store.changeUser(fixture.user.sub, remove());
      assert.deepEqual(await ask(), { kind: 'nobody' });
    });

    it('is deleted with its person', async () => {
      const { requestHash } = await add();
      await store.changeUser(fixture.user.sub, remove());
      const polled = await store.pollBackchannelRequest(fixture.app, requestHash, 'web', NOW);
      assert.deepEqual(polled, { kind: 'unknown' });
    });
  });
}
