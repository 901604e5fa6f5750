import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { visit, withoutStatusNotes } from './browser-fixture.ts';
import { openChromium } from './chromium.ts';
import { type ConsolePeople, enterConsole, openConsolePeople } from './console-people.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeFinding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

let people: ConsolePeople;
let browser: Browser;
before(async () => {
  people = await openConsolePeople();
  browser = await openChromium();
});
after(async () => {
  await browser.close();
  await people.server.close();
});

async function findings(page: Page): Promise<unknown[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate<AxeFinding[]>('axe.run().then(results => results.violations)');
  return found.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => [html, failureSummary])]);
}

describe('console: users, operators, API keys, webhooks, settings', () => {
  for (const [width, colorScheme, locale] of [
    [360, 'light', 'en-GB'],
    [1280, 'dark', 'zh-CN'],
  ] as const) {
    it(`at ${width} px, ${colorScheme}, ${locale}: axe finds nothing, nothing scrolls sideways, no complaint`, async t => {
      const { page, complaints, close } = await visit(browser, {
        colorScheme,
        locale,
        viewport: { width, height: 800 },
      });
      t.after(close);
      await enterConsole(page, people.server, '/console');
      for (const [name, path] of Object.entries(people.paths)) {
        const response = await page.goto(`${people.server.base}${path}`);
        assert.equal(response?.status(), 200, name);
        await page.evaluate(`for (const part of document.querySelectorAll('details')) part.open = true`);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${name} scrolls sideways`);
        assert.deepEqual(await findings(page), [], name);
      }
      assert.deepEqual(complaints, []);
    });
  }

  it('a form with faults: each is announced beside its field, and axe finds nothing', async t => {
    const { page, complaints, close } = await visit(browser, { viewport: { width: 360, height: 800 } });
    t.after(close);
    await enterConsole(page, people.server, '/console/users/new');
    await page.getByLabel('User name', { exact: true }).fill('bob');
    await page.getByLabel('E-mail address', { exact: true }).fill('no address');
    await page.getByRole('button', { name: 'Create user' }).click();
    assert.match((await page.getByRole('alert').textContent()) ?? '', /not right/);
    const described = await page.getByLabel('E-mail address', { exact: true }).getAttribute('aria-describedby');
    assert.match(described ?? '', /email-fault/);
    assert.deepEqual(await findings(page), []);
    assert.deepEqual(withoutStatusNotes(complaints), []);
  });

  it('by keyboard alone: from the overview to a user in three steps, and signed out everywhere', async t => {
    const { page, close } = await visit(browser);
    t.after(close);
    await enterConsole(page, people.server, '/console');
    await page.getByRole('link', { name: 'Users', exact: true }).press('Enter');
    await page.getByLabel(/^Beginning of a user name/).fill('donau');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=donau/);
    await page.getByRole('link', { name: /^donaudampf/ }).press('Enter');
    await page.getByRole('button', { name: 'Sign out everywhere' }).press('Enter');
    await page.getByRole('status').waitFor();
    assert.match(page.url(), /\?done=signedOut$/);
  });

  it('a copy button copies the identifier', async t => {
    const { page, close } = await visit(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    t.after(close);
    await enterConsole(page, people.server, people.paths.user ?? '');
    await page.getByRole('button', { name: 'Copy' }).first().click();
    assert.equal(`/console/users/${await page.evaluate('navigator.clipboard.readText()')}`, people.paths.user);
  });
});
