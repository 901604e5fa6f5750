import type { Page } from 'playwright-core';
import { aTv, aWaitingDevice } from '../build/device.ts';
import { anApplication, aUser, PASSWORD } from '../build/fixture.ts';
import type { TestServer } from '../build/test-server.ts';
import type { Shown } from './gallery.ts';

/** The pages of /device, for the gallery, with an application and a user of their own. */
export const DANA = aUser({ username: 'dana', email: 'dana@example.com', phone_number: null });
export const SCREENS = anApplication({
  ...{ code: 'screens', name: 'Lantern Films' },
  apis: [{ identifier: 'https://films.example', name: 'Films', scopes: { 'films:watch': 'Watch your films' } }],
  clients: [aTv({ client_name: 'Lantern TV', scope: 'openid profile films:watch' })],
});

const waiting = (server: TestServer) => aWaitingDevice(server, { scope: 'openid profile films:watch' }, {}, 'screens');

async function filledIn(page: Page, server: TestServer): Promise<void> {
  await page.goto((await waiting(server)).verification_uri_complete);
}

async function wrongCode(page: Page, server: TestServer): Promise<void> {
  await page.goto(`${server.base}/device`);
  await page.locator('[name=user_code]').fill('bcdf ghjk');
  await page.locator('[name=user_code]').press('Enter');
  await page.getByRole('alert').waitFor();
}

async function question(page: Page, server: TestServer): Promise<void> {
  await filledIn(page, server);
  await page.locator('button[type=submit]').click();
  await page.locator('[name=username]').fill('dana');
  await page.locator('[name=password]').fill(PASSWORD);
  await page.locator('[name=password]').press('Enter');
  await page.locator('[value=allow]').waitFor();
}

const pressed = (action: 'allow' | 'deny') => async (page: Page, server: TestServer) => {
  await question(page, server);
  await page.locator(`[value=${action}]`).click();
  await page.locator('form').first().waitFor({ state: 'detached' });
};

async function cancelled(page: Page, server: TestServer): Promise<void> {
  await filledIn(page, server);
  await page.locator('button[type=submit]').click();
  await page.locator('[value=cancel]').click();
  await page.locator('a[href="/device"]').waitFor();
}

async function decidedBefore(page: Page, server: TestServer): Promise<void> {
  await question(page, server);
  const address = page.url();
  await page.locator('[value=allow]').click();
  await page.locator('form').first().waitFor({ state: 'detached' });
  await page.goto(address);
}

export const devicePages: readonly Shown[] = [
  { name: 'device', translated: true, open: (page, server) => page.goto(`${server.base}/device`).then(() => {}) },
  { name: 'device-filled-in', translated: true, open: filledIn },
  { name: 'device-error', translated: true, open: wrongCode },
  { name: 'device-question', translated: true, open: question },
  { name: 'device-connected', translated: true, open: pressed('allow') },
  { name: 'device-denied', translated: true, open: pressed('deny') },
  { name: 'device-cancelled', translated: true, open: cancelled },
  { name: 'device-decided', translated: true, open: decidedBefore },
];
