import type { Page } from 'playwright-core';
import {
  type Confirmation,
  mailTokenHash,
  newMailToken,
  sealConfirmation,
} from '../../src/accounts/email-confirmation.ts';
import { newResetToken, resetTokenHash } from '../../src/accounts/reset-token.ts';
import { keyOf, newCredential } from '../../src/credentials.ts';
import { seedDemo } from '../../src/demo/seed.ts';
import { newEvent } from '../../src/events/new-event.ts';
import { newMail } from '../../src/mail/queue.ts';
import { passkeyIdOf } from '../../src/protocol/passkey.ts';
import { newAccount } from '../../src/provisioning/plan-user.ts';
import { anAuthenticator, TOTP_SECRET } from '../build/authenticator.ts';
import { changeAddress } from '../build/changed-address.ts';
import { aClient, anApplication, aUser, PASSWORD } from '../build/fixture.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';
import { authorizationUrl, type Fields } from '../build/visitor.ts';
import { DANA, devicePages, SCREENS } from './device-gallery.ts';

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
  const links = { client_uri: 'https://reader.example/', policy_uri: 'https://reader.example/privacy' };
  const asking = aClient({
    ...{ client_id: 'reader', client_name: 'Lantern Reader for Android', require_consent: true },
    ...{ ...links, tos_uri: 'https://reader.example/terms' },
  });
  const books = anApplication({ name: 'Lantern Books', clients: [aClient(), asking] });
  const club = anApplication({ code: 'club', name: 'Lantern Club', sign_up: true, require_verified_email: true });
  const trusting = anApplication({ code: 'trusting', name: 'Trusting', trusted_browsers: true });
  const staff = anApplication({ code: 'staff', name: 'Lantern Staff', access: { groups: ['staff'] } });
  const server = await startTestServer({
    // Passkeys need a domain name.
    hostname: 'localhost',
    applications: [
      books,
      long,
      club,
      trusting,
      staff,
      SCREENS,
      anApplication({ code: 'bank', name: 'Lantern Bank', mfa: 'required' }),
    ],
    users: [aUser(), DANA, FORGETFUL, OUTSIDER, GRACE, THEO, ...NEWCOMERS],
    env: { MAIL_URL: 'smtp://127.0.0.1:1' },
  });
  await givePasskeys(server);
  await registerAssistant(server);
  await seedDemo(server.services);
  await server.services.registry.refresh();
  return server;
}

const ASSISTANT = 'assistant';

/** A client that has registered itself, on the device of the person. */
async function registerAssistant({ services }: TestServer): Promise<void> {
  const reader = await services.store.findClient('shop', 'reader');
  if (!reader) throw new Error('the client reader is gone');
  const own = { client_id: ASSISTANT, client_name: 'Helpful Assistant', origin: 'dynamic_registration' } as const;
  const native = { token_endpoint_auth_method: 'none', redirect_uris: ['http://localhost/callback'] } as const;
  const now = services.clock.now();
  const event = newEvent(services, { type: 'client.created', outcome: 'success', actor: { kind: 'system' } });
  await services.store.registerClient('shop', {
    ...{
      client: { ...reader, ...own, ...native, secret_hash: undefined },
      tokenHash: Buffer.alloc(32),
      createdAt: now,
    },
    ...{ maxClients: 10, unusedSince: now, event, deleted: () => event },
  });
}

const SELF_REGISTERED = {
  ...{ client_id: ASSISTANT, redirect_uri: 'http://localhost:4321/callback', scope: 'openid profile email' },
  ...{ code_challenge: 'A'.repeat(43), code_challenge_method: 'S256' },
};

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
      ...{ expiresAt: now + 3600, replaces: undefined, userAgent: undefined, address: '127.0.0.1' },
    },
    now,
  );
  await page.context().addCookies([{ name: 'gatehouse_session', value: id, url: server.base }]);
  await page.goto(`${server.base}/account/security/passkeys`);
}

const THEO = aUser({ username: 'theo', email: null, phone_number: null, totp_secret: TOTP_SECRET });
const FORGETFUL = aUser({ username: 'erin', email: 'erin@example.com', phone_number: null });
const OUTSIDER = aUser({ username: 'olaf', email: 'olaf@example.com', phone_number: null });

/** Who is asked for more than a password. */
const NEWCOMERS = [
  aUser({ username: 'uma', email: 'uma@example.com', email_verified: false, phone_number: null }),
  aUser({ username: 'nora', email: null, email_verified: false, phone_number: null }),
  aUser({ username: 'petra', email: 'petra@example.com', phone_number: null, require_password_change: true }),
];

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

