import { BY_APPLICATION } from '../../platform/store/citus/placement.ts';
import { CODE_RETENTION_SECONDS } from '../../platform/store/retention.ts';
import { copied, table } from '../../platform/store/table.ts';

export const revocationTables = [
  table('revoked_grants', {
    placement: BY_APPLICATION,
    purge: { key: 'app, grant_id', ended: 'expires_at', afterSeconds: CODE_RETENTION_SECONDS },
    copy: copied('app grant_id', 'app grant_id expires_at:i'),
  }),
  // On the coordinator of a cluster, because its worker may be the one that is away.
  table('waiting_revocations', {
    copy: copied('app grant_id', 'app grant_id replayed_at:i event unless_issued:x due_at:i attempts:i'),
  }),
];
