import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { ALICE, assertRefused, aTokenSet, isActive, redeem, refresh, token, userinfo } from '../../build/client.ts';
import { gatehouse } from '../../build/command.ts';
import { assertSentBack, delivered } from '../../build/delivered.ts';
import { aUser, PASSWORD } from '../../build/fixture.ts';
import { atLogin, bob, signedIn, tokensOf } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer, suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, signIn, Visitor } from '../../build/visitor.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

describe('a stolen password that was used before it is reset', () => {
  const folder = suitePart(temporaryFolder);
  const server = suitePart(() => startTestServer({ users: [aUser(), bob()] }));

  const silently = (visitor: Visitor) => visitor.go(authorizationUrl(server, { prompt: 'none' }));
  const apply = async (users: object[], ...options: string[]) => {
    const file = folder.file('users.json');
    writeFileSync(file, JSON.stringify({ users }));
    const ran = await gatehouse(server, 'apply', ...options, file);
    assert.equal(ran.code, 0, ran.err);
    return ran.out;
  };
  /** Everything that an attacker who knows the password can get: a session, a code, tokens with and without a session. */
  const loot = async (username = 'alice') => {
    const visitor = await signedIn(server, username);
    return {
      visitor,
      code: delivered(await silently(visitor)).fields.code ?? '',
      sets: [await tokensOf(server, visitor), await aTokenSet(server, { ...ALICE, username })],
    };
  };
  type Loot = Awaited<ReturnType<typeof loot>>;
  const assertWorthless = async ({ visitor, code, sets }: Loot) => {
    assertSentBack(server, await silently(visitor), { error: 'login_required' });
    assert(atLogin(await visitor.follow(`${server.base}/account`)));
    assertRefused(await redeem(server, code), 400, 'invalid_grant');
    for (const set of sets) {
      assertRefused(await refresh(server, set.refresh_token), 400, 'invalid_grant');
      assertRefused(await userinfo(server, set.access_token), 401, 'invalid_token');
      assert.equal(await isActive(server, set.access_token), false);
      assert.equal(await isActive(server, set.refresh_token), false);
    }
  };
  const assertGood = async ({ visitor, code, sets }: Loot) => {
    assert(delivered(await silently(visitor)).fields.code);
    assert.equal((await redeem(server, code)).status, 200);
    for (const set of sets) assert.equal((await userinfo(server, set.access_token)).status, 200);
  };

  it('leaves the thief no session, no code, no refresh token and no access token', async () => {
    const [thief, other] = [await loot(), await loot('bob')];
    const out = await apply([{ username: 'alice', password: 'new password' }], '--reset-passwords');
    assert.equal(out, 'user alice: password changed\n');
    await assertWorthless(thief);
    await assertGood(other);
    assertRefused(await token(server, { grant_type: 'password', ...ALICE }), 400, 'invalid_grant');
    assert(delivered(await signIn(server, {}, { password: 'new password' })).fields.code);
    await apply([{ username: 'alice', password: PASSWORD }], '--reset-passwords');
  });

  it('ends also when the password is reset to the same one: the operator wants all sessions ended', async () => {
    const thief = await loot();
    await apply([{ username: 'alice', password: PASSWORD }], '--reset-passwords');
    await assertWorthless(thief);
  });

  it('and what does not change the password ends nothing: a file without --reset-passwords, a dry run, another field', async () => {
    const person = await loot();
    await apply([{ username: 'alice', password: 'new password', nickname: 'Alice' }]);
    await apply([{ username: 'alice', password: 'new password' }], '--reset-passwords', '--dry-run');
    await apply([{ username: 'alice', nickname: 'Al' }], '--reset-passwords');
    await assertGood(person);
  });
});

describe('a login with the former password that is under way while it is reset', () => {
  /** What happens after the password was found right, and before anything is written. */
  let inBetween = async () => {};
  const server = suiteServer(() => ({
    wrapStore: store => ({
      ...store,
      openSession: (...args) => inBetween().then(() => store.openSession(...args)),
      addTokenFamily: (...args) => inBetween().then(() => store.addTokenFamily(...args)),
    }),
  }));

  const reset = async () => {
    const { store, passwords } = server.services;
    const account = await store.findAccount('alice');
    assert(account);
    const { clock } = server.services;
    assert(await store.changePassword(account.sub, await passwords.hash('new password'), clock.now()));
  };

  it('gets no session on the login page', async () => {
    inBetween = reset;
    const visitor = new Visitor(server.base);
    assert(atLogin(await signIn(server, {}, { visitor })));
    assertSentBack(server, await visitor.go(authorizationUrl(server, { prompt: 'none' })), { error: 'login_required' });
  });

  it('gets dead tokens from the password grant', async () => {
    inBetween = reset;
    const set = await aTokenSet(server, { password: 'new password' });
    assert.equal(await isActive(server, set.access_token), false);
    assertRefused(await refresh(server, set.refresh_token), 400, 'invalid_grant');
  });
});
