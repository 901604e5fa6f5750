import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { runCommand } from '../../build/command.ts';
import { eventsOf } from '../../build/events.ts';
import { actForm, openConsole } from '../../build/in-console.ts';
import { openMailServer } from '../../build/mailbox.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';

const PASSWORD = 'mail-password-of-test';

/** A closed port of this machine. */
const NOWHERE = 'smtp://127.0.0.1:1';

describe('a test mail', () => {
  let refusal: number | undefined;
  const urlOf = (password: string) => `smtp://gatehouse:${password}@127.0.0.1:${mailServer.port}`;
  const mailServer = suitePart(() =>
    openMailServer(
      {
        onAuth: ({ username, password }, _session, done) =>
          password === PASSWORD ? done(null, { user: username }) : done(new Error('no such account')),
        authMethods: ['PLAIN'],
        allowInsecureAuth: true,
      },
      () => refusal,
    ),
  );
  const fixture = suitePart(() => openConsole({ env: { MAIL_URL: urlOf(PASSWORD), MAIL_FROM: 'id@example.com' } }));
  afterEach(() => {
    refusal = undefined;
    mailServer.received.length = 0;
  });

  it('goes to the operator who presses the button, and the page says what the mail server answered', async () => {
    const { visitor, seen } = await fixture.inConsole('/console/mail');
    assert.match(seen.text, new RegExp(`<code>127\\.0\\.0\\.1:${mailServer.port}</code>`));
    assert(!seen.text.includes(PASSWORD));
    const sent = await visitor.send(actForm(seen, 'send'));
    assert.equal(sent.status, 200);
    assert.match(sent.text, new RegExp(`127\\.0\\.0\\.1:${mailServer.port} accepted the mail to alice@example\\.com`));
    assert.match(sent.text, /<code>250 OK/);
    const arrived = mailServer.received.map(({ to, mail }) => [to, mail.subject]);
    assert.deepEqual(arrived, [[['alice@example.com'], `Test mail from ${new URL(fixture.server.base).host}`]]);
  });

  it('that is refused says so in the words of the mail server, and what to look at', async () => {
    refusal = 550;
    const { visitor, seen } = await fixture.inConsole('/console/mail');
    const sent = await visitor.send(actForm(seen, 'send'));
    assert.match(sent.text, /role="alert"[\s\S]*rejected the mail to alice@example\.com[\s\S]*<code>550 no/);
    assert.match(sent.text, /refuses this recipient/);
    await fixture.server.services.recorder.drain();
    const tested = (await eventsOf(fixture.server)).filter(({ type }) => type === 'mail.tested');
    assert.equal(tested.at(-1)?.outcome, 'failure');
    assert(!JSON.stringify(tested).includes('alice@example.com'), 'no recipient in the audit log');
  });

  it('over the API goes to the address in `to`, and an API key has none of its own', async () => {
    const { json, status } = await fixture.owner.ask('POST', '/mail/test', { to: 'bob@example.com' });
    assert.deepEqual([status, json.outcome, json.to], [200, 'accepted', 'bob@example.com']);
    assert.deepEqual(mailServer.received[0]?.to, ['bob@example.com']);
    assert.equal((await fixture.owner.ask('POST', '/mail/test', {})).json.errors[0].pointer, '/to');
    for (const to of ['a@example.com, b@example.com', 'a@example.com\r\nBcc: b@example.com', 'alice']) {
      assert.equal((await fixture.owner.ask('POST', '/mail/test', { to })).status, 400, to);
    }
    assert.equal(mailServer.received.length, 1);
  });

  it('is not for auditors, nor for operators who are limited to applications', async () => {
    const auditor = await anOperatorClient(fixture.server, { role: 'auditor' });
    const limited = await anOperatorClient(fixture.server, { role: 'owner', applications: ['shop'] });
    assert.equal((await auditor.ask('POST', '/mail/test', { to: 'bob@example.com' })).status, 403);
    assert.equal((await limited.ask('POST', '/mail/test', { to: 'bob@example.com' })).status, 404);
    const { seen } = await fixture.inConsole('/console/mail', 'carol', 'auditor');
    assert.equal(seen.status, 200);
    assert(!seen.text.includes('value="send"'));
    assert.deepEqual(mailServer.received, []);
  });

  it('cannot be sent again and again', async () => {
    const answers: number[] = [];
    for (let at = 0; at < 30; at++) {
      answers.push((await fixture.owner.ask('POST', '/mail/test', { to: 'bob@example.com' })).status);
    }
    assert.equal(answers.at(-1), 409);
    assert.equal(mailServer.received.length, answers.filter(status => status === 200).length);
  });

  describe('on the command line (check-config --mail-to)', () => {
    const test = (MAIL_URL: string) =>
      runCommand(['check-config', '--mail-to', 'bob@example.com'], { MAIL_URL, MAIL_FROM: 'id@example.com' });

    it('is sent without a server, and prints the answer', async () => {
      const { code, out } = await test(urlOf(PASSWORD));
      assert.equal(code, 0);
      assert.match(out, /accepted the mail to bob@example\.com\.\nAnswer: 250 OK/);
      assert.deepEqual(mailServer.received[0]?.to, ['bob@example.com']);
    });

    it('names a wrong password without repeating it', async () => {
      const { code, out, err } = await test(urlOf('guess-of-the-password'));
      assert.equal(code, 69);
      assert.match(err, /rejected the mail[\s\S]*Answer: 535 [\s\S]*Check the user and password in MAIL_URL/);
      assert(!`${out}${err}`.includes('guess-of-the-password'));
    });

    it('says that nothing listens', async () => {
      const { code, err } = await test(NOWHERE);
      assert.equal(code, 69);
      assert.match(err, /ECONNREFUSED[\s\S]*Check the host and port in MAIL_URL/);
    });

    it('is an error where no mail is sent, and for an option that it does not know', async () => {
      assert.equal((await test('none')).code, 78);
      assert.equal((await runCommand(['check-config', '--mail'], {})).code, 64);
    });
  });
});

describe('/console/mail without a mail server', () => {
  it('says how mail is turned on', async () => {
    const fixture = await openConsole({ env: { MAIL_URL: 'none' } });
    const { seen } = await fixture.inConsole('/console/mail');
    const asked = await fixture.owner.ask('POST', '/mail/test', { to: 'bob@example.com' });
    await fixture.server.close();
    assert.match(seen.text, /This server sends no mail[\s\S]*MAIL_URL=smtps:/);
    assert(!seen.text.includes('value="send"'));
    assert.equal(asked.status, 409);
  });
});
