import { copied, table } from '../../platform/store/table.ts';

export const apiKeyTables = [
  table('api_keys', {
    copy: copied('id', 'id name key_hash:x role applications created_at:i expires_at:i last_used_at:i'),
  }),
];
