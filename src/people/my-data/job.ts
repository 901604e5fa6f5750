import { newEvent } from '../../audit/events/new-event.ts';
import { SYSTEM } from '../../audit/events/request-event.ts';
import type { Services } from '../../services.ts';

const MAX_PER_RUN = 100;

/** Deletes the accounts whose days of grace are over. Several machines may do so at the same time: each is deleted once. */
export async function deleteDueAccounts(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'log'>,
  isStopped: () => boolean,
): Promise<void> {
  const { store, clock, log } = services;
  for (const sub of await store.dueDeletions(clock.now(), MAX_PER_RUN)) {
    if (isStopped()) return;
    const details = { reason: 'deletion' };
    const event = newEvent(services, {
      type: 'user.deleted',
      outcome: 'success',
      actor: SYSTEM,
      subject: sub,
      details,
    });
    if (await store.deleteDueAccount(sub, clock.now(), { event })) log.info('deletion.done', { sub });
  }
}
