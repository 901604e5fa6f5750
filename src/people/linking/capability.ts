import { capability, step } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { storePart } from '../../platform/store/late-part.ts';
import { linkRule } from './step.rules.ts';
import type { Links } from './store.ts';
import { linkTables } from './tables.ts';

/**
 * Links between accounts here and people of identity providers. /login/link is the sign-in page for a person who is new here and whose
 * address belongs to an account; session.ts makes the link when that sign-in is complete.
 */
export const linking = capability('people/linking', {
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/users/{sub}/links': { GET: 'listUserLinks', POST: 'linkUser' },
      '/users/{sub}/links/{id}': { DELETE: 'unlinkUser' },
    }).onCommandLine('users', {
      links: { operation: 'listUserLinks', arguments: ['sub'] },
      link: { operation: 'linkUser', arguments: ['sub', 'provider', 'subject'], example: 'SUB corp 00u1' },
      unlink: { operation: 'unlinkUser', arguments: ['sub', 'id'], example: 'SUB corp:00u1' },
    }),
  ],
  steps: { link: step(linkRule, () => import('../sign-in/login.step.ts'), 'linkToAccount') },
  tables: linkTables,
  store: [
    storePart<Links>(
      {
        findLinkedAccount: true,
        linksOf: true,
        linksOfUsers: true,
        linkUser: true,
        createLinkedUser: true,
        unlinkUser: true,
        noteLinkUsed: true,
      },
      async () => (await import('./queries.ts')).coldLinks,
    ),
  ],
});
