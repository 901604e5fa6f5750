import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { anAuthenticator, TOTP_SECRET } from '../../build/authenticator.ts';
import { introspect } from '../../build/client.ts';
import { delivered } from '../../build/delivered.ts';
import { eventsOf } from '../../build/events.ts';
import { anApplication, aUser, PASSWORD } from '../../build/fixture.ts';
import { codeIn, linkIn, MailTown } from '../../build/mail-people.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { bob, logIn, press, signedIn, tokensOf } from '../../build/people.ts';
import { testPart } from '../../build/suite-part.ts';
import { formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

const NEW = 'new@example.com';
const DAY = 86_400;

describe('the e-mail address of a user (accounts contract, /account/email)', () => {
  const town = testPart(() => new MailTown());
  const server = testPart(() =>
    town.start({
      applications: [anApplication({ mfa: 'off' })],
      users: [
        aUser(),
        bob({ email_verified: false }),
        aUser({ username: 'tina', email: 'tina@example.com', phone_number: null, totp_secret: TOTP_SECRET }),
      ],
    }),
  );
  beforeEach(() => {
    town.clock.advance(7 * DAY);
  });
  const owner = testPart(() => anOperatorClient(server));
  const visitor = testPart(() => signedIn(server));

  const page = (by = visitor) => by.follow(`${server.base}/account/email`);
  const ask = async (email: string, by = visitor) => by.send(formWith(await page(by), 'email'), { email });
  const typeCode = (seen: Seen, code: string, by = visitor) => by.send(formWith(seen, 'code'), { code });
  const change = async (email = NEW, by = visitor) =>
    typeCode(await ask(email, by), codeIn(await town.newestMail()), by);
  const found = async (name: string) => server.services.store.findAccount(name);
  const undoLink = async () => {
    const mail = (await town.sendMails()).findLast(({ links }) => links.some(link => link.includes('/undo-email')));
    assert(mail, 'a mail with the way back');
    return { mail, link: linkIn(mail) };
  };
  const undo = async (link: string, by = new Visitor(server.base)) => {
    const shown = await by.go(link);
    return shown.status === 200 ? by.send(formWith(shown, 'token')) : shown;
  };

  it('is linked from /account, and changes when the code of the mail was typed', async () => {
    assert.match((await visitor.follow(`${server.base}/account`)).text, /href="\/account\/email"/);
    const asked = await ask(NEW);
    assert.match(asked.text, /name="code"/);
    assert.equal((await found('alice'))?.email, 'alice@example.com', 'not before');
    const mail = await town.newestMail();
    assert.equal(mail.headers.get('to'), NEW);
    const done = await typeCode(asked, codeIn(mail));
    assert.match(done.text, /Your address is new@example\.com\. It is confirmed/);
    const { email, emailVerified } = (await found('alice')) ?? {};
    assert.deepEqual([email, emailVerified], [NEW, true]);
    const [event] = await eventsOf(server, { types: ['user.email.changed'] });
    assert.equal(event?.outcome, 'success');
    assert(!JSON.stringify(event).includes('@example.com'), 'the event names no address');
    const { mail: told } = await undoLink();
    assert.equal(told.headers.get('to'), 'alice@example.com');
  });

  const mailToNew = async () => (await town.sendMails()).findLast(({ headers }) => headers.get('to') === NEW);
  const changePassword = async (by: Visitor) => {
    const form = formWith(await by.follow(`${server.base}/account/security/password`), 'current_password');
    await by.send(form, { current_password: PASSWORD, password: 'a new long passphrase' });
  };

  it('a thief who asked for another address cannot confirm it after the owner changed the password', async () => {
    await ask(NEW);
    const mail = await town.newestMail();
    const owner = await signedIn(server);
    await changePassword(owner);
    const phone = new Visitor(server.base);
    const shown = await phone.go(linkIn(mail));
    if (shown.text.includes('name="token"')) await phone.send(formWith(shown, 'token'));
    assert.equal((await found('alice'))?.email, 'alice@example.com');
  });

  const signOuts: readonly (readonly [what: string, signOut: () => Promise<unknown>])[] = [
    [
      'the owner has signed out everywhere else',
      async () => press(visitor, await visitor.follow(`${server.base}/account/sessions`), 'end_others'),
    ],
    [
      'the owner has ended the session that asked',
      async () => {
        const seen = await visitor.follow(`${server.base}/account/sessions`);
        const [, other] = seen.text.match(/end_session" value="[^"]+/g) ?? [];
        return visitor.send(formWith(seen, other ?? assert.fail('no other session')));
      },
    ],
    [
      'an operator has signed the user out',
      async () => owner.ask('POST', `/users/${(await found('alice'))?.sub}/sign_out`),
    ],
  ];
  for (const [what, signOut] of signOuts) {
    it(`a thief who asked for another address cannot confirm it after ${what}`, async () => {
      await page();
      await ask(NEW, await signedIn(server));
      const link = linkIn((await mailToNew()) ?? assert.fail('no mail'));
      const phone = new Visitor(server.base);
      const form = formWith(await phone.go(link), 'token');
      await signOut();
      assert.equal((await phone.go(link)).status, 400);
      assert.equal((await phone.send(form)).status, 400, 'a page that was opened before');
      assert.equal((await found('alice'))?.email, 'alice@example.com');
    });
  }

  const repairs = [...signOuts, ['the owner has changed the password', () => changePassword(visitor)] as const];
  for (const [what, repair] of repairs) {
    it(`attack: a change whose mail still waits in the queue is void after ${what}`, async () => {
      await page();
      await ask(NEW, await signedIn(server));
      await repair();
      assert.equal(await mailToNew(), undefined);
      assert.equal((await found('alice'))?.email, 'alice@example.com');
    });
  }

  it('attack: codes are guessed in one change after the other, and so many are compared in a day (ASVS 6.6.3)', async () => {
    const statuses: number[] = [];
    while (statuses.length < 44) {
      const asked = await ask(NEW);
      for (let guess = 0; guess < 4; guess++) statuses.push((await typeCode(asked, '00000000')).status);
    }
    assert.deepEqual(statuses, [...Array(40).fill(400), ...Array(4).fill(429)]);
  });

  it('changes by the link too, in any browser', async () => {
    await ask(NEW);
    const phone = new Visitor(server.base);
    const seen = await phone.send(formWith(await phone.go(linkIn(await town.newestMail())), 'token'));
    assert.match(seen.text, /Your address is confirmed/);
    assert.equal((await found(NEW))?.username, 'alice');
    assert((await undoLink()).link);
  });

  it('needs a session that is not older than 5 minutes, with the strongest factor', async () => {
    town.clock.advance(301);
    const seen = await page();
    assert.match(seen.url, /\/login\?/);
    assert.match((await logIn(visitor, seen)).text, /Your address is alice@example\.com/);
    const tina = new Visitor(server.base);
    await signIn(server, {}, { visitor: tina, username: 'tina' });
    const totp = await page(tina);
    assert.match(totp.url, /\/login\/totp/);
    const code = anAuthenticator(town.clock).code();
    assert.match((await tina.send(formWith(totp, 'code'), { code })).text, /tina@example\.com/);
  });

  it('a code that takes longer than 5 minutes still works, in the session that asked', async () => {
    const asked = await ask(NEW);
    const code = codeIn(await town.newestMail());
    town.clock.advance(1000);
    await typeCode(asked, code);
    assert.equal((await found('alice'))?.email, NEW);
  });

  it('an unverified address is verified by a button', async () => {
    const user = await signedIn(server, 'bob');
    const seen = await page(user);
    assert.match(seen.text, /It is not confirmed/);
    const asked = await user.send(formWith(seen, 'action" value="verify'), { action: 'verify' });
    const mail = await town.newestMail();
    assert.equal(mail.headers.get('to'), 'bob@example.com');
    await typeCode(asked, codeIn(mail), user);
    assert.equal((await found('bob'))?.emailVerified, true);
    assert.equal((await eventsOf(server, { types: ['user.email.verified'] })).length, 1);
    assert.equal((await town.sendMails()).length, 1, 'nothing to undo');
  });

  it('wrong input is asked for again; the pages are in Chinese too', async () => {
    assert.match((await ask('nobody')).text, /Enter an e-mail address/);
    assert.match((await ask('ALICE@example.com')).text, /This is your address already/);
    const zh = { 'accept-language': 'zh' };
    assert.match((await visitor.go(`${server.base}/account/email`, { headers: zh })).text, /您的邮箱是/);
  });

  it('the change is undone by the link to the former address, and whoever changed it is out', async () => {
    const thief = visitor;
    const { access_token: token } = await tokensOf(server, thief);
    await change();
    const { link } = await undoLink();
    assert.match(link, new RegExp(`^${server.base}/undo-email\\?token=geu_[\\w-]{22}$`));
    assert.equal((await new Visitor(server.base).go(link)).status, 200);
    assert.equal((await found('alice'))?.email, NEW, 'opening the link changes nothing');
    assert.match((await undo(link)).text, /You have your address back/);
    const { email, emailVerified } = (await found('alice')) ?? {};
    assert.deepEqual([email, emailVerified], ['alice@example.com', true]);
    assert.equal((await introspect(server, { token })).json.active, false);
    assert.match((await thief.follow(`${server.base}/account`)).url, /\/login\?/);
    assert.equal((await signIn(server, {}, { password: PASSWORD })).status, 400, 'the known password is gone');
    const mail = await town.newestMail();
    assert.equal(mail.headers.get('to'), 'alice@example.com');
    const owner = new Visitor(server.base);
    const form = formWith(await owner.go(linkIn(mail)), 'password');
    await owner.send(form, { password: 'known to the owner alone' });
    assert(delivered(await signIn(server, {}, { password: 'known to the owner alone' })).fields.code);
    assert.equal((await eventsOf(server, { types: ['user.email.restored'] })).length, 1);
  });

  describe('attacks on the address', () => {
    it('an address of somebody else: the same answer, a mail to its owner, and no code works', async () => {
      const mine = await ask('free@example.com');
      await town.sendMails();
      const taken = await ask('bob@example.com');
      const steady = ({ text }: Seen) =>
        text.replaceAll(/value="[\w-]{40,}"/g, '…').replaceAll(/(free|bob)@example\.com/g, 'the address');
      assert.deepEqual([taken.status, steady(taken)], [mine.status, steady(mine)]);
      const mail = await town.newestMail();
      assert.equal(mail.headers.get('to'), 'bob@example.com');
      assert.match(mail.subject, /Somebody tried to use your e-mail address/);
      assert.equal((await typeCode(taken, '00000000')).status, 400);
    });

    it('codes guessed in parallel: exactly 5 are evaluated', async () => {
      const asked = await ask(NEW);
      const code = codeIn(await town.newestMail());
      const guesses = await Promise.all(Array.from({ length: 30 }, () => typeCode(asked, '00000000')));
      assert.equal(guesses.filter(({ status }) => status === 400).length, 5);
      assert.equal((await typeCode(asked, code)).status, 403);
      assert.equal((await found('alice'))?.email, 'alice@example.com');
    });

    it('the form of another user, or of another browser, is refused', async () => {
      const asked = await ask(NEW);
      const code = codeIn(await town.newestMail());
      const other = await signedIn(server, 'bob');
      assert.equal((await typeCode(asked, code, other)).status, 400);
      assert.equal((await typeCode(asked, code, new Visitor(server.base))).status, 403);
    });

    it('forms of another site are refused', async () => {
      await change();
      const { link } = await undoLink();
      const by = new Visitor(server.base);
      const form = formWith(await by.go(link), 'token');
      assert.equal((await by.send(form, {}, { origin: 'https://evil.example' })).status, 403);
      const own = formWith(await page(), 'email');
      assert.equal((await visitor.send(own, { email: NEW }, { origin: 'https://evil.example' })).status, 403);
    });
  });
});
