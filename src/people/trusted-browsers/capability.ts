import { capability, from } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';
import { storePart } from '../../platform/store/late-part.ts';
import type { TrustedBrowsers } from './store.ts';
import { trustedBrowserTables } from './tables.ts';

/** Browsers in which a user is not asked for the second factor. */
export const trustedBrowsers = capability('people/trusted-browsers', {
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/users/{sub}/trusted_browsers': { GET: 'listTrustedBrowsers' },
      '/users/{sub}/trusted_browsers/{id}': { DELETE: 'withdrawTrustedBrowser' },
    }).onCommandLine('users', {
      'trusted-browsers': { operation: 'listTrustedBrowsers', arguments: ['sub'] },
      'distrust-browser': { operation: 'withdrawTrustedBrowser', arguments: ['sub', 'id'] },
    }),
  ],
  tables: trustedBrowserTables,
  store: [
    storePart<TrustedBrowsers>(
      { trustBrowser: true, isTrustedBrowser: true, trustedBrowsersOf: true, distrustBrowser: true },
      async () => (await import('./queries.ts')).coldTrustedBrowsers,
    ),
  ],
  fields: from(() => import('./fields.ts'), 'trustedBrowsersFields'),
});
