import { recordEvent } from '../../audit/events/postgres.ts';
import { StoreUnavailable } from '../../platform/store/faults.ts';
import type { Operation } from '../../platform/store/postgres/database.ts';
import { withCitusForm } from '../../platform/store/postgres/statement.ts';
import { withinTime } from '../../platform/store/within-time.ts';
import { revokeReplayed } from '../revoke/citus.ts';
import type { ReplayedFamily, WaitingRevocations } from '../revoke/store.ts';
import { revokeGrants } from '../token/grants.postgres.ts';

const REVOKE = withCitusForm(revokeGrants('app = $1 AND grant_id = $2', '$3'), revokeReplayed);

/** How long the answer waits for the row, beyond the time of its request: a caller is told of the failure anyway. */
const WRITE_TIMEOUT_MS = 1000;
const AGAIN_MS = 1000;
/** A few hundred bytes each. So many wait only where the database cannot be written for long; the log names those beyond. */
const MAX_IN_MEMORY = 10_000;

export interface Replays {
  revoke(operation: Operation, family: ReplayedFamily): Promise<void>;
  /** The fault of a request that has seen a replay, and cannot revoke now. Resolves to what the request fails with. */
  postpone(fault: unknown, family: ReplayedFamily): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Revokes the families of replayed codes and refresh tokens. If the database fails between the lookup and the revocation, the request
 * fails, and a row of `waiting_revocations` remains, which any node works off (oauth/revoke/job.ts). The row is on the coordinator of a
 * cluster. While not even that can be written, it waits in the memory of this process.
 */
export function revokeReplays(waiting: WaitingRevocations): Replays {
  const inMemory = new Map<string, ReplayedFamily>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const writeRows = async () => {
    for (const [id, family] of inMemory) {
      try {
        await waiting.addRevocation(family);
        inMemory.delete(id);
      } catch (error) {
        // The next ones would fail as well, each after its timeout.
        if (error instanceof StoreUnavailable) return;
      }
    }
  };
  const later = () => {
    timer ??= setTimeout(async () => {
      await writeRows();
      timer = undefined;
      if (inMemory.size > 0 && !isClosed) later();
    }, AGAIN_MS).unref();
  };
  const keep = async (family: ReplayedFamily): Promise<string> => {
    try {
      await withinTime(waiting.addRevocation(family), performance.now(), WRITE_TIMEOUT_MS);
      return 'waits in the database';
    } catch {
      if (inMemory.size >= MAX_IN_MEMORY) return 'is lost, because too many wait in the memory of this process';
      inMemory.set(`${family.part} ${family.grantId}`, family);
      later();
      return 'waits in the memory of this process';
    }
  };
  const postpone = async (fault: unknown, family: ReplayedFamily) => {
    if (!(fault instanceof StoreUnavailable)) return fault;
    const where = `the revocation of the replayed grant ${family.grantId} of ${family.part} ${await keep(family)}`;
    return new StoreUnavailable(`${fault.message}; ${where}`, { cause: fault });
  };

  return {
    revoke: async ({ transaction }, family) => {
      const { part, grantId, replayedAt, event } = family;
      try {
        await transaction(async run => {
          const revoked = await run(REVOKE, [part, grantId, replayedAt]);
          if (event && revoked.length > 0) await recordEvent(run, event);
        });
      } catch (error) {
        throw await postpone(error, family);
      }
    },
    postpone,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      if (inMemory.size > 0) await withinTime(writeRows(), performance.now(), WRITE_TIMEOUT_MS).catch(() => {});
    },
  };
}
