import { capability } from '../../capability.ts';
import { endpoint, FOR_CLIENTS, form, hot } from '../../platform/http/route.ts';
import { jobOf } from '../../platform/jobs/job.ts';
import { revocationTables } from './tables.ts';

/** Token revocation (RFC 7009): {issuer}/revoke. job.ts repeats revocations that the database could not do. */
export const revoke = capability('oauth/revoke', {
  routes: [
    endpoint('revoke', FOR_CLIENTS, {
      POST: form(hot(() => import('./endpoint.ts'), 'revoke')),
    }),
  ],
  discovery: { revocation_endpoint: '/revoke' },
  jobs: [
    jobOf(
      { name: 'revocations', everyMs: 1000, runs: 'once on a machine' },
      () => import('./job.ts'),
      'finishRevocations',
    ),
  ],
  waiting: [
    {
      name: 'gatehouse_revocations_waiting',
      help: 'Revocations after a replayed code or refresh token that the database has not taken yet.',
      count: store => store.countWaitingRevocations(),
    },
  ],
  tables: revocationTables,
});
