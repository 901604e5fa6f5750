import { capability, deferred, from } from '../../capability.ts';
import { pageOf } from '../../platform/http/route.ts';

/** Passwords: how they are hashed, which are taken, how they are changed, forgotten and set anew. */
export const password = capability('people/password', {
  routes: [
    pageOf('/forgot-password', () => import('./forgot.page.ts'), 'showForgotPassword', 'submitForgotPassword'),
    pageOf('/reset-password', () => import('./reset.page.ts'), 'showResetPassword', 'submitResetPassword'),
    pageOf(
      '/account/security/password',
      () => import('./change.page.ts'),
      'showChangePassword',
      'submitChangePassword',
    ),
  ],
  steps: {
    'new-password': from(() => import('./new-password.step.ts'), 'newPassword'),
  },
  deferredMails: {
    forgottenPassword: deferred(() => import('./deferred-mail.ts'), 'startPasswordReset'),
  },
  fields: from(() => import('./fields.ts'), 'passwordFields'),
});
