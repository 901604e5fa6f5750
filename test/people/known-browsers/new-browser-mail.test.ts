import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { createMailSender } from '../../../src/notify/mail/job.ts';
import { fixedClock } from '../../build/clock.ts';
import { aUser, PASSWORD } from '../../build/fixture.ts';
import { mailsIn } from '../../build/mailbox.ts';
import { suitePart } from '../../build/suite-part.ts';
import { suiteServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, formWith, Visitor } from '../../build/visitor.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
const DAY = 86_400;

/** accounts.md, Mail: sign-in from a new browser. */
describe('a sign-in from a new browser', () => {
  const clock = fixedClock();
  const folder = suitePart(temporaryFolder);
  let username: string;
  let count = 0;
  const server = suiteServer(() => {
    const env = { MAIL_URL: `file:${folder.file('.')}`, TRUSTED_PROXIES: '127.0.0.1' };
    return { clock, users: [], env };
  });
  beforeEach(() => aPerson());

  async function aPerson(over: object = {}): Promise<void> {
    username = `user${++count}`;
    const phone = { phone_number: null, phone_number_verified: false };
    await server.provision({ users: [aUser({ username, email: `${username}@example.com`, ...phone, ...over })] });
  }
  async function signInWith(visitor: Visitor, headers: Record<string, string> = {}): Promise<void> {
    visitor.cookies.delete('gatehouse_session');
    const page = await visitor.follow(authorizationUrl(server));
    const sent = { 'user-agent': FIREFOX, 'x-forwarded-for': '198.51.100.7', ...headers };
    const seen = await visitor.send(formWith(page, 'password'), { username, password: PASSWORD }, sent);
    assert(answerIn(seen).code);
  }
  const aBrowser = () => new Visitor(server.base);
  const mails = async () => {
    await createMailSender(server.services).run();
    return mailsIn(folder.file('.')).filter(({ headers }) => headers.get('to') === `${username}@example.com`);
  };

  it('is told by mail with browser, address and time, but not the first sign-in of all', async () => {
    await signInWith(aBrowser());
    assert.equal((await mails()).length, 0);
    await signInWith(aBrowser());
    const [mail, ...more] = await mails();
    assert.equal(more.length, 0);
    const host = new URL(server.base).host;
    assert.equal(mail?.subject, `New sign-in to your account at ${host}`);
    assert.match(mail?.text ?? '', /^Browser: Firefox · Windows$/m);
    assert.match(mail?.text ?? '', /^IP address: 198\.51\.100\.7$/m);
    assert.match(mail?.text ?? '', /^Time: .* UTC$/m);
    assert.deepEqual(mail?.links, [`${server.base}/forgot-password`]);
    assert.match(mail?.html ?? '', /Firefox · Windows/);
  });

  it('a browser that is known for the user tells nothing', async () => {
    const visitor = aBrowser();
    for (let times = 0; times < 3; times++) await signInWith(visitor);
    assert.equal((await mails()).length, 0);
  });

  it('is told in the language of the reader', async () => {
    await signInWith(aBrowser());
    await mails();
    await signInWith(aBrowser(), { 'accept-language': 'zh-CN' });
    assert.match((await mails())[0]?.text ?? '', /浏览器：Firefox · Windows/);
  });

  it('attack: a browser that says anything of itself puts nothing into the mail', async () => {
    await signInWith(aBrowser());
    await mails();
    await signInWith(aBrowser(), { 'user-agent': 'Bcc: <b>evil@example.com</b> https://evil.example/' });
    const [mail] = await mails();
    assert.match(mail?.text ?? '', /^Browser: unknown$/m);
    assert(!mail?.raw.includes('evil'));
  });

  it('attack: somebody who has the password and many browsers sends a handful of mails a day', async () => {
    for (let times = 0; times < 12; times++) await signInWith(aBrowser());
    assert.equal((await mails()).length, 5);
    clock.advance(DAY + 1);
    await signInWith(aBrowser());
    assert.equal((await mails()).length, 6);
  });

  it('an address that is not verified gets none', async () => {
    await aPerson({ email_verified: false });
    for (let times = 0; times < 3; times++) await signInWith(aBrowser());
    assert.equal((await mails()).length, 0);
    assert.equal(await server.services.store.countWaitingMails(), 0);
  });

  it('a wrong password queues nothing', async () => {
    const visitor = aBrowser();
    const page = await visitor.follow(authorizationUrl(server));
    await visitor.send(formWith(page, 'password'), { username, password: 'wrong' });
    assert.equal(await server.services.store.countWaitingMails(), 0);
  });
});
