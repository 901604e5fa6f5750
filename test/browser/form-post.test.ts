import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { redeem } from '../build/client.ts';
import { arrivalsAt, fillIn, openScene, type Scene, signInButton, type Visit, visit } from './scene.ts';

let scene: Scene;
before(async () => {
  scene = await openScene();
});
after(() => scene.close());

for (const javaScriptEnabled of [true, false]) {
  describe(`response_mode=form_post with JavaScript ${javaScriptEnabled ? 'on' : 'off'} (row 20)`, () => {
    let seen: Visit;
    beforeEach(async () => {
      scene.client.arrivals.length = 0;
      scene.elsewhere.arrivals.length = 0;
      seen = await visit(scene.browser, { javaScriptEnabled });
    });
    afterEach(() => seen.close());

    /** With script the page sends itself; without it, the person presses the one button. */
    async function signInAndReturn(redirectUri: string): Promise<void> {
      const { page } = seen;
      await page.goto(scene.request({ response_mode: 'form_post', redirect_uri: redirectUri }));
      await fillIn(page);
      await signInButton(page).click();
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click();
    }

    it('posts the code to the client', async () => {
      const callback = `${scene.client.origin}/cb`;
      await signInAndReturn(callback);
      await seen.page.waitForURL(callback);
      const [arrival, ...more] = arrivalsAt(scene.client, '/cb');
      assert.deepEqual(more, []);
      assert.equal(arrival?.method, 'POST');
      assert.equal(arrival.fields.state, 'st');
      const redeemed = await redeem(scene.house, arrival.fields.code, { redirect_uri: callback });
      assert.equal(redeemed.status, 200, redeemed.text);
      assert.deepEqual(seen.complaints, []);
    });

    it('reaches a client that redirects on to another origin (CSP form-action covers redirects)', async () => {
      await signInAndReturn(`${scene.client.origin}/onward`);
      await seen.page.waitForURL(`${scene.elsewhere.origin}/landed`);
      assert.equal(arrivalsAt(scene.client, '/onward')[0]?.method, 'POST');
      assert.deepEqual(seen.complaints, []);
    });

    it('posts an error the same way (row 13)', async () => {
      const { page } = seen;
      await page.goto(scene.request({ response_mode: 'form_post', prompt: 'none' }));
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL(`${scene.client.origin}/cb`);
      const { error, state } = arrivalsAt(scene.client, '/cb')[0]?.fields ?? {};
      assert.deepEqual([error, state], ['login_required', 'st']);
      assert.deepEqual(seen.complaints, []);
    });
  });
}
