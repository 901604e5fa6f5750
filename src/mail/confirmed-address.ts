import type { Presented } from '../accounts/email-codes.ts';
import { mailTokenHash, newMailToken, type OwnAddress, UNDO_SECONDS } from '../accounts/email-confirmation.ts';
import type { Deps } from '../deps.ts';
import { requestEvent, userActor } from '../events/request-event.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { Request } from '../message.ts';
import type { Locale } from '../pages/locale.ts';
import { addressChangedMail } from './address-messages.ts';
import { newMail } from './queue.ts';

interface Services extends Pick<Deps, 'config' | 'clock' | 'random' | 'store' | 'log'> {
  readonly ring: KeyRing;
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
  person: { readonly locale: Locale; readonly username: string },
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
  const outcome = await store.confirmEmail(tokenHash, change, clock.now(), event, request.receivedAt);
  if (outcome !== 'confirmed') return false;
  const fields = { request: request.id, app, sub, address: request.address };
  if (isChange) log.info('email.changed', fields);
  else log.info('email.verified', fields);
  return true;
}

function undoOf(services: Services, to: string, { locale, username }: { locale: Locale; username: string }) {
  const { random, clock, config } = services;
  const token = newMailToken('undo', random);
  const content = addressChangedMail({ locale, baseUrl: config.baseUrl }, username, token);
  return {
    tokenHash: mailTokenHash(token),
    expiresAt: clock.now() + UNDO_SECONDS,
    mail: newMail(services, { ...content, name: 'address changed', to }),
  };
}
