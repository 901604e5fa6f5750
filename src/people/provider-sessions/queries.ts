import type { Row } from '../../platform/store/row.ts';
import { perStore, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll } from '../../platform/store/steps.ts';

export interface StoredProviderSession {
  readonly id: string;
  readonly provider: string;
  readonly sub: string;
  readonly sealed: Uint8Array;
  readonly expiresAt: number;
}

/** `named`: a hash of what the provider calls the person. */
export async function putProviderSession(
  db: ColdDatabase,
  session: StoredProviderSession & { readonly named: string | undefined },
): Promise<void> {
  const { id, provider, sub, sealed, expiresAt, named = null } = session;
  await db.write(sql`INSERT INTO provider_sessions (id, provider, sub, sealed, expires_at, named)
    VALUES (${id}, ${provider}, ${sub}, ${sealed}, ${expiresAt}, ${named})
    ON CONFLICT (id) DO UPDATE SET provider = excluded.provider, sub = excluded.sub, sealed = excluded.sealed,
      expires_at = excluded.expires_at, named = excluded.named`);
}

/** Those that a provider has named so. A person has at most some hundred sessions (MAX_SESSIONS_OF_USER). */
export async function providerSessionsNamed(db: ColdDatabase, named: string): Promise<StoredProviderSession[]> {
  const rows = await db.read(
    sql`SELECT id, provider, sub, sealed, expires_at FROM provider_sessions WHERE named = ${named}`,
  );
  return rows.map(toSession);
}

/** Unless it is another by now, or gone: of several at once, on any node, one replaces it. */
export async function replaceProviderSession(
  db: ColdDatabase,
  { id, sealed: from }: Pick<StoredProviderSession, 'id' | 'sealed'>,
  to: Uint8Array,
): Promise<boolean> {
  const replaced = await db.write(
    sql`UPDATE provider_sessions SET sealed = ${to} WHERE id = ${id} AND sealed = ${from} RETURNING 1`,
  );
  return replaced.length > 0;
}

export interface Renewal {
  /** Random: whoever has taken over since has another. */
  readonly id: string;
  readonly now: number;
  readonly until: number;
}

/**
 * As it is now, for the one that renews its tokens. Undefined: another does, or the session is gone. A statement that is sent again after a
 * lost connection finds its own `renewal`.
 */
export async function beginRenewal(
  db: ColdDatabase,
  { id }: Pick<StoredProviderSession, 'id'>,
  renewal: Renewal,
): Promise<StoredProviderSession | undefined> {
  const [row] = await db.write(
    sql`UPDATE provider_sessions SET renewal = ${renewal.id}, renewing_until = ${renewal.until}
      WHERE id = ${id} AND (renewal IS NULL OR renewing_until <= ${renewal.now} OR renewal = ${renewal.id})
      RETURNING id, provider, sub, sealed, expires_at`,
  );
  return row && toSession(row);
}

/** Whatever secret has encrypted it meanwhile. Nothing where another has taken over, or the session is gone: it stays so. `to` undefined: as it was. */
export async function endRenewal(
  db: ColdDatabase,
  { id }: Pick<StoredProviderSession, 'id'>,
  renewal: Pick<Renewal, 'id'>,
  to: Uint8Array | undefined,
): Promise<void> {
  await db.write(
    sql`UPDATE provider_sessions SET renewal = NULL, renewing_until = NULL, sealed = coalesce(${to ?? null}, sealed)
      WHERE id = ${id} AND renewal = ${renewal.id}`,
  );
}

/** What is sealed begins with the id of its secret. */
const SECRET_ID = perStore('lower(hex(substr(sealed, 1, 4)))', `encode(substring(sealed FROM 1 FOR 4), 'hex')`);

/** Those that another secret than this has sealed, by their ids. */
export async function sessionsOfOtherSecrets(
  db: ColdDatabase,
  newest: string,
  after: string,
  limit: number,
): Promise<StoredProviderSession[]> {
  const rows = await db.read(
    sql`SELECT id, provider, sub, sealed, expires_at FROM provider_sessions
      WHERE id > ${after} AND ${SECRET_ID} <> ${newest} ORDER BY id LIMIT ${limit}`,
  );
  return rows.map(toSession);
}

/** The session was opened: what waited for the sign-in is that of the session from now on, if it is still there. */
export async function nameProviderSession(db: ColdDatabase, pending: string, sid: string): Promise<boolean> {
  return db.transaction(function* () {
    yield* runAll([
      sql`DELETE FROM provider_sessions WHERE id = ${sid}
        AND EXISTS (SELECT 1 FROM provider_sessions p WHERE p.id = ${pending})`,
    ]);
    const named = yield* rowsOf(sql`UPDATE provider_sessions SET id = ${sid} WHERE id = ${pending} RETURNING 1`);
    return named.length > 0;
  });
}

/** Once: it is gone then. */
export async function takeProviderSession(db: ColdDatabase, sid: string): Promise<StoredProviderSession | undefined> {
  const [row] = await db.write(
    sql`DELETE FROM provider_sessions WHERE id = ${sid} RETURNING id, provider, sub, sealed, expires_at`,
  );
  return row && toSession(row);
}

/** Only of a session that is live: what a sign-in has left that was not completed is nobody's. */
export async function newestProviderSession(
  db: ColdDatabase,
  provider: string,
  sub: string,
  now: number,
): Promise<StoredProviderSession | undefined> {
  const [row] = await db.read(
    sql`SELECT p.id, p.provider, p.sub, p.sealed, p.expires_at FROM provider_sessions p
      JOIN sessions s ON s.sid = p.id AND s.sub = p.sub
      WHERE p.sub = ${sub} AND p.provider = ${provider} AND s.idle_expires_at > ${now} AND s.expires_at > ${now}
      ORDER BY p.expires_at DESC LIMIT 1`,
  );
  return row && toSession(row);
}

function toSession(row: Row): StoredProviderSession {
  return {
    id: row.id as string,
    provider: row.provider as string,
    sub: row.sub as string,
    sealed: new Uint8Array(row.sealed as Uint8Array),
    expiresAt: Number(row.expires_at),
  };
}
