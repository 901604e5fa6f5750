import { copied, table } from '../../platform/store/table.ts';

/**
 * What the pairwise subjects of an application are derived from. It is made once and stays as long as the application: another one would make
 * strangers of all users. So it does not come from GATEHOUSE_SECRET, which can be replaced.
 */
export const pairwiseTables = [
  table('pairwise_salts', {
    copy: copied('app', 'app salt:x'),
    create: {
      sqlite: 'CREATE TABLE pairwise_salts (app TEXT PRIMARY KEY, salt BLOB NOT NULL) STRICT',
      postgres: 'CREATE TABLE pairwise_salts (app text COLLATE "C" PRIMARY KEY, salt bytea NOT NULL)',
    },
  }),
];
