import { readFileSync } from 'node:fs';

/**
 * Every schema has a number, the same in both stores. An empty database is created from sqlite.sql or postgres.sql in this folder; each
 * migration adds one. The databases from before the first release had other migrations, numbers 1 to 30: their last one has the schema
 * with which the files began.
 */
export const OLDEST_NUMBER = 30;

/** Under which name the creation of an empty database is recorded, and reported beside the names of migrations. */
export const CREATED = 'schema';

/** The number of a schema to which these migrations have been applied. */
export function numberAfter(migrations: readonly unknown[]): number {
  return OLDEST_NUMBER + migrations.length;
}

/** The statements that create an empty database. */
export function readSchema(store: 'sqlite' | 'postgres'): string {
  return readFileSync(new URL(`${store}.sql`, import.meta.url), 'utf8');
}

/** Why a release with these migrations cannot use a database whose schema has this number. Undefined: it can. */
export function whyRefused(number: number, migrations: readonly unknown[]): string | undefined {
  const known = numberAfter(migrations);
  if (number > known) return `is number ${number}, this release knows ${known}: use a newer release`;
  if (number < OLDEST_NUMBER) {
    return `is number ${number}, this release migrates from ${OLDEST_NUMBER} on: run "gatehouse migrate" of an earlier release first`;
  }
  return undefined;
}
