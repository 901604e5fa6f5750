import type { Database } from '../../platform/store/sqlite/database.ts';

/** References to users with ON DELETE CASCADE delete the rest: login names, credentials, consents, the role of an operator. */
const TABLES = ['grants', 'withdrawn_consents', 'users'];
/** The number of rows that one write reads: about as long as a commit takes. */
const ROWS_AT_ONCE = 5000;

/** Overwrites what it deletes, also pages that become free. All other deletions overwrite only within a page (connection/). */
export function prepareDeleteUser(db: Database): (sub: string) => void {
  const statements = TABLES.map(table => db.prepare(`DELETE FROM ${table} WHERE sub = ?`));
  return sub => {
    db.overwritingDeleted(() => {
      for (const statement of statements) statement.run(sub);
    });
  };
}

/**
 * Codes and access tokens have no index by user, because issuing one must stay cheap. Reads them all, some at a time, so that no
 * request waits for long. Then empties the WAL, which holds former versions of the pages.
 */
export function prepareEraseUsers(db: Database): (heldTokens: readonly string[]) => Promise<void> {
  const tables = [prepareSweep(db, 'codes', 'code_hash'), prepareSweep(db, 'access_tokens', 'token_hash')];
  return async heldTokens => {
    const subs = JSON.stringify(heldTokens);
    for (const sweep of heldTokens.length > 0 ? tables : []) {
      for (let after: Uint8Array | undefined = new Uint8Array(); after; ) {
        const from: Uint8Array = after;
        after = await db.write(() => sweep(subs, from));
      }
    }
    db.emptyWal();
  };
}

/** Returns the key to continue after; undefined at the end of the table. */
function prepareSweep(db: Database, table: string, key: string) {
  const last = db.prepare(
    `SELECT max(${key}) AS key FROM (SELECT ${key} FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT ${ROWS_AT_ONCE})`,
  );
  const remove = db.prepare(
    `DELETE FROM ${table} WHERE ${key} > ? AND ${key} <= ? AND sub IN (SELECT value FROM json_each(?))`,
  );
  return (subs: string, after: Uint8Array): Uint8Array | undefined => {
    const until = last.get(after)?.key as Uint8Array | null | undefined;
    if (!until) return undefined;
    remove.run(after, until, subs);
    return until;
  };
}
