import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { claimsOf, redeem } from '../build/client.ts';
import { aClient, anApplication, aUser, PASSWORD } from '../build/fixture.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { authorizationUrl, type Fields } from '../build/visitor.ts';
import { answerAt, fillIn, signInButton, type Visit, visit, withoutStatusNotes } from './browser-fixture.ts';
import { openChromium } from './chromium.ts';
import { type ClientSite, openClientSite } from './client-site.ts';
import { plugIn } from './virtual-authenticator.ts';

let server: TestServer;
let browser: Browser;
let client: ClientSite;
let callback: string;
let seen: Visit;
let page: Page;
let username: string;
let count = 0;
before(async () => {
  client = await openClientSite();
  callback = `${client.origin}/cb`;
  server = await startTestServer({
    hostname: 'localhost',
    applications: [
      anApplication({ clients: [aClient({ redirect_uris: [callback] })] }),
      anApplication({ code: 'open', name: 'Open', mfa: 'off', clients: [aClient({ redirect_uris: [callback] })] }),
    ],
    users: [],
  });
  browser = await openChromium();
});
after(async () => {
  await browser.close();
  await Promise.all([server.close(), client.close()]);
});
beforeEach(async () => {
  username = `user${++count}`;
  const names = { username, email: `${username}@example.com`, phone_number: null };
  await server.provision({ users: [aUser({ ...names, phone_number_verified: false })] });
  seen = await visit(browser);
  page = seen.page;
});
afterEach(() => seen.close());

const open = (fields: Fields = {}, app?: string) =>
  page.goto(authorizationUrl(server, { redirect_uri: callback, ...fields }, app));
const passkeyButton = () => page.getByRole('button', { name: 'Sign in with a passkey' });

async function signInByPassword(): Promise<void> {
  await fillIn(page, username);
  await signInButton(page).click();
}

/** Signs in with the password and adds a passkey of whatever authenticator is plugged in. */
async function enrol(name = 'Laptop'): Promise<void> {
  await page.goto(`${server.base}/account/security/passkeys`);
  if (page.url().includes('/login')) await signInByPassword();
  await page.locator('#name').fill(name);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.locator('.recovery-code, .passkeys').first().waitFor();
  if ((await page.locator('.recovery-code').count()) > 0) await page.goto(`${server.base}/account/security/passkeys`);
  await page.getByText(name, { exact: true }).waitFor();
}

async function tokenClaims(app?: string): Promise<Record<string, unknown>> {
  await page.waitForURL(`${callback}?**`);
  const { json } = await redeem(server, answerAt(page).code, { redirect_uri: callback }, undefined, app);
  return claimsOf(json.id_token);
}

const signOut = () => page.context().clearCookies();

describe('signing in with a passkey in Chromium (accounts contract, /login)', () => {
  it('by the button: a discoverable passkey with user verification is two factors and phishing resistant', async () => {
    const authenticator = await plugIn(page);
    await enrol();
    await signOut();
    // The autofill would answer at once: here the button is pressed.
    await authenticator.setPresence(false);
    await open();
    await passkeyButton().waitFor();
    await authenticator.setPresence(true);
    await passkeyButton().click();
    const { amr, acr } = await tokenClaims();
    assert.deepEqual([amr, acr], [['hwk', 'user', 'mfa'], 'phr']);
    assert.deepEqual(withoutStatusNotes(seen.complaints), []);
    assert(PASSWORD);
  });
});
