import type { Page } from 'playwright-core';
import { newResetToken, resetTokenHash } from '../../src/accounts/reset-token.ts';
import { keyOf, newCredential } from '../../src/credentials.ts';
import { seedDemo } from '../../src/demo/seed.ts';
import { newEvent } from '../../src/events/new-event.ts';
import { newMail } from '../../src/mail/queue.ts';
import { passkeyIdOf } from '../../src/protocol/passkey.ts';
import { aClient, anApplication, aUser, PASSWORD } from '../build/fixture.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { authorizationUrl, type Fields } from '../build/visitor.ts';

/** Every page a person can meet, and how to get there: for the checks that go over all of them. */
export interface Shown {
  readonly name: string;
  /** Pages for developers are in English whatever the reader's language. */
  readonly translated: boolean;
  readonly open: (page: Page, server: TestServer) => Promise<void>;
}

const LONG_NAME = 'Donaudampfschifffahrtsgesellschaftskapitänsversicherung for the Northern and Southern Territories';

/** A server with an ordinary application, one whose name is hard to lay out, and the demo. */
export async function openGallery(): Promise<TestServer> {
  const long = anApplication({ code: 'long', name: LONG_NAME, clients: [aClient()] });
  const asking = aClient({ client_id: 'reader', client_name: 'Lantern Reader for Android', require_consent: true });
  const books = anApplication({ name: 'Lantern Books', clients: [aClient(), asking] });
  const server = await startTestServer({
    // Passkeys need a domain name.
    hostname: 'localhost',
    applications: [books, long],
    users: [aUser(), FORGETFUL, GRACE],
    env: { MAIL_URL: 'smtp://127.0.0.1:1' },
  });
  await givePasskeys(server);
  await seedDemo(server.services);
  await server.services.registry.refresh();
  return server;
}

const GRACE = aUser({ username: 'grace', email: 'grace@example.com', phone_number: null });

/** Two passkeys of grace, one of them synchronised and used. The browser has no authenticator: nothing answers by itself. */
async function givePasskeys({ services }: TestServer): Promise<void> {
  const { sub = '' } = (await services.store.findAccount('grace')) ?? {};
  const now = services.clock.now();
  for (const [name, isSyncable] of [
    ['Laptop', true],
    ['Security key with a blue ribbon, from the drawer', false],
  ] as const) {
    const credentialId = Buffer.from(name).toString('base64url');
    const spent = { challenge: name, challengeExpiresAt: now };
    const key = { credentialId, publicKey: '', transports: [], isSyncable, isBackedUp: isSyncable };
    const passkey = {
      ...key,
      ...spent,
      id: passkeyIdOf(credentialId),
      name,
      signCount: 0,
      limit: 5,
      recoveryHashes: ['x'],
    };
    await services.store.addPasskey(sub, passkey, now);
  }
}

/** Signs grace in with the password; the page that asks for the passkey. */
async function askedForPasskey(page: Page, server: TestServer): Promise<void> {
  await page.goto(authorizationUrl(server));
  await page.locator('[name=username]').fill('grace');
  await page.locator('[name=password]').fill(PASSWORD);
  await page.locator('[name=password]').press('Enter');
  await page.waitForURL(/\/login\/passkey\?/);
}

async function wrongPasskey(page: Page, server: TestServer): Promise<void> {
  await page.goto(authorizationUrl(server));
  await page.evaluate(`document.querySelector('[data-passkey]').submit()`);
  await page.getByRole('alert').first().waitFor();
}

/** The list of grace, in a session that was opened for it. */
async function passkeyList(page: Page, server: TestServer): Promise<void> {
  const { services } = server;
  const { sub = '' } = (await services.store.findAccount('grace')) ?? {};
  const now = services.clock.now();
  const id = newCredential('session', now + 3600, services.random);
  await services.store.openSession(
    {
      ...{ idHash: keyOf(id), sid: id.slice(-20), sub, authTime: now, amr: ['swk', 'user', 'mfa'] },
      ...{ openedByRequest: id.slice(-20), passwordHash: undefined, idleExpiresAt: now + 3600 },
      ...{ expiresAt: now + 3600, replaces: undefined },
    },
    now,
  );
  await page.context().addCookies([{ name: 'gatehouse_session', value: id, url: server.base }]);
  await page.goto(`${server.base}/account/security/passkeys`);
}

const FORGETFUL = aUser({ username: 'erin', email: 'erin@example.com', phone_number: null });

/** The page that the link of a mail leads to, and what follows when this password is typed. */
const resetPassword = (password?: string) => async (page: Page, server: TestServer) => {
  const { services } = server;
  const { sub = '' } = (await services.store.findAccount('erin')) ?? {};
  const token = newResetToken(services.random);
  const now = services.clock.now();
  const email = 'erin@example.com';
  await services.store.startPasswordReset(
    {
      ...{ sub, email, tokenHash: resetTokenHash(token), expiresAt: now + 1800, maxLinks: 1000 },
      mail: newMail(services, { name: 'x', to: email, subject: 'x', text: 'x', html: 'x' }),
      requestedBy: 'x',
      event: newEvent(services, { type: 'user.password.reset.requested', outcome: 'success', actor: { kind: 'user' } }),
    },
    now,
  );
  await page.goto(`${server.base}/reset-password?token=${token}`);
  if (password === undefined) return;
  await page.locator('[name=password]').fill(password);
  await page.locator('[name=password]').press('Enter');
  await page.locator('[name=password]:not([aria-invalid])').waitFor({ state: 'detached' });
};

