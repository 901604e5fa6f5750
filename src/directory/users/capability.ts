import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { userTables } from './tables.ts';

/** Users: the directory that all applications share, and what each of them holds. */
export const users = capability('directory/users', {
  operations: [
    operationsOf(() => import('./holdings.operations.ts'), {
      '/users/{sub}/consents': { GET: 'listUserConsents' },
      '/users/{sub}/consents/{id}': { DELETE: 'withdrawUserConsent' },
      '/users/{sub}/factors': { GET: 'listUserFactors' },
      '/users/{sub}/factors/{id}': { DELETE: 'removeUserFactor' },
      '/users/{sub}/grants': { GET: 'listUserGrants' },
      '/users/{sub}/grants/{id}': { DELETE: 'revokeUserGrant' },
      '/users/{sub}/sessions': { GET: 'listUserSessions' },
      '/users/{sub}/sessions/{id}': { DELETE: 'endUserSession' },
      '/users/{sub}/sign_out': { POST: 'signOutUser' },
    }),
    operationsOf(() => import('./invitations.operations.ts'), {
      '/invitations': { POST: 'inviteUser' },
      '/users/{sub}/invitation': { POST: 'resendInvitation' },
    }),
    operationsOf(() => import('./operations.ts'), {
      '/users': { GET: 'listUsers', POST: 'createUser' },
      '/users/{sub}': { GET: 'getUser', PATCH: 'updateUser', DELETE: 'deleteUser' },
      '/users/{sub}/password': { PUT: 'setUserPassword' },
    }),
  ],
  console: {
    '/console/users': from(() => import('./console.ts'), 'users'),
    '/console/users/invite': from(() => import('./invite.console.ts'), 'inviteUser'),
    '/console/users/new': from(() => import('./new.console.ts'), 'newUser'),
    '/console/users/{sub}': from(() => import('./user.console.ts'), 'user'),
  },
  tables: userTables,
});
