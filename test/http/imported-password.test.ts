import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { hash as bcrypt } from '@node-rs/bcrypt';
import { assertRefused, aTokenSet, isActive, refresh, token, userinfo } from '../build/client.ts';
import { delivered } from '../build/delivered.ts';
import { type House, openHouse } from '../build/house.ts';
import { authorizationUrl, signIn, Visitor } from '../build/visitor.ts';

describe('a user whose password came from another system as a hash (running.md: password_hash)', () => {
  let house: House;
  const THEIRS = 'their old password';
  before(async () => {
    const password_hash = await bcrypt(THEIRS, 5);
    const users = ['page', 'grant', 'wrong', 'many'].map(username => ({ username, password_hash }));
    house = await openHouse({ users: [...users, { email: 'Named.By@example.com', password_hash }] });
  });
  after(() => house.close());

  const stored = async (username: string) => (await house.services.store.findAccount(username))?.passwordHash ?? '';
  const OURS = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

  it('signs in on the login page, and is stored as our own from then on, in a session that lives', async () => {
    const visitor = new Visitor(house.base);
    assert(delivered(await signIn(house, {}, { visitor, username: 'page', password: THEIRS })).fields.code);
    assert.match(await stored('page'), OURS);
    assert(delivered(await visitor.go(authorizationUrl(house, { prompt: 'none' }))).fields.code);
    const again = { visitor: new Visitor(house.base), username: 'page', password: THEIRS };
    assert(delivered(await signIn(house, {}, again)).fields.code);
    assert(delivered(await visitor.go(authorizationUrl(house, { prompt: 'none' }))).fields.code);
  });

  it('gets live tokens by the password grant', async () => {
    const set = await aTokenSet(house, { username: 'grant', password: THEIRS });
    assert.match(await stored('grant'), OURS);
    assert.equal(await isActive(house, set.access_token), true);
    assert.equal((await refresh(house, set.refresh_token)).status, 200);
  });

  it('is refused with another password, and stays stored as it came', async () => {
    const before = await stored('wrong');
    const answered = await token(house, { grant_type: 'password', username: 'wrong', password: `${THEIRS}!` });
    assertRefused(answered, 400, 'invalid_grant');
    assert.equal(await stored('wrong'), before);
  });

  it('gets live tokens for every login of many that are the first at the same moment', async () => {
    const login = () => aTokenSet(house, { username: 'many', password: THEIRS });
    for (const set of await Promise.all([login(), login(), login(), login()]))
      assert.equal(await isActive(house, set.access_token), true);
  });

  it('is known to clients by the e-mail address, where there is no other name', async () => {
    const set = await aTokenSet(house, { username: 'named.by@EXAMPLE.com', password: THEIRS, scope: 'openid profile' });
    assert.equal((await userinfo(house, set.access_token)).json.preferred_username, 'Named.By@example.com');
  });
});
