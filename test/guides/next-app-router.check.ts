import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fillIn, signInButton, visit } from '../browser/browser-fixture.ts';
import { openChromium } from '../browser/chromium.ts';
import { suitePart } from '../build/suite-part.ts';
import { readersNpm } from './readers-npm.ts';
import { openGuide } from './run-guide.ts';

/** With Next.js itself (`npm run test:next`). Not a part of CI: 350 MB from the registry, which may take any time. */
describe('docs/guides/next-app-router.md in Next.js', () => {
  const guide = suitePart(() =>
    openGuide('next-app-router', {
      serves: { 'npm start': 3000, 'npx next dev -p 4000': 4000 },
      notRun: { 'npm ci': 'the clone has the packages of this one' },
      env: readersNpm(),
    }),
  );
  const browser = suitePart(openChromium);

  it('comes from a fresh clone to the page of alice alone, and out of both sessions again', async () => {
    for (const heading of ['Start Gatehouse', 'Register the application', 'The application'])
      await guide.section(heading);
    const { page, close } = await visit(browser);
    const home = guide.place('http://localhost:4000/');
    // The first request compiles the page.
    page.setDefaultTimeout(60_000);
    await page.goto(`${home}orders`);
    await page.waitForURL(home);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('[name=password]').waitFor();
    assert.equal(new URL(page.url()).origin, guide.place('http://localhost:3000'));
    await fillIn(page);
    await signInButton(page).click();
    await page.getByText('Orders of alice@example.com.').waitFor();
    await page.goto(home);
    await page.getByText('Signed in as Alice Example.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(/\/logout\?/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(home);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('[name=password]').waitFor();
    await close();
  });
});
