import { capability } from '../../capability.ts';
import { form, latePage, page, pageOf } from '../../platform/http/route.ts';

/**
 * Signing in with identity providers (directory/providers has what is registered):
 *
 *   POST /login/provider/{id}           sends the browser to the provider
 *   /login/provider/{id}/callback       takes its answer, by GET or form_post
 *
 * rules.ts decides which account a person gets; conclude.ts makes a sign-in of it; connector.ts is what a type of providers implements, in a folder of its own.
 */
export const federation = capability('people/federation', {
  routes: [
    page('/login/provider/{id}', { POST: form(latePage(() => import('./begin.ts'), 'startAtProvider')) }),
    pageOf('/login/provider/{id}/callback', () => import('./callback.ts'), 'answerOfProvider', 'answerByForm'),
  ],
});
