import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hash as bcrypt } from '@node-rs/bcrypt';
import { assertRefused, aTokenSet, isActive, refresh, token, userinfo } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { suitePart } from '../../build/suite-part.ts';
import { startTestServer } from '../../build/test-server.ts';
import { authorizationUrl, signIn, Visitor } from '../../build/visitor.ts';

describe('a user whose password came from another system as a hash (running.md: password_hash)', () => {
  const THEIRS = 'their old password';
  const server = suitePart(async () => {
    const password_hash = await bcrypt(THEIRS, 5);
    const users = ['page', 'grant', 'wrong', 'many'].map(username => ({ username, password_hash }));
    return startTestServer({
      users: [...users, { email: 'Named.By@example.com', password_hash }],
      isPasswordCostReal: true,
    });
  });

  const stored = async (username: string) => (await server.services.store.findAccount(username))?.passwordHash ?? '';
  const OURS = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

  it('signs in on the login page, and is stored as our own from then on, in a session that lives', async () => {
    const visitor = new Visitor(server.base);
    assert(delivered(await signIn(server, {}, { visitor, username: 'page', password: THEIRS })).fields.code);
    assert.match(await stored('page'), OURS);
    assert(delivered(await visitor.go(authorizationUrl(server, { prompt: 'none' }))).fields.code);
    const again = { visitor: new Visitor(server.base), username: 'page', password: THEIRS };
    assert(delivered(await signIn(server, {}, again)).fields.code);
    assert(delivered(await visitor.go(authorizationUrl(server, { prompt: 'none' }))).fields.code);
  });

  it('gets live tokens by the password grant', async () => {
    const set = await aTokenSet(server, { username: 'grant', password: THEIRS });
    assert.match(await stored('grant'), OURS);
    assert.equal(await isActive(server, set.access_token), true);
    assert.equal((await refresh(server, set.refresh_token)).status, 200);
  });

  it('is refused with another password, and stays stored as it came', async () => {
    const before = await stored('wrong');
    const answered = await token(server, { grant_type: 'password', username: 'wrong', password: `${THEIRS}!` });
    assertRefused(answered, 400, 'invalid_grant');
    assert.equal(await stored('wrong'), before);
  });

  it('gets live tokens for every login of many that are the first at the same moment', async () => {
    const login = () => aTokenSet(server, { username: 'many', password: THEIRS });
    for (const set of await Promise.all([login(), login(), login(), login()]))
      assert.equal(await isActive(server, set.access_token), true);
  });

  it('is known to clients by the e-mail address, where there is no other name', async () => {
    const set = await aTokenSet(server, {
      username: 'named.by@EXAMPLE.com',
      password: THEIRS,
      scope: 'openid profile',
    });
    assert.equal((await userinfo(server, set.access_token)).json.preferred_username, 'Named.By@example.com');
  });
});
