import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { claimsOf, redeem } from '../build/client.ts';
import { aClient, anApplication, aUser } from '../build/fixture.ts';
import { suitePart, testPart } from '../build/suite-part.ts';
import { suiteServer } from '../build/test-server.ts';
import { authorizationUrl, type Fields } from '../build/visitor.ts';
import { answerAt, fillIn, signInButton, takeSession, visit, withoutStatusNotes } from './browser-fixture.ts';
import { openChromium } from './chromium.ts';
import { openClientSite } from './client-site.ts';
import { plugIn, type VirtualAuthenticator } from './virtual-authenticator.ts';

let username: string;
let count = 0;
const client = suitePart(openClientSite);
const callback = () => `${client.origin}/cb`;
const server = suiteServer(() => {
  const clients = [aClient({ redirect_uris: [callback()] })];
  return {
    hostname: 'localhost',
    applications: [anApplication({ clients }), anApplication({ code: 'open', name: 'Open', mfa: 'off', clients })],
    users: [],
  };
});
const browser = suitePart(openChromium);
beforeEach(async () => {
  username = `user${++count}`;
  const names = { username, email: `${username}@example.com`, phone_number: null };
  await server.provision({ users: [aUser({ ...names, phone_number_verified: false })] });
});
const seen = testPart(() => visit(browser));
let page: Page;
beforeEach(() => {
  page = seen.page;
});

const open = (fields: Fields = {}, app?: string) =>
  page.goto(authorizationUrl(server, { redirect_uri: callback(), ...fields }, app));
const passkeyButton = () => page.getByRole('button', { name: 'Sign in with a passkey' });

async function signInByPassword(): Promise<void> {
  await fillIn(page, username);
  await signInButton(page).click();
}

/** Adds the first passkey of a user who has signed in with the password, from whatever authenticator is plugged in. */
async function enrol(): Promise<void> {
  await takeSession(page, server, username);
  await add('Laptop');
  await page.locator('.recovery-code').first().waitFor();
}

async function add(name: string): Promise<void> {
  await page.goto(`${server.base}/account/security/passkeys`);
  await page.locator('#name').fill(name);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
}

async function tokenClaims(app?: string): Promise<Record<string, unknown>> {
  await page.waitForURL(`${callback()}?**`);
  const { json } = await redeem(server, answerAt(page).code, { redirect_uri: callback() }, undefined, app);
  return claimsOf(json.id_token);
}

const signOut = () => page.context().clearCookies();

/** Nobody is signed in then, and the authenticator does not verify its user any more. */
async function enrolledWithoutVerification(): Promise<VirtualAuthenticator> {
  const authenticator = await plugIn(page);
  await enrol();
  await signOut();
  await authenticator.setUserVerified(false);
  await authenticator.setPresence(false);
  return authenticator;
}

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
  });

  it('by the autofill of the user name (conditional UI), without a press of a button', async () => {
    await plugIn(page);
    await enrol();
    await signOut();
    assert.equal(await page.evaluate('PublicKeyCredential.isConditionalMediationAvailable()'), true);
    await open();
    const { acr } = await tokenClaims();
    assert.equal(acr, 'phr');
  });

  it('without user verification: Chromium gives none, the page says so, and the password is there', async () => {
    const authenticator = await enrolledWithoutVerification();
    await open({}, 'open');
    await passkeyButton().waitFor();
    await authenticator.setPresence(true);
    await passkeyButton().click();
    await page.getByText('That did not work, or you cancelled it. Try again.').waitFor();
    await signInByPassword();
    const { amr, acr } = await tokenClaims('open');
    assert.deepEqual([amr, acr], [['pwd'], '1']);
  });

  for (const [app, amr, acr] of [
    [undefined, ['hwk', 'pwd', 'mfa'], '2'],
    ['open', ['hwk'], '1'],
  ] as const) {
    it(`attack: a page that was changed to ask for no user verification gets one factor (${app ?? 'shop'})`, async () => {
      const authenticator = await enrolledWithoutVerification();
      await open({}, app);
      await passkeyButton().waitFor();
      await page.evaluate(`{
        const { dataset } = document.querySelector('form[data-passkey]');
        dataset.options = JSON.stringify({ ...JSON.parse(dataset.options), userVerification: 'discouraged' });
      }`);
      await authenticator.setPresence(true);
      await passkeyButton().click();
      if (app === undefined) {
        await page.getByText('Enter your password as well').waitFor();
        await signInByPassword();
      }
      const claims = await tokenClaims(app);
      assert.deepEqual([claims.amr, claims.acr], [amr, acr]);
    });
  }

  it('a key that is synchronised between devices is swk', async () => {
    await plugIn(page, { isSynced: true });
    await enrol();
    await signOut();
    await open();
    const { amr, acr } = await tokenClaims();
    assert.deepEqual([amr, acr], [['swk', 'user', 'mfa'], 'phr']);
  });

  it('attack: a cloned authenticator, whose counter stays behind, is refused', async () => {
    const authenticator = await plugIn(page);
    await enrol();
    const [copy] = await authenticator.credentials();
    assert(copy);
    await signOut();
    await open();
    await tokenClaims();
    // The owner has used the key; the copy has the counter from before.
    await authenticator.remove();
    const clone = await plugIn(page, { answers: false });
    await clone.put({ ...copy, signCount: 0 });
    await signOut();
    await open();
    await passkeyButton().waitFor();
    await clone.setPresence(true);
    await passkeyButton().click();
    await page.getByText('That passkey did not work').first().waitFor();
    assert.match(server.logged(), /passkey\.cloned/);
  });

  it('two authenticators: each signs in, and the list has both', async () => {
    const first = await plugIn(page);
    await enrol();
    await first.setPresence(false);
    const second = await plugIn(page, { transport: 'usb' });
    await add('Key');
    await page.getByText('Key', { exact: true }).waitFor();
    await page.getByText('Laptop', { exact: true }).waitFor();
    assert.equal(await page.locator('.passkeys li').count(), 2);
    for (const [used, idle] of [
      [first, second],
      [second, first],
    ] as const) {
      await idle.setPresence(false);
      await signOut();
      await open();
      await passkeyButton().waitFor();
      await used.setPresence(true);
      await passkeyButton().click();
      assert.equal((await tokenClaims()).acr, 'phr');
    }
  });

  it('a passkey for another origin: the browser does not offer it, and the page says so', async () => {
    const authenticator = await plugIn(page);
    await enrol();
    const [held] = await authenticator.credentials();
    await authenticator.remove();
    const other = await plugIn(page, { transport: 'usb' });
    assert(held);
    await other.put({ ...held, rpId: 'elsewhere.example' });
    await signOut();
    await open();
    await passkeyButton().click();
    await page.getByText('That did not work, or you cancelled it').waitFor();
    assert.match(page.url(), /\/login\?/);
  });
});

