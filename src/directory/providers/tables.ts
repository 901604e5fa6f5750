import { copied, table } from '../../platform/store/table.ts';

/** A row for each, read as a whole: settings as JSON, and beside them what is encrypted. */
export const providerTables = [
  table('providers', {
    copy: copied('id', 'id settings sealed_secrets:x'),
    create: {
      sqlite: `CREATE TABLE providers (
          id             TEXT PRIMARY KEY,
          settings       TEXT NOT NULL,
          sealed_secrets BLOB -- NULL: it has none
        ) STRICT, WITHOUT ROWID`,
      postgres: `CREATE TABLE providers (
          id             text COLLATE "C" PRIMARY KEY,
          settings       text NOT NULL,
          sealed_secrets bytea
        )`,
    },
  }),
];
