import { newEvent } from '../../src/audit/events/new-event.ts';
import { newMail } from '../../src/notify/mail/queue.ts';
import { mailTokenHash, newMailToken, sealConfirmation } from '../../src/people/email/confirmation.ts';
import type { TestServer } from './test-server.ts';

const DAY = 86_400;

/** The user has changed the address, and only the address of just now can undo it, by the token. Without mails and pages. */
export async function changeAddress(server: TestServer, username: string, to: string): Promise<string> {
  const { random, store, ring, clock } = server.services;
  const { sub = '', email: from } = (await store.findAccount(username)) ?? {};
  const [token, undo] = [newMailToken('confirmation', random), newMailToken('undo', random)];
  const mail = () => newMail(server.services, { name: 'x', to: 'x@example.com', subject: 'x', text: 'x', html: 'x' });
  const [requested, id, now] = [mail(), random.bytes(8).toString('hex'), clock.now()];
  const confirmation = { purpose: 'change', email: to, sub, from, app: undefined, pending: undefined } as const;
  const event = newEvent(server.services, { type: 'user.email.changed', outcome: 'success', actor: { kind: 'user' } });
  await store.revokeEmailUndos(sub, now, { event: { ...event, id: `${event.id}0`, type: 'user.email.undo_revoked' } });
  await store.requestEmailConfirmation({ entry: requested, limit: 10_000, sub, sid: undefined });
  await store.startEmailConfirmation(
    {
      ...{ id, sub, loginName: to, addressKey: id, tokenHash: mailTokenHash(token), expiresAt: now + 1800 },
      ...{ sealed: sealConfirmation(ring, id, { ...confirmation, code: 'x' }), maxMails: 3, maxMailsOfAddress: 3 },
      ...{ mail: mail(), takenMail: mail(), requestedBy: requested.id },
    },
    now,
  );
  const back = {
    ...{ id: `undo_${id}`, tokenHash: mailTokenHash(undo), expiresAt: now + 7 * DAY, heldSince: now },
    ...{ mail: mail(), notice: mail() },
  };
  await store.confirmEmail(mailTokenHash(token), { sub, email: to, from, undo: back }, now, event);
  return undo;
}
