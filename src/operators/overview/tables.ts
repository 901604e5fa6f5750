import { table } from '../../platform/store/table.ts';

/** A node that stopped without saying so is shown for a day. */
const RETENTION_SECONDS = 86_400;

export const overviewTables = [
  table('nodes', {
    purge: { key: 'host, port', ended: 'seen_at', afterSeconds: RETENTION_SECONDS },
    notCopied: 'no process serves from both databases',
  }),
];