async function signUp(page: Page, server: TestServer): Promise<void> {
  await page.goto(authorizationUrl(server, {}, 'club'));
  await page.locator('a[href^="/signup"]').click();
  await page.locator('[name=email]').waitFor();
}

const signedUp = (password: string, then: string) => async (page: Page, server: TestServer) => {
  await signUp(page, server);
  await page.locator('[name=email]').fill('zoe@example.com');
  await page.locator('[name=password]').fill(password);
  await page.locator('[name=password]').press('Enter');
  await page.locator(then).waitFor();
};

async function wrongMailCode(page: Page, server: TestServer): Promise<void> {
  await signedUp('a passphrase of zoe', '[name=code]')(page, server);
  await page.locator('[name=code]').fill('wrong');
  await page.locator('[name=code]').press('Enter');
  await page.getByRole('alert').waitFor();
}

/** Signs in at the application that demands a verified address, and stays on the page that asks for more. */
const newcomer =
  (username: string, then: string, app = 'club') =>
  async (page: Page, server: TestServer) => {
    await page.goto(authorizationUrl(server, {}, app));
    await page.locator('[name=username]').fill(username);
    await page.locator('[name=password]').fill(PASSWORD);
    await page.locator('[name=password]').press('Enter');
    await page.locator(then).waitFor();
  };

/** The page of a link, for a confirmation that is stored as the job of mails does. */
const confirmation = (made: Confirmation) => async (page: Page, server: TestServer) => {
  const { services } = server;
  const { random, store, ring, clock } = services;
  const token = newMailToken('confirmation', random);
  const id = random.bytes(8).toString('hex');
  const mail = () => newMail(services, { name: 'x', to: made.email, subject: 'x', text: 'x', html: 'x' });
  const requested = mail();
  await store.addMail(requested, 10_000);
  await store.startEmailConfirmation(
    {
      ...{ id, sub: undefined, loginName: id, addressKey: id, tokenHash: mailTokenHash(token) },
      ...{ sealed: sealConfirmation(ring, id, { ...made, code: 'x' }), expiresAt: clock.now() + 1800 },
      ...{ maxMails: 3, maxMailsOfAddress: 3, mail: mail(), takenMail: mail(), requestedBy: requested.id },
    },
    clock.now(),
  );
  await page.goto(`${server.base}/confirm-email?token=${token}`);
};

const OWN_ADDRESS: Confirmation = {
  ...{ purpose: 'change', email: 'zoe@example.com', sub: 'zoe', from: undefined, app: undefined, pending: undefined },
};
const SIGNED_UP: Confirmation = {
  ...{ purpose: 'sign-up', email: 'zoe@example.com', username: 'zoe', app: 'club', pending: undefined },
};

/** The page of the link that a former address got. */
async function undoEmail(page: Page, server: TestServer): Promise<void> {
  const undo = await changeAddress(server, 'petra', `${server.services.random.bytes(8).toString('hex')}@example.com`);
  await page.goto(`${server.base}/undo-email?token=${undo}`);
}

