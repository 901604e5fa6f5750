import type { Event } from '../../../src/audit/events/rules.ts';
import type { EmailConfirmationStart } from '../../../src/people/email/store.ts';
import type { NewEmailUndo } from '../../../src/people/email/undo.store.ts';
import type { Store } from '../../../src/store.ts';
import { DAY, digest, NOW, unique } from './given.ts';
import { aMail } from './mails.ts';

export const HALF_HOUR = 1800;

export const anEvent = (type: Event['type'], sub = 'somebody'): Event => ({
  id: unique('evt'),
  time: NOW,
  type,
  outcome: 'success',
  actor: { kind: 'user', id: sub },
  subject: sub,
});

/** Queues a request, as a page does. Returns the id of its entry. `sub`: undefined for a sign-up. */
export async function requestConfirmation(store: Store, sub: string | undefined, sid?: string): Promise<string> {
  const entry = aMail(unique('cnf'));
  if (sub === undefined) await store.addMail(entry, 1000);
  else await store.requestEmailConfirmation({ entry, limit: 1000, sub, sid });
  return entry.id;
}

/** Asks for a confirmation as the queue of mails does. */
export async function beginConfirmation(store: Store, over: Partial<EmailConfirmationStart> = {}, now = NOW) {
  const requestedBy = over.requestedBy ?? (await requestConfirmation(store, over.sub));
  const start: EmailConfirmationStart = {
    ...{ id: unique('pending'), sub: undefined, loginName: 'new@example.com', addressKey: 'key of new' },
    ...{ tokenHash: digest(), sealed: Buffer.from('sealed'), expiresAt: now + HALF_HOUR },
    ...{ maxMails: 3, maxMailsOfAddress: 5, requestedBy },
    mail: aMail(unique('mail')),
    takenMail: aMail(unique('taken')),
    ...over,
  };
  const outcome = await store.startEmailConfirmation(start, now);
  return { ...start, outcome };
}

export const anUndo = (now = NOW): NewEmailUndo => ({
  ...{ id: unique('undo'), tokenHash: digest(), expiresAt: now + 7 * DAY, heldSince: now - 7 * DAY },
  mail: aMail(unique('with-link')),
  notice: aMail(unique('notice')),
});
