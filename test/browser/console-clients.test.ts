import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { anOperatorClient } from '../build/operator.ts';
import { firstInSuite, suitePart } from '../build/suite-part.ts';
import { suiteServer } from '../build/test-server.ts';
import { assertPresentable, openInspection } from './axe.ts';
import { fillIn } from './browser-fixture.ts';
import { openChromium } from './chromium.ts';

const CLIENT = '/console/applications/shop/clients/till';
const API_IDENTIFIER = 'https://api.shop.example/orders/and/everything/that/belongs/to/them/in/one/long/address';

const server = suiteServer();
const browser = suitePart(openChromium);
firstInSuite(async () => {
  const owner = await anOperatorClient(server);
  await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' });
  await owner.ask('POST', '/applications/shop/clients', {
    client_id: 'till',
    client_name: 'Till',
    redirect_uris: ['https://till.example/callback', `${server.base}/console/try/callback`],
  });
  await owner.ask('POST', '/applications/shop/clients/till/secrets', { previous_valid_for: 86_400 });
  await owner.ask('POST', '/applications/shop/keys/rotate', {});
  const scopes = { 'orders:read': 'Read your orders', 'orders:write': 'Change your orders' };
  const api = { identifier: API_IDENTIFIER, name: 'Orders API', scopes };
  await owner.ask('PATCH', '/applications/shop', { apis: [api] });
});

async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${server.base}${path}`);
  if (!page.url().includes('/login')) return;
  await fillIn(page);
  await page.locator('[name=password]').press('Enter');
  await page.locator('main#content').waitFor();
}

let made = 0;
const at = (path: string) => (page: Page) => open(page, path);

const shown: readonly { readonly name: string; readonly open: (page: Page) => Promise<void> }[] = [
  { name: 'new client', open: at('/console/applications/shop/clients/new') },
  {
    name: 'new client of a preset',
    open: async page => {
      await open(page, '/console/applications/shop/clients/new');
      await page.getByRole('link', { name: 'Single-page app' }).click();
      await page.locator('a[href="?preset=spa"][aria-current]').waitFor();
      await page.getByText('Advanced settings').click();
      await page.locator('#require_pkce:checked').waitFor();
    },
  },
  {
    name: 'new client with faults',
    open: async page => {
      await open(page, '/console/applications/shop/clients/new');
      await page.locator('#redirect_uris').fill('http://shop.example/cb');
      await page.getByRole('button', { name: 'Create client' }).click();
      await page.locator('#redirect_uris-fault').waitFor();
    },
  },
  {
    name: 'a new client with its secret in the configuration of a library',
    open: async page => {
      await open(page, '/console/applications/shop/clients/new');
      await page.locator('#client_name').fill(`Made ${++made}`);
      await page.locator('#library').selectOption('express-openid-connect');
      await page.getByRole('button', { name: 'Create client' }).click();
      await page.getByRole('heading', { name: 'Configuration for Express' }).waitFor();
    },
  },
  { name: 'new application', open: at('/console/applications/new') },
  { name: 'application', open: at('/console/applications/shop') },
  { name: 'APIs of an application', open: at('/console/applications/shop/apis') },
  { name: 'sign-in of an application', open: at('/console/applications/shop/sign-in') },
  { name: 'look of an application', open: at('/console/applications/shop/look') },
  { name: 'advanced settings of an application', open: at('/console/applications/shop/advanced') },
  { name: 'initial access tokens', open: at('/console/applications/shop/initial-access-tokens') },
  { name: 'API', open: at(`/console/applications/shop/apis/${encodeURIComponent(API_IDENTIFIER)}`) },
  {
    name: 'new API with faults',
    open: async page => {
      await open(page, '/console/applications/shop/apis/new');
      await page.locator('#identifier').fill('orders');
      await page.locator('#name').fill('Orders');
      await page.getByRole('button', { name: 'Add API' }).click();
      await page.locator('#identifier-fault').waitFor();
    },
  },
  { name: 'connect', open: at(CLIENT) },
  {
    name: 'a question of a security review',
    open: async page => {
      await open(page, CLIENT);
      await page.getByRole('button', { name: 'Require PKCE' }).click();
      await page.getByRole('heading', { name: 'Require PKCE?' }).waitFor();
    },
  },
  { name: 'settings', open: at(`${CLIENT}/settings`) },
  { name: 'permissions', open: at(`${CLIENT}/permissions`) },
  { name: 'authentication', open: at(`${CLIENT}/authentication`) },
  { name: 'tokens', open: at(`${CLIENT}/tokens`) },
  {
    name: 'secrets',
    open: async page => {
      await open(page, `${CLIENT}/secrets`);
      await page.getByRole('link', { name: 'Revoke' }).first().click();
      await page.locator('#confirm').waitFor();
    },
  },
  { name: 'try', open: at(`${CLIENT}/try`) },
  {
    name: 'try, its end',
    open: async page => {
      await open(page, `${CLIENT}/try`);
      await page.getByRole('button', { name: 'Sign in with this client' }).click();
      await page.getByRole('heading', { name: 'What the client gets' }).waitFor();
    },
  },
  {
    name: 'keys',
    open: async page => {
      await open(page, '/console/applications/shop/keys');
      await page.getByRole('link', { name: 'Compromised' }).first().click();
      await page.locator('#confirm').waitFor();
    },
  },
];

describe('pages of clients and keys in the console', () => {
  const seen = suitePart(() => openInspection(browser));

  for (const { name, open: openPage } of shown) {
    it(`${name}: axe finds nothing, light or dark, nothing is wider than the window, and the browser has no complaint`, async () => {
      await openPage(seen.page);
      await assertPresentable(seen);
    });
  }
});
