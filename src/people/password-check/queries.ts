import { optionalNumber } from '../../platform/store/row.ts';
import { sql } from '../../platform/store/sql.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import type { LinkKey } from '../linking/rules.ts';

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

export async function noteMoved(cold: ColdDatabase, { provider, subject }: LinkKey, now: number): Promise<void> {
  await cold.write(sql`UPDATE user_links SET moved_at = ${now} WHERE provider = ${provider} AND subject = ${subject}`);
}
