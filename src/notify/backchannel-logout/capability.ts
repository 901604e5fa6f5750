import { capability, from } from '../../capability.ts';
import { backchannelLogoutTables } from './tables.ts';

/** Back-channel logout (OpenID Connect Back-Channel Logout): clients are told that a session has ended. */
export const backchannelLogout = capability('notify/backchannel-logout', {
  jobs: [
    {
      name: 'deliveries',
      everyMs: 1000,
      runs: 'once on a machine',
      load: from(() => import('./job.ts'), 'sendLogoutNotices'),
    },
  ],
  tables: backchannelLogoutTables,
  fields: from(() => import('./fields.ts'), 'backchannelLogoutFields'),
});
