import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { basic, get, post } from '../build/client.ts';
import { anOperatorClient } from '../build/operator.ts';
import { firstInSuite, suitePart } from '../build/suite-part.ts';
import { suiteServer } from '../build/test-server.ts';
import { authorizationUrl } from '../build/visitor.ts';
import { assertPresentable, openInspection } from './axe.ts';
import { fillIn, signInButton, visit } from './browser-fixture.ts';
import { openChromium } from './chromium.ts';

let requestId: string;
let ofSecret: string;
const server = suiteServer();
const owner = suitePart(() => anOperatorClient(server));
firstInSuite(async () => {
  await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' });
  requestId = await refused('https://client.example/cb/');
  const body = { grant_type: 'refresh_token', refresh_token: 'x' };
  const wrong = await post(`${server.at()}/token`, body, { auth: basic('web', 'wrong') });
  ofSecret = wrong.headers.get('x-request-id') ?? '';
});
const browser = suitePart(openChromium);

const refused = async (redirect_uri: string) =>
  (await get(authorizationUrl(server, { redirect_uri }))).headers.get('x-request-id') ?? '';

const operatorAt = async (path: string, options: BrowserContextOptions = {}) => {
  const seen = await visit(browser, options);
  await signIn(seen.page, path);
  return seen;
};

async function signIn(page: Page, path: string): Promise<void> {
  await page.goto(`${server.base}${path}`);
  await fillIn(page);
  await page.locator('[name=password]').press('Enter');
  await page.waitForURL(`${server.base}${path}`);
}

describe('activity and refusals: axe finds nothing, light or dark, nothing scrolls sideways', () => {
  const seen = suitePart(() => openInspection(browser));
  before(async () => {
    await signIn(seen.page, '/console/activity');
  });

  const paths = {
    activity: () => '/console/activity?type=operator.added',
    'no activity': () => '/console/activity?type=nothing',
    refusals: () => '/console/refusals',
    'refusals for a reason': () => '/console/refusals?reason=redirectUriUntrusted',
    'a refusal': () => `/console/refusals/${requestId}`,
    'a refusal of a secret': () => `/console/refusals/${ofSecret}`,
    'the start': () => '/',
  };
  for (const [name, path] of Object.entries(paths)) {
    it(name, async () => {
      await seen.page.goto(`${server.base}${path()}`);
      await seen.page.evaluate(`for (const part of document.querySelectorAll('details')) part.open = true`);
      await assertPresentable(seen);
    });
  }
});

describe('with a browser', () => {
  it('the live tail shows an event that happens meanwhile, without a reload', async t => {
    const { page, complaints, close } = await operatorAt('/console/activity?type=application.created');
    t.after(close);
    await page.evaluate('globalThis.isSamePage = true');
    await page.getByLabel('Show new events as they arrive').check();
    await owner.ask('POST', '/applications', { code: 'live', name: 'Live' });
    await page.getByRole('link', { name: 'live', exact: true }).waitFor();
    assert.equal(await page.evaluate('globalThis.isSamePage'), true);
    assert.deepEqual(complaints, []);
  });

  it('an operator comes from an error page to the repair by keyboard alone', async t => {
    const { page, close } = await operatorAt('/console/refusals');
    t.after(close);
    await page.goto(authorizationUrl(server, { redirect_uri: 'https://client.example/keyboard' }));
    await page.locator('summary').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const button = page.getByRole('button', { name: 'Register it for web' });
    await button.waitFor();
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').waitFor();
    assert.equal(
      (await get(authorizationUrl(server, { redirect_uri: 'https://client.example/keyboard' }))).status,
      302,
    );
  });

  it('the pages work with JavaScript off', async t => {
    const { page, close } = await operatorAt('/console/activity', { javaScriptEnabled: false });
    t.after(close);
    await page.getByLabel('Event', { exact: true }).selectOption('operator.added');
    await page.getByRole('button', { name: 'Filter' }).click();
    assert.match(page.url(), /type=operator\.added/);
    assert.equal(await page.getByText('Show new events as they arrive').isVisible(), false);
    await page.getByRole('link', { name: 'Refusals' }).click();
    await page.getByLabel(/^Request ID/).fill(requestId);
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByRole('heading', { name: 'The redirect URI is not registered' }).waitFor();
    assert.equal(await signInButton(page).count(), 0);
  });
});