describe('a passkey as second factor, and the pages of the account', () => {
  it('is asked for after the password', async () => {
    await plugIn(page, { answers: false });
    const authenticator = await plugIn(page, { transport: 'usb' });
    await enrol();
    await signOut();
    await authenticator.setPresence(false);
    await open();
    await signInByPassword();
    await page.waitForURL(/\/login\/passkey\?/);
    await authenticator.setPresence(true);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    const { amr, acr } = await tokenClaims();
    assert.deepEqual([amr, acr], [['pwd', 'hwk', 'user', 'mfa'], 'phr']);
  });

  it('with user verification off it makes two factors with the password, and no more', async () => {
    // Chromium makes no discoverable passkey without user verification, but uses one that it finds.
    const verifying = await plugIn(page, { transport: 'usb' });
    await enrol();
    const [held] = await verifying.credentials();
    assert(held);
    await verifying.remove();
    await signOut();
    await open();
    await signInByPassword();
    await page.waitForURL(/\/login\/passkey\?/);
    const key = await plugIn(page, { transport: 'usb', hasUserVerification: false, isUserVerified: false });
    await key.put(held);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    const { amr, acr } = await tokenClaims();
    assert.deepEqual([amr, acr], [['pwd', 'hwk', 'mfa'], '2']);
  });

  it('the authenticator that has one is not registered twice, and the page says so', async () => {
    await plugIn(page);
    await enrol();
    await add('Again');
    await page.getByText('This device already has a passkey').waitFor();
  });

  it('the offer on the account page leads to a passkey, and goes when it is declined', async () => {
    await page.goto(`${server.base}/account`);
    await signInByPassword();
    await page.getByRole('link', { name: 'Create a passkey' }).waitFor();
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.waitForURL(`${server.base}/account`);
    await page.locator('.offer').waitFor({ state: 'detached' });
  });

  it('browsers without the JSON of WebAuthn are served too', async () => {
    await page.addInitScript(() => {
      const scope = globalThis as unknown as { PublicKeyCredential: Record<string, unknown> & { prototype: object } };
      for (const name of ['parseRequestOptionsFromJSON', 'parseCreationOptionsFromJSON']) {
        Reflect.deleteProperty(scope.PublicKeyCredential, name);
      }
      Reflect.deleteProperty(scope.PublicKeyCredential.prototype, 'toJSON');
    });
    await plugIn(page);
    await enrol();
    await signOut();
    await open();
    assert.equal((await tokenClaims()).acr, 'phr');
  });

  it('without script there is no button, and the password works', async t => {
    const plain = await visit(browser, { javaScriptEnabled: false });
    t.after(plain.close);
    await plain.page.goto(authorizationUrl(server, { redirect_uri: callback() }));
    assert.equal(await plain.page.getByRole('button', { name: 'Sign in with a passkey' }).count(), 0);
    await fillIn(plain.page, username);
    await signInButton(plain.page).click();
    await plain.page.waitForURL(`${callback()}?**`);
  });
});
