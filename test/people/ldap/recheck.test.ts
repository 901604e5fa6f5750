import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newEvent } from '../../../src/audit/events/new-event.ts';
import { ALICE, assertRefused, claimsOf, isActive, redeem, refresh, token } from '../../build/client.ts';
import { type FixedClock, fixedClock } from '../../build/clock.ts';
import { personDn } from '../../build/directory.ts';
import { eventDuring } from '../../build/events.ts';
import { aUser } from '../../build/fixture.ts';
import { answerIn } from '../../build/visitor.ts';
import { assertNotIn, BOB, type Staffed, type StaffedOptions, staffed, typed } from './staffed.ts';

/** Tokens of somebody who signed in on the page. */
async function tokensOf({ server }: Staffed, uid: string) {
  const { code } = answerIn(await typed(server, uid, BOB.password));
  const { json } = await redeem(server, code);
  return json as { readonly refresh_token: string; readonly access_token: string };
}

const PEOPLE = ['bob', 'carol', 'dave', 'erin'].map(uid => ({ ...BOB, uid }));

function rechecked(options: StaffedOptions = {}): Staffed & { readonly clock: FixedClock } {
  const clock = fixedClock(Math.floor(Date.now() / 1000));
  const suite = staffed({ content: { people: PEOPLE }, provider: () => ({ recheck: '15m' }), clock, ...options });
  return Object.assign(Object.create(suite), { clock }) as Staffed & { readonly clock: FixedClock };
}

const QUARTER_SECONDS = 15 * 60;

for (const store of ['SQLite', 'PostgreSQL'] as const) {
  describe(`a refresh for a person of a directory with recheck, on ${store}`, () => {
    const it1 = rechecked({ store });

    it('is answered while the person is there', async () => {
      const { refresh_token } = await tokensOf(it1, 'bob');
      it1.clock.advance(QUARTER_SECONDS);
      assert.equal((await refresh(it1.server, refresh_token)).status, 200);
    });

    it('is refused when the person is gone, and every token of the login ends', async () => {
      const first = await tokensOf(it1, 'carol');
      await it1.corp.remove(personDn('carol'));
      it1.clock.advance(QUARTER_SECONDS - 1);
      const second = await refresh(it1.server, first.refresh_token);
      assert.equal(second.status, 200, 'the time has not passed yet');
      it1.clock.advance(1);
      assertRefused(await refresh(it1.server, second.json.refresh_token), 400, 'invalid_grant');
      assert.equal(await isActive(it1.server, second.json.access_token), false);
      assertRefused(await refresh(it1.server, second.json.refresh_token), 400, 'invalid_grant');
    });
  });
}

describe('a recheck', () => {
  const it1 = rechecked({ users: [aUser()] });

  it('refuses who is locked there', async () => {
    const { refresh_token } = await tokensOf(it1, 'dave');
    await it1.corp.replace(personDn('dave'), 'pwdAccountLockedTime', '000001010000Z');
    it1.clock.advance(QUARTER_SECONDS);
    assertRefused(await refresh(it1.server, refresh_token), 400, 'invalid_grant');
  });

  it('asks nobody about people who signed in here', async () => {
    const { json } = await token(it1.server, { grant_type: 'password', ...ALICE });
    it1.clock.advance(QUARTER_SECONDS);
    await it1.corp.stop();
    assert.equal((await refresh(it1.server, json.refresh_token)).status, 200);
    await it1.corp.start();
  });

  it('ends no sign-in while the directory is down', async () => {
    const { refresh_token } = await tokensOf(it1, 'erin');
    it1.clock.advance(QUARTER_SECONDS);
    await it1.corp.stop();
    assert.equal((await refresh(it1.server, refresh_token)).status, 200);
    await it1.corp.start();
  });
});

describe('the password grant', () => {
  const it1 = staffed({
    content: { people: [BOB, { uid: 'alice', password: 'of alice at corp', mail: 'alice@example.com' }] },
    users: [aUser({ email: 'alice@example.com' })],
  });
  const grant = (username: string, password: string) =>
    token(it1.server, { grant_type: 'password', username, password, scope: 'openid' });

  it('asks the directories of the application as the page does', async () => {
    const event = await eventDuring(it1.server, 'provider.sign_in.succeeded', async () => {
      const { json } = await grant('bob', BOB.password);
      assert.deepEqual(claimsOf(json.id_token).amr, ['fed']);
    });
    assert.deepEqual([event.app, event.details], ['shop', { provider: 'corp' }]);
  });

  it('refuses what the directory refuses', async () => {
    const event = await eventDuring(it1.server, 'provider.sign_in.failed', async () => {
      assertRefused(await grant('bob', 'another password'), 400, 'invalid_grant');
    });
    assert.deepEqual([event.subject, event.details?.reason], ['corp', 'wrong']);
  });

  it('refuses a person who has asked for the deletion of the account: only a page can ask whether to keep it', async () => {
    const { server } = it1;
    const { sub = '' } = (await server.services.store.findAccount('bob')) ?? {};
    const now = server.services.clock.now();
    const event = newEvent(server.services, {
      type: 'user.disabled',
      outcome: 'success',
      actor: { kind: 'system' },
      subject: sub,
    });
    assert.equal(await server.services.store.scheduleDeletion(sub, now + 3600, now, { event }), true);
    assertRefused(await grant('bob', BOB.password), 400, 'invalid_grant');
  });

  it('refuses a person whose address belongs to an account here: only a page can ask for a proof', async () => {
    assertRefused(await grant('alice', 'of alice at corp'), 400, 'invalid_grant');
  });
});

describe('who has left the directory', () => {
  const it1 = staffed({ content: { people: PEOPLE } });
  const setPassword = async (uid: string) => {
    const { services } = it1.server;
    await typed(it1.server, uid, BOB.password);
    const { sub = '' } = (await services.store.findAccount(uid)) ?? {};
    await services.store.changePassword(sub, await services.passwords.hash('a password here'), services.clock.now());
  };

  it('does not come in by a password of this server', async () => {
    await setPassword('bob');
    assert(answerIn(await typed(it1.server, 'bob', 'a password here')).code);
    await it1.corp.remove(personDn('bob'));
    const seen = await typed(it1.server, 'bob', 'a password here');
    assertNotIn(seen);
    assert.match(seen.text, /Your account at Corp is disabled or no longer exists/);
    const grant = { grant_type: 'password', username: 'bob', password: 'a password here' };
    assertRefused(await token(it1.server, grant), 400, 'invalid_grant');
  });

  it('comes in while the directory is down: nobody can tell', async () => {
    await setPassword('carol');
    await it1.corp.stop();
    assert(answerIn(await typed(it1.server, 'carol', 'a password here')).code);
    await it1.corp.start();
  });
});
