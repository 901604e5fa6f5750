import { sql } from '../../platform/store/sql.ts';
import type { Services } from '../../services.ts';
import type { NewToken } from '../token/store.ts';
import type { AuthorizationDetail } from './schema.rules.ts';

/** Before the client has the token: one whose row is lost would be one without authorization details, never one with more. */
export async function noteDetails(
  { store }: Pick<Services, 'store'>,
  app: string,
  { hash, expiresAt }: NewToken,
  details: readonly AuthorizationDetail[],
): Promise<void> {
  await store.cold.write(
    sql`INSERT INTO token_details (token_hash, app, details, expires_at)
      VALUES (${hash}, ${app}, ${JSON.stringify(details)}, ${expiresAt}) ON CONFLICT DO NOTHING`,
  );
}

export async function findDetails(
  { store }: Pick<Services, 'store'>,
  app: string,
  hash: Uint8Array,
): Promise<readonly AuthorizationDetail[] | undefined> {
  const [row] = await store.cold.read(
    sql`SELECT details FROM token_details WHERE token_hash = ${hash} AND app = ${app}`,
  );
  return row && JSON.parse(row.details as string);
}
