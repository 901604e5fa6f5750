import { copied, table } from '../../platform/store/table.ts';

export const consentTables = [
  table('consents', { copy: copied('sub app client_id', 'sub app client_id scope given_at:i') }),
  // On PostgreSQL codes end with their consent.
  table('withdrawn_consents', {
    only: 'sqlite',
    purge: { key: 'sub, app, client_id', ended: 'expires_at' },
    notCopied: 'the codes that it ends are left out (operators/copy-database/sqlite.ts)',
  }),
];
