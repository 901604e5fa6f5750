import { BY_APPLICATION } from '../../platform/store/citus/placement.ts';
import { CODE_RETENTION_SECONDS } from '../../platform/store/retention.ts';
import { copied, table } from '../../platform/store/table.ts';

/** Token families and access tokens. A family is kept as long as a code that was redeemed for it could come again. */
export const tokenTables = [
  table('grants', {
    placement: { by: 'app' },
    purge: { key: 'app, grant_id', ended: 'expires_at', afterSeconds: CODE_RETENTION_SECONDS },
    copy: copied(
      'app grant_id',
      'app grant_id client_id sub scope auth_time:i amr sid claims revoked_at:i expires_at:i started_at:i resources',
    ),
  }),
  table('access_tokens', {
    placement: BY_APPLICATION,
    purge: { key: 'token_hash, app', ended: 'token_hash', isEndInKey: true },
    copy: copied(
      'token_hash app',
      'app token_hash:x grant_id client_id sub scope claims issued_at:i expires_at:i auth_time:i amr audience exchange',
    ),
  }),
];
