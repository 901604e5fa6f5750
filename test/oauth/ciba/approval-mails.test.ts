import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { createMailSender } from '../../../src/notify/mail/job.ts';
import { aDesk, asDesk, aWaitingRequest } from '../../build/approvals.ts';
import { fixedClock } from '../../build/clock.ts';
import { aUser } from '../../build/fixture.ts';
import { mailsIn } from '../../build/mailbox.ts';
import { logIn, press } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { Visitor } from '../../build/visitor.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

/** The person learns by mail that a request waits. */
describe('the mail about a request', () => {
  const clock = fixedClock();
  const folder = suitePart(temporaryFolder);
  const desks = Array.from({ length: 8 }, (_, at) => aDesk({ client_id: `desk-${at}`, client_name: `Desk ${at}` }));
  let username: string;
  let people = 0;
  const server = suiteServer(() => ({
    clock,
    users: [],
    env: { MAIL_URL: `file:${folder.file('.')}` },
    clients: desks,
  }));
  beforeEach(() => aPerson());

  async function aPerson(over: object = {}): Promise<void> {
    username = `user${++people}`;
    const phone = { phone_number: null, phone_number_verified: false };
    await server.provision({ users: [aUser({ username, email: `${username}@example.com`, ...phone, ...over })] });
  }
  const ask = (at = 0) =>
    aWaitingRequest(server, { login_hint: username, binding_message: 'Word 4711' }, asDesk(`desk-${at}`));
  const mails = async () => {
    await createMailSender(server.services).run();
    return mailsIn(folder.file('.')).filter(({ headers }) => headers.get('to') === `${username}@example.com`);
  };

  it('names the client and the application, not the words of the client, and leads to the question', async () => {
    await ask();
    const [{ subject, text, html, links } = assert.fail(), ...more] = await mails();
    assert.equal(more.length, 0);
    assert.match(subject, /A request is waiting for your approval at 127\.0\.0\.1/);
    for (const part of [username, 'Desk 0', 'Shop']) assert(text.includes(part) && html.includes(part), part);
    assert(!text.includes('4711') && !html.includes('4711') && !subject.includes('4711'));
    const visitor = new Visitor(server.base);
    const [link = ''] = links;
    const question = await logIn(visitor, await visitor.follow(link), username);
    assert.match(question.text, /Word 4711/);
    assert.match((await press(visitor, question, 'allow')).text, /You allowed the request/);
  });

  for (const [locale, words] of [
    ['zh-CN', /请求等待您批准/],
    ['de', /wartet auf Ihre Freigabe/],
  ] as const) {
    it(`is in the language of the person: ${locale}`, async () => {
      await aPerson({ locale });
      await ask();
      const [mail] = await mails();
      assert.match(mail?.subject ?? '', words);
    });
  }

  it('is sent for the first five requests of an hour, by whichever clients', async () => {
    for (let at = 0; at < 8; at++) await ask(at);
    assert.equal((await mails()).length, 5);
    clock.advance(3600);
    await ask();
    assert.equal((await mails()).length, 6);
  });

  it('goes to no address that is not verified, and not after the end of the request', async () => {
    await aPerson({ email_verified: false });
    await ask();
    assert.equal((await mails()).length, 0);
    await aPerson();
    await ask();
    clock.advance(601);
    assert.equal((await mails()).length, 0);
  });
});
