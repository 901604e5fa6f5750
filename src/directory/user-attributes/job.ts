import { setTimeout as pause } from 'node:timers/promises';
import type { Services } from '../../services.ts';
import { deletedAttributes, eraseValues, forgetAttributes } from './queries.ts';

/** Requests that were checked against the definition before it was deleted have ended after this time. What takes longer asks again (defined.queries.ts). */
const REQUESTS_END_SECONDS = 10;
const USERS_AT_ONCE = 500;
/** Requests come before. */
const PAUSE_MS = 20;

/** Deletes the values of fields that are not defined any more; then their names can be used again. */
export async function eraseDeletedAttributes(
  { store: { cold: db }, clock }: Pick<Services, 'store' | 'clock'>,
  isStopped: () => boolean,
): Promise<void> {
  const names = await deletedAttributes(db, clock.now() - REQUESTS_END_SECONDS);
  for (const name of names) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      if (isStopped()) return;
      ({ last: after } = await eraseValues(db, name, after, USERS_AT_ONCE));
      if (after !== undefined) await pause(PAUSE_MS);
    }
  }
  if (names.length > 0) await forgetAttributes(db, names);
}
