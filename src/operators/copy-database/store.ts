/**
 * The rows of a store, for copying all of them to another one. Only `gatehouse copy` reads rows; all other code uses the
 * operations of store.ts.
 */
export type ColumnKind = 'text' | 'integer' | 'boolean' | 'bytes';
export type CopyValue = string | number | boolean | Uint8Array | null;
/** In the order of the columns of its table. */
export type CopyRow = readonly CopyValue[];

export interface CopyTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly kind: ColumnKind }[];
  /** Rows are read in the order of these columns, compared byte by byte, whatever the collation of the database. */
  readonly key: readonly string[];
}

export interface CopyReader {
  /** Reads in batches, in the order of the key: the rows after the key `after`, or all. Only one batch is in memory. */
  rows(table: CopyTable, after?: CopyRow): AsyncIterable<readonly CopyRow[]>;
  close(): Promise<void>;
}

/** The source of a copy, as it was when it was opened or refreshed: later writes are not seen. */
export interface CopySource extends CopyReader {
  /** From now on the rows are read as they are now. */
  refresh(): Promise<void>;
  /** Whether somebody writes, as far as it can be known: on SQLite any write since, on PostgreSQL a server that serves from it. */
  writtenSince(): Promise<boolean>;
  /** The servers that serve from it now, and when each has shown that last. */
  liveNodes(): Promise<readonly LiveNode[]>;
}

export interface LiveNode {
  readonly host: string;
  readonly port: number;
  readonly seenSecondsAgo: number;
}

/** A server renews its row every minute, and removes it when it stops. */
export const LIVE_NODES = 'SELECT host, port, seen_at FROM nodes ORDER BY host, port';
const NODE_TIMEOUT_SECONDS = 180;

export function liveNodes(rows: readonly Readonly<Record<string, unknown>>[]): LiveNode[] {
  const now = Math.floor(Date.now() / 1000);
  return rows
    .map(({ host, port, seen_at }) => ({
      host: String(host),
      port: Number(port),
      seenSecondsAgo: Math.max(0, now - Number(seen_at)),
    }))
    .filter(({ seenSecondsAgo }) => seenSecondsAgo <= NODE_TIMEOUT_SECONDS);
}

/** The target of a copy. A batch is added completely or not at all, so a copy can be continued after the last key. */
export interface CopyTarget extends CopyReader {
  isEmpty(): Promise<boolean>;
  /** The source of a copy that was begun here and not finished. */
  begunFrom(): Promise<string | undefined>;
  /** Marks the target as an unfinished copy of this source. */
  begin(source: string): Promise<void>;
  /** Removes all rows. */
  clear(): Promise<void>;
  lastKey(table: CopyTable): Promise<CopyRow | undefined>;
  /** Rows whose key exists already stay unchanged. */
  add(table: CopyTable, rows: readonly CopyRow[]): Promise<void>;
  /** Removes the rows with these keys. */
  remove(table: CopyTable, keys: readonly CopyRow[]): Promise<void>;
  /** The copy is complete: from now on the target can be opened as a store. */
  finish(): Promise<void>;
}

/** The source cannot be read or the target cannot be written. The message is for the operator. */
export class TransferRefused extends Error {
  override readonly name = 'TransferRefused';
}

/** The table in a target that names the source of an unfinished copy. A store that has it is not opened. */
export const MARK = 'unfinished_copy';
export const UNFINISHED = 'the database holds an unfinished copy: run "gatehouse copy" again';

const kinds: Readonly<Record<string, ColumnKind>> = { i: 'integer', b: 'boolean', x: 'bytes' };

/** Columns by name; `:i`, `:b` and `:x` mark integers, booleans and bytes, all others are text. */
function table(name: string, key: string, columns: string): CopyTable {
  return {
    name,
    key: key.split(' '),
    columns: columns.split(' ').map(column => {
      const [name = '', kind = ''] = column.split(':');
      return { name, kind: kinds[kind] ?? 'text' };
    }),
  };
}

/**
 * All tables that are copied; a table comes after those it refers to. Not copied: registry_version, purge_state,
 * statistics_writers and nodes (no process writes to both), withdrawn_consents (sqlite.ts leaves out the codes that it ends),
 * failed_attempts (an embedded store counts in memory), owner_link (the next start makes another), and pushed_requests and device_authorizations (they are good for minutes).
 */
