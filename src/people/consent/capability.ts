import { capability, from, step } from '../../capability.ts';
import { pageOf } from '../../platform/http/route.ts';
import { consentRule } from './step.rules.ts';
import { consentTables } from './tables.ts';

/** Consent of a user to what a client asks for (the step /consent), and /account/access, where it is withdrawn. */
export const consent = capability('people/consent', {
  routes: [pageOf('/account/access', () => import('./access.page.ts'), 'showAccess', 'submitAccess')],
  steps: {
    consent: step(consentRule, () => import('./step.ts'), 'consent'),
  },
  tables: consentTables,
  fields: from(() => import('./fields.ts'), 'consentFields'),
});
