import { BY_APPLICATION } from '../../platform/store/citus/placement.ts';
import { copied, table } from '../../platform/store/table.ts';

export const tokenExchangeTables = [
  table('token_exchanges', {
    placement: BY_APPLICATION,
    purge: { key: 'app, token_hash', ended: 'expires_at' },
    copy: copied('app token_hash', 'app token_hash:x subject_hash:x client_id expires_at:i'),
  }),
];
