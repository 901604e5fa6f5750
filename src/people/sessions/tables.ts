import { BY_APPLICATION } from '../../platform/store/citus/placement.ts';
import { copied, table } from '../../platform/store/table.ts';

/**
 * What a login writes. A browser has one session for all applications: spread over the workers of a cluster, the loss of any would stop all
 * logins. On the coordinator a login is one commit, without two phases, and needs the worker of its application alone.
 */
export const sessionTables = [
  table('sessions', {
    purge: { key: 'id_hash', ended: 'idle_expires_at' },
    copy: copied(
      'id_hash',
      'id_hash:x sid sub auth_time:i amr opened_by idle_expires_at:i expires_at:i user_agent address started_at:i',
    ),
  }),
  table('session_clients', {
    placement: BY_APPLICATION,
    purge: { with: 'sessions', by: 'sid' },
    copy: copied('sid app client_id', 'sid app client_id'),
  }),
  // Read by each statement that issues something for a session.
  table('ended_sessions', {
    placement: 'reference',
    purge: { key: 'sid', ended: 'expires_at' },
    copy: copied('sid', 'sid expires_at:i'),
  }),
  table('spent_logins', {
    purge: { key: 'pending_id', ended: 'expires_at' },
    copy: copied('pending_id', 'pending_id expires_at:i'),
  }),
];
