import { capability } from '../../capability.ts';
import { pageOf } from '../../platform/http/route.ts';
import { sessionTables } from './tables.ts';

/** The sessions of a user: the cookie of the browser, single sign-on, /account/sessions. */
export const sessions = capability('people/sessions', {
  routes: [pageOf('/account/sessions', () => import('./page.ts'), 'showSessions', 'submitSessions')],
  tables: sessionTables,
});
