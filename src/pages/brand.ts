import { type Html, html } from './html.ts';

/** The application's initial and name, on top of every page that belongs to it. */
export function brand(application: string): Html {
  const initial = [...application.trim()][0]?.toUpperCase() ?? '';
  return html`<header class="brand"><span class="initial" aria-hidden="true">${initial}</span><span>${application}</span></header>`;
}
