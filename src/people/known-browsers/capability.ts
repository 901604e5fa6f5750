import { capability, deferred } from '../../capability.ts';
import { storePart } from '../../platform/store/late-part.ts';
import type { BrowserNotices } from './store.ts';
import { knownBrowserTables } from './tables.ts';

/** Browsers in which a user has signed in before: guesses from others do not lock them out, and a sign-in with a new one is told by mail. */
export const knownBrowsers = capability('people/known-browsers', {
  deferredMails: {
    newBrowser: deferred(() => import('./deferred-mail.ts'), 'tellOfNewBrowser'),
  },
  tables: knownBrowserTables,
  store: [
    storePart<BrowserNotices>({ noteNewBrowser: true }, async () => (await import('./queries.ts')).coldBrowserNotices),
  ],
});
