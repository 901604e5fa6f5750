import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { pageOf } from '../../platform/http/route.ts';
import { storePart } from '../../platform/store/late-part.ts';
import type { SecondFactors } from './store.ts';
import { secondFactorTables } from './tables.ts';

/** What the second factors share: which are due, how often a code may be tried, /account/security, and their reset by an operator. */
export const secondFactor = capability('people/second-factor', {
  routes: [pageOf('/account/security', () => import('./page.ts'), 'showSecurity', 'submitSecurity')],
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/users/{sub}/factors': { DELETE: 'resetUserFactors' },
    }).onCommandLine('users', {
      'reset-factors': {
        operation: 'resetUserFactors',
        arguments: ['sub'],
        after: 'resend-invitation',
        withoutSecret: true,
      },
    }),
  ],
  tables: secondFactorTables,
  store: [
    storePart<SecondFactors>(
      {
        attemptSecondFactor: true,
        acceptTotpStep: true,
        spendRecoveryCode: true,
        secondFactorsOf: true,
        addTotp: true,
        replaceRecoveryCodes: true,
        totpKeysOfOtherSecrets: true,
        replaceTotpKey: true,
        removeTotp: true,
      },
      async () => (await import('./queries.ts')).coldSecondFactors,
    ),
  ],
  fields: from(() => import('./fields.ts'), 'secondFactorFields'),
});
