import { BY_APPLICATION } from '../../platform/store/citus/placement.ts';
import { copied, table } from '../../platform/store/table.ts';

export const refreshTables = [
  table('refresh_tokens', {
    placement: BY_APPLICATION,
    purge: { key: 'token_hash, app', ended: 'token_hash', isEndInKey: true },
    copy: copied('token_hash app', 'app token_hash:x grant_id issued_at:i expires_at:i rotated_at:i successor_hash:x'),
  }),
];
