import { copied, table } from '../../platform/store/table.ts';

/** The job that sends mails gives them up at their end and logs it. Without such a job they are deleted all the same. */
const RETENTION_SECONDS = 3600;

export const mailTables = [
  table('mails', {
    purge: { key: 'id', ended: 'expires_at', afterSeconds: RETENTION_SECONDS },
    copy: copied('id', 'id sealed:x attempts:i due_at:i created_at:i expires_at:i'),
  }),
];
