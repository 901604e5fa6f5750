import { capability, from } from '../../capability.ts';
import { pageOf } from '../../platform/http/route.ts';

/** Sign-up: /signup. The account is made when the address is confirmed. */
export const signUp = capability('people/sign-up', {
  routes: [pageOf('/signup', () => import('./page.ts'), 'showSignUp', 'submitSignUp')],
  fields: from(() => import('./fields.ts'), 'signUpFields'),
});
