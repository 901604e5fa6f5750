import { type Html, html } from '../../platform/ui/html.ts';
import { languageTags, type OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { icon } from './icons.ts';
import { type ConsoleContext, type Place, placeGroups } from './page.ts';
import { face, reachOf } from './person.ts';
import { consoleText, refusedText } from './text.ts';

/** The rail of the console, which on a phone is a menu: `popover` opens and closes it without script (HTML standard section 6.12). */
const ID = 'rail';

/** Above the pages on a phone. */
export function phoneBar(locale: OperatorLocale): Html {
  const text = consoleText[locale];
  return html`<header class="phone-bar">${brand()}<span><a class="find" href="/console/search" aria-label="${text.search}">${icon('search')}</a><button type="button" popovertarget="${ID}" aria-label="${text.menu}">${icon('menu')}</button></span></header>`;
}

/** Only what the operator may open. */
export async function rail(context: ConsoleContext, current: string | undefined): Promise<Html> {
  const { locale, services } = context;
  const text = consoleText[locale];
  const open = await openPlaces(context);
  const link = async ([name, { path, look, title }]: NamedPlace) =>
    html`<a href="${path}"${name === current && html` aria-current="page"`}>${icon(look.icon)}${(await title())[locale]}</a>\n`;
  const groups = placeGroups.map(async group => {
    const links = await Promise.all(open.filter(([, { look }]) => look.group === group).map(link));
    const heading = group !== 'top' && html`<p id="rail-${group}">${text.groups[group]}</p>\n`;
    return links.length > 0 && html`${heading}${links}`;
  });
  const reference = html`<a href="/docs/api">${icon('documents')}${text.documents}</a>\n`;
  return html`<nav id="${ID}" class="rail" popover aria-label="${text.rail}">${brand()}
<a class="find" href="/console/search">${icon('search')}${text.search}<kbd>/</kbd></a>
<div class="links">
${await Promise.all(groups)}</div>
<div class="further">
${services.config.apiDocs !== 'off' && reference}<a href="/docs/errors">${icon('documents')}${text.errors}</a>
${languageSwitch(context)}</div>
${operatorBox(context)}</nav>`;
}

type NamedPlace = readonly [name: string, place: Place];

export async function openPlaces({ services, can }: Pick<ConsoleContext, 'services' | 'can'>): Promise<NamedPlace[]> {
  const { places, operations } = services.tables;
  const known = await Promise.all(
    [...places].map(async named => ({ named, isOpen: can(await operations.find(named[1].needs)) })),
  );
  return known.filter(({ isOpen }) => isOpen).map(({ named }) => named);
}

function brand(): Html {
  return html`<a class="brand" href="/console"><span class="initial" aria-hidden="true">G</span>Gatehouse</a>`;
}

/** There are two languages, so the button names the other one. */
function languageSwitch({ locale, request }: ConsoleContext): Html {
  const other: OperatorLocale = locale === 'en' ? 'zh' : 'en';
  const back = `${request.path}${request.query === '' ? '' : `?${request.query}`}`;
  return html`<form method="post" action="/console/language"><input type="hidden" name="back" value="${back}"><button type="submit" name="language" value="${other}" lang="${languageTags[other]}">${icon('language')}${consoleText[locale].otherLanguage}</button></form>`;
}

function operatorBox({ locale, operator: { username, role, applications } }: ConsoleContext): Html {
  const text = consoleText[locale];
  const reach = reachOf(applications, locale);
  return html`<div class="operator">${face(username)}<div><span>${username} · ${text.roles[role]}</span>${reach !== undefined && html`<span class="reach" title="${reach}">${refusedText[locale].reach(reach)}</span>`}${reach === undefined && html`<br>`}<a href="/account">${text.account}</a> · <a href="/logout">${text.signOut}</a></div></div>`;
}
