import { USED_ID_RETENTION_SECONDS } from '../store/retention.ts';
import { copied, table } from '../store/table.ts';

export const singleUseTables = [
  table('used_ids', {
    purge: { key: 'key', ended: 'key', isEndInKey: true, afterSeconds: USED_ID_RETENTION_SECONDS },
    copy: copied('key', 'key:x'),
  }),
];
