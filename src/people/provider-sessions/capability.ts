import { capability, from } from '../../capability.ts';
import { form, latePage, noBody, page } from '../../platform/http/route.ts';
import { jobOf } from '../../platform/jobs/job.ts';
import { providerSessionTables } from './tables.ts';

/**
 * What a sign-in at an identity provider leaves here, encrypted: the ID token for signing out there (`sign_out`).
 *
 *   /login/provider/{id}/signed-out   the browser is back from signing out there, or the provider signs the person out
 */
export const providerSessions = capability('people/provider-sessions', {
  routes: [
    page('/login/provider/{id}/signed-out', {
      GET: noBody(latePage(() => import('./page.ts'), 'signedOutThere')),
      POST: form(latePage(() => import('./page.ts'), 'signedOutByForm')),
    }),
  ],
  jobs: [
    jobOf(
      { name: 'provider-sessions.reseal', everyMs: 3_600_000, runs: 'once on a machine' },
      () => import('./reseal.job.ts'),
      'resealSessionsOfProviders',
    ),
  ],
  fields: from(() => import('./fields.ts'), 'providerSessionFields'),
  tables: providerSessionTables,
});
