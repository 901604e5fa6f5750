import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type Person, startAccountServer, withoutPassword } from '../../build/account.ts';
import { anAuthenticator } from '../../build/authenticator.ts';
import { claimsOf, isActive, redeem } from '../../build/client.ts';
import { assertPage, assertSentBack, delivered } from '../../build/delivered.ts';
import { eventDuring, eventsDuring } from '../../build/events.ts';
import { PASSWORD } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { atLogin, SESSION_COOKIE, tokensOf } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { authorizationUrl, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

const NEW_PASSWORD = 'a new and longer passphrase';
const PATH = '/account/security/password';

/** accounts.md: fields `current_password` and `password`; "A changed or reset password ends all other sessions and every grant". */
describe('a user changes the password', () => {
  let person: Person;
  const server = suitePart(() => startAccountServer());
  beforeEach(async () => {
    server.clock.advance(600);
    person = await server.person();
  });

  const change = async (current: string, password: string, headers: Record<string, string> = {}): Promise<Seen> =>
    person.browser.send(
      formWith(await person.open(PATH), 'password'),
      { current_password: current, password },
      headers,
    );
  const silently = (visitor: Visitor) => visitor.go(authorizationUrl(server, { prompt: 'none' }));
  const canSignIn = async (password: string) => {
    server.clock.advance(60);
    const seen = await signIn(server, {}, { visitor: new Visitor(server.base), username: person.username, password });
    return seen.status === 302;
  };

  it('stays signed in here with a new identifier, and is signed out everywhere else, with every token', async () => {
    await person.open(PATH);
    const there = new Visitor(server.base);
    await person.open('/account', there);
    const [mine, theirs] = [await tokensOf(server, person.browser), await tokensOf(server, there)];
    const cookie = person.browser.cookies.get(SESSION_COOKIE);
    const event = await eventDuring(server, 'user.password.changed', async () => {
      assert.equal((await change(PASSWORD, NEW_PASSWORD)).url, `${server.base}/account/security`);
    });
    assert.deepEqual([event.actor, event.subject], [{ kind: 'user', id: person.sub }, person.sub]);
    assert.notEqual(person.browser.cookies.get(SESSION_COOKIE), cookie);
    assert(delivered(await silently(person.browser)).fields.code);
    assertSentBack(server, await silently(there), { error: 'login_required' });
    for (const set of [mine, theirs]) {
      assert.equal(await isActive(server, set.access_token), false);
      assert.equal(await isActive(server, set.refresh_token), false);
    }
    assert.deepEqual([await canSignIn(NEW_PASSWORD), await canSignIn(PASSWORD)], [true, false]);
  });

  it('attack: a copy of the cookie from before the change opens nothing', async () => {
    await person.open(PATH);
    const thief = new Visitor(server.base);
    thief.cookies.set(SESSION_COOKIE, person.browser.cookies.get(SESSION_COOKIE) ?? '');
    assert(delivered(await silently(thief)).fields.code);
    await change(PASSWORD, NEW_PASSWORD);
    assertSentBack(server, await silently(thief), { error: 'login_required' });
  });

  it('keeps when and how the user authenticated, and writes no event of a login', async () => {
    await person.open(PATH);
    const before = claimsOf((await tokensOf(server, person.browser)).id_token);
    server.clock.advance(100);
    const logins = await eventsDuring(server, 'user.login.succeeded', () => change(PASSWORD, NEW_PASSWORD));
    assert.deepEqual(logins, []);
    const after = claimsOf((await tokensOf(server, person.browser)).id_token);
    assert.deepEqual([after.auth_time, after.amr], [before.auth_time, before.amr]);
    assert.notEqual(after.sid, before.sid, 'the clients of the former session have been told that it ended');
  });

  it('is told by a mail, in the language of the page', async () => {
    await change(PASSWORD, NEW_PASSWORD, { 'accept-language': 'zh-CN' });
    const [mail, ...more] = await server.mailsTo(person.email);
    assert.deepEqual(more, []);
    assert.match(mail?.subject ?? '', /密码已更改/);
    assert.match(mail?.text ?? '', new RegExp(person.username));
  });

  it("is told nothing where the address is not confirmed: it may be somebody else's", async () => {
    person = await server.person({ email_verified: false });
    await change(PASSWORD, NEW_PASSWORD);
    assert.deepEqual(await server.mailsTo(person.email), []);
  });

  for (const [name, current, password, field] of [
    ['a wrong present password', 'wrong', NEW_PASSWORD, 'current_password'],
    ['no present password', '', NEW_PASSWORD, 'current_password'],
    ['a short password', PASSWORD, 'short', 'password'],
    ['a common password', PASSWORD, 'password123', 'password'],
    ['no new password', PASSWORD, '', 'password'],
  ] as const) {
    it(`is asked again after ${name}, and nothing is changed`, async () => {
      const page = await change(current, password);
      assert.equal(page.status, 400);
      assert.match(page.text, new RegExp(`id="${field}"[^>]*aria-invalid="true"`));
      assert.match(page.text, new RegExp(`role="alert" id="fault-${field}"`));
      assert(!page.text.includes(PASSWORD));
      assert(await canSignIn(PASSWORD));
      assert.deepEqual(await server.mailsTo(person.email), []);
    });
  }

  it('one that is like the name of this service is refused: it belongs to no application', async () => {
    const seen = await change(PASSWORD, 'gatehouse!');
    assert.match(seen.text, /is too similar to the name of the application/);
    assert.equal(await canSignIn(PASSWORD), true);
  });

  it('attack: the present password cannot be guessed here: it is throttled with the logins', async () => {
    const statuses = [];
    for (let each = 0; each < 12; each++) statuses.push((await change(`guess ${each}`, NEW_PASSWORD)).status);
    assert.equal(statuses[0], 400);
    assert.equal(statuses.at(-1), 429);
    assert.equal((await change(PASSWORD, NEW_PASSWORD)).status, 429, 'also the right one waits');
    const login = await signIn(server, { prompt: 'login' }, { visitor: person.browser, username: person.username });
    assert.equal(login.status, 429, 'and the login page of this browser');
  });

  it('needs a proof that is not older than five minutes, with the second factor of a user who has one', async () => {
    const form = formWith(await person.open(PATH), 'password');
    server.clock.advance(301);
    const sent = { current_password: PASSWORD, password: NEW_PASSWORD };
    assert(atLogin(await person.browser.send(form, sent)));
    assert(await canSignIn(PASSWORD));
    const app = anAuthenticator(server.clock);
    person = await server.person({ totp_secret: app.secret });
    const asked = await person.open(PATH);
    assert.equal(new URL(asked.url).pathname, '/login/totp');
    assert.notEqual((await person.browser.send(form, sent)).url, `${server.base}/account/security`);
    const page = await person.browser.send(formWith(asked, 'code'), { code: app.code() });
    assert.equal(page.url, server.base + PATH);
    assert.equal((await change(PASSWORD, NEW_PASSWORD)).url, `${server.base}/account/security`);
    const answer = delivered(await silently(person.browser)).fields;
    assert.equal(claimsOf((await redeem(server, answer.code)).json.id_token).acr, '2', 'what was proved stays proved');
  });

  it('sets a first one without a present one, where the user signs in without', async () => {
    const visitor = await withoutPassword(server, person);
    const page = await visitor.follow(server.base + PATH);
    assert.match(page.text, /Set a password/);
    assert.doesNotMatch(page.text, /current_password/);
    const seen = await visitor.send(formWith(page, 'password'), { password: NEW_PASSWORD });
    assert.equal(seen.url, `${server.base}/account/security`);
    assert.equal(await canSignIn(NEW_PASSWORD), true);
  });

  it('attack: a form of another site, and a link, change nothing', async () => {
    const headers = { origin: 'https://evil.example' };
    assertPage(await change(PASSWORD, NEW_PASSWORD, headers), 403);
    const query = new URLSearchParams({ current_password: PASSWORD, password: NEW_PASSWORD });
    await person.browser.go(`${server.base}${PATH}?${query}`);
    assert(await canSignIn(PASSWORD));
  });

  it('attack: changed twice at the same moment, one counts', async () => {
    const form = formWith(await person.open(PATH), 'password');
    const changed = await eventsDuring(server, 'user.password.changed', () =>
      Promise.all(
        [1, 2, 3].map(each => {
          const browser = new Visitor(server.base);
          for (const [name, value] of person.browser.cookies) browser.cookies.set(name, value);
          return browser.send(form, { current_password: PASSWORD, password: `${NEW_PASSWORD} ${each}` });
        }),
      ),
    );
    assert.equal(changed.length, 1);
  });

  it('is told by a mail when an operator sets it, and when one removes a factor', async () => {
    const owner = await anOperatorClient(server);
    person = await server.person({ locale: 'zh-CN' });
    await owner.ask('PUT', `/users/${person.sub}/password`, { password: NEW_PASSWORD });
    const [first] = await server.mailsTo(person.email);
    assert.match(first?.subject ?? '', /密码已更改/, 'in the language of the user');
    await owner.ask('DELETE', `/users/${person.sub}/factors/password`);
    const mails = await server.mailsTo(person.email);
    assert.deepEqual([mails.length, /移除/.test(mails[1]?.subject ?? '')], [2, true]);
  });
});
