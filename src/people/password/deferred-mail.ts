import { newEvent } from '../../audit/events/new-event.ts';
import { userActor } from '../../audit/events/request-event.ts';
import { resetPasswordMail } from '../../notify/mail/messages.ts';
import { type ForgottenPassword, newMail } from '../../notify/mail/queue.ts';
import type { Services } from '../../services.ts';
import { newResetToken, RESET_LINK_SECONDS, resetTokenHash } from './reset-token.ts';

/**
 * Links that a user gets while the newest of them is good. So at least one that works is in the mailbox, however many requests an
 * attacker sends, and the mailbox is not flooded. Counted in the store, for all nodes.
 */
const MAX_LINKS = 3;

/**
 * The second half of /forgot-password: looks for the user, and makes the link and the mail. Only a verified address gets one: another
 * may belong to somebody else.
 */
export async function startPasswordReset(services: Services, id: string, request: ForgottenPassword): Promise<void> {
  const { store, clock, config, random, log } = services;
  const { loginName, locale, requestId, address, userAgent, context } = request;
  const account = await store.findAccount(loginName);
  const email = account?.emailVerified && !account.disabled ? account.email : undefined;
  if (!account || email === undefined) return store.finishMail(id);
  const { sub, username } = account;
  const token = newResetToken(random);
  const content = resetPasswordMail({ locale, username, baseUrl: config.baseUrl }, token);
  const now = clock.now();
  const isStarted = await store.startPasswordReset(
    {
      sub,
      email,
      tokenHash: resetTokenHash(token),
      expiresAt: now + RESET_LINK_SECONDS,
      maxLinks: MAX_LINKS,
      mail: newMail(services, { ...content, name: 'reset password', to: email }, RESET_LINK_SECONDS),
      requestedBy: id,
      context,
      event: newEvent(services, {
        type: 'user.password.reset.requested',
        outcome: 'success',
        actor: userActor(sub),
        subject: sub,
        address,
        userAgent,
        requestId,
      }),
    },
    now,
  );
  if (!isStarted) log.info('reset.refused', { request: requestId, sub });
}
