import { copied, table } from '../../platform/store/table.ts';

/** Statements that issue something ask whether the client exists. */
export const clientTables = [
  table('clients', {
    placement: 'reference',
    copy: copied('app client_id', 'app client_id secret_hash metadata'),
  }),
  table('client_origins', {
    placement: 'reference',
    copy: copied('app origin client_id', 'app origin client_id'),
  }),
];
