import { newEvent } from '../../audit/events/new-event.ts';
import { userActor } from '../../audit/events/request-event.ts';
import { resetPasswordMail } from '../../notify/mail/messages.ts';
import { type Asked, newDeferredMail, newMail, type Sealing } from '../../notify/mail/queue.ts';
import type { NewMail } from '../../notify/mail/store.ts';
import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import type { Services } from '../../services.ts';
import { newResetToken, RESET_LINK_SECONDS, resetTokenHash } from './reset-token.ts';
import type { ResetContext } from './resets.store.ts';

/** A request for a link, before anybody has looked whether the user exists. */
export interface ForgottenPassword extends Asked {
  readonly kind: 'forgottenPassword';
  /** Normalised (directory/users/login-name.rules.ts). */
  readonly loginName: string;
  readonly context?: ResetContext | undefined;
}

/** The id is that of the login name: as long as one request waits, further ones for the same name add nothing. */
export function newForgottenPassword(
  sealing: Sealing & { readonly ring: Pick<KeyRing, 'hashOfLoginName'> },
  request: Omit<ForgottenPassword, 'kind'>,
): NewMail {
  const id = `forgotten_${sealing.ring.hashOfLoginName(request.loginName)}`;
  return newDeferredMail(sealing, id, { ...request, kind: 'forgottenPassword' });
}

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
