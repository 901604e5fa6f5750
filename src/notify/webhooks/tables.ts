import { copied, table } from '../../platform/store/table.ts';

/** Finished deliveries can be listed and repeated for 30 days. */
const RETENTION_SECONDS = 2_592_000;

export const webhookTables = [
  table('webhooks', {
    copy: copied(
      'id',
      'id app url description event_types ordered:b sealed_secrets:x pause_reason failing_since:i next_seq:i created_at:i',
    ),
  }),
  table('webhook_deliveries', {
    purge: { key: 'id', ended: 'finished_at', afterSeconds: RETENTION_SECONDS },
    copy: copied(
      'id',
      'id webhook_id event_id type seq:i body state attempts:i due_at:i status:i reason created_at:i finished_at:i',
    ),
  }),
];
