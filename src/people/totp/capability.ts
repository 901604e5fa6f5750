import { capability, step } from '../../capability.ts';
import { pageOf } from '../../platform/http/route.ts';
import { jobOf } from '../../platform/jobs/job.ts';
import { enrolTotpRule, totpRule } from './step.rules.ts';

/** Authenticator apps (TOTP, RFC 6238): the step /login/totp, their enrolment during a sign-in and at /account/security/totp. */
export const totp = capability('people/totp', {
  routes: [pageOf('/account/security/totp', () => import('./page.ts'), 'showEnrolTotp', 'submitEnrolTotp')],
  steps: {
    totp: step(totpRule, () => import('./step.ts'), 'totp'),
    'enrol-totp': step(enrolTotpRule, () => import('./enrol.step.ts'), 'enrolTotp'),
  },
  jobs: [
    jobOf(
      { name: 'reseal', everyMs: 3_600_000, runs: 'once on a machine' },
      () => import('./reseal.job.ts'),
      'resealTotpKeys',
    ),
  ],
});
