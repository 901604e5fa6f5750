import { capability, from } from '../../capability.ts';
import { form, largeForm, latePage, noBody, page } from '../../platform/http/route.ts';

/**
 * Signing in with identity providers (directory/providers has what is registered):
 *
 *   POST /login/provider/{id}           sends the browser to the provider
 *   /login/provider/{id}/callback       takes its answer, by GET, form_post or a post of SAML
 *   POST /login/provider/{id}/accept    goes on with a sign-in that began at the provider
 *
 * rules.ts decides which account a person gets; conclude.ts makes a sign-in of it; connector.ts is what a type of providers implements, in a folder of its own.
 */
export const federation = capability('people/federation', {
  routes: [
    page('/login/provider/{id}', { POST: form(latePage(() => import('./begin.ts'), 'startAtProvider')) }),
    page('/login/provider/{id}/callback', {
      GET: noBody(latePage(() => import('./callback.ts'), 'answerOfProvider')),
      POST: largeForm(latePage(() => import('./callback.ts'), 'answerByForm')),
    }),
    page('/login/provider/{id}/accept', {
      POST: form(latePage(() => import('./unsolicited.ts'), 'acceptUnsolicited')),
    }),
  ],
  console: {
    '/console/providers/{id}/try': from(() => import('./try.console.ts'), 'providerTry'),
    '/console/providers/{id}/try/answer': from(() => import('./try.console.ts'), 'providerTryAnswer'),
  },
});
