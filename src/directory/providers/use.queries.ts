import { BYTEWISE, sql } from '../../platform/store/sql.ts';
import type { ColdDatabase } from '../../platform/store/steps.ts';
import { settingsFromRow } from '../applications/rows.store.ts';

/** Who uses an identity provider: for pages of operators. */

/** Applications that name one, by their codes. A deleted one offers nothing. */
export async function offersOfApplications(
  cold: ColdDatabase,
): Promise<readonly (readonly [string, readonly string[]])[]> {
  const rows = await cold.read(
    sql`SELECT code, name, settings FROM applications WHERE deleted_at IS NULL AND settings LIKE ${'%"providers":["%'}
      ORDER BY code ${BYTEWISE}`,
  );
  return rows.map(settingsFromRow).map(({ code, providers = [] }) => [code, providers] as const);
}

/** How many people are linked to each provider. Counted up to `most` of each: a list does not wait for millions. */
export async function countLinkedPeople(cold: ColdDatabase, most: number): Promise<ReadonlyMap<string, number>> {
  const rows = await cold.read(
    sql`SELECT p.id, (SELECT count(*) FROM (SELECT 1 FROM user_links l WHERE l.provider = p.id LIMIT ${most}) AS counted) AS people
      FROM providers p`,
  );
  return new Map(rows.map(({ id, people }) => [id as string, Number(people)]));
}

/** How many of them have no password, no passkey, and no link to another provider. */
export async function countOnlyWays(cold: ColdDatabase, provider: string, most: number): Promise<number> {
  const [row] = await cold.read(
    sql`SELECT count(*) AS people FROM (SELECT 1 FROM user_links l WHERE l.provider = ${provider}
      AND NOT EXISTS (SELECT 1 FROM credentials c WHERE c.sub = l.sub AND c.kind IN ('password', 'passkey'))
      AND NOT EXISTS (SELECT 1 FROM user_links o JOIN providers p ON p.id = o.provider
        WHERE o.sub = l.sub AND o.provider <> ${provider})
      LIMIT ${most}) AS counted`,
  );
  return Number(row?.people ?? 0);
}
