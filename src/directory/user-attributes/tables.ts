import { copied, table } from '../../platform/store/table.ts';

const columns = (number: string) => `name text PRIMARY KEY, definition text NOT NULL, deleted_at ${number}`;

/**
 * Definitions of users' own fields; `definition` is JSON. One that is deleted stays until its values are (job.ts). Every request reads them
 * with its application, so on a cluster they are where applications are. The values are in `users.standard_claims`.
 */
export const userAttributeTables = [
  table('user_attributes', {
    placement: 'reference',
    copy: copied('name', 'name definition deleted_at:i'),
    create: {
      sqlite: `CREATE TABLE user_attributes (${columns('integer')}) STRICT, WITHOUT ROWID`,
      postgres: `CREATE TABLE user_attributes (${columns('bigint')})`,
    },
  }),
];
