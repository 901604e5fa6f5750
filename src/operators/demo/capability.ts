import { capability } from '../../capability.ts';
import { latePage, noBody, page } from '../../platform/http/route.ts';

/** The demo that an empty embedded store begins with: /demo/callback is its client. */
export const demo = capability('operators/demo', {
  routes: [
    page('/demo/callback', {
      GET: noBody(latePage(() => import('./callback.page.ts'), 'demoCallback')),
    }),
  ],
});
