import { capability, from } from '../../capability.ts';
import { latePage, noBody, page } from '../../platform/http/route.ts';
import { providerSessionTables } from './tables.ts';

/**
 * What a sign-in at an identity provider leaves here, encrypted: the ID token for signing out there (`sign_out`).
 *
 *   /login/provider/{id}/signed-out   the browser is back from signing out there
 */
export const providerSessions = capability('people/provider-sessions', {
  routes: [
    page('/login/provider/{id}/signed-out', { GET: noBody(latePage(() => import('./page.ts'), 'signedOutThere')) }),
  ],
  fields: from(() => import('./fields.ts'), 'providerSessionFields'),
  tables: providerSessionTables,
});
