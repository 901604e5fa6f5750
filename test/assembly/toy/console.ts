import { type ConsolePage, refusalOf } from '../../../src/operators/console/page.ts';
import { html } from '../../../src/platform/ui/html.ts';
import { getGuestBook } from './operations.ts';

export const guestBookPage: ConsolePage = {
  place: 'settings',
  async show({ perform }) {
    const found = await perform<{ guests: readonly string[] }>(getGuestBook);
    if (found.kind !== 'done') return refusalOf(found);
    return { title: 'Guest book', body: html`<p>Guests: ${found.value.guests.join(', ')}</p>` };
  },
};
