import { table } from '../../platform/store/table.ts';

export const parTables = [
  table('pushed_requests', { purge: { key: 'id_hash', ended: 'expires_at' }, notCopied: 'it is good for minutes' }),
];
