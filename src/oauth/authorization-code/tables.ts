import { BY_APPLICATION } from '../../platform/store/citus/placement.ts';
import { CODE_RETENTION_SECONDS } from '../../platform/store/retention.ts';
import { copied, table } from '../../platform/store/table.ts';

export const codeTables = [
  table('codes', {
    placement: BY_APPLICATION,
    purge: { key: 'code_hash, app', ended: 'code_hash', isEndInKey: true, afterSeconds: CODE_RETENTION_SECONDS },
    copy: copied(
      'code_hash app',
      'app code_hash:x client_id sub scope auth_time:i amr sid nonce claims redirect_uri code_challenge ' +
        'client_authentication_required:b expires_at:i grant_id with_refresh:b resources',
    ),
  }),
];
