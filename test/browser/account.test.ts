import assert from 'node:assert/strict';
import { json, text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { startAccountServer } from '../build/account.ts';
import { anAuthenticator } from '../build/authenticator.ts';
import { PASSWORD } from '../build/fixture.ts';
import { suitePart, testPart } from '../build/suite-part.ts';
import { fillIn, signInButton, visit, withoutStatusNotes } from './browser-fixture.ts';
import { openChromium } from './chromium.ts';

/** accounts.md: pages are plain HTML forms that work without JavaScript. */
describe('the account pages in a browser with JavaScript off', () => {
  const server = suitePart(() => startAccountServer());
  const browser = suitePart(openChromium);
  const person = testPart(() => server.person());

  const open = async (page: Page, path: string, password = PASSWORD) => {
    await page.goto(`${server.base}${path}`);
    if (new URL(page.url()).pathname !== '/login') return;
    await fillIn(page, person.username, password);
    await signInButton(page).click();
  };
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  it('change the profile and the password, end sessions, and download the data', async t => {
    const { page, complaints, close } = await visit(browser, { javaScriptEnabled: false });
    t.after(close);
    await open(page, '/account');
    await page.getByRole('link', { name: 'Edit your profile' }).click();
    await page.getByLabel('Nickname').fill('Lantern');
    await button(page, 'Save').click();
    await page.getByText('Lantern').waitFor();

    await page.getByRole('link', { name: 'Security' }).click();
    await page.getByRole('link', { name: 'Change the password' }).click();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('another long passphrase');
    await button(page, 'Save the password').click();
    await page.getByRole('heading', { name: 'Sign-in and security' }).waitFor();

    const other = await visit(browser, { javaScriptEnabled: false });
    t.after(other.close);
    await open(other.page, '/account/sessions', 'another long passphrase');
    await page.getByRole('link', { name: 'Sessions' }).click();
    assert.equal(await page.getByText(/Chrome on Linux/).count(), 2);
    await button(page, 'Sign out everywhere else').click();
    await page.getByText('this browser').waitFor();
    assert.equal(await page.getByText(/Chrome on Linux/).count(), 1);
    await other.page.reload();
    assert.equal(new URL(other.page.url()).pathname, '/login');

    await page.getByRole('link', { name: 'Your data' }).click();
    const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Download your data').click()]);
    assert.equal(file.suggestedFilename(), 'account.json');
    const data = (await json(await file.createReadStream())) as { readonly profile: { readonly nickname: string } };
    assert.equal(data.profile.nickname, 'Lantern');
    assert.deepEqual(withoutStatusNotes(complaints), []);
  });

  it('give the key of an authenticator app and the recovery codes as files', async t => {
    const { page, complaints, close } = await visit(browser, { javaScriptEnabled: false, acceptDownloads: true });
    t.after(close);
    const download = async () => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download' }).click(),
      ]);
      return { name: file.suggestedFilename(), content: await text(await file.createReadStream()) };
    };
    await open(page, '/account/security/totp');
    const key = (await page.locator('#totp-key').textContent()) ?? '';
    const kept = await download();
    assert.match(kept.name, /-authenticator-key\.txt$/);
    assert.equal(kept.content, key);
    await page.getByLabel('Code that the app shows now').fill(anAuthenticator(server.services.clock, key).code());
    await button(page, 'Confirm').click();
    const codes = await page.locator('.recovery-code').allTextContents();
    assert.equal(codes.length, 10);
    assert.deepEqual(await download(), { name: 'recovery-codes.txt', content: `${codes.join('\n')}\n` });
    assert.deepEqual(withoutStatusNotes(complaints), []);
  });

  it('delete the account, and keep it by signing in again', async t => {
    const { page, close } = await visit(browser, { javaScriptEnabled: false });
    t.after(close);
    await open(page, '/account/data');
    await page.getByRole('link', { name: 'Delete the account …' }).click();
    await page.getByLabel('Password').fill(PASSWORD);
    await button(page, 'Delete your account').click();
    await page.getByRole('heading', { name: 'Your account will be deleted' }).waitFor();
    await open(page, '/account');
    await button(page, 'Keep the account').click();
    await page.getByRole('heading', { name: 'Your profile' }).waitFor();
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByText('You kept your account').waitFor();
    await page.getByText('You asked for your account to be deleted').waitFor();
  });

  it('are walked through by keyboard alone', async t => {
    const { page, close } = await visit(browser);
    t.after(close);
    await open(page, '/account');
    await page.getByRole('link', { name: 'Sessions' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/account/sessions');
    assert.equal(await page.locator('[aria-current=page]').textContent(), 'Sessions');
    await page.goto(`${server.base}/account/profile`);
    await page.getByLabel('Picture').fill('https://img.example/x.png');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/account');
    await page.getByText('https://img.example/x.png').waitFor();
  });
});
