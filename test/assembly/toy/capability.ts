import { capability, deferred, from } from '../../../src/capability.ts';
import { operationsOf } from '../../../src/operators/api/operation-table.ts';
import { endpoint, FOR_CLIENTS, form, hot, noBody, pageOf } from '../../../src/platform/http/route.ts';
import { jobOf } from '../../../src/platform/jobs/job.ts';

/** A guest book: {issuer}/guest_book counts guests, /guest-book shows them to people, operators read and clear the count. */
export const guestBook = capability('toy', {
  routes: [
    endpoint('guest_book', FOR_CLIENTS, {
      GET: noBody(hot(() => import('./endpoint.ts'), 'readGuests')),
      POST: form(hot(() => import('./endpoint.ts'), 'addGuest')),
    }),
    pageOf('/guest-book', () => import('./page.ts'), 'showGuests'),
  ],
  fields: from(() => import('./fields.ts'), 'guestBookFields'),
  operations: [
    operationsOf(() => import('./operations.ts'), { '/guest_book': { GET: 'getGuestBook', DELETE: 'clearGuestBook' } }),
  ],
  console: { '/console/guest-book': from(() => import('./console.ts'), 'guestBookPage') },
  deferredMails: { guestBook: deferred(() => import('./deferred-mail.ts'), 'welcomeGuest') },
  jobs: [jobOf({ name: 'guests', everyMs: 1000, runs: 'once on a machine' }, () => import('./job.ts'), 'countGuests')],
  waiting: [{ name: 'gatehouse_guests_waiting', help: 'Guests at the door.', count: async () => 7 }],
});
