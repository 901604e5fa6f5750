import { capability, from, placeOf } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { jobOf } from '../../platform/jobs/job.ts';
import { userAttributeTables } from './tables.ts';

/**
 * Users' own attributes: what a deployment says of its users beside the claims of OpenID Connect, such as a department. Operators define them;
 * the values are fields of users (`attributes`), and claims of the scope that the definition names.
 */
export const userAttributes = capability('directory/user-attributes', {
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/user_attributes': { GET: 'listUserAttributes', POST: 'createUserAttribute' },
      '/user_attributes/{name}': {
        GET: 'getUserAttribute',
        PATCH: 'updateUserAttribute',
        DELETE: 'deleteUserAttribute',
      },
    }).onCommandLine('users', {
      attributes: { operation: 'listUserAttributes' },
      attribute: { operation: 'getUserAttribute', arguments: ['name'], example: 'department --json' },
      'define-attribute': {
        operation: 'createUserAttribute',
        example: '--name department --label Department --scope profile',
      },
      'update-attribute': {
        operation: 'updateUserAttribute',
        arguments: ['name'],
        example: 'department --editable-by user',
      },
      'delete-attribute': { operation: 'deleteUserAttribute', arguments: ['name'], example: 'department' },
    }),
  ],
  console: {
    '/console/user-attributes': from(() => import('./console.ts'), 'userAttributesPage'),
    '/console/user-attributes/new': from(() => import('./new.console.ts'), 'newUserAttribute'),
    '/console/user-attributes/{name}': from(() => import('./attribute.console.ts'), 'userAttribute'),
  },
  places: {
    'user-attributes': placeOf(
      '/console/user-attributes',
      32,
      'listUserAttributes',
      () => import('./console.text.ts'),
      'attributesPlace',
      {
        group: 'directory',
        icon: 'fields',
      },
    ),
  },
  jobs: [
    jobOf(
      { name: 'user-attributes', everyMs: 30_000, runs: 'once on a machine' },
      () => import('./job.ts'),
      'eraseDeletedAttributes',
    ),
  ],
  tables: userAttributeTables,
});
