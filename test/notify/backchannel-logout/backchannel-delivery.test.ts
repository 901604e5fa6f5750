import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLogoutSender } from '../../../src/notify/backchannel-logout/job.ts';
import type { Sender } from '../../../src/platform/jobs/in-flight.ts';
import { sql } from '../../../src/platform/store/sql.ts';
import { claimsOf } from '../../build/client.ts';
import { deliverLogoutNotices } from '../../build/deliver-notices.ts';
import { aClient, anApplication } from '../../build/fixture.ts';
import { tokensOf } from '../../build/people.ts';
import { until } from '../../build/until.ts';
import { tokenIn, useBackchannel } from './backchannel-fixture.ts';

const { server, web, bank, clock, deliver, logOut, someone, verified, given, restart, anotherNode } = useBackchannel();

describe('back-channel logout: delivery', () => {
  /** Ends a session in which only `web` took part, so that only `web` is notified. */
  async function ended() {
    const { visitor, set, claims } = await someone();
    await logOut(visitor, set.id_token);
    return claims;
  }
  /** Seconds until the next attempt, looking once a second as the job does. */
  async function untilNext(most: number): Promise<number> {
    const before = web.received.length;
    for (let waited = 1; waited <= most; waited++) {
      clock.advance(1);
      await deliver();
      if (web.received.length > before) return waited;
    }
    return assert.fail(`nothing came within ${most} seconds`);
  }

  for (const status of [500, 503, 400, 404]) {
    it(`is tried again after a ${status}, with a longer pause each time, until it is taken`, async () => {
      const { sid } = await ended();
      web.answer({ status }, { status }, { status });
      await deliver();
      assert.equal(web.received.length, 1);
      const pauses = [await untilNext(60), await untilNext(120), await untilNext(240)];
      assert(
        pauses.every((pause, index) => index === 0 || pause > (pauses[index - 1] ?? 0)),
        pauses.join(', '),
      );
      assert.equal(web.received.length, 4);
      clock.advance(86_400);
      await deliver();
      assert.equal(web.received.length, 4, 'taken is taken');
      assert.equal(claimsOf(tokenIn(web)).sid, sid);
      assert.equal(new Set(web.received.map((_, index) => claimsOf(tokenIn(web, index)).jti)).size, 4);
    });
  }

  it('has a token that is fresh at each attempt', async () => {
    await ended();
    web.answer({ status: 500 });
    await deliver();
    await untilNext(60);
    assert.equal((await verified(tokenIn(web), 'shop', 'web')).payload.iat, clock.now());
  });

  it('comes when the client was down and is back', async () => {
    const { sid } = await ended();
    await web.down();
    await deliver();
    clock.advance(4);
    await web.up();
    assert.equal(web.received.length, 0);
    await untilNext(60);
    assert.equal(claimsOf(tokenIn(web)).sid, sid);
  });

  it('does not wait for one that is down to tell the others', async () => {
    const { visitor, set } = await someone();
    await tokensOf(server, visitor, {}, { app: 'bank' });
    await web.down();
    await logOut(visitor, set.id_token);
    await deliver();
    assert.equal(bank.received.length, 1);
    await web.up();
  });

  it('follows no redirect', async () => {
    await ended();
    web.answer({ status: 302, location: bank.address }, { status: 307, location: bank.address });
    await deliver();
    await untilNext(60);
    assert.equal(bank.received.length, 0);
    await untilNext(120);
    assert.equal(web.received.length, 3, 'a redirect is not an acknowledgement');
  });

  it('survives a restart, and two nodes do not both send it', async () => {
    const { sid } = await ended();
    web.answer({ status: 500 });
    await deliver();
    const server = await restart();
    const second = await anotherNode();
    clock.advance(60);
    web.received.length = 0;
    await Promise.all([deliver(server), deliver(second), deliver(server), deliver(second)]);
    await second.close();
    assert.equal(web.received.length, 1);
    assert.equal(claimsOf(tokenIn(web)).sid, sid);
  });

  it('is taken up by another node when the one that had it in hand died', async () => {
    await ended();
    const { store } = server.services;
    assert.equal((await store.takeLogoutNotices(clock.now(), clock.now() + 60, 10)).length, 1);
    clock.advance(59);
    await deliver();
    assert.equal(web.received.length, 0);
    clock.advance(1);
    await deliver();
    assert.equal(web.received.length, 1);
  });

  it('gives up in the end, and says so in the log', async () => {
    await ended();
    web.answer(...Array.from({ length: 100 }, () => ({ status: 500 })));
    for (let hour = 0; hour < 48; hour++) {
      await deliver();
      clock.advance(3600);
    }
    const attempts = web.received.length;
    assert(attempts >= 5 && attempts < 40, String(attempts));
    assert.match(server.logged(), /logout\.undelivered/);
    clock.advance(86_400);
    await deliver();
    assert.equal(web.received.length, attempts);
    web.answer();
  });

  it('is postponed, and given up in the end, also where no token can be made', async () => {
    await ended();
    const signer = { ...server.services.signer, sign: () => Promise.reject(new Error('no key')) };
    const broken = { ...server.services, signer };
    const attempts = () => server.logged().match(/logout\.postponed.*no key/g)?.length ?? 0;
    for (let hour = 0; hour < 48; hour++) {
      await deliverLogoutNotices(broken);
      clock.advance(3600);
    }
    assert.equal(attempts(), 13);
    assert.match(server.logged(), /logout\.undelivered.*no key/);
    await deliver();
    assert.equal(web.received.length, 0);
  });

  it('is dropped when the client has no address any more', async () => {
    await ended();
    await server.provision({ applications: [anApplication({ clients: [aClient()] })] });
    await deliver();
    await server.provision({ applications: given() });
    clock.advance(86_400);
    await deliver();
    assert.equal(web.received.length, 0);
  });

  describe('notices for a client that does not answer', () => {
    /** Notices of sessions that ended a while ago. */
    async function backlog(count: number) {
      const { claims } = await someone();
      const row = sql`'shop', 'web', ${claims.sub}, ${claims.sid}, ${clock.now() - 100}`;
      for (let at = 0; at < count; at++) {
        await server.services.store.cold.write(
          sql`INSERT INTO logout_notices (app, client_id, sub, sid, due_at) VALUES (${row})`,
        );
      }
    }
    /** The receiver is silent until `act` is over. */
    async function duringSilence(sender: Sender, act: () => Promise<void>) {
      const { promise, resolve } = Promise.withResolvers<void>();
      web.answer(...Array.from({ length: 100 }, () => ({ status: 500, when: promise })));
      try {
        await act();
      } finally {
        resolve();
        await sender.idle();
        web.answer();
      }
    }

    it('do not delay those for others', async () => {
      await backlog(40);
      const sender = createLogoutSender(server.services);
      await duringSilence(sender, async () => {
        await sender.run();
        const { visitor, set } = await someone();
        await tokensOf(server, visitor, {}, { app: 'bank' });
        await logOut(visitor, set.id_token);
        await sender.run();
        await until('the bank is told', () => bank.received.length === 1);
        assert(web.received.length <= 5, `${web.received.length} at the same time`);
      });
    });

    it('are sent one at a time once one has failed', async () => {
      const sender = createLogoutSender(server.services);
      await backlog(1);
      web.answer({ status: 500 });
      await sender.run();
      await sender.idle();
      await backlog(5);
      await duringSilence(sender, async () => {
        await sender.run();
        await sender.run();
        const waiting = await server.services.store.takeLogoutNotices(clock.now(), clock.now() + 60, 100);
        assert.equal(waiting.length, 4);
      });
    });
  });
});
