import { capability, deferred } from '../../capability.ts';
import { operationsOf } from '../../operators/api/operation-table.ts';

/** Browsers in which a user has signed in before: without the second factor where the user trusts them, and with a mail where they are new. */
export const trustedBrowsers = capability('people/trusted-browsers', {
  deferredMails: {
    newBrowser: deferred(() => import('./deferred-mail.ts'), 'tellOfNewBrowser'),
  },
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/users/{sub}/trusted_browsers': { GET: 'listTrustedBrowsers' },
      '/users/{sub}/trusted_browsers/{id}': { DELETE: 'withdrawTrustedBrowser' },
    }),
  ],
});
