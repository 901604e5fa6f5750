import { copied, table } from '../../../src/platform/store/table.ts';

/** For complaints: who was there is known for a minute after they have left. */
export const RETENTION_SECONDS = 60;

export const guestTables = [
  table('guests', {
    purge: { key: 'id', ended: 'leaves_at', afterSeconds: RETENTION_SECONDS },
    copy: copied('id', 'id name leaves_at:i'),
    create: {
      sqlite: `CREATE TABLE guests (id TEXT PRIMARY KEY, name TEXT NOT NULL, leaves_at INTEGER NOT NULL) STRICT;
        CREATE INDEX guests_by_end ON guests (leaves_at)`,
      postgres: `CREATE TABLE guests (id text COLLATE "C" PRIMARY KEY, name text NOT NULL, leaves_at bigint NOT NULL);
        CREATE INDEX guests_by_end ON guests (leaves_at)`,
    },
  }),
];
