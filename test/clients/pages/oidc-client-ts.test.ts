import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fillIn, signInButton, visit } from '../../browser/browser-fixture.ts';
import { openChromium } from '../../browser/chromium.ts';
import { suitePart } from '../../build/suite-part.ts';
import { openPage, type PageSetting } from './page.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const SCRIPTS = ['oidc-client-ts/dist/esm/oidc-client-ts.js', 'jwt-decode/build/esm/index.js'].map(
  file => `/node_modules/${file}`,
);

/** index.html of the page and the two packages beside it, as a server of static files gives them. */
function serve({ block, port }: PageSetting): Server {
  const page = block('html');
  return createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://app');
    const script = SCRIPTS.includes(pathname) ? readFileSync(REPOSITORY + pathname) : undefined;
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(script ?? page);
  }).listen(port, '127.0.0.1');
}

describe('docs/clients/oidc-client-ts.md', () => {
  const setting = suitePart(() => openPage('oidc-client-ts'));
  suitePart(() => serve(setting));
  const browser = suitePart(openChromium);

  it('logs alice in, shows her claims, and logs her out', async () => {
    const { page, complaints, close } = await visit(browser);
    await page.goto(setting.origin);
    await page.getByRole('button', { name: 'Log in' }).click();
    await fillIn(page);
    await signInButton(page).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.locator('#user', { hasText: 'preferred_username' }).waitFor();
    const { name, email, preferred_username } = JSON.parse((await page.locator('#user').textContent()) ?? '');
    assert.deepEqual([name, email, preferred_username], ['Alice Example', 'alice@example.com', 'alice']);

    await page.getByRole('button', { name: 'Log out' }).click();
    await page.locator('#user', { hasText: 'null' }).waitFor();
    assert.equal(new URL(page.url()).origin, setting.origin);
    assert.deepEqual(complaints, []);
    await close();
  });
});
