import { html } from '../../../src/platform/ui/html.ts';
import { page } from '../../../src/platform/ui/layout.ts';
import type { Handler } from '../../../src/services.ts';
import { coldGuests } from './queries.ts';

export const showGuests: Handler = async ({ store }) => {
  const names = await coldGuests(store.cold).names();
  return page({ locale: 'en', title: 'Guest book', body: html`<h1>Guest book</h1><p>${names.join(', ')}</p>` });
};
