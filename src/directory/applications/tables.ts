import { copied, table } from '../../platform/store/table.ts';

/** The configuration, which every node reads into memory, and how often it has changed. */
export const applicationTables = [
  table('applications', {
    placement: 'reference',
    copy: copied('code', 'code name settings deleted_at:i keys_pending:b logo_hash logo'),
  }),
  table('registry_version', { notCopied: 'it counts the changes of one database' }),
];
