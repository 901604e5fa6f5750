/**
 * Where each table is on a Citus cluster (docs/decisions/citus.md).
 *
 * - `by`: distributed by this column. What is written for every token, so that it grows with the number of workers. What
 *   belongs to an application is on one worker, so that a code is redeemed or a token rotated there.
 * - 'reference': the same on every node. What requests of every application read. An update locks the table on all nodes
 *   (docs/scale.md) and fails while a worker is down, so only rare changes belong here: the configuration, accounts, logouts.
 * - 'coordinator': on the coordinator alone, which every statement needs anyway. What is never read together with tokens: small tables,
 *   what a login writes, and `events`, the largest table, which is one chain for the whole deployment.
 */
export type Placement = DistributedPlacement | 'reference' | 'coordinator';
export interface DistributedPlacement {
  readonly by: string;
  /** Another table, which is distributed already. Undefined: none. */
  readonly colocateWith?: string;
}

/** The table that the others of an application, and the functions, are placed with: what belongs together is on one worker. */
export const COLOCATED_WITH = 'grants';
const BY_APPLICATION = { by: 'app', colocateWith: COLOCATED_WITH };

export const placements: Readonly<Record<string, Placement>> = {
  // The configuration. Every node of Gatehouse reads it into memory; statements that issue something ask whether the client exists.
  applications: 'reference',
  clients: 'reference',
  client_origins: 'reference',
  client_registrations: 'reference',
  initial_access_tokens: 'reference',
  signing_keys: 'reference',
  // People belong to no application: a token of any application is answered with their claims.
  users: 'reference',
  login_names: 'reference',
  operators: 'reference',
  // Read by each statement that issues something for a session.
  ended_sessions: 'reference',
  // Before those that are placed with it.
  grants: { by: 'app' },
  revoked_grants: BY_APPLICATION,
  codes: BY_APPLICATION,
  access_tokens: BY_APPLICATION,
  refresh_tokens: BY_APPLICATION,
  session_clients: BY_APPLICATION,
  token_exchanges: BY_APPLICATION,
  // What a login writes, and what it reads beside the user. A browser has one session for all applications: spread over the workers, the
  // loss of any would stop all logins. Here a login is one commit, without two phases, and needs the worker of its application alone.
  sessions: 'coordinator',
  spent_logins: 'coordinator',
  used_ids: 'coordinator',
  credentials: 'coordinator',
  consents: 'coordinator',
  // Sign-ins and requests that wait for minutes, each written once or twice and found by its own key.
  device_authorizations: 'coordinator',
  pushed_requests: 'coordinator',
  second_factor_attempts: 'coordinator',
  failed_attempts: 'coordinator',
  // Accounts: rows exist for few users, and only for a time.
  account_deletions: 'coordinator',
  browser_notices: 'coordinator',
  trusted_browsers: 'coordinator',
  email_confirmations: 'coordinator',
  email_undos: 'coordinator',
  address_mails: 'coordinator',
  password_resets: 'coordinator',
  // Queues, which jobs take from in order.
  logout_notices: 'coordinator',
  waiting_revocations: 'coordinator', // its worker may be the one that is away
  mails: 'coordinator',
  webhooks: 'coordinator',
  webhook_deliveries: 'coordinator',
  // One chain of events for the whole deployment: each names the hash of the one before.
  events: 'coordinator',
  event_chain: 'coordinator',
  refusals: 'coordinator',
  // Operators.
  api_keys: 'coordinator',
  idempotent_answers: 'coordinator',
  statistics: 'coordinator',
  statistics_writers: 'coordinator',
  nodes: 'coordinator',
  // One row each.
  registry_version: 'coordinator',
  purge_state: 'coordinator',
  owner_link: 'coordinator',
  schema_migrations: 'coordinator',
};
