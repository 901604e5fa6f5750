import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openOidcUpstream, UPSTREAM_CLIENT } from '../build/oidc-upstream.ts';
import { anOperatorClient } from '../build/operator.ts';
import { firstInSuite, suitePart } from '../build/suite-part.ts';
import { startTestServer } from '../build/test-server.ts';
import { assertPresentable, openInspection } from './axe.ts';
import { takeSession, visit, withoutStatusNotes } from './browser-fixture.ts';
import { openChromium } from './chromium.ts';

const NEW = '/console/providers/new';
const DORA = {
  sub: 'u-dora',
  email: 'dora@corp.example',
  email_verified: true,
  preferred_username: 'dora',
  name: 'Dora Dorn',
  groups: ['engineers', 'climbers'],
};

const server = suitePart(() => startTestServer({ env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' } }));
const corp = suitePart(() =>
  openOidcUpstream(
    ['acme-corp', 'partner'].map(id => `${server.base}/login/provider/${id}/callback`),
    DORA,
  ),
);
const browser = suitePart(openChromium);
const owner = suitePart(() => anOperatorClient(server));
firstInSuite(async () => {
  await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' });
});

const open = (page: Page, path: string) => page.goto(`${server.base}${path}`);

describe('a provider in the console, in a browser', () => {
  it('is made by the form: the identifier and the redirect URI follow the name, and Try it shows what came back', async () => {
    const { page, complaints, close } = await visit(browser);
    await takeSession(page, server);
    await open(page, NEW);
    await page.getByLabel('Name').fill('Acme Corp');
    assert.equal(await page.getByLabel('Identifier').inputValue(), 'acme-corp');
    const uri = `${server.base}/login/provider/acme-corp/callback`;
    await page.locator('code', { hasText: uri }).waitFor();
    assert.equal(await page.locator('[data-with] button[data-copy]').getAttribute('data-copy'), uri);
    await page.getByLabel('Issuer').fill(corp.issuer);
    await page.getByLabel('Client ID').fill(UPSTREAM_CLIENT.client_id);
    await page.getByLabel('Client secret').fill(UPSTREAM_CLIENT.client_secret);
    await page.getByRole('button', { name: 'Create provider' }).click();
    await page.getByRole('heading', { name: 'Acme Corp' }).waitFor();
    assert.equal((await owner.ask('GET', '/providers/acme-corp')).json.callback_url, uri);
    await page.getByRole('link', { name: 'Try it' }).click();
    await page.getByRole('button', { name: 'Sign in at Acme Corp' }).click();
    await page.getByText('No account, session or link was created.').waitFor();
    assert.equal(new URL(page.url()).pathname, '/console/providers/acme-corp/try/answer');
    await page.getByText('This person gets a new account with the user name dora.').waitFor();
    await page.getByRole('cell', { name: 'dora@corp.example' }).first().waitFor();
    assert.equal((await owner.ask('GET', '/users?q=dora')).json.items.length, 0);
    await server.services.recorder.drain();
    await open(page, '/console/providers');
    await page.getByText('Working').waitFor();
    assert.deepEqual(withoutStatusNotes(complaints), []);
    await close();
  });

  it('keeps the identifier that was typed, whatever the name becomes', async () => {
    const { page, close } = await visit(browser);
    await takeSession(page, server);
    await open(page, NEW);
    await page.getByLabel('Identifier').fill('staff');
    await page.getByLabel('Name').fill('Another Name');
    assert.equal(await page.getByLabel('Identifier').inputValue(), 'staff');
    await page.locator('code', { hasText: '/login/provider/staff/callback' }).waitFor();
    await close();
  });
});

const at = (path: string) => (page: Page) => open(page, path);

const shown: readonly { readonly name: string; readonly open: (page: Page) => Promise<unknown> }[] = [
  { name: 'the list', open: at('/console/providers') },
  {
    name: 'a new provider with everything unfolded',
    open: async page => {
      await open(page, `${NEW}?type=oidc`);
      await page.getByText('Advanced settings').click();
      await page.locator('#trusts_email').waitFor();
    },
  },
  { name: 'a new SAML provider', open: at(`${NEW}?type=saml`) },
  { name: 'a new directory', open: at(`${NEW}?type=ldap`) },
  {
    name: 'a new provider with faults',
    open: async page => {
      await open(page, NEW);
      await page.getByLabel('Identifier').fill('Not an identifier');
      await page.getByLabel('Issuer').fill('corp');
      await page.getByLabel('Client ID').fill('gatehouse');
      await page.getByRole('button', { name: 'Create provider' }).click();
      await page.locator('#id-fault').waitFor();
    },
  },
  { name: 'a provider', open: at('/console/providers/partner') },
  {
    name: 'a provider, not deleted by another name',
    open: async page => {
      await open(page, '/console/providers/idle');
      await page.locator('#confirm').fill('another');
      await page.getByRole('button', { name: 'Delete provider' }).click();
      await page.locator('#confirm-fault').waitFor();
    },
  },
  { name: 'Try it', open: at('/console/providers/partner/try') },
  { name: 'Try it of a directory', open: at('/console/providers/staff/try') },
  {
    name: 'Try it, what came back',
    open: async page => {
      await open(page, '/console/providers/partner/try');
      await page.getByRole('button', { name: 'Sign in at Partner' }).click();
      await page.getByText('Protocol claims').click();
    },
  },
  {
    name: 'Try it, what failed',
    open: async page => {
      await open(page, '/console/providers/idle/try');
      await page.getByRole('button', { name: 'Sign in at idle' }).click();
      await page.getByText('What to do').waitFor();
    },
  },
  { name: 'the sign-in of an application that offers some', open: at('/console/applications/shop/sign-in') },
  {
    name: 'a user with a link',
    open: async page => {
      const { sub } = (await owner.ask('GET', '/users?q=alice')).json.items[0];
      await open(page, `/console/users/${sub}`);
      await page.getByText('there-1').waitFor();
    },
  },
];

describe('pages of identity providers in the console', () => {
  before(async () => {
    const known = { type: 'oidc', ...UPSTREAM_CLIENT };
    await owner.ask('POST', '/providers', { ...known, id: 'partner', name: 'Partner', issuer: corp.issuer });
    await owner.ask('POST', '/providers', { ...known, id: 'idle', issuer: 'http://127.0.0.1:1' });
    const directory = { url: 'ldap://127.0.0.1:1', search_base: 'dc=corp,dc=example' };
    await owner.ask('POST', '/providers', { id: 'staff', type: 'ldap', name: 'Staff', ...directory });
    await owner.ask('PATCH', '/applications/shop', { providers: ['partner'] });
    const { sub } = (await owner.ask('GET', '/users?q=alice')).json.items[0];
    await owner.ask('POST', `/users/${sub}/links`, { provider: 'partner', subject: 'there-1' });
  });
  const seen = suitePart(() => openInspection(browser));
  before(async () => {
    await takeSession(seen.page, server);
  });

  for (const { name, open: openPage } of shown) {
    it(`${name}: axe finds nothing, light or dark, nothing is wider than the window, and the browser has no complaint`, async () => {
      await openPage(seen.page);
      await assertPresentable(seen);
    });
  }
});
