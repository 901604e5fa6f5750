import { numberAfter } from '../schema/number.ts';

/**
 * What brings an older database to the schema of platform/store/schema/postgres.sql. Migrations are only added: one that was released is never edited. A
 * change of the schema is a migration in both stores, with the same number, and in the same commit a change of the file, which creates
 * empty databases.
 *
 * The release before must work with the migrated schema, because nodes are replaced one by one: add columns that may be NULL or
 * have a default, add tables and indexes; remove something only in the release after the one that stopped using it. No migration
 * may hold a lock for long on a table that requests use.
 */
export type Migration =
  | { readonly name: string; readonly sql: string }
  /** CREATE INDEX CONCURRENTLY, for a table that may be large: requests continue meanwhile. Not for a partitioned table. */
  | { readonly name: string; readonly index: string; readonly on: string };

export const migrations: readonly Migration[] = [];

/** Of platform/store/schema/postgres.sql. */
export const SCHEMA_NUMBER = numberAfter(migrations);
