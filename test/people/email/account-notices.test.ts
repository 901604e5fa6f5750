import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type Person, startAccountServer } from '../../build/account.ts';
import { anAuthenticator } from '../../build/authenticator.ts';
import { press } from '../../build/people.ts';
import { suitePart } from '../../build/suite-part.ts';
import { formWith } from '../../build/visitor.ts';

/** accounts.md, Mail: new factor, factor removed. */
describe('mails about second factors', () => {
  let person: Person;
  const server = suitePart(() => startAccountServer());
  beforeEach(async () => {
    server.clock.advance(600);
    person = await server.person();
  });

  const enrol = async (headers: Record<string, string> = {}) => {
    const page = await person.open('/account/security/totp');
    const key = /id="totp-key">([A-Z2-7]+)</.exec(page.text)?.[1] ?? '';
    const code = anAuthenticator(server.clock, key).code();
    return person.browser.send(formWith(page, 'code'), { code }, headers);
  };

  it('tell of an authenticator app, of new recovery codes, and of their end, with a link to what to do', async () => {
    await enrol();
    await press(person.browser, await person.open('/account/security'), 'new_recovery_codes');
    await press(person.browser, await person.open('/account/security'), 'remove_totp');
    const mails = await server.mailsTo(person.email);
    assert.deepEqual(
      mails.map(({ text }) => /an authenticator app|new recovery codes/.exec(text.replaceAll('\n', ' '))?.[0]),
      ['an authenticator app', 'new recovery codes', 'an authenticator app'],
    );
    assert.match(mails[2]?.subject ?? '', /removed/);
    for (const { links, html } of mails) {
      assert.deepEqual(links, [`${server.base}/account/security`]);
      assert(html.includes(`href="${server.base}/account/security"`));
    }
  });

  it('are in Chinese for a browser that prefers it', async () => {
    await enrol({ 'accept-language': 'zh-CN' });
    assert.match((await server.mailsTo(person.email))[0]?.text ?? '', /新增了验证方式：身份验证器应用/);
  });

  it('hold neither key nor codes', async () => {
    const shown = await enrol();
    const codes = [...shown.text.matchAll(/class="recovery-code">([^<]+)</g)].map(([, code]) => code ?? '');
    const [mail] = await server.mailsTo(person.email);
    assert(mail && codes.length === 10);
    for (const code of codes) assert(!mail.raw.includes(code));
  });

  it('do not go to an address that is not confirmed, nor for a change that did not happen', async () => {
    person = await server.person({ email_verified: false });
    await enrol();
    assert.deepEqual(await server.mailsTo(person.email), []);
    person = await server.person();
    const form = { action: `${server.base}/account/security`, fields: new URLSearchParams({ action: 'remove_totp' }) };
    await person.open('/account/security');
    await person.browser.send(form);
    assert.deepEqual(await server.mailsTo(person.email), []);
  });
});