export const tables: readonly CopyTable[] = [
  table('applications', 'code', 'code name settings deleted_at:i keys_pending:b logo_hash logo'),
  table('clients', 'app client_id', 'app client_id secret_hash metadata'),
  table('client_registrations', 'app client_id', 'app client_id token_hash:x created_at:i used_at:i'),
  table('initial_access_tokens', 'app id', 'app id name token_hash:x created_at:i expires_at:i'),
  table('client_origins', 'app origin client_id', 'app origin client_id'),
  table(
    'signing_keys',
    'app kid',
    'app kid alg public_jwk sealed_private_key:x created_at:i sign_from:i retired_at:i has_signed:b',
  ),
  table(
    'users',
    'sub',
    'sub username nickname picture email email_verified:b phone_number phone_number_verified:b ' +
      'disabled:b updated_at:i standard_claims require_mfa:b require_password_change:b membership email_since:i phone_claimed:b',
  ),
  table(
    'credentials',
    'sub id',
    'sub id kind data created_at:i last_used_at:i last_step:i name sign_count:i backed_up:b',
  ),
  table('login_names', 'login_name', 'login_name sub'),
  table('consents', 'sub app client_id', 'sub app client_id scope given_at:i'),
  table(
    'sessions',
    'id_hash',
    'id_hash:x sid sub auth_time:i amr opened_by idle_expires_at:i expires_at:i user_agent address started_at:i',
  ),
  table('session_clients', 'sid app client_id', 'sid app client_id'),
  table('spent_logins', 'pending_id', 'pending_id expires_at:i'),
  table('second_factor_attempts', 'sign_in', 'sign_in attempts:i expires_at:i'),
  table('trusted_browsers', 'id', 'id token_hash sub user_agent created_at:i last_used_at:i expires_at:i'),
  table('browser_notices', 'sub', 'sub notices:i window_ends_at:i'),
  table('ended_sessions', 'sid', 'sid expires_at:i'),
  table(
    'grants',
    'app grant_id',
    'app grant_id client_id sub scope auth_time:i amr sid claims revoked_at:i expires_at:i started_at:i resources',
  ),
  table('revoked_grants', 'app grant_id', 'app grant_id expires_at:i'),
  table('waiting_revocations', 'app grant_id', 'app grant_id replayed_at:i event unless_issued:x due_at:i attempts:i'),
  table(
    'codes',
    'code_hash app',
    'app code_hash:x client_id sub scope auth_time:i amr sid nonce claims redirect_uri code_challenge ' +
      'client_authentication_required:b expires_at:i grant_id with_refresh:b resources',
  ),
  table(
    'access_tokens',
    'token_hash app',
    'app token_hash:x grant_id client_id sub scope claims issued_at:i expires_at:i auth_time:i amr audience exchange',
  ),
  table('token_exchanges', 'app token_hash', 'app token_hash:x subject_hash:x client_id expires_at:i'),
  table(
    'refresh_tokens',
    'token_hash app',
    'app token_hash:x grant_id issued_at:i expires_at:i rotated_at:i successor_hash:x',
  ),
  table('used_ids', 'key', 'key:x'),
  table('api_keys', 'id', 'id name key_hash:x role applications created_at:i expires_at:i last_used_at:i'),
  table('operators', 'sub', 'sub role applications created_at:i'),
  table('idempotent_answers', 'caller key', 'caller key request_hash:x sealed_answer:x expires_at:i'),
  table(
    'events',
    'id',
    'id time:i type outcome actor_kind actor subject app client_id address user_agent request_id details seq:i hash:x',
  ),
  table('event_chain', 'id', 'id:i last_seq:i last_hash:x pruned_seq:i pruned_hash:x mac:x'),
  table('statistics', 'app step time', 'app step time:i data expires_at:i'),
  table('refusals', 'request_id', 'request_id app time:i reason data'),
  table(
    'webhooks',
    'id',
    'id app url description event_types ordered:b sealed_secrets:x pause_reason failing_since:i next_seq:i created_at:i',
  ),
  table(
    'webhook_deliveries',
    'id',
    'id webhook_id event_id type seq:i body state attempts:i due_at:i status:i reason created_at:i finished_at:i',
  ),
  table('mails', 'id', 'id sealed:x attempts:i due_at:i created_at:i expires_at:i'),
  table('account_deletions', 'sub', 'sub due_at:i'),
  table('password_resets', 'sub', 'sub token_hash:x links:i expires_at:i context invitation:b'),
  table('email_confirmations', 'id', 'id token_hash:x sub sealed:x mails:i expires_at:i'),
  table('address_mails', 'address', 'address mails:i expires_at:i'),
  table('email_undos', 'token_hash', 'token_hash:x sub email username changed_at:i expires_at:i id'),
  table('logout_notices', 'id', 'id:i app client_id sub sid due_at:i attempts:i'),
];
