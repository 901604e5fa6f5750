import { sql } from '../../platform/store/sql.ts';
import type { Services } from '../../services.ts';
import type { NewToken } from '../token/store.ts';
import type { AuthorizationDetail } from './schema.rules.ts';

/** Who loses what is noted when deleted. `sub` undefined: the client acts for itself. */
export interface DetailsOwner {
  readonly sub: string | undefined;
  readonly clientId: string;
}

/** Before the client has the token: one whose row is lost would be one without authorization details, never one with more. */
export async function noteDetails(
  { store }: Pick<Services, 'store'>,
  app: string,
  { hash, expiresAt }: NewToken,
  { sub, clientId }: DetailsOwner,
  details: readonly AuthorizationDetail[],
): Promise<void> {
  await store.cold.write(
    sql`INSERT INTO token_details (token_hash, app, details, expires_at, sub, client_id)
      SELECT ${hash}, ${app}, ${JSON.stringify(details)}, ${expiresAt}, ${sub ?? null}, ${clientId}
      WHERE ${sub === undefined} OR EXISTS (SELECT 1 FROM users WHERE sub = ${sub ?? ''}) ON CONFLICT DO NOTHING`,
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
