import type { Services } from '../../services.ts';
import { unusedClientEvent } from './unused-client.ts';

/** A self-registered client is kept for as long after a user last agreed to a request of it, and while it has a live grant. */
const UNUSED_CLIENT_DAYS = 90;
const MAX_PER_TRANSACTION = 100;

/** Deletes self-registered clients that nobody uses. Several machines may do so at the same time: each is deleted once. */
export async function deleteUnusedClients(
  services: Pick<Services, 'store' | 'clock' | 'random' | 'log'>,
  isStopped: () => boolean,
): Promise<void> {
  const { store, clock, log } = services;
  const event = (app: string, clientId: string) => unusedClientEvent(services, app, clientId);
  for (let deleted = MAX_PER_TRANSACTION; deleted === MAX_PER_TRANSACTION && !isStopped(); ) {
    const now = clock.now();
    deleted = await store.removeUnusedClients(now - UNUSED_CLIENT_DAYS * 86_400, now, MAX_PER_TRANSACTION, event);
    if (deleted > 0) log.info('clients.unused', { deleted });
  }
}
