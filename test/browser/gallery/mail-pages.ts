import type { Page } from 'playwright-core';
import { newEvent } from '../../../src/audit/events/new-event.ts';
import { newMail } from '../../../src/notify/mail/queue.ts';
import { newAccount } from '../../../src/operators/apply/plan-user.ts';
import {
  type Confirmation,
  mailTokenHash,
  newMailToken,
  sealConfirmation,
} from '../../../src/people/email/confirmation.ts';
import { newResetToken, resetTokenHash } from '../../../src/people/password/reset-token.ts';
import type { Services } from '../../../src/services.ts';
import { changeAddress } from '../../build/changed-address.ts';
import type { TestServer } from '../../build/test-server.ts';
import { go, type Open, type Pages, sendForm } from './shown.ts';

/** The pages that the links of mails lead to. Their tokens are stored as the jobs that send the mails do. */

const mailTo = (services: Services, to: string) =>
  newMail(services, { name: 'x', to, subject: 'x', text: 'x', html: 'x' });

async function forgotPassword(page: Page, server: TestServer): Promise<void> {
  await go('/forgot-password')(page, server);
  await sendForm(page, '[name=username]', { username: 'erin' }, 'body:not(:has(form))');
}

async function openReset(page: Page, { base, services }: TestServer): Promise<void> {
  const { sub = '' } = (await services.store.findAccount('erin')) ?? {};
  const token = newResetToken(services.random);
  const now = services.clock.now();
  const email = 'erin@example.com';
  await services.store.startPasswordReset(
    {
      ...{ sub, email, tokenHash: resetTokenHash(token), expiresAt: now + 1800, maxLinks: 1000 },
      ...{ mail: mailTo(services, email), requestedBy: 'x' },
      event: newEvent(services, { type: 'user.password.reset.requested', outcome: 'success', actor: { kind: 'user' } }),
    },
    now,
  );
  await page.goto(`${base}/reset-password?token=${token}`);
}

/** What follows when this password is typed. */
const resetTo =
  (password: string, then: string): Open =>
  async (page, server) => {
    await openReset(page, server);
    await sendForm(page, '[name=password]', { password }, then);
  };

/** For a new user each time. */
async function invitation(page: Page, { base, services }: TestServer): Promise<void> {
  const token = newResetToken(services.random);
  const sub = services.random.bytes(6).toString('hex');
  const email = `guest-${sub}@example.com`;
  const account = { ...newAccount(services, { email, username: email }, undefined), sub };
  const expiresAt = services.clock.now() + 1800;
  const invitation = { tokenHash: resetTokenHash(token), expiresAt, mail: mailTo(services, email) };
  const event = newEvent(services, { type: 'user.created', outcome: 'success', actor: { kind: 'system' } });
  const write = { value: { kind: 'create', account, invitation }, act: { event } } as const;
  await services.store.changeUser(sub, () => ({ result: { kind: 'made' }, write }));
  await page.goto(`${base}/reset-password?token=${token}`);
}

const confirmation =
  (made: Confirmation): Open =>
  async (page, { base, services }) => {
    const { random, store, ring, clock } = services;
    const token = newMailToken('confirmation', random);
    const id = random.bytes(8).toString('hex');
    const mail = () => mailTo(services, made.email);
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
    await page.goto(`${base}/confirm-email?token=${token}`);
  };

const OWN_ADDRESS: Confirmation = {
  ...{ purpose: 'change', email: 'zoe@example.com', sub: 'zoe', from: undefined, app: undefined, pending: undefined },
};
const SIGNED_UP: Confirmation = {
  ...{ purpose: 'sign-up', email: 'zoe@example.com', username: 'zoe', app: 'club', pending: undefined },
};

/** The link that a former address got. */
async function undoEmail(page: Page, server: TestServer): Promise<void> {
  const undo = await changeAddress(server, 'petra', `${server.services.random.bytes(8).toString('hex')}@example.com`);
  await page.goto(`${server.base}/undo-email?token=${undo}`);
}

export const mailPages: Pages = {
  'forgot-password': go('/forgot-password'),
  'forgot-password-sent': forgotPassword,
  'reset-password': openReset,
  'reset-password-error': resetTo('short', '[name=password][aria-invalid]'),
  'reset-password-done': resetTo('a passphrase of erin', 'body:not(:has([name=password]))'),
  'reset-password-expired': go('/reset-password?token=gpr_x'),
  invitation,
  'confirm-email': confirmation(OWN_ADDRESS),
  'confirm-email-elsewhere': confirmation(SIGNED_UP),
  'undo-email': undoEmail,
  'mail-link-expired': go('/confirm-email?token=gec_x'),
};
