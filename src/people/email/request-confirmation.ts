import { failure } from '../../failures.ts';
import { MAX_WAITING_MAILS } from '../../notify/mail/queue.ts';
import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import { type Refusal, type Request, userAgentOf } from '../../platform/http/message.ts';
import type { Throttle } from '../../platform/throttle/throttle.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import type { Deps } from '../../services.ts';
import type { Confirmation } from './confirmation.ts';
import { newRequestedConfirmation } from './deferred-mail.ts';

const BUSY_SECONDS = 10;

interface Services extends Pick<Deps, 'clock' | 'random' | 'store'> {
  readonly ring: KeyRing;
  readonly throttle: Throttle;
}

/** Before anything that costs time is done for somebody unknown who wants a mail. */
export async function refuseMailFlood({ throttle }: Services, { address }: Request): Promise<Refusal | undefined> {
  const { wait } = await throttle.admit({ kind: 'mail', address });
  return wait > 0 ? { failure: failure('tooManyMailRequests'), retryAfter: wait } : undefined;
}

/**
 * Before a user does something that a mail tells of. Removing a factor is not counted, because it must have been added. A new password
 * has a count of its own: otherwise a thief, who does not know the password, could keep the owner from changing it.
 */
export async function refuseMailsOfUser(
  { throttle }: Pick<Services, 'throttle'>,
  sub: string,
  what: 'mail' | 'password' = 'mail',
): Promise<Refusal | undefined> {
  const { wait } = await throttle.admit({ kind: 'accountMail', account: `${what} ${sub}` });
  return wait > 0 ? { failure: failure('tooManyMailRequests'), retryAfter: wait, sub } : undefined;
}

/**
 * Only queues the request: whose address it is is looked up by a job (deferred-mail.ts). So answer and time are the same for
 * every address.
 */
export async function requestConfirmation(
  services: Services,
  request: Request,
  asked: { readonly id: string; readonly locale: Locale; readonly confirmation: Confirmation },
  /** In which the address was typed, where there is one. */
  session?: { readonly sid: string },
): Promise<Refusal | undefined> {
  const { confirmation } = asked;
  const entry = newRequestedConfirmation(services, {
    ...asked,
    requestId: request.id,
    address: request.address,
    userAgent: userAgentOf(request),
  });
  const { store } = services;
  const limit = MAX_WAITING_MAILS;
  const isQueued =
    confirmation.purpose === 'sign-up'
      ? await store.addMail(entry, limit)
      : await store.requestEmailConfirmation({ entry, limit, sub: confirmation.sub, sid: session?.sid });
  return isQueued ? undefined : { failure: failure('serverBusy'), retryAfter: BUSY_SECONDS };
}
