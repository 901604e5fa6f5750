import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';

/**
 * Moving in slowly: `type: password-check` asks an old system whether a password is right, at the first sign-in of each person, and keeps
 * it as a hash of our own. From then on the person has a password here, and the old system is not asked about it again.
 *
 *   password-checker.ts   asks by a signed HTTP request (request.rules.ts), or by LDAP (src/people/ldap)
 *   take-over.ts          whose account it is, and its password
 *   operations.ts         who has moved, and who is left
 */
export const passwordCheck = capability('people/password-check', {
  passwordCheckers: { 'password-check': from(() => import('./password-checker.ts'), 'passwordCheck') },
  fields: from(() => import('./fields.ts'), 'passwordCheckFields'),
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/provider_moves/{id}': { GET: 'getMove' },
    }).onCommandLine('providers', {
      moved: { operation: 'getMove', arguments: ['id'], example: 'old-shop' },
    }),
  ],
  console: { '/console/providers/{id}/move': from(() => import('./console.ts'), 'movePage') },
});
