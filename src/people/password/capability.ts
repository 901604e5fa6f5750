import { capability, deferred, from, step } from '../../capability.ts';
import { pageOf } from '../../platform/http/route.ts';
import { storePart } from '../../platform/store/late-part.ts';
import { newPasswordRule } from './new-password.rules.ts';
import type { PasswordResets } from './resets.store.ts';
import type { Credentials } from './store.ts';
import { passwordTables } from './tables.ts';

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
    'new-password': step(newPasswordRule, () => import('./new-password.step.ts'), 'newPassword'),
  },
  deferredMails: {
    forgottenPassword: deferred(() => import('./deferred-mail.ts'), 'startPasswordReset'),
  },
  tables: passwordTables,
  store: [
    storePart<Omit<Credentials, 'passwordHashFrom'>>(
      { replacePasswordHash: true, changePassword: true, replacePassword: true },
      async () => (await import('./credentials.queries.ts')).coldCredentials,
    ),
    storePart<PasswordResets>(
      { startPasswordReset: true, findPasswordReset: true, resetPassword: true },
      async () => (await import('./resets.queries.ts')).coldPasswordResets,
    ),
  ],
  fields: from(() => import('./fields.ts'), 'passwordFields'),
});
