import { capability, from, placeOf } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { jobOf } from '../../platform/jobs/job.ts';
import { storePart } from '../../platform/store/late-part.ts';
import type { UserAdministration, UserHoldings, Users } from './store.ts';
import { userTables } from './tables.ts';

/** Users: the directory that all applications share, and what each of them holds. */
export const users = capability('directory/users', {
  nouns: { users: { order: 30, summary: 'list, search, create, change, delete and sign out users' } },
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/users': { GET: 'listUsers', POST: 'createUser' },
      '/users/{sub}': { GET: 'getUser', PATCH: 'updateUser', DELETE: 'deleteUser' },
      '/users/{sub}/password': { PUT: 'setUserPassword' },
    }).onCommandLine('users', {
      list: { operation: 'listUsers', example: '--q ali' },
      get: { operation: 'getUser', arguments: ['sub'], example: 'SUB --json' },
      create: { operation: 'createUser', example: '--username alice --email alice@example.com' },
      update: { operation: 'updateUser', arguments: ['sub'], example: 'SUB --disabled true' },
      delete: { operation: 'deleteUser', arguments: ['sub'] },
      'set-password': {
        operation: 'setUserPassword',
        arguments: ['sub'],
        asks: 'password',
        example: 'SUB --password-stdin < password.txt',
      },
    }),
    operationsOf(() => import('./invitations.operations.ts'), {
      '/invitations': { POST: 'inviteUser' },
      '/users/{sub}/invitation': { POST: 'resendInvitation' },
    }).onCommandLine('users', {
      invite: { operation: 'inviteUser', example: '--email alice@example.com --name "Alice Example"' },
      'resend-invitation': { operation: 'resendInvitation', arguments: ['sub'] },
    }),
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
    }).onCommandLine('users', {
      'sign-out': { operation: 'signOutUser', arguments: ['sub'] },
      sessions: { operation: 'listUserSessions', arguments: ['sub'] },
      grants: { operation: 'listUserGrants', arguments: ['sub'] },
      consents: { operation: 'listUserConsents', arguments: ['sub'] },
      factors: { operation: 'listUserFactors', arguments: ['sub'] },
    }),
  ],
  console: {
    '/console/users': from(() => import('./console.ts'), 'users'),
    '/console/users/invite': from(() => import('./invite.console.ts'), 'inviteUser'),
    '/console/users/new': from(() => import('./new.console.ts'), 'newUser'),
    '/console/users/{sub}': from(() => import('./user.console.ts'), 'user'),
  },
  searches: { users: from(() => import('./search.console.ts'), 'userSearch') },
  jobs: [
    jobOf(
      { name: 'users.search', everyMs: 10_000, runs: 'once on a machine' },
      () => import('./search.job.ts'),
      'indexUsers',
    ),
  ],
  tables: userTables,
  store: [
    storePart<Omit<Users, 'findAccount'>>(
      { updateProfile: true },
      async () => (await import('./changes.queries.ts')).coldUsers,
    ),
    storePart<UserAdministration>(
      { listUsers: true, findUser: true, findUsers: true, changeUser: true, importUsers: true, checkImport: true },
      async () => (await import('./queries.ts')).coldUserAdministration,
    ),
    storePart<UserHoldings>(
      {
        userSessions: true,
        userGrants: true,
        userConsents: true,
        userFactors: true,
        endUserSession: true,
        revokeUserGrant: true,
        withdrawUserConsent: true,
        removeUserFactor: true,
        resetUserFactors: true,
        withdrawTrustedBrowser: true,
        signOutUser: true,
      },
      async () => (await import('./holdings.queries.ts')).coldUserHoldings,
    ),
  ],
  places: {
    users: placeOf('/console/users', 30, 'listUsers', () => import('./console.text.ts'), 'usersPlace', {
      group: 'directory',
      icon: 'users',
    }),
  },
});
