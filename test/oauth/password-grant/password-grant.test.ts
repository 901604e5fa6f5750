import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ALICE, assertRefused, aTokenSet, basic, claimsOf, token, userinfo } from '../../build/client.ts';
import { aClient, aUser } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';

describe('password grant (interface 4.2, row 42)', () => {
  const server = suiteServer({
    clients: [
      aClient(),
      aClient({ client_id: 'plain', grant_types: ['authorization_code'] }),
      aClient({ client_id: 'brief', grant_types: ['password'] }),
    ],
    users: [
      aUser(),
      aUser({ username: 'dora', email: 'dora@example.com', phone_number: '+8613800000002', disabled: true }),
    ],
  });

  for (const username of ['alice', 'ALICE', 'alice@example.com', '+8613800000001', '+86 138-0000-0001']) {
    it(`takes the login name ${username} (login name, telephone number or e-mail)`, async () => {
      const set = await aTokenSet(server, { username, scope: 'openid profile' });
      assert.equal((await userinfo(server, set.access_token)).json.preferred_username, 'alice');
    });
  }

  it('has no sid, since no browser session is behind it (row 44)', async () => {
    const claims = claimsOf((await aTokenSet(server)).id_token);
    assert.equal(claims.sid, undefined);
    assert.deepEqual(claims.amr, ['pwd']);
  });

  it('gives no refresh token to a client that has no refresh grant (row 40)', async () => {
    const set = await aTokenSet(server, {}, { auth: basic('brief', 'web-secret-1') });
    assert.deepEqual(Object.keys(set).sort(), ['access_token', 'expires_in', 'id_token', 'scope', 'token_type']);
    assert.equal((await userinfo(server, set.access_token)).status, 200);
  });

  it('answers wrong password, unknown user and disabled user alike (row 42)', async () => {
    const answers = [];
    for (const username of ['alice', 'nobody', 'dora']) {
      answers.push(await token(server, { grant_type: 'password', username, password: 'wrong' }));
    }
    const right = await token(server, { grant_type: 'password', ...ALICE, username: 'dora' });
    for (const answered of [...answers, right]) {
      assertRefused(answered, 400, 'invalid_grant', 'The username or password is incorrect.');
      assert.equal(answered.text, answers[0]?.text);
    }
  });

  it('must be enabled for the client (row 42)', async () => {
    const answered = await token(
      server,
      { grant_type: 'password', ...ALICE },
      { auth: basic('plain', 'web-secret-1') },
    );
    assertRefused(answered, 400, 'unauthorized_client');
  });
});
