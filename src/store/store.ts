/**
 * What Gatehouse remembers, in the words of its domain.
 *
 * Promises every store keeps, and test/store/contract holds it to:
 * - What must be atomic is one operation, and its outcome is a value. Only a fault of the infrastructure throws, as
 *   StoreUnavailable. After an acknowledged write, a crash does not lose it, and every read that begins in a later turn of
 *   the event loop shows it, in any process.
 * - Every operation on clients, codes, grants and tokens takes the application; nothing is found across applications.
 * - Secrets arrive hashed, behind the time of their end (credentials.ts). Time arrives as an argument, in whole seconds; the store has no clock and no policy:
 *   whether a code or a refresh token is good is decided by protocol/code-exchange.ts and protocol/refresh-policy.ts.
 * - What a request asks for takes `receivedAt`, by performance.now(): its time (DATABASE_TIMEOUT) counts from then, over all the
 *   operations of the request. Without it, as in jobs and commands, it counts from the start of the operation.
 * - Sessions, codes and grants of a user end with the write that disables the user or changes their password, for every
 *   look-up from the moment it is acknowledged, and do not come back when the user is enabled again. A login that proved the
 *   former password gets nothing, however late it arrives.
 */
import type { Applications } from './applications.ts';
import type { Codes } from './codes.ts';
import type { Consents } from './consents.ts';
import type { Credentials } from './credentials.ts';
import type { Provisioning } from './provisioning.ts';
import type { Queue } from './queue.ts';
import type { RefreshTokens } from './refresh-tokens.ts';
import type { Sessions } from './sessions.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { Tokens } from './tokens.ts';
import type { Users } from './users.ts';

export interface Store
  extends Applications,
    Provisioning,
    SigningKeys,
    Users,
    Credentials,
    Sessions,
    Consents,
    Codes,
    Tokens,
    RefreshTokens,
    Queue {
  /** Deletes some of what ended before `now`, at most about `limit` rows of each kind at a time. */
  purge(now: number, limit: number): Promise<PurgeOutcome>;
  /** When a purge, by whichever process, last left nothing to delete. */
  lastCompletePurge(): Promise<number>;
  /** Resolves when the database can be read and written and has the schema this release needs, else throws why not. */
  check(): Promise<void>;
  /** How busy the way to the database is, for the metrics. */
  load(): StoreLoad;
  /** Where many machines share a database, its time is the time for them all. Undefined: the system's. */
  readonly clock: StoreClock | undefined;
  close(): Promise<void>;
}

export interface PurgeOutcome {
  readonly deleted: number;
  /** Nothing that has ended is left. False also while another process purges. */
  readonly complete: boolean;
  /** Tables that somebody else reads for long, as a backup does: they are dropped the next time. */
  readonly postponed: readonly string[];
}

export interface StoreLoad {
  readonly connections: number;
  /** Operations that were sent and not yet answered. */
  readonly running: number;
  /** Operations that wait for a connection, or for their turn to be written. */
  readonly waiting: number;
}

export interface StoreClock {
  /** Whole seconds since the Unix epoch. */
  now(): number;
}
