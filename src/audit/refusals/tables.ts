import { copied, table } from '../../platform/store/table.ts';

/** How long a refused request can be explained: a week, so that what happened on a Friday can be asked on the next Thursday. */
const RETENTION_SECONDS = 604_800;

export const refusalTables = [
  table('refusals', {
    purge: { key: 'request_id', ended: 'time', afterSeconds: RETENTION_SECONDS },
    copy: copied('request_id', 'request_id app time:i reason data'),
  }),
];