async function forgotPassword(page: Page, server: TestServer): Promise<void> {
  await page.goto(`${server.base}/forgot-password`);
  await page.locator('[name=username]').fill('erin');
  await page.locator('[name=username]').press('Enter');
  await page.locator('form').waitFor({ state: 'detached' });
}

const TOKEN = `ga_${'Zk3vQ8wLr2'.repeat(5)}`;
const JWT = ['eyJhbGciOiJFUzI1NiJ9', 'eyJpc3MiOiJodHRwOi8v'.repeat(14), 'pX7sQe'.repeat(14)].join('.');

const go = (path: string) => async (page: Page, server: TestServer) => {
  await page.goto(`${server.base}${path}`);
};

async function wrongPassword(page: Page, server: TestServer): Promise<void> {
  await page.goto(authorizationUrl(server));
  await page.locator('[name=username]').fill('alice');
  await page.locator('[name=password]').fill('wrong');
  await page.locator('[name=password]').press('Enter');
  await page.getByRole('alert').waitFor();
}

/** Signs in and stays on the page that the request leads to. */
const signedIn = (fields: Fields, then?: string) => async (page: Page, server: TestServer) => {
  await page.goto(authorizationUrl(server, { client_id: 'reader', prompt: 'consent', ...fields }));
  await page.locator('[name=username]').fill('alice');
  await page.locator('[name=password]').fill(PASSWORD);
  await page.locator('[name=password]').press('Enter');
  await page.locator('[value=allow]').waitFor();
  if (then !== undefined) await page.goto(`${server.base}${then}`);
};

async function selectAccount(page: Page, server: TestServer): Promise<void> {
  await signedIn({})(page, server);
  await page.goto(authorizationUrl(server, { prompt: 'select_account' }));
}

async function account(page: Page, server: TestServer): Promise<void> {
  const user = await server.services.store.findAccount('alice');
  await server.services.store.addConsent(
    user?.sub ?? '',
    'shop',
    'reader',
    ['openid', 'profile', 'email'],
    1_800_000_000,
  );
  await signedIn({}, '/account')(page, server);
}

/** The page that sends itself, held where its script does not arrive. */
async function heldFormPost(page: Page, server: TestServer): Promise<void> {
  await page.route('**/assets/form-post.*', route => route.abort());
  await page.goto(authorizationUrl(server, { response_mode: 'form_post', prompt: 'none' }));
}

export const gallery: readonly Shown[] = [
  { name: 'login', translated: true, open: (page, server) => page.goto(authorizationUrl(server)).then(() => {}) },
  { name: 'login-error', translated: true, open: wrongPassword },
  { name: 'login-passkey-error', translated: true, open: wrongPasskey },
  { name: 'login-passkey', translated: true, open: askedForPasskey },
  { name: 'passkeys', translated: true, open: passkeyList },
  { name: 'passkeys-none', translated: true, open: signedIn({}, '/account/security/passkeys') },
  { name: 'security', translated: true, open: signedIn({}, '/account/security') },
  { name: 'forgot-password', translated: true, open: go('/forgot-password') },
  { name: 'forgot-password-sent', translated: true, open: forgotPassword },
  { name: 'reset-password', translated: true, open: resetPassword() },
  { name: 'reset-password-error', translated: true, open: resetPassword('short') },
  { name: 'reset-password-done', translated: true, open: resetPassword('a passphrase of erin') },
  { name: 'reset-password-expired', translated: true, open: go('/reset-password?token=gpr_x') },
  {
    name: 'login-long-name',
    translated: true,
    open: (page, server) => page.goto(authorizationUrl(server, {}, 'long')).then(() => {}),
  },
  {
    name: 'problem',
    translated: true,
    open: (page, server) => page.goto(authorizationUrl(server, { client_id: 'nobody' })).then(() => {}),
  },
  {
    name: 'problem-unfolded',
    translated: true,
    open: async (page, server) => {
      await page.goto(authorizationUrl(server, { redirect_uri: `https://client.example/${'elsewhere/'.repeat(12)}` }));
      await page.locator('summary').click();
    },
  },
  { name: 'select-account', translated: true, open: selectAccount },
  { name: 'consent', translated: true, open: signedIn({}) },
  { name: 'logout', translated: true, open: signedIn({}, '/logout') },
  { name: 'signed-out', translated: true, open: go('/logout') },
  { name: 'account', translated: true, open: account },
  { name: 'not-found', translated: true, open: go('/nowhere') },
  { name: 'form-post', translated: false, open: heldFormPost },
  { name: 'errors', translated: false, open: go('/docs/errors') },
  { name: 'error', translated: false, open: go('/docs/errors/invalid_grant') },
  {
    name: 'demo-code',
    translated: false,
    open: go(`/demo/callback?code=gc_${'w7Rk2mXq9p'.repeat(5)}&state=demo&iss=http%3A%2F%2Flocalhost%3A3000%2Fdemo`),
  },
  {
    name: 'demo-tokens',
    translated: false,
    open: go(
      `/demo/callback#access_token=${TOKEN}&token_type=Bearer&expires_in=3600&scope=openid%20profile&id_token=${JWT}&state=demo`,
    ),
  },
  {
    name: 'demo-error',
    translated: false,
    open: go('/demo/callback?error=access_denied&error_description=The%20user%20cancelled.&state=demo'),
  },
  { name: 'demo-empty', translated: false, open: go('/demo/callback') },
];
