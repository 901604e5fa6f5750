import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { redeem } from '../build/client.ts';
import { suitePart, testPart } from '../build/suite-part.ts';
import { arrivalsAt, fillIn, openBrowserFixture, signInButton, visit } from './browser-fixture.ts';

const fixture = suitePart(openBrowserFixture);

for (const javaScriptEnabled of [true, false]) {
  describe(`response_mode=form_post with JavaScript ${javaScriptEnabled ? 'on' : 'off'} (row 20)`, () => {
    beforeEach(() => {
      fixture.client.arrivals.length = 0;
      fixture.elsewhere.arrivals.length = 0;
    });
    const seen = testPart(() => visit(fixture.browser, { javaScriptEnabled }));

    /** With script the page sends itself; without it, the person presses the one button. */
    async function signInAndReturn(redirectUri: string): Promise<void> {
      const { page } = seen;
      await page.goto(fixture.request({ response_mode: 'form_post', redirect_uri: redirectUri }));
      await fillIn(page);
      await signInButton(page).click();
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click();
    }

    it('posts the code to the client', async () => {
      const callback = `${fixture.client.origin}/cb`;
      await signInAndReturn(callback);
      await seen.page.waitForURL(callback);
      const [arrival, ...more] = arrivalsAt(fixture.client, '/cb');
      assert.deepEqual(more, []);
      assert.equal(arrival?.method, 'POST');
      assert.equal(arrival.fields.state, 'st');
      const redeemed = await redeem(fixture.server, arrival.fields.code, { redirect_uri: callback });
      assert.equal(redeemed.status, 200, redeemed.text);
      assert.deepEqual(seen.complaints, []);
    });

    it('reaches a client that redirects on to another origin (CSP form-action covers redirects)', async () => {
      await signInAndReturn(`${fixture.client.origin}/onward`);
      await seen.page.waitForURL(`${fixture.elsewhere.origin}/landed`);
      assert.equal(arrivalsAt(fixture.client, '/onward')[0]?.method, 'POST');
      assert.deepEqual(seen.complaints, []);
    });

    it('posts an error the same way (row 13)', async () => {
      const { page } = seen;
      await page.goto(fixture.request({ response_mode: 'form_post', prompt: 'none' }));
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL(`${fixture.client.origin}/cb`);
      const { error, state } = arrivalsAt(fixture.client, '/cb')[0]?.fields ?? {};
      assert.deepEqual([error, state], ['login_required', 'st']);
      assert.deepEqual(seen.complaints, []);
    });
  });
}