async function changeEmail(page: Page, server: TestServer): Promise<void> {
  await signedIn({}, '/account/email')(page, server);
  await page.locator('[name=email]').fill('alice@lantern.example');
  await page.locator('[name=email]').press('Enter');
  await page.locator('[name=code]').waitFor();
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

const account = (path: string) => async (page: Page, server: TestServer) => {
  const user = await server.services.store.findAccount('alice');
  await server.services.store.addConsent(
    user?.sub ?? '',
    'shop',
    'reader',
    ['openid', 'profile', 'email'],
    1_800_000_000,
  );
  await signedIn({}, path)(page, server);
};

/** A form of the account that is sent with these values, and what the page says to it. */
const refused =
  (path: string, values: Record<string, string>) =>
  async (page: Page, server: TestServer): Promise<void> => {
    await account(path)(page, server);
    for (const [name, value] of Object.entries(values)) await page.locator(`[name=${name}]`).fill(value);
    await page.locator('form button[type=submit]').click();
    await page.getByRole('alert').waitFor();
  };

/** A new user who has asked to delete the account; `then` signs in again. */
const leaving = (then: boolean) => async (page: Page, server: TestServer) => {
  const username = `leaving-${server.services.random.bytes(4).toString('hex')}`;
  await server.provision({ users: [aUser({ username, email: `${username}@example.com`, phone_number: null })] });
  const signIn = async () => {
    await page.locator('[name=username]').fill(username);
    await page.locator('[name=password]').fill(PASSWORD);
    await page.locator('[name=password]').press('Enter');
  };
  await page.goto(`${server.base}/account/data/delete`);
  await signIn();
  await page.locator('button.danger').waitFor();
  await page.locator('[name=password]').fill(PASSWORD);
  await page.locator('[name=password]').press('Enter');
  await page.locator('form').first().waitFor({ state: 'detached' });
  if (!then) return;
  await page.goto(authorizationUrl(server));
  await signIn();
  await page.locator('[value=keep]').waitFor();
};

/** The page of the code, where the application lets users skip it from now on. */
async function askedForCode(page: Page, server: TestServer): Promise<void> {
  await page.goto(authorizationUrl(server, {}, 'trusting'));
  await page.locator('[name=username]').fill('theo');
  await page.locator('[name=password]').fill(PASSWORD);
  await page.locator('[name=password]').press('Enter');
  await page.locator('[name=trust]').waitFor();
}

let trusted = 0;

/** A browser that the user trusts, among the factors. */
async function trustedBrowsers(page: Page, server: TestServer): Promise<void> {
  const { store, clock } = server.services;
  const { sub = '', passwordHash } = (await store.findAccount('alice')) ?? {};
  const [id, createdAt] = [`trusted-${++trusted}`, clock.now()];
  const userAgent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const browser = { id, tokenHash: id, sub, userAgent, createdAt, expiresAt: createdAt + 2_592_000, passwordHash };
  await store.trustBrowser(browser, 2);
  await signedIn({}, '/account/security')(page, server);
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
  { name: 'login-totp', translated: true, open: askedForCode },
  { name: 'trusted-browsers', translated: true, open: trustedBrowsers },
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
  { name: 'sign-up', translated: true, open: signUp },
  { name: 'sign-up-error', translated: true, open: signedUp('short', '[role=alert]') },
  { name: 'sign-up-code', translated: true, open: signedUp('a passphrase of zoe', '[name=code]') },
  { name: 'sign-up-code-error', translated: true, open: wrongMailCode },
  { name: 'sign-up-refused', translated: true, open: go('/signup') },
  { name: 'verify-email', translated: true, open: newcomer('uma', '[name=code]') },
  { name: 'verify-email-address', translated: true, open: newcomer('nora', '[name=email]') },
  { name: 'new-password', translated: true, open: newcomer('petra', '[action="/login/new-password"] [name=password]') },
  { name: 'no-access', translated: true, open: newcomer('olaf', '[value=another]', 'staff') },
  ...devicePages,
  { name: 'confirm-email', translated: true, open: confirmation(OWN_ADDRESS) },
  { name: 'confirm-email-elsewhere', translated: true, open: confirmation(SIGNED_UP) },
  { name: 'undo-email', translated: true, open: undoEmail },
  { name: 'mail-link-expired', translated: true, open: go('/confirm-email?token=gec_x') },
  { name: 'account-email', translated: true, open: signedIn({}, '/account/email') },
  { name: 'account-email-code', translated: true, open: changeEmail },
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
  {
    name: 'problem-withheld',
    translated: true,
    open: (page, server) =>
      page.goto(authorizationUrl(server, { ...SELF_REGISTERED, scope: 'nonsense' })).then(() => {}),
  },
  { name: 'console-without-role', translated: true, open: signedIn({}, '/console') },
  { name: 'select-account', translated: true, open: selectAccount },
  { name: 'consent', translated: true, open: signedIn({}) },
  { name: 'consent-self-registered', translated: true, open: signedIn(SELF_REGISTERED) },
  { name: 'logout', translated: true, open: signedIn({}, '/logout') },
  { name: 'signed-out', translated: true, open: go('/logout') },
  { name: 'account', translated: true, open: account('/account') },
  { name: 'account-profile', translated: true, open: account('/account/profile') },
  {
    name: 'account-profile-error',
    translated: true,
    open: refused('/account/profile', { picture: 'http://x.example' }),
  },
  { name: 'account-security', translated: true, open: account('/account/security') },
  { name: 'account-password', translated: true, open: account('/account/security/password') },
  {
    name: 'account-password-error',
    translated: true,
    open: refused('/account/security/password', { current_password: PASSWORD, password: 'short' }),
  },
  { name: 'account-sessions', translated: true, open: account('/account/sessions') },
  { name: 'account-access', translated: true, open: account('/account/access') },
  { name: 'account-activity', translated: true, open: account('/account/activity') },
  { name: 'account-data', translated: true, open: account('/account/data') },
  { name: 'account-delete', translated: true, open: account('/account/data/delete') },
  { name: 'account-delete-error', translated: true, open: refused('/account/data/delete', { password: 'wrong' }) },
  { name: 'account-left', translated: true, open: leaving(false) },
  { name: 'keep-account', translated: true, open: leaving(true) },
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
