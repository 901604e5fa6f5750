import type { Page } from 'playwright-core';
import { newEvent } from '../../../src/audit/events/new-event.ts';
import { anAuthenticator } from '../../build/authenticator.ts';
import type { TestServer } from '../../build/test-server.ts';
import { aSamlProvider, callbackAt } from '../../people/saml/corp.ts';
import { ASSISTANT } from './server.ts';
import { go, inSession, loggingIn, type Open, type Pages, request, sendForm } from './shown.ts';

/** The pages between an authorization request and its answer, and those of an error. */

const SELF_REGISTERED = {
  ...{ client_id: ASSISTANT, redirect_uri: 'http://localhost:4321/callback', scope: 'openid profile email' },
  ...{ code_challenge: 'A'.repeat(43), code_challenge_method: 'S256' },
};
const FAR = `https://client.example/${'elsewhere/'.repeat(12)}`;

async function wrongPassword(page: Page, server: TestServer): Promise<void> {
  await request()(page, server);
  await sendForm(page, '[name=password]', { username: 'alice', password: 'wrong' }, '[role=alert]');
}

async function wrongPasskey(page: Page, server: TestServer): Promise<void> {
  await request()(page, server);
  const loaded = page.waitForEvent('load');
  // Without its script, which would ask an authenticator first.
  await page.evaluate(`document.querySelector('[data-passkey]').submit()`);
  await loaded;
  await page.getByRole('alert').first().waitFor();
}

/** Where a second factor is required: the key of a new app. */
const enrolment = loggingIn(request({}, 'bank'), 'alice', '#totp-key');

async function wrongEnrolment(page: Page, server: TestServer): Promise<void> {
  await enrolment(page, server);
  await sendForm(page, '[name=code]', { code: '000000' }, '[role=alert]');
}

/** The recovery codes after it; the app is removed again, for the next time. */
async function recoveryCodes(page: Page, server: TestServer): Promise<void> {
  const { store, clock } = server.services;
  await enrolment(page, server);
  const key = await page.evaluate<string>(`document.querySelector('#totp-key').textContent`);
  await sendForm(page, '[name=code]', { code: anAuthenticator(clock, key).code() }, '.recovery-code');
  const { sub = '' } = (await store.findAccount('alice')) ?? {};
  const event = newEvent(server.services, { type: 'factor.removed', outcome: 'success', actor: { kind: 'system' } });
  await store.resetUserFactors(sub, clock.now(), { event });
}

/** A sign-in that began at a provider. It is gone again, for the other pages. */
async function unsolicited(page: Page, server: TestServer): Promise<void> {
  const { services } = server;
  await server.provision({ providers: [aSamlProvider({ allow_unsolicited: true })] });
  const answer = {
    ...{ kind: 'unsolicited', said: '{}', label: 'alexandra.von.hohenstein@northern-territories.example' },
    ...{ isSentByProvider: false, expiresAt: services.clock.now() + 60 },
  };
  const sealed = services.ring.seal('provider answer', Buffer.from(JSON.stringify(answer)), 'corp');
  await page.goto(`${callbackAt(server)}?answer=${sealed.toString('base64url')}`);
  const event = newEvent(services, { type: 'provider.deleted', outcome: 'success', actor: { kind: 'system' } });
  await services.store.changeProvider('corp', () => ({ result: undefined, write: { value: null, act: { event } } }));
  await services.registry.refresh();
}

async function signUp(page: Page, server: TestServer): Promise<void> {
  await request({}, 'club')(page, server);
  await page.goto(await page.evaluate<string>(`document.querySelector('a[href^="/signup"]').href`));
}

const signedUp =
  (password: string, then: string): Open =>
  async (page, server) => {
    await signUp(page, server);
    await sendForm(page, '[name=password]', { email: 'zoe@example.com', password }, then);
  };

async function wrongMailCode(page: Page, server: TestServer): Promise<void> {
  await signedUp('a passphrase of zoe', '[name=code]')(page, server);
  await sendForm(page, '[name=code]', { code: 'wrong' }, '[role=alert]');
}

/** The application demands a verified address, and asks for more than a password. */
const newcomer = (username: string, then: string) => loggingIn(request({}, 'club'), username, then);

async function unfoldedProblem(page: Page, server: TestServer): Promise<void> {
  await request({ redirect_uri: FAR })(page, server);
  await page.locator('summary').click();
}

/** The page that sends itself, held where its script does not arrive. */
async function heldFormPost(page: Page, server: TestServer): Promise<void> {
  await page.route('**/assets/form-post.*', route => route.abort());
  await request({ response_mode: 'form_post', prompt: 'none' })(page, server);
}

export const consent = request({ client_id: 'reader', prompt: 'consent' });

export const signInPages: Pages = {
  login: request(),
  'login-error': wrongPassword,
  'login-long-name': request({}, 'long'),
  'login-passkey-error': wrongPasskey,
  'login-passkey': loggingIn(request(), 'grace', '[action="/login/passkey"]'),
  // The application lets users skip the code from now on.
  'login-totp': loggingIn(request({}, 'trusting'), 'theo', '[name=trust]'),
  'login-enrol': enrolment,
  'login-enrol-error': wrongEnrolment,
  'login-enrol-recovery-codes': recoveryCodes,
  'sign-up': signUp,
  'sign-up-error': signedUp('short', '[role=alert]'),
  'sign-up-code': signedUp('a passphrase of zoe', '[name=code]'),
  'sign-up-code-error': wrongMailCode,
  'sign-up-refused': go('/signup'),
  'verify-email': newcomer('uma', '[name=code]'),
  'verify-email-address': newcomer('nora', '[name=email]'),
  'new-password': newcomer('petra', '[action="/login/new-password"] [name=password]'),
  'no-access': loggingIn(request({}, 'staff'), 'olaf', '[value=another]'),
  'provider-unsolicited': unsolicited,
  'select-account': inSession(request({ prompt: 'select_account' })),
  consent: inSession(consent),
  'consent-self-registered': inSession(request(SELF_REGISTERED)),
  logout: inSession(go('/logout')),
  'signed-out': go('/logout'),
  problem: request({ client_id: 'nobody' }),
  'problem-unfolded': unfoldedProblem,
  'problem-withheld': request({ ...SELF_REGISTERED, scope: 'nonsense' }),
  'not-found': go('/nowhere'),
};

export const formPostPages: Pages = { 'form-post': heldFormPost };
