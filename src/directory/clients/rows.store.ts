import { optional, type Row } from '../../platform/store/row.ts';
import type { Client } from './rules.ts';

/** The same for a client. */
const METADATA_ADDED_LATER = { userinfo_claims: 'documented' } satisfies Partial<Client>;

export function clientFromRow(row: Row): Client {
  const metadata = JSON.parse(row.metadata as string);
  return {
    ...METADATA_ADDED_LATER,
    ...metadata,
    client_id: row.client_id,
    secret_hash: optional(row.secret_hash),
  };
}
