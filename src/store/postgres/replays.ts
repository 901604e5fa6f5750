import type { Event } from '../../protocol/event.ts';
import type { StoredApp } from '../application-parts.ts';
import { StoreUnavailable } from '../faults.ts';
import { revokeReplayed } from './citus/revocation.ts';
import type { Database, Operation } from './connection/database.ts';
import { withCitusForm } from './connection/statement.ts';
import { recordEvent } from './events.ts';
import { revokeGrants } from './grants.ts';

/** The family of a code or refresh token that was presented again. */
export interface ReplayedFamily {
  readonly part: StoredApp;
  readonly grantId: string;
  readonly now: number;
  readonly event: Event | undefined;
}

const REVOKE = withCitusForm(revokeGrants('app = $1 AND grant_id = $2', '$3'), revokeReplayed);

const AGAIN_MS = 1000;
/** A few hundred bytes each. So many wait only where the database has failed for long; further ones are not kept. */
const MAX_UNFINISHED = 10_000;

/**
 * Revokes the families of replayed codes and refresh tokens (RFC 6749 section 4.1.2, RFC 9700 section 4.14.2). If the database fails
 * between the lookup and the revocation, the request fails, and this process repeats the revocation until it is done: an attacker
 * does not present the code a second time.
 */
export function replays(db: Database): (operation: Operation, family: ReplayedFamily) => Promise<void> {
  const unfinished = new Map<string, ReplayedFamily>();
  let isDue = false;

  const revoke = ({ transaction }: Pick<Operation, 'transaction'>, { part, grantId, now, event }: ReplayedFamily) =>
    transaction(async run => {
      const revoked = await run(REVOKE, [part, grantId, now]);
      if (event && revoked.length > 0) await recordEvent(run, event);
    });
  const finish = async () => {
    for (const [id, family] of unfinished) {
      try {
        await revoke(db.operation(), family);
        unfinished.delete(id);
      } catch (error) {
        // Anything else than the state of the database stays wrong.
        if (!(error instanceof StoreUnavailable)) unfinished.delete(id);
      }
    }
    isDue = false;
    if (unfinished.size > 0 && !db.isClosed()) later();
  };
  const later = () => {
    if (!isDue) setTimeout(() => void finish(), AGAIN_MS).unref();
    isDue = true;
  };

  return async (operation, family) => {
    try {
      await revoke(operation, family);
    } catch (error) {
      if (error instanceof StoreUnavailable && unfinished.size < MAX_UNFINISHED) {
        unfinished.set(`${family.part} ${family.grantId}`, family);
        later();
      }
      throw error;
    }
  };
}
