/**
 * The persistent state of Gatehouse: the contracts of all capabilities (store.ts in their folders) together.
 *
 * The rules that every store follows, and that test/store/contract tests:
 * - One operation is one atomic change, and its outcome is a value. Only faults of the infrastructure throw, as StoreUnavailable.
 *   An acknowledged write survives a crash, and every read that begins in a later turn of the event loop sees it, in any process.
 * - Every operation on clients, codes, grants and tokens takes the application and finds nothing of another application.
 * - The store receives secrets as hashes, after the time of their end (platform/crypto/credential.ts), and the time as an argument, in whole
 *   seconds. It has no clock and no policy: oauth/authorization-code/rules.ts and oauth/refresh/rules.ts decide whether a code or a
 *   refresh token is good.
 * - All operations that run for a request share one timeout, which counts from its arrival (platform/store/request-time.ts).
 * - The write that disables a user or changes the password also ends the user's sessions, codes and grants. No lookup finds them
 *   after it is acknowledged, also when the user is enabled again. A login with the former password gets nothing, however late it
 *   arrives.
 */

import type { IdempotentAnswers } from './audit/acts/store.ts';
import type { Events } from './audit/events/store.ts';
import type { Refusals } from './audit/refusals/store.ts';
import type { Statistics } from './audit/statistics/store.ts';
import type { Applications } from './directory/applications/store.ts';
import type { Providers } from './directory/providers/store.ts';
import type { UserAdministration, UserHoldings, Users } from './directory/users/store.ts';
import type { Queue } from './notify/backchannel-logout/store.ts';
import type { EventStreams } from './notify/event-streams/store.ts';
import type { Mails } from './notify/mail/store.ts';
import type { Webhooks } from './notify/webhooks/store.ts';
import type { Codes } from './oauth/authorization-code/store.ts';
import type { ApprovalCodes, BackchannelRequests, BackchannelTokens, Pings } from './oauth/ciba/store.ts';
import type { DeviceAuthorizations } from './oauth/device/store.ts';
import type { PushedRequests } from './oauth/par/store.ts';
import type { RefreshTokens } from './oauth/refresh/store.ts';
import type { ClientRegistrations } from './oauth/registration/store.ts';
import type { WaitingRevocations } from './oauth/revoke/store.ts';
import type { SigningKeys } from './oauth/signing-keys/store.ts';
import type { Tokens } from './oauth/token/store.ts';
import type { TokenExchanges } from './oauth/token-exchange/store.ts';
import type { Provisioning } from './operators/apply/store.ts';
import type { Status } from './operators/overview/store.ts';
import type { Operators } from './operators/roles/store.ts';
import type { Consents } from './people/consent/store.ts';
import type { EmailConfirmations } from './people/email/store.ts';
import type { EmailUndos } from './people/email/undo.store.ts';
import type { BrowserNotices } from './people/known-browsers/store.ts';
import type { Links } from './people/linking/store.ts';
import type { AccountDeletions } from './people/my-data/store.ts';
import type { Passkeys } from './people/passkey/store.ts';
import type { PasswordResets } from './people/password/resets.store.ts';
import type { Credentials } from './people/password/store.ts';
import type { SecondFactors } from './people/second-factor/store.ts';
import type { Sessions } from './people/sessions/store.ts';
import type { TrustedBrowsers } from './people/trusted-browsers/store.ts';
import type { Once } from './platform/single-use/store.ts';
import type { ClusterState, PurgeOutcome, StoreClock, StoreLoad } from './platform/store/contract.ts';
import type { ColdDatabase } from './platform/store/steps.ts';
import type { FailedAttempts } from './platform/throttle/failed-attempts.ts';

/** What the capabilities declare themselves (`store`), of which nothing is loaded before it is used. A capability of tests adds to it. */
export interface DeclaredStore
  extends Provisioning,
    Omit<ClientRegistrations, 'removeUnusedClients'>,
    Omit<Users, 'findAccount'>,
    UserAdministration,
    UserHoldings,
    Omit<AccountDeletions, 'dueDeletions'>,
    Omit<Credentials, 'passwordHashFrom'>,
    SecondFactors,
    TrustedBrowsers,
    BackchannelRequests,
    Pings,
    ApprovalCodes,
    BrowserNotices,
    Passkeys,
    Links,
    PasswordResets,
    EmailConfirmations,
    EmailUndos,
    Operators,
    IdempotentAnswers {}

/** With what a start, a job or a token request needs, which assembly/store.sqlite.ts and store.postgres.ts open. */
export interface Store
  extends DeclaredStore,
    Applications,
    Providers,
    PushedRequests,
    DeviceAuthorizations,
    BackchannelTokens,
    Pick<ClientRegistrations, 'removeUnusedClients'>,
    SigningKeys,
    Pick<Users, 'findAccount'>,
    Pick<AccountDeletions, 'dueDeletions'>,
    Pick<Credentials, 'passwordHashFrom'>,
    FailedAttempts,
    Sessions,
    Consents,
    Codes,
    Tokens,
    TokenExchanges,
    RefreshTokens,
    WaitingRevocations,
    Once,
    Queue,
    Mails,
    Refusals,
    Webhooks,
    EventStreams,
    Events,
    Statistics,
    Status {
  /** Deletes some of what ended before `now`, at most about `limit` rows of each kind at a time. */
  purge(now: number, limit: number): Promise<PurgeOutcome>;
  /** When a purge of any process last left nothing to delete. */
  lastCompletePurge(): Promise<number>;
  /** For the queries of a capability that has no part in this contract. */
  readonly cold: ColdDatabase;
  /** Throws unless the database can be read and written and has the schema that this release needs. */
  check(): Promise<void>;
  /** The load of the connections to the database, for the metrics. */
  load(): StoreLoad;
  /** Where the store is a cluster of databases: which of them answer. Undefined: it is one. */
  cluster(): ClusterState | undefined;
  /** The clock of the database, for machines that share one. Undefined: use the system's. */
  readonly clock: StoreClock | undefined;
  /** Whether processes on several machines use this store. False: the workers of one machine, which count failed logins in memory. */
  readonly isSharedByNodes: boolean;
  close(): Promise<void>;
}
