import { copied, table } from '../../platform/store/table.ts';

/** What a login reads beside the user, and links to set another password. */
export const passwordTables = [
  table('credentials', {
    copy: copied('sub id', 'sub id kind data created_at:i last_used_at:i last_step:i name sign_count:i backed_up:b'),
  }),
  table('password_resets', {
    purge: { key: 'sub', ended: 'expires_at' },
    copy: copied('sub', 'sub token_hash:x links:i expires_at:i context invitation:b'),
  }),
];
