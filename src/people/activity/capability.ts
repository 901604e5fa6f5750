import { capability } from '../../capability.ts';
import { pageOf } from '../../platform/http/route.ts';

/** What happened in an account, for its user: /account/activity. */
export const activity = capability('people/activity', {
  routes: [pageOf('/account/activity', () => import('./page.ts'), 'showActivity')],
});
