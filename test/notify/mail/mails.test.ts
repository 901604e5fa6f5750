import assert from 'node:assert/strict';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { contentOf, paragraph } from '../../../src/notify/mail/content.ts';
import { createMailSender } from '../../../src/notify/mail/job.ts';
import { passwordChangedMail, resetPasswordMail } from '../../../src/notify/mail/messages.ts';
import { newMail } from '../../../src/notify/mail/queue.ts';
import { fixedClock } from '../../build/clock.ts';
import { mailsIn, openMailServer } from '../../build/mailbox.ts';
import { suitePart, testPart } from '../../build/suite-part.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

const CONTENT = contentOf('en', 'A subject', [
  paragraph('Some text'),
  { kind: 'link', href: 'https://id.example/x?y=1', label: 'Open' },
]);

/** Queues a mail as an act of the server does. */
async function queue(server: TestServer, to = 'bob@example.com', content = CONTENT): Promise<string> {
  const mail = newMail(server.services, { ...content, name: 'test', to });
  assert.equal(await server.services.store.addMail(mail, 100), true);
  return mail.id;
}

const waiting = (server: TestServer) => server.services.store.countWaitingMails();

describe('mail into a folder (accounts.md, Mail)', () => {
  const folder = suitePart(temporaryFolder);
  const outbox = () => folder.file('made/by the server');
  const server = suitePart(() =>
    startTestServer({ env: { MAIL_URL: `file:${outbox()}`, MAIL_FROM: 'Example <id@example.com>' } }),
  );
  afterEach(() => rmSync(outbox(), { recursive: true, force: true }));

  it('is one complete message of RFC 5322 for each mail, with a text part and an HTML part', async () => {
    const id = await queue(server);
    await createMailSender(server.services).run();
    const [mail, ...more] = mailsIn(outbox());
    assert(mail && more.length === 0);
    assert.equal(mail.headers.get('from'), 'Example <id@example.com>');
    assert.equal(mail.headers.get('to'), 'bob@example.com');
    assert.equal(mail.headers.get('message-id'), `<${id}@example.com>`);
    assert.match(mail.headers.get('date') ?? '', /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000$/);
    assert.equal(mail.headers.get('mime-version'), '1.0');
    assert.equal(mail.headers.get('auto-submitted'), 'auto-generated');
    assert.equal(mail.subject, 'A subject');
    assert.equal(mail.text.trim(), 'Some text\n\nhttps://id.example/x?y=1');
    assert.match(mail.html, /<a href="https:\/\/id\.example\/x\?y=1">Open<\/a>/);
    assert.doesNotMatch(mail.raw.replaceAll('\r\n', ''), /[\r\n]/, 'every line ends with CRLF');
  });

  it('can be read by the server alone, and leaves the queue', async () => {
    const id = await queue(server);
    await createMailSender(server.services).run();
    assert.equal(statSync(join(outbox(), `${id}.eml`)).mode & 0o777, 0o600);
    assert.equal(statSync(outbox()).mode & 0o777, 0o700);
    assert.equal(await waiting(server), 0);
  });

  it('keeps a link whole, on a line of its own, in both languages', async () => {
    for (const locale of ['en', 'zh'] as const) {
      const to = { locale, username: 'alice', baseUrl: server.base };
      await queue(server, 'a@example.com', resetPasswordMail(to, 'gpr_abcdefghijklmnopqrstuv'));
      await queue(server, 'a@example.com', passwordChangedMail(to));
    }
    await createMailSender(server.services).run();
    const mails = mailsIn(outbox());
    const link = `${server.base}/reset-password?token=gpr_abcdefghijklmnopqrstuv`;
    const forgotten = `${server.base}/forgot-password`;
    const links = mails.map(({ links }) => links);
    assert.deepEqual(links, [[link], [forgotten], [link], [forgotten]]);
    assert.match(mails[0]?.raw ?? '', new RegExp(`\r\n${link.replace('?', '\\?')}\r\n`), 'readable without decoding');
    assert.match(mails[2]?.text ?? '', /alice，您好/);
    assert.match(mails[2]?.subject ?? '', /重新设置/);
    for (const { html } of mails) assert.match(html, /<html lang="(en|zh-Hans)">/);
  });

  describe('header injection', () => {
    const EVIL = 'x\r\nBcc: evil@example.com\r\n\r\nbody\u2028y';

    it('by the subject adds no header', async () => {
      await queue(server, 'bob@example.com', contentOf('en', EVIL, [paragraph(EVIL)]));
      await createMailSender(server.services).run();
      const [mail] = mailsIn(outbox());
      assert.equal(mail?.headers.get('bcc'), undefined);
      assert.equal(mail?.subject, 'x Bcc: evil@example.com body y');
    });

    it('by the name of a user adds neither header nor link', async () => {
      const username = `eve\r\nhttps://evil.example/\r\n<a href="https://evil.example">`;
      await queue(server, 'b@example.com', passwordChangedMail({ locale: 'en', username, baseUrl: server.base }));
      await createMailSender(server.services).run();
      const [mail] = mailsIn(outbox());
      assert.deepEqual(mail?.links, [`${server.base}/forgot-password`]);
      assert.doesNotMatch(mail?.html ?? '', /<a href="https:\/\/evil/);
    });

    for (const to of [
      'bob@example.com\r\nBcc: evil@example.com',
      'bob@example.com, evil@example.com',
      'bob@example.com> <evil@example.com',
      'x <evil@example.com>',
      `${'b'.repeat(250)}@example.com`,
    ]) {
      it(`by the recipient ${JSON.stringify(to.slice(0, 45))} sends nothing`, async () => {
        await queue(server, to);
        await createMailSender(server.services).run();
        assert.deepEqual(mailsIn(outbox()), []);
        assert.equal(await waiting(server), 0);
        assert.match(server.logged(), /"event":"mail.undelivered".*the recipient is not one e-mail address/);
      });
    }
  });
});

describe('mail to an SMTP server (accounts.md, Mail)', () => {
  let status: number | undefined;
  beforeEach(() => {
    status = undefined;
  });
  const clock = testPart(fixedClock);
  const mailServer = testPart(() =>
    openMailServer(
      {
        onAuth: ({ username, password }, _session, done) =>
          username === 'us:er' && password === 'p@ss/word' ? done(null, { user: username }) : done(new Error('no')),
        authMethods: ['PLAIN'],
        allowInsecureAuth: true,
      },
      () => status,
    ),
  );
  const server = testPart(() => {
    const MAIL_URL = `smtp://us%3Aer:p%40ss%2Fword@127.0.0.1:${mailServer.port}`;
    return startTestServer({ clock, env: { MAIL_URL, MAIL_FROM: 'id@example.com' } });
  });
  const run = () => createMailSender(server.services).run();

  it('goes out with sender, recipient and both parts, after a login', async () => {
    await queue(server);
    await run();
    const envelopes = mailServer.received.map(({ from, to, user }) => ({ from, to, user }));
    assert.deepEqual(envelopes, [{ from: 'id@example.com', to: ['bob@example.com'], user: 'us:er' }]);
    assert.deepEqual(mailServer.received[0]?.mail.links, ['https://id.example/x?y=1']);
    assert.match(server.services.metrics.mailAttempts.family().samples.join('\n'), /outcome="sent"\},1/);
  });

  it('is sent once by two nodes that run at the same time', async () => {
    for (let each = 0; each < 25; each++) await queue(server, `bob${each}@example.com`);
    await Promise.all([run(), run(), run()]);
    const recipients = mailServer.received.map(({ to }) => to.join());
    assert.equal(recipients.length, 25);
    assert.equal(new Set(recipients).size, 25);
  });

  it('is tried again with growing delays while the server refuses it for now', async () => {
    status = 451;
    await queue(server);
    const dues: number[] = [];
    for (let passed = 0, tries = 0; tries < 4 && passed < 100; passed++) {
      const before = server.logged().length;
      await run();
      if (/mail.postponed/.test(server.logged().slice(before))) {
        dues.push(passed);
        tries++;
      }
      clock.advance(1);
    }
    assert.deepEqual(dues, [0, 5, 15, 35]);
    status = undefined;
    clock.advance(3600);
    await run();
    assert.equal(mailServer.received.length, 1);
    assert.equal(await waiting(server), 0);
  });

  it('is tried again while nobody listens, and given up after a day', async () => {
    await mailServer.close();
    await queue(server);
    for (let hours = 0; hours < 24; hours++) {
      await run();
      assert.equal(await waiting(server), hours < 23 ? 1 : 0, `after ${hours} hours`);
      clock.advance(3600);
    }
    assert.equal(await waiting(server), 0);
    assert.match(server.logged(), /"event":"mail.undelivered"/);
  });

  it('is given up at once if the server refuses the recipient for good, and others are sent', async () => {
    status = 550;
    await queue(server);
    await run();
    assert.equal(await waiting(server), 0);
    status = undefined;
    await queue(server, 'carol@example.com');
    await run();
    assert.equal(mailServer.received.length, 1);
  });

  it('has neither recipient, link nor content in the log, whatever happens', async () => {
    await queue(server);
    await run();
    status = 550;
    await queue(server);
    await run();
    assert.match(server.logged(), /mail\.sent/);
    assert.match(server.logged(), /mail\.undelivered/);
    assert.doesNotMatch(server.logged(), /bob@|id\.example\/x|A subject|p@ss/);
  });

  it('waits in the store sealed', async () => {
    await queue(server);
    const [mail] = await server.services.store.takeMails(clock.now(), clock.now(), 1);
    assert.doesNotMatch(Buffer.from(mail?.sealed ?? '').toString('latin1'), /bob@|subject|Some text/);
  });
});
