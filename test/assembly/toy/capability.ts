import { capability, deferred, from, placeOf } from '../../../src/capability.ts';
import { operationsOf } from '../../../src/operators/api/operation-table.ts';
import { endpoint, FOR_CLIENTS, form, hot, noBody, pageOf } from '../../../src/platform/http/route.ts';
import { jobOf } from '../../../src/platform/jobs/job.ts';

/** A guest book: {issuer}/guest_book counts guests, /guest-book shows them to people, operators read and clear it. */
export const guestBook = capability('toy', {
  routes: [
    endpoint('guest_book', FOR_CLIENTS, {
      GET: noBody(hot(() => import('./endpoint.ts'), 'readGuests')),
      POST: form(hot(() => import('./endpoint.ts'), 'addGuest')),
    }),
    pageOf('/guest-book', () => import('./page.ts'), 'showGuests'),
  ],
  operations: [
    operationsOf(() => import('./operations.ts'), {
      '/guest_book': { GET: 'getGuestBook', DELETE: 'clearGuestBook' },
    }).onCommandLine('guests', {
      list: { operation: 'getGuestBook', example: '--json' },
      clear: { operation: 'clearGuestBook' },
    }),
  ],
  nouns: { guests: { order: 100, summary: 'read and clear the guest book' } },
  console: { '/console/guest-book': from(() => import('./console.ts'), 'guestBookPage') },
  places: {
    'guest-book': placeOf(
      '/console/guest-book',
      90,
      'getGuestBook',
      () => import('./console.text.ts'),
      'guestBookPlace',
    ),
  },
  deferredMails: { guestBook: deferred(() => import('./deferred-mail.ts'), 'welcomeGuest') },
  jobs: [jobOf({ name: 'guests', everyMs: 1000, runs: 'once on a machine' }, () => import('./job.ts'), 'countGuests')],
  waiting: [{ name: 'gatehouse_guests_waiting', help: 'Guests at the door.', count: async () => 7 }],
});
