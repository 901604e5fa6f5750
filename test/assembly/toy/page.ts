import { html } from '../../../src/platform/ui/html.ts';
import { page } from '../../../src/platform/ui/layout.ts';
import type { Handler } from '../../../src/services.ts';
import { guests } from './guests.ts';

export const showGuests: Handler = async () =>
  page({ locale: 'en', title: 'Guest book', body: html`<h1>Guest book</h1><p>${guests.names.join(', ')}</p>` });
