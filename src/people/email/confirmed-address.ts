import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { newMail } from '../../notify/mail/queue.ts';
import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import type { Request } from '../../platform/http/message.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import type { Deps } from '../../services.ts';
import type { Presented } from './codes.ts';
import { MIN_HELD_SECONDS, mailTokenHash, newMailToken, type OwnAddress, UNDO_SECONDS } from './confirmation.ts';
import { addressChangedMail } from './mails.ts';
import type { NewEmailUndo } from './undo.store.ts';

interface Services extends Pick<Deps, 'config' | 'clock' | 'random' | 'store' | 'log'> {
  readonly ring: KeyRing;
}

interface Person {
  readonly locale: Locale;
  readonly username: string;
}

/**
 * The code or the link of the user's own address was right: sets it, records it, and tells the former address how to undo it. False:
 * another request was first, or the address belongs to somebody else meanwhile.
 */
export async function confirmOwnAddress(
  services: Services,
  request: Request,
  { tokenHash }: Presented['waiting'],
  { purpose, sub, email, from, app }: OwnAddress,
  person: Person,
): Promise<boolean> {
  const { store, clock, log } = services;
  const isChange = purpose === 'change' && from !== undefined;
  const event = requestEvent(services, request, {
    type: isChange ? 'user.email.changed' : 'user.email.verified',
    outcome: 'success',
    actor: userActor(sub),
    subject: sub,
    app,
  });
  const undo = isChange ? undoOf(services, from, person) : undefined;
  const change = { sub, email, from, undo };
  const outcome = await store.confirmEmail(tokenHash, change, clock.now(), event);
  if (outcome !== 'confirmed') return false;
  const fields = { request: request.id, app, sub, address: request.address };
  if (isChange) log.info('email.changed', fields);
  else log.info('email.verified', fields);
  return true;
}

/** Which of the mails is sent, and whether the link works, is decided where the address changes. */
function undoOf(services: Services, to: string, { locale, username }: Person): NewEmailUndo {
  const { random, clock, config } = services;
  const token = newMailToken('undo', random);
  const now = clock.now();
  const mailWith = (link?: string) => {
    const content = addressChangedMail({ locale, baseUrl: config.baseUrl }, username, link);
    return newMail(services, { ...content, name: 'address changed', to });
  };
  return {
    id: `undo_${random.bytes(12).toString('hex')}`,
    tokenHash: mailTokenHash(token),
    expiresAt: now + UNDO_SECONDS,
    heldSince: now - MIN_HELD_SECONDS,
    mail: mailWith(token),
    notice: mailWith(),
  };
}
