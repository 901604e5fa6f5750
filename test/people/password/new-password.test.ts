import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { claimsOf, introspect, redeem, WEB } from '../../build/client.ts';
import { gatehouse } from '../../build/command.ts';
import { delivered } from '../../build/delivered.ts';
import { eventsOf } from '../../build/events.ts';
import { anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { linkIn, MailTown } from '../../build/mail-people.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { bob, signedIn, tokensOf } from '../../build/people.ts';
import { testPart } from '../../build/suite-part.ts';
import { formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

const CHOSEN = 'a passphrase that is new';

describe('a password that an operator wants changed (accounts contract, /login/new-password)', () => {
  const town = testPart(() => new MailTown());
  const server = testPart(() =>
    town.start({
      applications: [anApplication({ password_min_length: 12 })],
      users: [
        aUser({ require_password_change: true }),
        bob(),
        aUser({
          ...{ username: 'tina', email: 'tina@example.com', phone_number: null, require_password_change: true },
          totp_secret: TOTP_SECRET,
        }),
      ],
    }),
  );
  const visitor = testPart(() => new Visitor(server.base));

  const login = (username = 'alice', password = PASSWORD, by = visitor) =>
    signIn(server, {}, { visitor: by, username, password });
  const choose = (page: Seen, password: string, by = visitor) => by.send(formWith(page, 'password'), { password });
  const hasSession = () => visitor.cookies.has('gatehouse_session');
  const demand = async (username: string) => {
    const { sub = '' } = (await server.services.store.findAccount(username)) ?? {};
    await server.services.store.provision([{ kind: 'user', sub, requirePasswordChange: true, now: town.clock.now() }]);
  };

  it('is asked for after the password, and the session is opened with the new one', async () => {
    const page = await login();
    assert.match(page.url, /\/login\/new-password\?pending=/);
    assert.equal(hasSession(), false);
    const seen = await choose(page, CHOSEN);
    assert(hasSession());
    const { json } = await redeem(server, delivered(seen).fields.code ?? '', {}, { auth: WEB });
    assert.deepEqual(claimsOf(json.id_token).amr, ['pwd']);
    const [event] = await eventsOf(server, { types: ['user.password.changed'] });
    assert.equal(event?.details?.reason, 'demanded');
    assert.match((await town.newestMail()).subject, /was changed/);
    assert.equal((await login('alice', PASSWORD, new Visitor(server.base))).status, 400);
    assert(delivered(await login('alice', CHOSEN, new Visitor(server.base))).fields.code, 'not asked again');
  });

  it('comes after the second factor', async () => {
    const totp = await login('tina');
    assert.match(totp.url, /\/login\/totp/);
    const page = await visitor.send(formWith(totp, 'code'), { code: anAuthenticator(town.clock).code() });
    assert.match(page.url, /\/login\/new-password/);
    const seen = await choose(page, CHOSEN);
    const { json } = await redeem(server, delivered(seen).fields.code ?? '', {}, { auth: WEB });
    assert.deepEqual(claimsOf(json.id_token).amr, ['pwd', 'otp', 'mfa']);
  });

  it('is asked for before the pages of the server itself', async () => {
    const start = await visitor.follow(`${server.base}/account`);
    const page = await visitor.send(formWith(start, 'password'), { username: 'alice', password: PASSWORD });
    assert.match(page.url, /\/login\/new-password/);
    assert.match((await choose(page, CHOSEN)).text, /Your profile/);
  });

  it('must be another one, long enough for the application, and not like the names around it', async () => {
    const page = await login();
    for (const [password, text] of [
      [PASSWORD, /is your current one/],
      ['eleven char', /at least 12 characters/],
      ['alice@example.com', /too similar to the e-mail address/],
    ] as const) {
      const seen = await choose(page, password);
      assert.equal(seen.status, 400);
      assert.match(seen.text, text);
    }
    assert.equal(hasSession(), false);
  });

  it('ends the other sessions and grants of the user', async () => {
    const elsewhere = await signedIn(server, 'bob');
    const { access_token: token } = await tokensOf(server, elsewhere);
    await demand('bob');
    assert((await tokensOf(server, elsewhere)).access_token, 'a live session goes on until then');
    await choose(await login('bob'), CHOSEN);
    assert(hasSession());
    assert.equal((await introspect(server, { token })).json.active, false);
    assert.match((await elsewhere.follow(`${server.base}/account`)).url, /\/login\?/);
  });

  it('the user can cancel: access_denied, and the password stays', async () => {
    const page = await login();
    const seen = await visitor.send(formWith(page, 'action" value="cancel'), { action: 'cancel' });
    assert.equal(delivered(seen).fields.error, 'access_denied');
    assert.match((await login('alice', PASSWORD, new Visitor(server.base))).url, /\/login\/new-password/);
  });

  it('the password grant refuses such a user, and does not tell that the password was right', async () => {
    const ask = (username: string, password: string) =>
      fetch(`${server.at()}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('web:web-secret-1')}` },
        body: new URLSearchParams({ grant_type: 'password', username, password }),
      });
    const [right, wrong] = [await ask('alice', PASSWORD), await ask('alice', 'wrong')];
    assert.deepEqual([right.status, await right.text()], [400, await wrong.text()]);
    assert.equal((await ask('bob', PASSWORD)).status, 200);
  });

  it('is not asked for after the user has set one by the link of a mail', async () => {
    const by = new Visitor(server.base);
    const forgot = await by.go(`${server.base}/forgot-password`);
    await by.send(formWith(forgot, 'username'), { username: 'alice' });
    const reset = await by.go(linkIn(await town.newestMail()));
    await by.send(formWith(reset, 'password'), { password: CHOSEN });
    assert(delivered(await login('alice', CHOSEN)).fields.code);
  });

  it('operators demand it by the admin API, the command line and the apply file', async () => {
    const owner = await anOperatorClient(server);
    const { sub = '' } = (await server.services.store.findAccount('bob')) ?? {};
    const flag = async () => (await owner.ask('GET', `/users/${sub}`)).json.require_password_change;
    assert.equal(await flag(), false);
    assert.equal((await owner.ask('PATCH', `/users/${sub}`, { require_password_change: true })).status, 200);
    assert.equal(await flag(), true);
    const { code, err } = await gatehouse(server, 'users', 'update', sub, '--require-password-change', 'false');
    assert.equal(code, 0, err);
    assert.equal(await flag(), false);
    await server.provision({ applications: [], users: [bob({ require_password_change: true })] });
    assert.equal(await flag(), true);
    await server.provision({ applications: [], users: [bob()] });
    assert.equal(await flag(), true, 'what an entry leaves out stays');
  });

  describe('attacks on a demanded password', () => {
    it('step skipping: the page without the password sets nothing', async () => {
      const totp = await login('tina');
      const pending = formWith(totp, 'code').fields.get('pending') ?? '';
      const fields = new URLSearchParams({ pending, password: CHOSEN });
      const seen = await visitor.send({ action: `${server.base}/login/new-password`, fields });
      assert.match(seen.url, /\/login\/totp/, 'the second factor comes first');
      assert.equal((await login('tina', CHOSEN, new Visitor(server.base))).status, 400, 'the password stays');
    });

    it('a pending sign-in moved to another browser is refused', async () => {
      const page = await login();
      const thief = new Visitor(server.base);
      await thief.follow(`${server.base}/account`);
      assert.equal((await choose(page, CHOSEN, thief)).status, 400);
      assert.equal(thief.cookies.has('gatehouse_session'), false);
    });

    it('forms raced: one password is set, and one session opened', async () => {
      const page = await login();
      const attempts = [1, 2, 3, 4].map(async each => {
        const by = new Visitor(server.base);
        for (const [name, value] of visitor.cookies) by.cookies.set(name, value);
        await choose(page, `passphrase number ${each}`, by);
        return by.cookies.has('gatehouse_session');
      });
      assert.equal((await Promise.all(attempts)).filter(Boolean).length, 1);
    });

    it('a form that is sent again is refused', async () => {
      const page = await login();
      await choose(page, CHOSEN);
      assert.equal((await choose(page, 'and another passphrase')).status, 400);
      assert(delivered(await login('alice', CHOSEN, new Visitor(server.base))).fields.code);
    });
  });
});
