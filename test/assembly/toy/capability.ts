import { capability, deferred, from, grant, placeOf, step } from '../../../src/capability.ts';
import { operationsOf } from '../../../src/operators/api/operation-table.ts';
import { endpoint, FOR_CLIENTS, form, hot, noBody, pageOf } from '../../../src/platform/http/route.ts';
import { jobOf } from '../../../src/platform/jobs/job.ts';
import { storePart } from '../../../src/platform/store/late-part.ts';
import { guestEvents } from './events.ts';
import { guestFailures } from './failures.ts';
import { houseRulesRule } from './step.rules.ts';
import type { Guests } from './store.ts';
import { guestTables } from './tables.ts';

export const GUEST_GRANT = 'urn:example:grant-type:guest';

/** A guest book: {issuer}/guest_book counts guests, /guest-book shows them to people, operators read and clear it. */
export const guestBook = capability('toy', {
  routes: [
    endpoint('guest_book', FOR_CLIENTS, {
      GET: noBody(hot(() => import('./endpoint.ts'), 'readGuests')),
      POST: form(hot(() => import('./endpoint.ts'), 'addGuest')),
    }),
    pageOf('/guest-book', () => import('./page.ts'), 'showGuests'),
  ],
  grants: {
    [GUEST_GRANT]: grant(() => import('./grant.ts'), 'guestGrant', {
      isConfidential: true,
      label: { en: 'Guest: for somebody in the guest book', zh: '访客' },
    }),
  },
  steps: { 'house-rules': step(houseRulesRule, () => import('./step.ts'), 'houseRules') },
  fields: from(() => import('./fields.ts'), 'guestBookFields'),
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
      { group: 'deployment', icon: 'page' },
    ),
  },
  deferredMails: { guestBook: deferred(() => import('./deferred-mail.ts'), 'welcomeGuest') },
  jobs: [jobOf({ name: 'guests', everyMs: 1000, runs: 'once on a machine' }, () => import('./job.ts'), 'countGuests')],
  waiting: [
    {
      name: 'gatehouse_guests_waiting',
      help: 'Guests at the door.',
      count: store => store.countGuests(),
    },
  ],
  tables: guestTables,
  store: [storePart<Guests>({ countGuests: true }, async () => (await import('./queries.ts')).coldGuestCount)],
  failures: guestFailures,
  events: guestEvents,
});
