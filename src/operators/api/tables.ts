import { copied, table } from '../../platform/store/table.ts';

export const adminApiTables = [
  table('idempotent_answers', {
    purge: { key: 'caller, key', ended: 'expires_at' },
    copy: copied('caller key', 'caller key request_hash:x sealed_answer:x expires_at:i'),
  }),
];
