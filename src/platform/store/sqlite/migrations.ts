import { numberAfter } from '../schema/number.ts';

/**
 * What brings an older database to the schema of platform/store/schema/sqlite.sql. Migrations are only added: one that was released is never edited. A
 * change of the schema is a migration in both stores, and in the same commit a change of the file, which creates empty databases.
 */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

export const migrations: readonly Migration[] = [];

/** Of platform/store/schema/sqlite.sql. */
export const SCHEMA_NUMBER = numberAfter(migrations);
