import { copied, table } from '../../platform/store/table.ts';

export const statisticsTables = [
  table('statistics', {
    purge: { key: 'app, step, time', ended: 'expires_at' },
    copy: copied('app step time', 'app step time:i data expires_at:i'),
  }),
  table('statistics_writers', {
    purge: { key: 'writer', ended: 'expires_at' },
    notCopied: 'no process writes to both databases',
  }),
];
