import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fillIn, signInButton, visit } from '../browser/browser-fixture.ts';
import { openChromium } from '../browser/chromium.ts';
import { send } from '../build/client.ts';
import { suitePart } from '../build/suite-part.ts';
import { suiteGuide } from './run-guide.ts';

describe('docs/guides/single-page-app.md', () => {
  let files: Server;
  const guide = suiteGuide('single-page-app', {
    serves: { 'npm start': 3000 },
    notRun: {
      'npm install oidc-client-ts': 'it is a dev dependency, which the runner links',
      'npx serve': 'it would fetch a package from the registry; the test serves the files of the folder',
    },
    first: ['Register the client'],
  });
  const browser = suitePart(openChromium);
  after(() => {
    files?.closeAllConnections();
    files?.close();
  });

  it('logs alice in, after one question, and shows her claims', async () => {
    await guide.section('The application');
    files = serve(join(guide.folder, '../shop-spa'), guide.port(4000));
    const { page, complaints, close } = await visit(browser);
    await page.goto(`http://localhost:${guide.port(4000)}/`);
    await page.getByRole('button', { name: 'Log in' }).click();
    await fillIn(page);
    await signInButton(page).click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.locator('#user', { hasText: 'preferred_username' }).waitFor();
    const { name } = JSON.parse((await page.locator('#user').textContent()) ?? '');
    assert.equal(name, 'Alice Example');
    assert.deepEqual(complaints, []);
    await close();
  });

  it('shows the origins that may call the token endpoint, and no others', async () => {
    await guide.section('CORS');
    const { headers } = await send(guide.place('http://localhost:3000/api/v1/authorize/shop/oauth2/token'), {
      method: 'OPTIONS',
      headers: { origin: 'https://other.example' },
    });
    assert.equal(headers.get('access-control-allow-origin'), null);
  });

  it('has no command that is not run', () => assert.deepEqual(guide.left(), []));
});

/** The files of the folder, and the packages below it. */
function serve(folder: string, port: number): Server {
  return createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://app');
    const isPackage = /^\/node_modules\/[\w-]+\/[\w/-]+\.js$/.test(pathname);
    response.setHeader('content-type', isPackage ? 'text/javascript' : 'text/html; charset=utf-8');
    response.end(readFileSync(join(folder, isPackage ? pathname : 'index.html')));
  }).listen(port, '127.0.0.1');
}
