import { capability } from '../../capability.ts';
import { latePage, noBody, page, pageOf } from '../../platform/http/route.ts';

/** The profile of a user: /account and /account/profile. */
export const profile = capability('people/profile', {
  routes: [
    page('/account', { GET: noBody(latePage(() => import('./page.ts'), 'showProfile')) }),
    pageOf('/account/profile', () => import('./page.ts'), 'showEditProfile', 'submitEditProfile'),
  ],
});
