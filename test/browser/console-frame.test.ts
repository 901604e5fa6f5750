import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { aUser } from '../build/fixture.ts';
import { anOperatorClient } from '../build/operator.ts';
import { bob } from '../build/people.ts';
import { firstInSuite, suitePart } from '../build/suite-part.ts';
import { startTestServer } from '../build/test-server.ts';
import { assertPresentable, axeFindings, openInspection } from './axe.ts';
import { openChromium } from './chromium.ts';
import { enterConsole } from './console-people.ts';

const PHONE = { width: 360, height: 800 };
const DESK = { width: 1280, height: 800 };

const server = suitePart(() => startTestServer({ users: [aUser({ name: 'Alice Dubois' }), bob()] }));
firstInSuite(async () => {
  const { ask } = await anOperatorClient(server);
  await ask('POST', '/operators', { username: 'alice', role: 'owner' });
});
const browser = suitePart(openChromium);

async function inConsole(path: string, options: BrowserContextOptions = {}) {
  const visit = await openInspection(browser, options);
  await enterConsole(visit.page, server, path);
  return visit;
}

const rail = (page: Page) => page.getByRole('navigation', { name: 'Console' });

describe('the frame of the console', () => {
  it('has its places beside the page on a desk', async t => {
    const { page, close } = await inConsole('/console/users', { viewport: DESK });
    t.after(close);
    await rail(page).getByRole('link', { name: 'Activity' }).click();
    await page.waitForURL(/\/console\/activity$/);
    assert.equal(await rail(page).getByRole('link', { name: 'Activity' }).getAttribute('aria-current'), 'page');
    assert.equal(await page.getByRole('button', { name: 'Menu' }).isVisible(), false);
  });

  for (const javaScriptEnabled of [true, false]) {
    it(`has them in a menu on a phone, ${javaScriptEnabled ? 'with' : 'without'} script`, async t => {
      const { page, close } = await inConsole('/console/users', { viewport: PHONE, javaScriptEnabled });
      t.after(close);
      assert.equal(await rail(page).isVisible(), false);
      await page.getByRole('button', { name: 'Menu' }).click();
      await rail(page).waitFor();
      await page.keyboard.press('Escape');
      await rail(page).waitFor({ state: 'hidden' });
      await page.getByRole('button', { name: 'Menu' }).press('Enter');
      await rail(page).getByRole('link', { name: 'Refusals' }).click();
      await page.waitForURL(/\/console\/refusals$/);
    });
  }

  it('with the menu open: axe finds nothing', async t => {
    const { page, complaints, close } = await inConsole('/console/users', { viewport: PHONE });
    t.after(close);
    await page.getByRole('button', { name: 'Menu' }).click();
    await rail(page).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    assert.deepEqual(complaints, []);
  });

  it('switches the language without script', async t => {
    const { page, close } = await inConsole('/console/users', { viewport: DESK, javaScriptEnabled: false });
    t.after(close);
    await page.getByRole('button', { name: '中文' }).click();
    await page.getByRole('heading', { level: 1, name: '用户' }).waitFor();
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
  });
});

describe('times in the console', () => {
  const changed = (page: Page) => page.locator('main time').first();

  it('are in the words and in the zone of the reader, and in UTC where a pointer rests', async t => {
    const { page, close } = await inConsole('/console/users', { timezoneId: 'Asia/Kathmandu' });
    t.after(close);
    const iso = (await changed(page).getAttribute('datetime')) ?? '';
    assert.match((await changed(page).getAttribute('title')) ?? '', /^\d+ \w{3} \d{4}, \d\d:\d\d:\d\d UTC$/);
    await page.clock.install({ time: new Date(Date.parse(iso) + 12 * 60_000) });
    await page.reload();
    await page.getByText('12 minutes ago').first().waitFor();
    await page.clock.setFixedTime(new Date(Date.parse(iso) + 30 * 86_400_000));
    await page.reload();
    // A quarter of an hour that no other zone has.
    const [minutes] = new Date(Date.parse(iso) + 45 * 60_000).toISOString().slice(14).split(':');
    await page
      .getByText(new RegExp(`^\\d+ \\w{3} \\d{4}, \\d\\d:${minutes}$`))
      .first()
      .waitFor();
  });

  it('are in UTC without script', async t => {
    const { page, close } = await inConsole('/console/users', { javaScriptEnabled: false });
    t.after(close);
    assert.match((await changed(page).textContent()) ?? '', /UTC$/);
  });
});

describe('the search of the console', () => {
  const dialog = (page: Page) => page.getByRole('dialog', { name: 'Search' });

  for (const shortcut of ['/', 'Control+k', 'Meta+k']) {
    it(`opens with ${shortcut}, finds as one types, and is left with Escape`, async t => {
      const { page, complaints, close } = await inConsole('/console/users');
      t.after(close);
      await page.locator('h1').click();
      await page.keyboard.press(shortcut);
      await dialog(page).getByRole('link', { name: 'Settings' }).waitFor();
      await page.keyboard.type('activ');
      await dialog(page).getByRole('link', { name: 'Settings' }).waitFor({ state: 'detached' });
      assert.deepEqual(await axeFindings(page), []);
      await page.keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'hidden' });
      assert.deepEqual(complaints, []);
    });
  }

  it('opens what was found first with Enter, and another with the arrows', async t => {
    const { page, close } = await inConsole('/console');
    t.after(close);
    await page.keyboard.press('/');
    await page.keyboard.type('webh');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/webhooks$/);
    await page.keyboard.press('/');
    await dialog(page).getByRole('link', { name: 'Applications' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/applications$/);
  });

  it('leaves a slash in a field where it is', async t => {
    const { page, close } = await inConsole('/console/users');
    t.after(close);
    const field = page.locator('main [name=q]');
    await field.fill('a');
    await field.press('/');
    assert.equal(await field.inputValue(), 'a/');
    assert.equal(await dialog(page).isVisible(), false);
  });

  it('is a page without script', async t => {
    const { page, close } = await inConsole('/console/users', { javaScriptEnabled: false });
    t.after(close);
    await page.getByRole('link', { name: 'Search' }).first().click();
    await page.getByRole('searchbox').fill('refus');
    await page.keyboard.press('Enter');
    await page.getByRole('main').getByRole('link', { name: 'Refusals' }).click();
    await page.waitForURL(/\/console\/refusals$/);
  });

  it('as a page: axe finds nothing, light or dark, and nothing is wider than the window', async t => {
    const seen = await inConsole('/console/search?q=a');
    t.after(seen.close);
    await assertPresentable(seen);
  });
});
