import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALICE, assertRefused, aTokenSet, claimsOf, isActive, redeem, refresh } from '../../build/client.ts';
import { gatehouse } from '../../build/command.ts';
import { assertSentBack, delivered } from '../../build/delivered.ts';
import { aUser } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { bob, signedIn, tokensOf } from '../../build/people.ts';
import { suiteServer } from '../../build/test-server.ts';
import { authorizationUrl, type Visitor } from '../../build/visitor.ts';

describe('gatehouse sessions', () => {
  const server = suiteServer({ users: [aUser(), bob()] });

  const silently = (visitor: Visitor) => visitor.go(authorizationUrl(server, { prompt: 'none' }));
  const sidsIn = (out: string) => out.split('\n').flatMap(line => (line === '' ? [] : [line.split(' ')[0]]));

  for (const user of ['alice', 'ALICE@example.com']) {
    it(`list --user ${user} shows the sessions of this user and of no other`, async () => {
      const alice = claimsOf((await tokensOf(server, await signedIn(server))).id_token);
      const other = claimsOf((await tokensOf(server, await signedIn(server, 'bob'))).id_token);
      const { code, out } = await gatehouse(server, 'sessions', 'list', '--user', user);
      assert.equal(code, 0);
      assert(out.includes(`${alice.sid} signed in ${new Date(alice.auth_time * 1000).toISOString()}`));
      assert(!out.includes(other.sid));
    });
  }

  it('end --sid ends one, on the running server at once, with its tokens', async () => {
    const [one, other] = [await signedIn(server), await signedIn(server)];
    const set = await tokensOf(server, one);
    const { sid } = claimsOf(set.id_token);
    const { code, out } = await gatehouse(server, 'sessions', 'end', '--user', 'alice', '--sid', sid);
    assert.equal(code, 0);
    assert.deepEqual(sidsIn(out), [sid]);
    assertSentBack(server, await silently(one), { error: 'login_required' });
    assert.equal(await isActive(server, set.access_token), false);
    assert(delivered(await silently(other)).fields.code);
  });

  it('list --json and end --json print one document, with what GET /users/{sub}/sessions answers', async () => {
    const { sid, sub } = claimsOf((await tokensOf(server, await signedIn(server))).id_token);
    const owner = await anOperatorClient(server);
    const { json } = await owner.ask('GET', `/users/${sub}/sessions?limit=200`);
    const listed = await gatehouse(server, 'sessions', 'list', '--user', 'alice', '--json');
    assert.deepEqual([listed.code, JSON.parse(listed.out)], [0, json]);
    const ended = await gatehouse(server, 'sessions', 'end', '--user', 'alice', '--sid', sid, '--json');
    const { items } = JSON.parse(ended.out);
    assert.deepEqual(
      items,
      json.items.filter(({ id }: { id: string }) => id === sid),
    );
    const all = await gatehouse(server, 'sessions', 'end', '--user', 'alice', '--json');
    assert.equal(JSON.parse(all.out).items.length, json.items.length - 1);
    // Events of two processes in the same second have no order: the end of this session is found by its sid, not as the newest.
    const recorded = async (type: string): Promise<{ actor: object; details: { sid?: string } }[]> => {
      const { json: page } = await owner.ask('GET', `/events?user=${sub}&type=${type}&limit=200`);
      return page.items.map(({ actor, details }: Record<string, unknown>) => ({ actor, details }));
    };
    assert.deepEqual(
      (await recorded('session.ended')).filter(({ details }) => details.sid === sid),
      [{ actor: { kind: 'system' }, details: { sid, reason: 'operator' } }],
    );
    assert.deepEqual(await recorded('user.signed_out'), [
      { actor: { kind: 'system' }, details: { sessions: json.items.length - 1 } },
    ]);
  });

  it('end without --sid ends all of this user, and of no other', async () => {
    const visitors = [await signedIn(server), await signedIn(server)];
    const untouched = await signedIn(server, 'bob');
    assert.equal((await gatehouse(server, 'sessions', 'end', '--user', 'alice')).code, 0);
    for (const visitor of visitors) assertSentBack(server, await silently(visitor), { error: 'login_required' });
    assert(delivered(await silently(untouched)).fields.code);
    const { code, out } = await gatehouse(server, 'sessions', 'list', '--user', 'alice');
    assert.deepEqual([code, out], [0, 'No sessions.\n']);
  });

  it('end without --sid ends what has no session too: codes, and the tokens of the password grant', async () => {
    const visitor = await signedIn(server);
    const { code: authorizationCode } = delivered(await silently(visitor)).fields;
    const [set, other] = [await aTokenSet(server), await aTokenSet(server, { ...ALICE, username: 'bob' })];
    const { code, out } = await gatehouse(server, 'sessions', 'end', '--user', 'alice');
    assert.equal(code, 0);
    assert.match(out, /^All tokens and codes of alice have ended, with and without a session\.$/m);
    assert.equal(await isActive(server, set.access_token), false);
    assertRefused(await refresh(server, set.refresh_token), 400, 'invalid_grant');
    assertRefused(await redeem(server, authorizationCode), 400, 'invalid_grant');
    assert.equal(await isActive(server, other.access_token), true);
  });

  it('end --sid of another user ends nothing', async () => {
    const visitor = await signedIn(server, 'bob');
    const { sid } = claimsOf((await tokensOf(server, visitor)).id_token);
    const { out } = await gatehouse(server, 'sessions', 'end', '--user', 'alice', '--sid', sid);
    assert.deepEqual(out, 'No sessions.\n');
    assert(delivered(await silently(visitor)).fields.code);
  });

  it('names the user that does not exist, and exits 65', async () => {
    const { code, err } = await gatehouse(server, 'sessions', 'list', '--user', 'nobody');
    assert.equal(code, 65);
    assert.match(err, /nobody/);
  });

  for (const args of [[], ['list'], ['show', '--user', 'alice'], ['end', 'x', '--user', 'alice'], ['list', '--all']]) {
    it(`shows how it is used, and exits 64: ${args.join(' ')}`, async () => {
      const { code, err } = await gatehouse(server, 'sessions', ...args);
      assert.equal(code, 64);
      assert.match(err, /Usage: gatehouse sessions/);
    });
  }
});
