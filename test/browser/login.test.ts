import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { redeem } from '../build/client.ts';
import { PASSWORD } from '../build/fixture.ts';
import { suitePart, testPart } from '../build/suite-part.ts';
import { until } from '../build/until.ts';
import {
  answerAt,
  arrivalsAt,
  fillIn,
  openBrowserFixture,
  signInButton,
  visit,
  withoutStatusNotes,
} from './browser-fixture.ts';

/** What the server waits for before it opens a session, and how many are waiting. */
let admission = Promise.resolve();
let waiting = 0;
const fixture = suitePart(() =>
  openBrowserFixture({
    wrapStore: store => ({
      ...store,
      async openSession(...args) {
        waiting++;
        await admission;
        waiting--;
        return store.openSession(...args);
      },
    }),
  }),
);

/** Two clicks as a hand makes them: the second comes while the server is about to sign the person in for the first. */
async function doubleClick(page: Page, button: Locator): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  admission = promise;
  try {
    await button.hover();
    await page.mouse.down();
    await page.mouse.up();
    await until('the first has arrived', () => waiting > 0);
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
  } finally {
    resolve();
  }
}

for (const javaScriptEnabled of [true, false]) {
  describe(`login in Chromium with JavaScript ${javaScriptEnabled ? 'on' : 'off'} (row 25)`, () => {
    beforeEach(() => {
      fixture.client.arrivals.length = 0;
      fixture.elsewhere.arrivals.length = 0;
    });
    const seen = testPart(() => visit(fixture.browser, { javaScriptEnabled }));

    it('brings a code to the client, and the code is good (interface 4.1, code flow)', async () => {
      const { page, complaints } = seen;
      await page.goto(fixture.request());
      await fillIn(page);
      await signInButton(page).click();
      await page.waitForURL(`${fixture.client.origin}/cb?**`);
      const { code, state } = answerAt(page);
      assert.equal(state, 'st');
      const redeemed = await redeem(fixture.server, code, { redirect_uri: `${fixture.client.origin}/cb` });
      assert.equal(redeemed.status, 200, redeemed.text);
      assert.deepEqual(complaints, []);
    });

    it('brings tokens in the fragment (interface 4.1, implicit flow)', async () => {
      const { page, complaints } = seen;
      await page.goto(fixture.request({ response_type: 'id_token token', nonce: 'n', scope: 'openid' }));
      await fillIn(page);
      await signInButton(page).click();
      await page.waitForURL(`${fixture.client.origin}/cb**`);
      const { access_token, id_token, token_type, state } = answerAt(page);
      assert.deepEqual([token_type, state], ['Bearer', 'st']);
      assert(access_token && id_token);
      // The fragment stays in the browser.
      assert.deepEqual(arrivalsAt(fixture.client, '/cb')[0]?.fields, {});
      assert.deepEqual(complaints, []);
    });

    it('reaches a client that redirects on to another origin (CSP form-action covers redirects)', async () => {
      const { page, complaints } = seen;
      await page.goto(fixture.request({ redirect_uri: `${fixture.client.origin}/onward` }));
      await fillIn(page);
      await signInButton(page).click();
      await page.waitForURL(`${fixture.elsewhere.origin}/landed`);
      assert.equal(arrivalsAt(fixture.client, '/onward')[0]?.fields.state, 'st');
      assert.deepEqual(complaints, []);
    });

    it('says access_denied to the client when the person cancels (row 24)', async () => {
      const { page, complaints } = seen;
      await page.goto(fixture.request());
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.waitForURL(`${fixture.client.origin}/cb?**`);
      const { error, state, code } = answerAt(page);
      assert.deepEqual([error, state, code], ['access_denied', 'st', undefined]);
      assert.deepEqual(complaints, []);
    });

    it('says that a password is wrong, keeps the user name, and goes on when it is right', async () => {
      const { page, complaints } = seen;
      await page.goto(fixture.request());
      await fillIn(page, 'alice@example.com', 'wrong');
      await signInButton(page).click();
      const alert = page.getByRole('alert');
      await alert.waitFor();
      assert.equal(await alert.textContent(), 'That user name and password do not match. Check both and try again.');
      assert.equal(await page.locator('[name=username]').inputValue(), 'alice@example.com');
      assert.equal(await page.locator('[name=password]').inputValue(), '');
      await page.locator('[name=password]:focus').waitFor();
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${fixture.client.origin}/cb?**`);
      assert(answerAt(page).code);
      assert.deepEqual(withoutStatusNotes(complaints), []);
    });

    it('is done by keyboard alone', async () => {
      const { page } = seen;
      await page.goto(fixture.request());
      await page.locator('[name=username]:focus').waitFor();
      await page.keyboard.type('alice');
      await page.keyboard.press('Tab');
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press('Tab');
      // With script there is one more stop: the button that shows the password.
      if (javaScriptEnabled) await page.keyboard.press('Tab');
      assert.equal(await page.locator('button:focus').textContent(), 'Sign in');
      await page.keyboard.press('Enter');
      await page.waitForURL(`${fixture.client.origin}/cb?**`);
      assert(answerAt(page).code);
    });

    /**
     * Nothing holds back the second click without script, and the browser drops the answer to the first. If that one had signed
     * the person in already, the second is told that its page is used up (row 25), and the way back to the client is open.
     */
    const goOn = async (page: Page) => {
      const end = page.getByRole('heading', { name: /^(At the client|This did not work)$/ });
      if ((await end.textContent()) === 'At the client') return;
      await page.goto(fixture.request());
      // The cookie of the session went with the answer that the browser dropped, or came before.
      if ((await signInButton(page).count()) > 0) {
        await fillIn(page);
        await signInButton(page).click();
      }
      await page.waitForURL(`${fixture.client.origin}/cb?**`);
    };

    it('does no harm when the button is double clicked', async () => {
      const { page } = seen;
      await page.goto(fixture.request());
      await fillIn(page);
      await doubleClick(page, signInButton(page));
      if (javaScriptEnabled) {
        await page.waitForURL(`${fixture.client.origin}/cb?**`);
        assert.equal(arrivalsAt(fixture.client, '/cb').length, 1);
      } else await goOn(page);
      const redeemed = await redeem(fixture.server, answerAt(page).code, {
        redirect_uri: `${fixture.client.origin}/cb`,
      });
      assert.equal(redeemed.status, 200, redeemed.text);
    });
  });
}
