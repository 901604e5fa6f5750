/**
 * The rows of a store, for moving all of them to another one. Nothing but `gatehouse copy` sees rows: whatever else wants
 * something of a store asks for it in the words of store.ts.
 */
export type ColumnKind = 'text' | 'integer' | 'boolean' | 'bytes';
export type CopyValue = string | number | boolean | Uint8Array | null;
/** In the order of the columns of its table. */
export type CopyRow = readonly CopyValue[];

export interface CopyTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly kind: ColumnKind }[];
  /** Rows are read in the order of these: text and bytes byte by byte, whatever the database takes for alphabetical. */
  readonly key: readonly string[];
}

export interface CopyReader {
  /** In batches, in the order of the key; those behind the key `after`, or all. Each batch costs the memory of one. */
  rows(table: CopyTable, after?: CopyRow): AsyncIterable<readonly CopyRow[]>;
  close(): Promise<void>;
}

/** What is copied, as it was when it was opened: what is written afterwards is not seen. */
export interface CopySource extends CopyReader {
  /** Whether somebody wrote since. Undefined: cannot be told. */
  writtenSince(): Promise<boolean | undefined>;
}

/** What is copied to. Batches are added whole or not at all, so that the last key tells where to go on. */
export interface CopyTarget extends CopyReader {
  isEmpty(): Promise<boolean>;
  /** The source of a copy that was begun here and not finished. */
  begunFrom(): Promise<string | undefined>;
  begin(source: string): Promise<void>;
  lastKey(table: CopyTable): Promise<CopyRow | undefined>;
  /** Rows whose key is there already stay what they are. */
  add(table: CopyTable, rows: readonly CopyRow[]): Promise<void>;
  /** Everything is there: it is a store like any other from now on. */
  finish(): Promise<void>;
}

/** Cannot be read, or not be written to: with a line for the operator. */
export class TransferRefused extends Error {
  override readonly name = 'TransferRefused';
}

/** The table in a target that says what is being copied into it; a store with it serves nobody. */
export const MARK = 'unfinished_copy';
export const UNFINISHED = 'the database holds an unfinished copy: run "gatehouse copy" again';

const kinds: Readonly<Record<string, ColumnKind>> = { i: 'integer', b: 'boolean', x: 'bytes' };

/** Columns by name, with `:i`, `:b` or `:x` behind those that are no text. */
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

/** Everything that is copied, what others refer to first. Only the counter of registry changes is a store's own. */
export const tables: readonly CopyTable[] = [
  table('applications', 'code', 'code name settings'),
  table('clients', 'app client_id', 'app client_id secret_hash metadata'),
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
      'disabled:b updated_at:i standard_claims',
  ),
  table('credentials', 'sub id', 'sub id kind data created_at:i last_used_at:i'),
  table('login_names', 'login_name', 'login_name sub'),
  table('consents', 'sub app client_id', 'sub app client_id scope given_at:i'),
  table('sessions', 'id_hash', 'id_hash:x sid sub auth_time:i amr opened_by idle_expires_at:i expires_at:i'),
  table('session_clients', 'sid app client_id', 'sid app client_id'),
  table('spent_logins', 'pending_id', 'pending_id expires_at:i'),
  table('ended_sessions', 'sid', 'sid expires_at:i'),
  table(
    'grants',
    'app grant_id',
    'app grant_id client_id sub scope auth_time:i amr sid claims revoked_at:i expires_at:i started_at:i',
  ),
  table('revoked_grants', 'app grant_id', 'app grant_id expires_at:i'),
  table(
    'codes',
    'code_hash app',
    'app code_hash:x client_id sub scope auth_time:i amr sid nonce claims redirect_uri code_challenge ' +
      'client_authentication_required:b expires_at:i grant_id with_refresh:b',
  ),
  table(
    'access_tokens',
    'token_hash app',
    'app token_hash:x grant_id client_id sub scope claims issued_at:i expires_at:i',
  ),
  table(
    'refresh_tokens',
    'token_hash app',
    'app token_hash:x grant_id issued_at:i expires_at:i rotated_at:i successor_hash:x',
  ),
  table('logout_notices', 'id', 'id:i app client_id sub sid due_at:i attempts:i'),
];
