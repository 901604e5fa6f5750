import { type ConsolePage, refusalOf } from '../../../src/operators/console-frame/page.ts';
import { html } from '../../../src/platform/ui/html.ts';
import { guestBookPlace, guestBookText } from './console.text.ts';
import { getGuestBook } from './operations.ts';

export const guestBookPage: ConsolePage = {
  place: 'guest-book',
  async show({ locale, perform }) {
    const found = await perform<{ guests: readonly string[] }>(getGuestBook);
    if (found.kind !== 'done') return refusalOf(found);
    const text = guestBookText[locale];
    return { title: guestBookPlace[locale], body: html`<p>${text.guests(found.value.guests.join(', '))}</p>` };
  },
};
