import { capability } from '../../capability.ts';
import { latePage, noBody, page } from '../../platform/http/route.ts';

const pages = () => import('./page.ts');

/** The address / and what programs look for at the root of a site. */
export const frontDoor = capability('operators/front-door', {
  routes: [
    page('/', { GET: noBody(latePage(pages, 'frontDoor')) }),
    page('/.well-known/change-password', { GET: noBody(latePage(pages, 'changePassword')) }),
    page('/robots.txt', { GET: noBody(latePage(pages, 'robots')) }),
    page('/favicon.ico', { GET: noBody(latePage(pages, 'icon')) }),
  ],
});
