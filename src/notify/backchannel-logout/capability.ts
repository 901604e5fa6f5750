import { capability, from } from '../../capability.ts';
import { jobOf } from '../../platform/jobs/job.ts';
import { backchannelLogoutTables } from './tables.ts';

/** Back-channel logout (OpenID Connect Back-Channel Logout): clients are told that a session has ended. */
export const backchannelLogout = capability('notify/backchannel-logout', {
  jobs: [
    jobOf(
      { name: 'deliveries', everyMs: 1000, runs: 'once on a machine' },
      () => import('./job.ts'),
      'deliverLogoutNotices',
    ),
  ],
  tables: backchannelLogoutTables,
  fields: from(() => import('./fields.ts'), 'backchannelLogoutFields'),
});
