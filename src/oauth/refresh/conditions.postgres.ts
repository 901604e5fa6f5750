import type { Columns } from '../../platform/store/postgres/statement.ts';

/**
 * What rules.ts decides, in SQL, and what is issued then. `of` stands before each name: '' where one statement
 * rotates (rotation.postgres.ts), 'f.' in the functions that run on a worker of Citus (citus.ts).
 */

/** The values of one rotation, in the order of rotationValues (postgres.ts), after the application. */
export const REQUEST: Columns = {
  token_hash: 'bytea',
  now: 'bigint',
  access_hash: 'bytea',
  access_end: 'bigint',
  narrowed: 'text',
  least_end: 'bigint',
  caller: 'text',
  rotates: 'boolean',
  successor: 'bytea',
  successor_end: 'bigint',
  with_user: 'boolean',
  family_ttl: 'bigint',
};
export const API_REQUEST: Columns = { ...REQUEST, access_scope: 'text', audience: 'text' };

/** The conditions of `rotate` and `keep`. */
export function mayRotate(of: string): string {
  return `${of}rotated_at IS NULL AND ${of}client_id = ${of}caller
    AND ${of}token_expires_at > ${of}now AND ${of}started_at + ${of}family_ttl > ${of}now
    AND (${of}narrowed IS NULL OR string_to_array(${of}scope, ' ') @> string_to_array(${of}narrowed, ' '))`;
}

/** A family that ends before its new token has to be prolonged first. */
export function lastsLongEnough(of: string): string {
  return `${of}expires_at >= ${of}least_end`;
}

export interface IssuedFor {
  readonly scope: string;
  readonly claims: string;
  readonly audience: string;
}

/** A narrowed token gets no single claims: userinfo gives what its scope covers anyway, and it must not get more. */
function claims(of: string): string {
  return `CASE WHEN ${of}narrowed IS NULL OR string_to_array(${of}narrowed, ' ') @> string_to_array(${of}scope, ' ')
    THEN ${of}claims END`;
}

export function forIssuer(of: string): IssuedFor {
  return { scope: `coalesce(${of}narrowed, ${of}scope)`, claims: claims(of), audience: 'NULL' };
}

/** Audience, scope and lifetime depend on the APIs that the family covers, so they are read before. */
export function forApi(of: string): IssuedFor {
  return {
    scope: `${of}access_scope`,
    claims: `CASE WHEN ${of}audience IS NULL THEN ${claims(of)} END`,
    audience: `${of}audience`,
  };
}
