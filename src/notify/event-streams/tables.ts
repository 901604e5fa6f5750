import { copied, table } from '../../platform/store/table.ts';

/** A target that is set again within 30 days goes on where it was. */
const RETENTION_SECONDS = 2_592_000;

const columns = (number: string) => `target text PRIMARY KEY, next_seq ${number} NOT NULL, holder text NOT NULL,
  leased_until ${number} NOT NULL, failures ${number} NOT NULL, failing_since ${number}, reason text, due_at ${number} NOT NULL,
  seen_at ${number} NOT NULL`;

export const eventStreamTables = [
  table('event_streams', {
    purge: { key: 'target', ended: 'seen_at', afterSeconds: RETENTION_SECONDS },
    copy: copied(
      'target',
      'target next_seq:i holder leased_until:i failures:i failing_since:i reason due_at:i seen_at:i',
    ),
    create: {
      sqlite: `CREATE TABLE event_streams (${columns('integer')}) STRICT, WITHOUT ROWID`,
      postgres: `CREATE TABLE event_streams (${columns('bigint')})`,
    },
  }),
];
