import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { before, describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { seedDemo } from '../../src/operators/demo/seed.ts';
import { suitePart } from '../build/suite-part.ts';
import { startTestServer } from '../build/test-server.ts';
import { fillIn, signInButton, type Visit, visit } from './browser-fixture.ts';
import { openChromium } from './chromium.ts';

describe('the demo, followed by a newcomer', () => {
  let welcome: string;
  const server = suitePart(() => startTestServer({ applications: [], users: [] }));
  before(async () => {
    welcome = await seedDemo(server.services);
    await server.services.registry.refresh();
  });
  const browser = suitePart(openChromium);

  async function openAddress(t: TestContext, pattern: RegExp, javaScriptEnabled = true): Promise<Visit> {
    const address = welcome.split('\n').find(line => /^http/.test(line) && pattern.test(line));
    const password = /password\s+(\S+)/.exec(welcome)?.[1];
    assert(address && password, welcome);
    const seen = await visit(browser, { javaScriptEnabled });
    t.after(seen.close);
    await seen.page.goto(address);
    await fillIn(seen.page, 'demo', password);
    await signInButton(seen.page).click();
    await seen.page.getByRole('heading', { name: 'The demo client received' }).waitFor();
    return seen;
  }

  const fieldNames = (page: Page) => page.locator('#received dt').allTextContents();
  const run = async (command: string) =>
    JSON.parse((await promisify(execFile)('/bin/sh', ['-c', command], { timeout: 60_000 })).stdout);

  for (const javaScriptEnabled of [true, false]) {
    it(`shows the code, and a line that exchanges it, with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, async t => {
      const { page, complaints } = await openAddress(t, /response_type=code/, javaScriptEnabled);
      assert.deepEqual(await fieldNames(page), ['code', 'state', 'iss']);
      const line = await page.locator('pre:visible').textContent();
      const set = await run(line ?? '');
      assert.equal(set.token_type, 'Bearer');
      assert(set.access_token && set.refresh_token && set.id_token);
      assert.deepEqual(complaints, []);
    });
  }

  it('shows the tokens of the fragment, and a command that requests userinfo', async t => {
    const { page, complaints } = await openAddress(t, /response_type=id_token/);
    // The script that reads the fragment runs after the page is there.
    await page.locator('#received').waitFor();
    const names = await fieldNames(page);
    for (const name of ['access_token', 'id_token', 'token_type', 'expires_in', 'state'])
      assert(names.includes(name), name);
    assert.equal(await page.locator('#nothing').count(), 0);
    const line = await page.locator('pre:visible').textContent();
    assert.equal((await run(line ?? '')).preferred_username, 'demo');
    assert.deepEqual(complaints, []);
  });

  it('says without script why the tokens are not shown', async t => {
    const { page } = await openAddress(t, /response_type=id_token/, false);
    assert.match((await page.locator('#nothing').textContent()) ?? '', /fragment.*JavaScript/);
  });

  it('is only there with the demo application', async t => {
    const other = await startTestServer();
    t.after(other.close);
    assert.equal((await fetch(`${other.base}/demo/callback?code=x`)).status, 404);
  });

  it('shows what came as text, never as markup', async t => {
    const { page, complaints, close } = await visit(browser);
    t.after(close);
    const planted = '<img src=x onerror=alert(1)>';
    const fields = new URLSearchParams({ code: planted, state: planted });
    await page.goto(`${server.base}/demo/callback?${fields}#access_token=${encodeURIComponent(planted)}`);
    assert.deepEqual(await page.locator('#received dd').allTextContents(), [planted, planted, planted]);
    assert.equal(await page.locator('img').count(), 0);
    assert.deepEqual(complaints, []);
  });
});
