import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { aClient, anApplication } from '../build/fixture.ts';
import { suitePart, testPart } from '../build/suite-part.ts';
import { fillIn, openBrowserFixture, signInButton, visit } from './browser-fixture.ts';

describe('a window that a page of another origin opened (issue 10, C.12)', () => {
  const fixture = suitePart(openBrowserFixture);
  before(async () => {
    const redirect_uris = [`${fixture.client.origin}/cb`];
    await fixture.server.provision({
      applications: [
        anApplication({ clients: [aClient({ client_id: 'asks', redirect_uris, require_consent: true })] }),
      ],
    });
  });
  const seen = testPart(() => visit(fixture.browser));
  beforeEach(async () => {
    await seen.page.goto(fixture.client.origin);
  });

  const openPopup = async (url: string): Promise<Page> => {
    const opened = seen.page.waitForEvent('popup');
    await seen.page.evaluate(`void (globalThis.popup = window.open(${JSON.stringify(url)}))`);
    return opened;
  };
  const hasOpener = (popup: Page) => popup.evaluate<boolean>('window.opener !== null');

  it('is out of its reach on the account page, which it could otherwise replace by a copy of its own', async () => {
    const popup = await openPopup(`${fixture.server.base}/docs/errors`);
    await popup.waitForLoadState();
    assert.equal(await hasOpener(popup), false);
    await seen.page.waitForFunction('popup.closed');
    await popup.goto(fixture.request());
    await fillIn(popup);
    await signInButton(popup).click();
    await popup.waitForURL(`${fixture.client.origin}/cb?**`);

    const account = await openPopup(`${fixture.server.base}/account`);
    await account.getByRole('heading', { level: 1 }).waitFor();
    assert.equal(await hasOpener(account), false);
    await seen.page.waitForFunction('popup.closed');
    await seen.page.evaluate("popup.location = 'about:blank'");
    assert.equal(new URL(account.url()).pathname, '/account');
  });

  for (const response_mode of ['query', 'form_post']) {
    it(`brings the answer to a client that signs in from it, by ${response_mode}, past every page of a sign-in`, async () => {
      const popup = await openPopup(fixture.request({ client_id: 'asks', prompt: 'consent', response_mode }));
      await fillIn(popup, 'alice', 'wrong');
      await signInButton(popup).click();
      await popup.getByRole('alert').waitFor();
      await fillIn(popup);
      await signInButton(popup).click();
      await popup.getByRole('button', { name: 'Allow', exact: true }).click();
      await popup.waitForURL(`${fixture.client.origin}/cb**`);
      assert.equal(await hasOpener(popup), true);
      assert.equal(await seen.page.evaluate('popup.closed'), false);
    });
  }
});
