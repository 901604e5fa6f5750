import type { Columns } from '../../platform/store/postgres/statement.ts';

/** The values of one redemption, in the order of redeemCode (postgres.ts), after the application. */
export const REQUEST: Columns = {
  code_hash: 'bytea',
  caller: 'text',
  authenticated: 'boolean',
  requested_uri: 'text',
  challenge: 'text',
  now: 'bigint',
  new_grant: 'text',
  access_hash: 'bytea',
  access_end: 'bigint',
  refresh_hash: 'bytea',
  refresh_end: 'bigint',
  grant_end: 'bigint',
};
export const API_REQUEST: Columns = { ...REQUEST, access_scope: 'text', audience: 'text' };

/**
 * The conditions of `redeem` in rules.ts, in SQL. `of` stands before each name: '' where one statement redeems
 * (postgres.ts), 'c.' in the functions that run on a worker of Citus (citus.ts).
 */
export function mayRedeem(of: string): string {
  return `NOT ${of}revoked AND ${of}grant_id IS NULL AND ${of}expires_at > ${of}now
    AND (${of}caller IS NULL OR ${of}client_id = ${of}caller)
    AND (${of}authenticated OR NOT ${of}client_authentication_required)
    AND ${of}redirect_uri = ${of}requested_uri AND ${of}code_challenge IS NOT DISTINCT FROM ${of}challenge`;
}
