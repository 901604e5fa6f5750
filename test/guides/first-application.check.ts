import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fillIn, signInButton, visit } from '../browser/browser-fixture.ts';
import { openChromium } from '../browser/chromium.ts';
import { suitePart } from '../build/suite-part.ts';
import { readersNpm } from './readers-npm.ts';
import { openGuide } from './run-guide.ts';

/** With Next.js itself (`npm run test:next`). Not a part of CI: 350 MB from the registry, which may take any time. */
describe('docs/guides/first-application.md in Next.js', () => {
  const guide = suitePart(() =>
    openGuide('first-application', {
      serves: { 'npm start': 3000, 'npx next dev -p 4000': 4000 },
      notRun: { 'npm ci': 'the clone has the packages of this one' },
      env: readersNpm(),
    }),
  );
  const browser = suitePart(openChromium);

  it('comes from a fresh clone to a page that knows alice, and signs her out again', async () => {
    for (const heading of ['Start Gatehouse', 'Register the application', 'Next.js']) await guide.section(heading);
    const { page, close } = await visit(browser);
    // The first request compiles the page.
    page.setDefaultTimeout(60_000);
    const answered = await page.goto(guide.place('http://localhost:4000/'));
    assert.equal(answered?.status(), 200, guide.printed());
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.locator('[name=password]').waitFor();
    assert.equal(new URL(page.url()).origin, guide.place('http://localhost:3000'));
    await fillIn(page);
    await signInButton(page).click();
    await page.getByText('Signed in as Alice Example.').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await close();
  });
});
