import { actOnce } from '../../audit/acts/queries.ts';
import type { Act } from '../../audit/acts/store.ts';
import { optionalNumber } from '../../platform/store/row.ts';
import { sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf } from '../../platform/store/steps.ts';
import type { LinkKey } from '../linking/rules.ts';
import { lockPassword, replacePassword } from '../password/credentials.queries.ts';

/** How far a move is. Each is counted up to `most`: nobody waits for millions. */
export interface MoveCounts {
  /** People who are linked to the old system, and have a password here. */
  readonly moved: number;
  /** Those who are linked to it, and have none. */
  readonly left: number;
  /** Accounts without any way in, which their people can get by a first sign-in. */
  readonly waiting: number;
  readonly lastAt: number | undefined;
}

export async function countMoved(cold: ColdDatabase, provider: string, most: number): Promise<MoveCounts> {
  const [row] = await cold.read(
    sql`SELECT
      (SELECT count(*) FROM (SELECT 1 FROM user_links l JOIN credentials c ON c.sub = l.sub AND c.id = 'password'
        WHERE l.provider = ${provider} LIMIT ${most}) AS a) AS moved,
      (SELECT count(*) FROM (SELECT 1 FROM user_links l WHERE l.provider = ${provider}
        AND NOT EXISTS (SELECT 1 FROM credentials c WHERE c.sub = l.sub AND c.id = 'password') LIMIT ${most}) AS b) AS remaining,
      (SELECT count(*) FROM (SELECT 1 FROM users u WHERE NOT u.disabled
        AND NOT EXISTS (SELECT 1 FROM credentials c WHERE c.sub = u.sub AND c.kind IN ('password', 'passkey'))
        AND NOT EXISTS (SELECT 1 FROM user_links l WHERE l.sub = u.sub) LIMIT ${most}) AS d) AS waiting,
      (SELECT max(c.created_at) FROM user_links l JOIN credentials c ON c.sub = l.sub AND c.id = 'password'
        WHERE l.provider = ${provider}) AS last_at`,
  );
  return {
    moved: Number(row?.moved ?? 0),
    left: Number(row?.remaining ?? 0),
    waiting: Number(row?.waiting ?? 0),
    lastAt: optionalNumber(row?.last_at),
  };
}

/** Whether the password of this person became one of ours before. The mark stays when the password is removed here. */
export async function hasMoved(cold: ColdDatabase, { provider, subject }: LinkKey): Promise<boolean> {
  const rows = await cold.read(
    sql`SELECT 1 FROM user_links WHERE provider = ${provider} AND subject = ${subject} AND moved_at IS NOT NULL`,
  );
  return rows.length > 0;
}

/** The password of a person who has none here and has not moved before, and the mark that it has: both or none. False: nothing was written. */
export async function movePassword(
  cold: ColdDatabase,
  { provider, subject, sub }: LinkKey & { readonly sub: string },
  hash: string,
  now: number,
  act: Act,
): Promise<boolean> {
  const moved = await actOnce(cold, {
    lock: () => lockPassword(cold, sub),
    *work() {
      const marked = yield* rowsOf(sql`UPDATE user_links SET moved_at = ${now}
        WHERE provider = ${provider} AND subject = ${subject} AND sub = ${sub} AND moved_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM credentials WHERE sub = ${sub} AND id = 'password') RETURNING 1`);
      const written = marked.length > 0 && (yield* replacePassword(cold, sub, { from: undefined, to: hash }, now));
      return { result: written, act: written ? act : undefined };
    },
  });
  return moved === true;
}
