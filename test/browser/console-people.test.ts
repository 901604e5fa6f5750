import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { suitePart } from '../build/suite-part.ts';
import { axeFindings, openInspection } from './axe.ts';
import { visit, withoutStatusNotes } from './browser-fixture.ts';
import { openChromium } from './chromium.ts';
import { enterConsole, openConsolePeople } from './console-people.ts';

const people = suitePart(openConsolePeople);
const browser = suitePart(openChromium);

describe('console: users, operators, API keys, webhooks, settings', () => {
  for (const [width, colorScheme, locale] of [
    [360, 'light', 'en-GB'],
    [1280, 'dark', 'zh-CN'],
  ] as const) {
    it(`at ${width} px, ${colorScheme}, ${locale}: axe finds nothing, nothing scrolls sideways, no complaint`, async t => {
      const options = { colorScheme, locale, viewport: { width, height: 800 } };
      const { page, complaints, close } = await openInspection(browser, options);
      t.after(close);
      await enterConsole(page, people.server, '/console');
      for (const [name, path] of Object.entries(people.paths)) {
        const response = await page.goto(`${people.server.base}${path}`);
        assert.equal(response?.status(), 200, name);
        await page.evaluate(`for (const part of document.querySelectorAll('details')) part.open = true`);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${name} scrolls sideways`);
        assert.deepEqual(await axeFindings(page), [], name);
      }
      assert.deepEqual(complaints, []);
    });
  }

  it('a form with faults: each is announced beside its field, and axe finds nothing', async t => {
    const { page, complaints, close } = await openInspection(browser, { viewport: { width: 360, height: 800 } });
    t.after(close);
    await enterConsole(page, people.server, '/console/users/new');
    await page.getByLabel('User name', { exact: true }).fill('bob');
    await page.getByLabel('E-mail address', { exact: true }).fill('no address');
    await page.getByRole('button', { name: 'Create user' }).click();
    assert.match((await page.getByRole('alert').textContent()) ?? '', /not valid/);
    const described = await page.getByLabel('E-mail address', { exact: true }).getAttribute('aria-describedby');
    assert.match(described ?? '', /email-fault/);
    assert.deepEqual(await axeFindings(page), []);
    assert.deepEqual(withoutStatusNotes(complaints), []);
  });

  it('by keyboard alone: from the overview to a user in three steps, and signed out everywhere', async t => {
    const { page, close } = await visit(browser);
    t.after(close);
    await enterConsole(page, people.server, '/console');
    await page.getByRole('link', { name: 'Users', exact: true }).press('Enter');
    await page.getByLabel(/^Any part of a name/).fill('donau');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=donau/);
    await page.getByRole('link', { name: /^donaudampf/ }).press('Enter');
    await page.getByRole('button', { name: 'Sign out everywhere' }).press('Enter');
    await page.getByRole('status').waitFor();
    assert.match(page.url(), /\?done=signedOut$/);
  });
});
