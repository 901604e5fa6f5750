import { table } from './table.ts';

/** What the store knows of itself. */
export const ownTables = [
  table('schema_migrations', { only: 'postgres', notCopied: 'each database has its own' }),
  table('purge_state', { notCopied: 'each database is purged by itself' }),
];
