import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { dateText } from '../../platform/ui/time-text.ts';
import { linkIdOf } from './fields.ts';
import type { Link } from './store.ts';
import { linkingText } from './text.ts';

/** A section of /account/security: the accounts elsewhere that the user signs in with, and those that can be added. */
export interface LinksView {
  readonly links: readonly (Link & { readonly name: string })[];
  readonly addable: readonly { readonly id: string; readonly name: string }[];
  /** The sealed sign-in that a new link belongs to. */
  readonly pending: string;
}

/** Nothing where there is nothing to add or remove. */
export function linksSection(locale: Locale, { links, addable, pending }: LinksView): Html {
  if (links.length + addable.length === 0) return html``;
  const text = linkingText[locale];
  return html`<section>
<h2>${text.title}</h2>
<p>${links.length === 0 ? text.none : text.intro}</p>
<ul class="rows">
${links.map(link => row(locale, link))}${addable.map(({ id, name }) => addRow(locale, id, name, pending))}</ul>
</section>
`;
}

function row(locale: Locale, link: LinksView['links'][number]): Html {
  const text = linkingText[locale];
  const { name, label, createdAt, lastUsedAt } = link;
  const used = lastUsedAt === undefined ? html`` : html` · ${text.used} ${day(locale, lastUsedAt)}`;
  return html`<li><span><strong>${name}</strong>${label !== undefined && html` ${label}`}<br><span class="muted">${text.connected} ${day(locale, createdAt)}${used}</span></span>
<form method="post" action="/account/security"><input type="hidden" name="link" value="${linkIdOf(link)}"><button type="submit" name="action" value="disconnect" class="small" aria-label="${text.disconnectFrom(name)}">${text.disconnect}</button></form></li>
`;
}

function addRow(locale: Locale, id: string, name: string, pending: string): Html {
  return html`<li><span>${name}</span>
<form method="post" action="/login/provider/${id}"><input type="hidden" name="pending" value="${pending}"><button type="submit" class="small">${linkingText[locale].connect(name)}</button></form></li>
`;
}

function day(locale: Locale, seconds: number): Html {
  const time = new Date(seconds * 1000);
  return html`<time datetime="${time.toISOString()}">${dateText(locale, time)}</time>`;
}
