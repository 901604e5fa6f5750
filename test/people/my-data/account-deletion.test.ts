import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deleteDueAccounts } from '../../../src/people/my-data/job.ts';
import { type Person, startAccountServer, withoutPassword } from '../../build/account.ts';
import { anAuthenticator } from '../../build/authenticator.ts';
import { isActive, token } from '../../build/client.ts';
import { assertPage, assertSentBack, delivered } from '../../build/delivered.ts';
import { eventDuring, eventsDuring } from '../../build/events.ts';
import { anApplication, PASSWORD } from '../../build/fixture.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { atLogin, press, SESSION_COOKIE, tokensOf } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { authorizationUrl, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

const PATH = '/account/data/delete';
const DAY = 86_400;

/** accounts.md, Account pages: "delete the account after confirmation with the password, 14 days of grace". */
describe('a user deletes the account', () => {
  let person: Person;
  const server = suitePart(() => {
    const applications = [anApplication(), anApplication({ code: 'open', name: 'Open', mfa: 'off' })];
    return startAccountServer({ applications });
  });
  beforeEach(async () => {
    server.clock.advance(600);
    person = await server.person();
  });

  const leave = async (password = PASSWORD, headers: Record<string, string> = {}): Promise<Seen> =>
    person.browser.send(formWith(await person.open(PATH), 'password'), { password }, headers);
  const stored = () => server.services.store.findUser(person.sub);
  const signInAgain = (visitor = new Visitor(server.base), password = PASSWORD) =>
    signIn(server, {}, { visitor, username: person.username, password });
  const atKeep = (seen: Seen) => new URL(seen.url).pathname === '/login/keep-account' && seen.status === 200;
  const runJob = async () => {
    await deleteDueAccounts(server.services, () => false);
    await nextTurn();
  };

  it('is signed out everywhere at once, is told the day, and nobody can use the account', async () => {
    await person.open('/account');
    const set = await tokensOf(server, person.browser);
    const due = server.clock.now() + 14 * DAY;
    const event = await eventDuring(server, 'user.disabled', async () => {
      const page = await leave();
      assert.equal(page.status, 200);
      assert.match(page.text, new RegExp(`<time datetime="${new Date(due * 1000).toISOString()}"`));
      assert.equal(person.browser.cookies.has(SESSION_COOKIE), false);
    });
    assert.deepEqual(event.actor, { kind: 'user', id: person.sub });
    assert.deepEqual(event.details, { reason: 'deletion', due: new Date(due * 1000).toISOString() });
    assert.deepEqual([(await stored())?.disabled, (await stored())?.deletionDue], [true, due]);
    assert.equal(await isActive(server, set.access_token), false);
    const grant = await token(server, { grant_type: 'password', username: person.username, password: PASSWORD });
    assert.deepEqual([grant.status, grant.json.error], [400, 'invalid_grant']);
  });

  it('gets a mail with the day and the way back', async () => {
    await leave();
    const [mail] = await server.mailsTo(person.email);
    const year = new Date((server.clock.now() + 14 * DAY) * 1000).getUTCFullYear();
    assert.match(mail?.subject ?? '', /will be deleted/);
    assert.match(mail?.text ?? '', new RegExp(`${year}`));
    assert.deepEqual(mail?.links, [`${server.base}/account`]);
  });

  it('can keep it: the right password leads to the question, and the sign-in goes on', async () => {
    await leave();
    const visitor = new Visitor(server.base);
    const question = await signInAgain(visitor);
    assert(atKeep(question), question.url);
    assert.equal((await stored())?.disabled, true, 'the right password alone changes nothing');
    assertSentBack(server, await visitor.go(authorizationUrl(server, { prompt: 'none' })), { error: 'login_required' });
    const event = await eventDuring(server, 'user.enabled', async () => {
      assert(delivered(await press(visitor, question, 'keep')).fields.code);
    });
    assert.deepEqual([event.details, event.actor.id], [{ reason: 'kept' }, person.sub]);
    assert.deepEqual([(await stored())?.disabled, (await stored())?.deletionDue], [false, undefined]);
    const subjects = (await server.mailsTo(person.email)).map(({ subject }) => subject);
    assert.match(subjects[1] ?? '', /is kept/);
    server.clock.advance(15 * DAY);
    await runJob();
    assert(await stored());
  });

  /** A person with an authenticator app who has asked to delete the account. */
  const leaveWithApp = async () => {
    const app = anAuthenticator(server.clock);
    person = await server.person({ totp_secret: app.secret });
    const code = await person.open(PATH);
    const page = await person.browser.send(formWith(code, 'code'), { code: app.code() });
    await person.browser.send(formWith(page, 'password'), { password: PASSWORD });
    assert.equal((await stored())?.disabled, true);
    server.clock.advance(60);
    return app;
  };

  it('can keep it from the account page too, after the second factor', async () => {
    const app = await leaveWithApp();
    const visitor = new Visitor(server.base);
    const asked = await person.open('/account', visitor);
    assert.equal(new URL(asked.url).pathname, '/login/totp');
    const question = await visitor.send(formWith(asked, 'code'), { code: app.code() });
    assert(atKeep(question), question.url);
    assert.equal((await stored())?.disabled, true, 'two factors alone change nothing');
    assert.equal((await press(visitor, question, 'keep')).url, `${server.base}/account`);
    assert.equal((await stored())?.disabled, false);
  });

  it('attack: a stolen password alone does not cancel a deletion, also where the application asks for no second factor', async () => {
    const app = await leaveWithApp();
    const visitor = new Visitor(server.base);
    const asked = await signIn(server, {}, { visitor, username: person.username, app: 'open' });
    assert.equal(new URL(asked.url).pathname, '/login/totp');
    const pending = formWith(asked, 'code').fields.get('pending') ?? '';
    const query = new URLSearchParams({ pending });
    const shown = await visitor.follow(`${server.base}/login/keep-account?${query}`);
    assert.equal(new URL(shown.url).pathname, '/login/totp', 'the question is not shown either');
    const keep = new URLSearchParams({ pending, action: 'keep' });
    await visitor.send({ action: `${server.base}/login/keep-account`, fields: keep });
    assert.equal((await stored())?.disabled, true);
    const question = await visitor.send(formWith(asked, 'code'), { code: app.code() });
    assert(delivered(await press(visitor, question, 'keep')).fields.code, 'with the second factor it can be kept');
    assert.equal((await stored())?.disabled, false);
  });

  it('may say no without the second factor', async () => {
    await leaveWithApp();
    const visitor = new Visitor(server.base);
    assertSentBack(server, await press(visitor, await signInAgain(visitor), 'cancel'), { error: 'access_denied' });
    assert.equal((await stored())?.disabled, true);
  });

  it('may say no: the client is told, and the account stays as it was', async () => {
    await leave();
    const visitor = new Visitor(server.base);
    assertSentBack(server, await press(visitor, await signInAgain(visitor), 'cancel'), { error: 'access_denied' });
    assert.equal((await stored())?.disabled, true);
  });

  it('shows the question to nobody who does not know the password, and says so as to everybody', async () => {
    await leave();
    const wrong = await signInAgain(new Visitor(server.base), 'wrong');
    assert.deepEqual([wrong.status, /do not match/.test(wrong.text)], [400, true]);
  });

  it('is deleted after 14 days, with an event, and the name is free again', async () => {
    await leave();
    server.clock.advance(14 * DAY - 1);
    await runJob();
    assert(await stored());
    server.clock.advance(1);
    const deleted = await eventsDuring(server, 'user.deleted', runJob);
    const event = deleted.find(({ subject }) => subject === person.sub);
    assert.deepEqual([event?.actor.kind, event?.details], ['system', { reason: 'deletion' }]);
    assert.equal(await stored(), undefined);
    assert.equal((await signInAgain()).status, 400);
    await server.provision({ users: [{ username: person.username, password: 'another person entirely' }] });
  });

  it('attack: the question of a sign-in cannot be skipped, moved to another browser or answered twice', async () => {
    await leave();
    const visitor = new Visitor(server.base);
    const question = await signInAgain(visitor);
    const form = formWith(question, 'action" value="keep');
    const pending = form.fields.get('pending') ?? '';
    assertPage(await new Visitor(server.base).send(form, { action: 'keep' }), 400);
    for (const path of ['/login/totp', '/consent', '/account']) {
      await visitor.follow(`${server.base}${path}?${new URLSearchParams({ pending })}`);
    }
    assert.equal((await stored())?.disabled, true);
    const both = await Promise.all([1, 2].map(() => visitor.send(form, { action: 'keep' })));
    assert.equal(both.filter(({ status }) => status === 302).length, 1);
  });

  it('attack: a question that was answered after an operator disabled the user keeps nothing', async () => {
    await leave();
    const visitor = new Visitor(server.base);
    const question = await signInAgain(visitor);
    const owner = await anOperatorClient(server);
    assert.equal((await owner.ask('PATCH', `/users/${person.sub}`, { disabled: true })).status, 200);
    assertPage(await press(visitor, question, 'keep'), 400);
    assert.equal((await stored())?.disabled, true);
    assert.equal((await signInAgain()).status, 400, 'nor is it asked again');
  });

  it('attack: a question of one who knew a former password keeps nothing', async () => {
    await leave();
    const visitor = new Visitor(server.base);
    const question = await signInAgain(visitor);
    const { store, passwords, clock } = server.services;
    await store.changePassword(person.sub, await passwords.hash('another password'), clock.now());
    assertPage(await press(visitor, question, 'keep'), 400);
    assert.equal((await stored())?.disabled, true);
  });

  it('attack: a sign-in that races with the deletion ends with no session', async () => {
    const visitors = [1, 2, 3, 4].map(() => new Visitor(server.base));
    const form = formWith(await person.open(PATH), 'password');
    await Promise.all([
      ...visitors.map(visitor => signInAgain(visitor)),
      person.browser.send(form, { password: PASSWORD }),
    ]);
    assert.equal((await stored())?.disabled, true);
    for (const visitor of visitors) {
      assertSentBack(server, await visitor.go(authorizationUrl(server, { prompt: 'none' })), {
        error: 'login_required',
      });
    }
  });

  it('attack: guesses at the password are throttled with those of the login', async () => {
    const statuses = [];
    for (let each = 0; each < 12; each++) statuses.push((await leave(`guess ${each}`)).status);
    assert.deepEqual([statuses[0], statuses.at(-1), (await stored())?.disabled], [400, 429, false]);
  });

  it('attack: a form of another site, a link, and a stale session delete nothing', async () => {
    assertPage(await leave(PASSWORD, { 'sec-fetch-site': 'cross-site' }), 403);
    await person.browser.go(`${server.base}${PATH}?password=${encodeURIComponent(PASSWORD)}`);
    const form = formWith(await person.open(PATH), 'password');
    server.clock.advance(301);
    assert(atLogin(await person.browser.send(form, { password: PASSWORD })));
    assert.equal((await stored())?.disabled, false);
  });

  it('attack: the last owner cannot leave, and is told what to do', async () => {
    const { store, clock, random } = server.services;
    const act = {
      event: {
        id: `evt_${random.bytes(8).toString('hex')}`,
        time: clock.now(),
        type: 'operator.added',
        outcome: 'success',
        actor: { kind: 'system' },
      },
    } as const;
    const value = { role: 'owner', applications: undefined, createdAt: clock.now() } as const;
    await store.changeOperator(person.sub, () => ({ result: undefined, write: { value, act } }));
    const page = await leave();
    assert.deepEqual([page.status, /only owner/.test(page.text)], [409, true]);
    assert.equal((await stored())?.disabled, false);
    assert(delivered(await person.browser.go(authorizationUrl(server, { prompt: 'none' }))).fields.code);
  });

  it('confirms by the fresh proof alone where there is no password', async () => {
    const visitor = await withoutPassword(server, person);
    const page = await visitor.follow(server.base + PATH);
    assert.doesNotMatch(page.text, /name="password"/);
    const form = { action: server.base + PATH, fields: new URLSearchParams() };
    assert.match((await visitor.send(form)).text, /Your account will be deleted/);
    assert.equal((await stored())?.disabled, true);
  });

  describe('and operators apply a file meanwhile', () => {
    const owner = suitePart(() => anOperatorClient(server));
    const apply = async (...users: object[]) => {
      const { status, json } = await owner.ask('POST', '/apply', { file: { users } });
      assert.equal(status, 200);
      return json;
    };
    const exported = async () => {
      const { json } = await owner.ask('GET', '/export/users?limit=100');
      return json.items.find(({ username }: { username: string }) => username === person.username);
    };
    const dueOf = async () => (await stored())?.deletionDue;

    it('one that was exported before cancels nothing, and the operator is told', async () => {
      const entry = await exported();
      assert.equal(entry.disabled, false);
      await leave();
      const due = server.clock.now() + 14 * DAY;
      const { changes, notes } = await apply({ ...entry, nickname: 'Alfa' });
      assert.deepEqual(
        changes[0].fields.map(({ field }: { field: string }) => field),
        ['nickname'],
      );
      const state = `has asked to delete the account, which happens at ${new Date(due * 1000).toISOString()}`;
      assert.equal(notes.length, 1);
      assert(
        notes[0].startsWith(`user ${person.username}: ${state}; the file leaves it disabled. To cancel`),
        notes[0],
      );
      assert.deepEqual([(await stored())?.disabled, await dueOf(), (await stored())?.nickname], [true, due, 'Alfa']);
      assert.deepEqual((await apply({ username: person.username, nickname: 'Alfa' })).notes, [], 'nothing to be told');
    });

    it('one that was exported in the days of grace does not disable a user who has kept the account', async () => {
      await leave();
      const entry = await exported();
      assert.equal('disabled' in entry, false);
      const visitor = new Visitor(server.base);
      await press(visitor, await signInAgain(visitor), 'keep');
      await apply(entry);
      assert.equal((await stored())?.disabled, false);
    });

    it('nor does an import that updates users', async () => {
      await leave();
      const lines = [{ line: 1, fields: { username: person.username, nickname: 'Bo', disabled: false } }];
      const answer = await owner.ask('POST', '/users/import', { update: true, lines });
      assert.equal(answer.json.outcomes[0].kind, 'updated', answer.text);
      assert.deepEqual([(await stored())?.disabled, (await stored())?.nickname], [true, 'Bo']);
      assert(await dueOf());
    });

    it('a file that was compared before the user asked cancels nothing either', async () => {
      const { store, clock } = server.services;
      const profile = { nickname: 'Cy' };
      const change = { kind: 'user', sub: person.sub, profile, disabled: false, keepsDeletion: true } as const;
      await leave();
      await store.provision([{ ...change, now: clock.now() }]);
      assert.deepEqual([(await stored())?.disabled, (await stored())?.nickname], [true, 'Cy']);
      assert(await dueOf());
    });
  });

  it('an operator who enables the user cancels the deletion', async () => {
    await leave();
    const owner = await anOperatorClient(server);
    await owner.ask('PATCH', `/users/${person.sub}`, { disabled: false });
    server.clock.advance(15 * DAY);
    const deleted = await eventsDuring(server, 'user.deleted', runJob);
    assert(!deleted.some(({ subject }) => subject === person.sub));
    assert.equal((await stored())?.disabled, false);
  });
});
