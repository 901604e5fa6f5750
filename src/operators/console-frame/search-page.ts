import { type Html, html } from '../../platform/ui/html.ts';
import { type IconName, icon } from './icons.ts';
import type { ConsoleContext, ConsolePage } from './page.ts';
import { face } from './person.ts';
import { openPlaces } from './rail.ts';
import { MAX_HITS, MAX_SEARCH_LENGTH, type SearchHit } from './search.ts';
import { searchText } from './text.ts';

/** /console/search: what the operator may open, by a part of its name or identifier. With script it is a dialog on every page. */
export const search: ConsolePage = {
  show: async context => {
    const text = searchText[context.locale];
    const q = (context.query.get('q') ?? '').trim();
    return {
      title: text.title,
      body: html`<section><form method="get" action="/console/search" role="search" class="list-search"><input type="search" name="q" value="${q}" maxlength="${MAX_SEARCH_LENGTH}" aria-label="${text.label}" placeholder="${text.label}" autocomplete="off" spellcheck="false" autofocus><button type="submit">${text.title}</button></form>
<div data-results>${await results(context, q)}</div></section>`,
    };
  },
};

/** On every page of the console; its script opens it. */
export function searchDialog({ locale }: Pick<ConsoleContext, 'locale'>): Html {
  const text = searchText[locale];
  return html`<dialog class="search" aria-label="${text.title}"><form method="get" action="/console/search" role="search">${icon('search')}<input type="search" name="q" maxlength="${MAX_SEARCH_LENGTH}" aria-label="${text.label}" placeholder="${text.label}" autocomplete="off" spellcheck="false"><kbd>Esc</kbd></form>
<div data-results></div></dialog>`;
}

interface Group {
  readonly title: string;
  readonly hits: readonly SearchHit[];
}

async function results(context: ConsoleContext, q: string): Promise<Html> {
  const text = searchText[context.locale];
  const groups = q.length > MAX_SEARCH_LENGTH ? [] : await groupsFor(context, q);
  const found = groups.filter(({ hits }) => hits.length > 0);
  if (found.length === 0) return html`<p class="empty" role="status">${text.nothing(q)}</p>`;
  return html`${found.map(
    ({ title, hits }) => html`<h2>${title}</h2>
<ul class="results">${hits.map(hitLine)}</ul>`,
  )}`;
}

async function groupsFor(context: ConsoleContext, q: string): Promise<readonly Group[]> {
  const { locale, services } = context;
  const pages: Group = { title: searchText[locale].pages, hits: await pagesNamed(context, q) };
  if (q === '') return [pages];
  const others = [...services.tables.searches.values()].map(async load => {
    const { title, find } = await load();
    return { title: title[locale], hits: (await find(context, q)).slice(0, MAX_HITS) };
  });
  return [...(await Promise.all(others)), pages];
}

/** By their names in the language of the console, and in English, in which the documents name them. */
async function pagesNamed(context: ConsoleContext, q: string): Promise<SearchHit[]> {
  const wanted = q.toLowerCase();
  const open = await openPlaces(context);
  const named = await Promise.all(
    open.map(async ([, { path, look, title }]) => ({ path, icon: look.icon as IconName, names: await title() })),
  );
  return named
    .filter(({ names }) => Object.values(names).some(name => name.toLowerCase().includes(wanted)))
    .map(({ path, icon, names }) => ({ path, icon, title: names[context.locale] }));
}

function hitLine({ path, title, about, icon: name, isPerson = false }: SearchHit): Html {
  const below = about !== undefined && about !== title && html`<span class="sub">${about}</span>`;
  return html`<li><a href="${path}">${isPerson ? face(title) : icon(name)}<span>${title}${below}</span></a></li>\n`;
}
