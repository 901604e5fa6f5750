import { newEvent } from '../../audit/events/new-event.ts';
import { SYSTEM } from '../../audit/events/request-event.ts';
import type { Event } from '../../audit/events/rules.ts';
import type { Deps } from '../../services.ts';
import type { SealedKey } from './store.ts';

/** The event of a signing key that a job or the command line has published or deleted. */
export function keyEvent(
  deps: Pick<Deps, 'clock' | 'random'>,
  type: 'key.rotated' | 'key.deleted',
  { app, kid, alg }: SealedKey,
): Event {
  return newEvent(deps, { type, outcome: 'success', actor: SYSTEM, app, subject: kid, details: { alg } });
}
