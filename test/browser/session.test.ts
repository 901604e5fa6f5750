import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { redeem } from '../build/client.ts';
import { suitePart, testPart } from '../build/suite-part.ts';
import { answerAt, fillIn, openBrowserFixture, signInButton, visit } from './browser-fixture.ts';

const fixture = suitePart(openBrowserFixture);

describe('a browser that is signed in', () => {
  const seen = testPart(() => visit(fixture.browser));
  beforeEach(async () => {
    await seen.page.goto(fixture.request());
    await fillIn(seen.page);
    await signInButton(seen.page).click();
    await seen.page.waitForURL(`${fixture.client.origin}/cb?**`);
  });

  for (const prompt of ['none', undefined]) {
    it(`gets a code without seeing a page, prompt ${prompt ?? 'absent'} (row 21)`, async () => {
      const { page, complaints } = seen;
      const pages: string[] = [];
      page.on('response', response => {
        if (response.url().startsWith(fixture.server.base) && response.status() === 200) pages.push(response.url());
      });
      await page.goto(fixture.request({ prompt, state: 'second' }));
      const { code, state } = answerAt(page);
      assert.equal(state, 'second');
      assert.deepEqual(pages, []);
      const redeemed = await redeem(fixture.server, code, { redirect_uri: `${fixture.client.origin}/cb` });
      assert.equal(redeemed.status, 200, redeemed.text);
      assert.deepEqual(complaints, []);
    });
  }

  it('is asked again with prompt=login, and comes back with a code (row 21)', async () => {
    const { page } = seen;
    await page.goto(fixture.request({ prompt: 'login', state: 'again' }));
    await fillIn(page);
    await signInButton(page).click();
    await page.waitForURL(`${fixture.client.origin}/cb?**`);
    assert.equal(answerAt(page).state, 'again');
  });

  it('finds the form again with the back button, without a password in it', async () => {
    const { page } = seen;
    await page.goBack();
    assert.equal(new URL(page.url()).pathname, '/login');
    assert.equal(await page.locator('[name=password]').inputValue(), '');
    await page.goForward();
    assert.equal(new URL(page.url()).pathname, '/cb');
  });

  it('is told kindly when it sends that form once more: a replayed post is refused (row 25)', async () => {
    const { page } = seen;
    await page.goBack();
    await fillIn(page);
    await signInButton(page).click();
    await page.getByRole('heading', { name: 'This did not work' }).waitFor();
    await page.getByText('This form was already sent. Go back to the application').waitFor();
    // The session is still there.
    await page.goto(fixture.request({ prompt: 'none' }));
    assert(answerAt(page).code);
  });
});

describe('a browser that is not signed in', () => {
  it('brings login_required to the client with prompt=none, without seeing a page (row 21)', async t => {
    const { page, close } = await visit(fixture.browser);
    t.after(close);
    await page.goto(fixture.request({ prompt: 'none' }));
    assert.equal(answerAt(page).error, 'login_required');
  });
});
