import { capability, from } from '../../capability.ts';
import { pageOf } from '../../platform/http/route.ts';

/** Consent of a user to what a client asks for (the step /consent), and /account/access, where it is withdrawn. */
export const consent = capability('people/consent', {
  routes: [pageOf('/account/access', () => import('./access.page.ts'), 'showAccess', 'submitAccess')],
  steps: {
    consent: from(() => import('./step.ts'), 'consent'),
  },
  fields: from(() => import('./fields.ts'), 'consentFields'),
});
