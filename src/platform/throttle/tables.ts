import { table } from '../store/table.ts';

export const throttleTables = [
  table('failed_attempts', {
    purge: { key: 'key', ended: 'full_at' },
    notCopied: 'an embedded store counts in memory',
  }),
];
