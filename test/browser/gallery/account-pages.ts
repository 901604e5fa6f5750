import type { Page } from 'playwright-core';
import { aUser, PASSWORD } from '../../build/fixture.ts';
import { SESSION_COOKIE } from '../../build/people.ts';
import type { TestServer } from '../../build/test-server.ts';
import { openSessionOfGrace } from './server.ts';
import { go, inSession, loggingIn, type Open, type Pages, request, sendForm } from './shown.ts';

async function passkeyList(page: Page, server: TestServer): Promise<void> {
  const value = await openSessionOfGrace(server);
  await page.context().addCookies([{ name: SESSION_COOKIE, value, url: server.base }]);
  await go('/account/security/passkeys')(page, server);
}

/** The application reader has alice's consent. */
const account = (path: string): Open =>
  inSession(async (page, server) => {
    const { store, clock } = server.services;
    const { sub = '' } = (await store.findAccount('alice')) ?? {};
    await store.addConsent(sub, 'shop', 'reader', ['openid', 'profile', 'email'], clock.now());
    await go(path)(page, server);
  });

/** A form of the account that is sent with these values, and what the page says to it. */
const refused =
  (path: string, values: Readonly<Record<string, string>>): Open =>
  async (page, server) => {
    await account(path)(page, server);
    await sendForm(page, `[name=${Object.keys(values)[0]}]`, values, '[role=alert]');
  };

async function changeEmail(page: Page, server: TestServer): Promise<void> {
  await account('/account/email')(page, server);
  await sendForm(page, '[name=email]', { email: 'alice@lantern.example' }, '[name=code]');
}

/** A browser that the user trusts, among the factors. */
async function trustedBrowsers(page: Page, server: TestServer): Promise<void> {
  const { store, clock, random } = server.services;
  const { sub = '', passwordHash } = (await store.findAccount('alice')) ?? {};
  const [id, createdAt] = [random.bytes(8).toString('hex'), clock.now()];
  const userAgent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const browser = { id, tokenHash: id, sub, userAgent, createdAt, expiresAt: createdAt + 2_592_000, passwordHash };
  await store.trustBrowser(browser, 2);
  await account('/account/security')(page, server);
}

/** A new user who has asked to delete the account. */
async function leave(page: Page, server: TestServer): Promise<string> {
  const username = `leaving-${server.services.random.bytes(4).toString('hex')}`;
  await server.provision({ users: [aUser({ username, email: `${username}@example.com`, phone_number: null })] });
  await inSession(go('/account/data/delete'), username)(page, server);
  await sendForm(page, '[name=password]', { password: PASSWORD }, 'body:not(:has([name=password]))');
  return username;
}

async function keepAccount(page: Page, server: TestServer): Promise<void> {
  const username = await leave(page, server);
  await loggingIn(request(), username, '[value=keep]')(page, server);
}

export const accountPages: Pages = {
  account: account('/account'),
  'account-profile': account('/account/profile'),
  'account-profile-error': refused('/account/profile', { picture: 'http://x.example' }),
  'account-security': account('/account/security'),
  'account-password': account('/account/security/password'),
  'account-password-error': refused('/account/security/password', { current_password: PASSWORD, password: 'short' }),
  'account-email': account('/account/email'),
  'account-email-code': changeEmail,
  'account-sessions': account('/account/sessions'),
  'account-access': account('/account/access'),
  'account-activity': account('/account/activity'),
  'account-data': account('/account/data'),
  'account-delete': account('/account/data/delete'),
  'account-delete-error': refused('/account/data/delete', { password: 'wrong' }),
  'account-left': async (page, server) => void (await leave(page, server)),
  'keep-account': keepAccount,
  'trusted-browsers': trustedBrowsers,
  passkeys: passkeyList,
  'passkeys-none': account('/account/security/passkeys'),
  'console-without-role': inSession(go('/console')),
};
