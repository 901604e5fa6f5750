import assert from 'node:assert/strict';
import { before, describe, it, type TestContext } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { seedDemo } from '../../src/operators/demo/seed.ts';
import { anOperatorClient } from '../build/operator.ts';
import { suitePart } from '../build/suite-part.ts';
import { suiteServer } from '../build/test-server.ts';
import { fillIn, signInButton, visit } from './browser-fixture.ts';
import { openChromium } from './chromium.ts';

/** All tests that use the clipboard are in this file, one after the other: the files of a run have one browser and one clipboard. */
describe('a button that copies', () => {
  const server = suiteServer();
  before(async () => {
    const owner = await anOperatorClient(server);
    await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' });
  });
  const browser = suitePart(openChromium);

  async function open(t: TestContext, address: string): Promise<Page> {
    const { page, close } = await visit(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    t.after(close);
    await page.clock.install();
    await page.goto(address);
    return page;
  }
  const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
  /** A button says that it has copied for a moment. A busy machine would look too late, so the clock of the page stands still for it. */
  async function copied(page: Page, says: Locator): Promise<string> {
    await says.waitFor();
    const text = await clipboard(page);
    await page.clock.resume();
    await says.waitFor({ state: 'hidden' });
    return text;
  }
  const holdClock = (page: Page) => page.clock.pauseAt(Date.now() + 3_600_000);

  it('copies the key of an authenticator app', async t => {
    const page = await open(t, `${server.base}/account/security/totp`);
    await fillIn(page);
    await signInButton(page).click();
    const key = await page.locator('#totp-key').textContent();
    await holdClock(page);
    await page.getByRole('button', { name: 'Copy' }).click();
    assert.equal(await copied(page, page.getByRole('button', { name: 'Copied' })), key);
  });

  it('copies the line of the demo', async t => {
    const welcome = await seedDemo(server.services);
    await server.services.registry.refresh();
    const [address] = /^http.*response_type=code.*$/m.exec(welcome) ?? [];
    const [, password] = /password\s+(\S+)/.exec(welcome) ?? [];
    const page = await open(t, address ?? '');
    await fillIn(page, 'demo', password);
    await signInButton(page).click();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    assert.equal(await clipboard(page), await page.locator('pre:visible').textContent());
  });

  it('copies the identifier of a user in the console', async t => {
    const { sub } = (await server.services.store.findAccount('alice')) ?? {};
    const page = await open(t, `${server.base}/console/users/${sub}`);
    await fillIn(page);
    await signInButton(page).click();
    await holdClock(page);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    assert.equal(await copied(page, page.getByText('✓')), sub);
  });

  it('copies the secret of a client: by keyboard alone it is registered, its configuration found', async t => {
    const page = await open(t, `${server.base}/console/applications/shop/clients/new`);
    await fillIn(page);
    await signInButton(page).press('Enter');
    await page.locator('#client_name').focus();
    await page.keyboard.type('Keyboard');
    await page.keyboard.press('Enter');
    const secret = (await page.locator('.secret code').textContent()) ?? '';
    await holdClock(page);
    await page.locator('.secret button').press('Enter');
    assert.equal(await copied(page, page.getByText('✓')), secret);
    await page.locator('summary', { hasText: /^Go$/ }).press('Enter');
    const configuration = page.locator('pre:visible', { hasText: 'package main' });
    await configuration.waitFor();
    assert(secret !== '' && (await configuration.textContent())?.includes(secret));
  });
});
