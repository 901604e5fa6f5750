import { copied, table } from '../../platform/store/table.ts';

export const trustedBrowserTables = [
  table('trusted_browsers', {
    purge: { key: 'id', ended: 'expires_at' },
    copy: copied('id', 'id token_hash sub user_agent created_at:i last_used_at:i expires_at:i'),
  }),
];
