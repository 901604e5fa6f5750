import { capability, deferred, from, step } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { pageOf } from '../../platform/http/route.ts';
import { storePart } from '../../platform/store/late-part.ts';
import type { EmailConfirmations } from './store.ts';
import { emailTables } from './tables.ts';
import type { EmailUndos } from './undo.store.ts';
import { verifyEmailRule } from './verify.rules.ts';

/** The e-mail address of a user: its confirmation by code and link, its change at /account/email, and the link that undoes a change. */
export const email = capability('people/email', {
  routes: [
    pageOf('/confirm-email', () => import('./confirm.page.ts'), 'showConfirmEmail', 'submitConfirmEmail'),
    pageOf('/undo-email', () => import('./undo.page.ts'), 'showUndoEmail', 'submitUndoEmail'),
    pageOf('/account/email', () => import('./page.ts'), 'showEmail', 'submitEmail'),
  ],
  steps: {
    'verify-email': step(verifyEmailRule, () => import('./verify.step.ts'), 'verifyEmail'),
  },
  deferredMails: {
    emailConfirmation: deferred(() => import('./deferred-mail.ts'), 'startEmailConfirmation'),
  },
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/users/{sub}/email_undos': { GET: 'listEmailUndos', DELETE: 'revokeEmailUndos' },
    }).onCommandLine('users', {
      'email-undos': { operation: 'listEmailUndos', arguments: ['sub'] },
      'revoke-email-undos': { operation: 'revokeEmailUndos', arguments: ['sub'] },
    }),
  ],
  tables: emailTables,
  store: [
    storePart<EmailConfirmations>(
      {
        requestEmailConfirmation: true,
        startEmailConfirmation: true,
        findEmailConfirmation: true,
        emailStateOf: true,
        attemptEmailCode: true,
        createConfirmedUser: true,
        confirmEmail: true,
      },
      async () => (await import('./queries.ts')).coldEmailConfirmations,
    ),
    storePart<EmailUndos>(
      { findEmailUndo: true, undoEmailChange: true, emailUndosOf: true, revokeEmailUndos: true },
      async () => (await import('./undo.queries.ts')).coldEmailUndos,
    ),
  ],
  fields: from(() => import('./fields.ts'), 'emailFields'),
});
