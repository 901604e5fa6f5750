import type { Page } from 'playwright-core';
import { newResetToken, resetTokenHash } from '../../src/accounts/reset-token.ts';
import { seedDemo } from '../../src/demo/seed.ts';
import { newEvent } from '../../src/events/new-event.ts';
import { newMail } from '../../src/mail/queue.ts';
import { newAccount } from '../../src/provisioning/plan-user.ts';
import { anAuthenticator } from '../build/authenticator.ts';
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
    applications: [books, long, anApplication({ code: 'bank', name: 'Lantern Bank', mfa: 'required' })],
    users: [aUser(), FORGETFUL],
    env: { MAIL_URL: 'smtp://127.0.0.1:1' },
  });
  await seedDemo(server.services);
  await server.services.registry.refresh();
  return server;
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

/** The page that the mail of an invitation leads to, for a new user each time. */
async function invitation(page: Page, server: TestServer): Promise<void> {
  const { services } = server;
  const token = newResetToken(services.random);
  const sub = services.random.bytes(6).toString('hex');
  const now = services.clock.now();
  const email = `guest-${sub}@example.com`;
  const account = { ...newAccount(services, { email, username: email }, undefined), sub };
  const mail = newMail(services, { name: 'x', to: email, subject: 'x', text: 'x', html: 'x' });
  const invitation = { tokenHash: resetTokenHash(token), expiresAt: now + 1800, mail };
  const event = newEvent(services, { type: 'user.created', outcome: 'success', actor: { kind: 'system' } });
  const write = { value: { kind: 'create', account, invitation }, act: { event } } as const;
  await services.store.changeUser(sub, () => ({ result: { kind: 'made' }, write }));
  await page.goto(`${server.base}/reset-password?token=${token}`);
}

/** Where a second factor is required: the key of a new app, with a wrong code where one is given. */
const enrolment = (code?: string) => async (page: Page, server: TestServer) => {
  await page.goto(authorizationUrl(server, {}, 'bank'));
  await page.locator('[name=username]').fill('alice');
  await page.locator('[name=password]').fill(PASSWORD);
  await page.locator('[name=password]').press('Enter');
  await page.locator('#totp-key').waitFor();
  if (code === undefined) return;
  await page.locator('[name=code]').fill(code);
  await page.locator('[name=code]').press('Enter');
  await page.getByRole('alert').waitFor();
};

/** The recovery codes after it; the app is removed again, for the next time. */
async function recoveryCodes(page: Page, server: TestServer): Promise<void> {
  await enrolment()(page, server);
  const key = (await page.locator('#totp-key').textContent()) ?? '';
  await page.locator('[name=code]').fill(anAuthenticator(server.services.clock, key).code());
  await page.locator('[name=code]').press('Enter');
  await page.locator('.recovery-code').first().waitFor();
  const { sub = '' } = (await server.services.store.findAccount('alice')) ?? {};
  const event = newEvent(server.services, { type: 'factor.removed', outcome: 'success', actor: { kind: 'system' } });
  await server.services.store.resetUserFactors(sub, server.services.clock.now(), { event });
}

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
  { name: 'forgot-password', translated: true, open: go('/forgot-password') },
  { name: 'forgot-password-sent', translated: true, open: forgotPassword },
  { name: 'reset-password', translated: true, open: resetPassword() },
  { name: 'reset-password-error', translated: true, open: resetPassword('short') },
  { name: 'reset-password-done', translated: true, open: resetPassword('a passphrase of erin') },
  { name: 'invitation', translated: true, open: invitation },
  { name: 'login-enrol', translated: true, open: enrolment() },
  { name: 'login-enrol-error', translated: true, open: enrolment('000000') },
  { name: 'login-enrol-recovery-codes', translated: true, open: recoveryCodes },
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
