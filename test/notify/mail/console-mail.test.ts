import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { createMailSender } from '../../../src/notify/mail/job.ts';
import { newMail } from '../../../src/notify/mail/queue.ts';
import { actForm, openConsole, titleOf } from '../../build/in-console.ts';
import { anOperatorClient } from '../../build/operator.ts';
import { suitePart } from '../../build/suite-part.ts';
import { formWith, type Seen } from '../../build/visitor.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';

const folder = suitePart(temporaryFolder);
const fixture = suitePart(() => {
  // The outbox is there for the embedded store alone.
  const DATABASE_URL = `sqlite:${folder.file('gatehouse.db')}`;
  return openConsole({ env: { DATABASE_URL, MAIL_URL: `file:${folder.file('outbox')}` } });
});

const send = () => createMailSender(fixture.server.services).run();
const idsIn = ({ text }: Seen) => [...text.matchAll(/\/console\/outbox\/(eml_[0-9a-f]+)"/g)].map(([, id]) => id ?? '');

describe('inviting users in the console', () => {
  it('from the list of users: the form acts once, and a new mail can be sent from the page of the user', async () => {
    const { visitor, seen } = await fixture.inConsole('/console/users');
    assert.match(seen.text, /href="\/console\/users\/invite"/);
    const page = await visitor.go(fixture.at('/console/users/invite'));
    const form = formWith(page, 'email');
    const typed = { email: 'guest@example.com', name: 'Guest', locale: 'en', require_mfa: 'true' };
    const [first, again] = [await visitor.send(form, typed), await visitor.send(form, typed)];
    assert.equal(titleOf(first), 'Guest');
    assert.deepEqual([again.url, again.status], [first.url, 200], 'sent twice, made once');
    assert.match(first.text, /The invitation is on its way/);
    const { json } = await fixture.owner.ask('GET', '/users?q=guest');
    assert.deepEqual([json.items.length, json.items[0].require_mfa], [1, true]);
    const resend = actForm(first, 'resend-invitation');
    await Promise.all([visitor.send(resend), visitor.send(resend)]);
    await send();
    const outbox = await visitor.go(fixture.at('/console/outbox'));
    assert.equal(idsIn(outbox).length, 2, 'one invitation, one repetition');
  });

  it('a known address, a bad one and none are told beside the form', async () => {
    const { visitor, seen } = await fixture.inConsole('/console/users/invite');
    const known = await visitor.send(formWith(seen, 'email'), { email: 'bob@example.com' });
    assert.deepEqual([known.status, /login name of another user/.test(known.text)], [400, true]);
    for (const email of ['no address', '']) {
      const bad = await visitor.send(formWith(seen, 'email'), { email });
      assert.deepEqual([bad.status, /id="email-fault"/.test(bad.text)], [400, true]);
    }
  });

  it('a second factor is required, no longer required, and reset on the page of the user', async () => {
    const sub = await fixture.subOf('bob');
    await fixture.server.services.store.addTotp(sub, { sealedKey: 'aabbccdd00', step: 1, recoveryHashes: ['x'] }, 1);
    const { visitor, seen } = await fixture.inConsole(`/console/users/${sub}`);
    assert.match(seen.text, /Authenticator app/);
    const required = await visitor.send(actForm(seen, 'require-factor'));
    assert.match(required.text, /This user must have a second factor/);
    const reset = await visitor.send(actForm(required, 'reset-factors'));
    assert.match(reset.text, /The second factors are removed/);
    assert.equal((await fixture.owner.ask('GET', `/users/${sub}/factors`)).json.items.length, 1);
    const waived = await visitor.send(actForm(reset, 'waive-factor'));
    assert(!waived.text.includes('This user must have a second factor'));
  });

  it('an auditor sees neither the buttons nor the form', async () => {
    const sub = await fixture.subOf('bob');
    const { visitor, seen } = await fixture.inConsole(`/console/users/${sub}`, 'carol', 'auditor');
    assert(!/value="(reset|require)-factor/.test(seen.text));
    const page = await visitor.go(fixture.at('/console/users/invite'));
    const sent = await visitor.send(formWith(page, 'email'), { email: 'sly@example.com' });
    assert.equal(sent.status, 403);
  });
});

describe('the outbox in the console (MAIL_URL=file:, embedded store)', () => {
  it('lists the mails, newest first, and opens the text with its links', async () => {
    await fixture.owner.ask('POST', '/invitations', { email: 'read@example.com', locale: 'zh' });
    await send();
    const { visitor, seen } = await fixture.inConsole('/console/settings');
    assert.match(seen.text, /href="\/console\/mail"/);
    assert.match((await visitor.go(fixture.at('/console/mail'))).text, /href="\/console\/outbox"/);
    const list = await visitor.go(fixture.at('/console/outbox'));
    assert.match(list.text, /您在 .*的账户/);
    const [row = ''] = /<tr(?:(?!<tr)[\s\S])*read@example\.com/.exec(list.text) ?? [];
    const [, id = ''] = /\/console\/outbox\/([^"?]+)"/.exec(row) ?? [];
    const mail = await visitor.go(fixture.at(`/console/outbox/${id}`));
    assert.equal(mail.status, 200);
    assert.match(mail.text, /read@example\.com/);
    const link = /href="([^"]*\/reset-password\?token=gpr_[\w-]+)"/.exec(mail.text)?.[1] ?? '';
    assert.match((await visitor.go(link)).text, /<h1>Welcome<\/h1>/);
  });

  it('a mail is text: markup in it is escaped, and links to other servers cannot be followed', async () => {
    const content = {
      subject: '<b>bold</b>',
      text: 'see\nhttps://evil.example/x\n<script>alert(1)</script>\n',
      html: '<p>x</p>',
    };
    const entry = newMail(fixture.server.services, { ...content, name: 'test', to: 'x@example.com' });
    await fixture.server.services.store.addMail(entry, 100);
    await send();
    const { visitor } = await fixture.inConsole('/console');
    const mail = await visitor.go(fixture.at(`/console/outbox/${entry.id}`));
    assert.equal(titleOf(mail), '&lt;b&gt;bold&lt;/b&gt;');
    assert(!mail.text.includes('<script>alert') && !mail.text.includes('href="https://evil'));
  });

  it('attack: no path leads out of the folder, neither by the address nor by a link in it', async () => {
    writeFileSync(folder.file('secret.eml'), 'Subject: secret\r\n\r\nsecret');
    mkdirSync(folder.file('outbox'), { recursive: true });
    const id = `eml_${'f'.repeat(34)}`;
    symlinkSync(folder.file('secret.eml'), folder.file(`outbox/${id}.eml`));
    const ids = ['..%2Fsecret', '%2e%2e%2fsecret', '..', 'secret', `${id}%00`, `${id}.eml`, id, '.'];
    for (const each of ids) {
      const answered = await fixture.owner.ask('GET', `/outbox/${each}`);
      assert(answered.status === 404 || answered.status === 400, each);
      assert(!answered.text.includes('secret\\n') && !answered.text.includes('"text"'), each);
    }
    const { visitor } = await fixture.inConsole('/console');
    assert.equal((await visitor.go(fixture.at('/console/outbox/..%2Fsecret'))).status, 404);
    assert.equal((await visitor.go(fixture.at(`/console/outbox/${id}`))).status, 404);
  });

  it('is for owners: operators, auditors and those limited to applications see none of it', async () => {
    const ids = idsIn(await (await fixture.inConsole('/console')).visitor.go(fixture.at('/console/outbox')));
    for (const path of ['/outbox', `/outbox/${ids[0]}`]) {
      const operator = await anOperatorClient(fixture.server, { role: 'operator' });
      const limited = await anOperatorClient(fixture.server, { role: 'owner', applications: ['shop'] });
      assert.equal((await operator.ask('GET', path)).status, 403);
      assert.equal((await limited.ask('GET', path)).status, 404);
    }
    const { visitor, seen } = await fixture.inConsole('/console/mail', 'bob', 'operator');
    assert(!seen.text.includes('/console/outbox'));
    assert.equal((await visitor.go(fixture.at('/console/outbox'))).status, 403);
  });

  it('is not there where mail is sent', async () => {
    const sending = await openConsole({ env: { MAIL_URL: 'smtp://127.0.0.1:1' } });
    try {
      assert.equal((await sending.owner.ask('GET', '/outbox')).status, 404);
      const { visitor, seen } = await sending.inConsole('/console/mail');
      assert(!seen.text.includes('/console/outbox'));
      assert.equal((await visitor.go(sending.at('/console/outbox'))).status, 404);
    } finally {
      await sending.server.close();
    }
  });
});

describe('mails on the overview, whatever the destination', () => {
  it('counts those that wait, and tells of those that were given up', async () => {
    const { services } = fixture.server;
    // What the sign-ins of the other tests have queued.
    await send();
    const bad = { subject: 's', text: 't', html: '<p>t</p>', name: 'test', to: 'not one address, really' };
    await services.store.addMail(newMail(services, bad), 100);
    const waiting = await fixture.owner.ask('GET', '/status');
    assert.equal(waiting.json.queues.mails, 1);
    await send();
    await services.recorder.drain();
    const { seen } = await fixture.inConsole('/console');
    assert.match(seen.text, /1 mail could not be delivered in the last day/);
    const events = await fixture.owner.ask('GET', '/events?type=mail.undelivered');
    assert.equal(events.json.items[0].details.name, 'test');
    assert(!events.text.includes('not one address'), 'no recipient in the audit log');
  });
});
