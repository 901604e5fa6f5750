import { type Reply, type Request, redirect } from '../../platform/http/message.ts';
import type { Asset } from '../../platform/ui/assets.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { timeText } from '../../platform/ui/time-text.ts';
import type { Services } from '../../services.ts';
import { browserName } from '../known-browsers/browser-name.rules.ts';
import { currentSession } from '../sessions/sessions.ts';
import type { LiveSession } from '../sessions/store.ts';
import { sessionForPage } from '../sign-in/progress.ts';
import { accountText } from './text.ts';

/** What the pages of /account share: the navigation, who may see them, and how they say times and browsers. */

const PLACES = {
  profile: '/account',
  security: '/account/security',
  sessions: '/account/sessions',
  access: '/account/access',
  approvals: '/account/approvals',
  activity: '/account/activity',
  data: '/account/data',
} as const;

export type AccountSection = keyof typeof PLACES;

interface AccountDocument {
  readonly locale: Locale;
  readonly place: AccountSection;
  readonly title: string;
  readonly content: Html;
  /** What was wrong with a form: the title begins with it, so that it is read first. */
  readonly fault?: string | undefined;
  readonly status?: number;
  readonly retryAfter?: number | undefined;
  /** Where its forms lead beside this server. */
  readonly formTarget?: readonly string[] | undefined;
  /** A script beside that of all pages. */
  readonly secondScript?: Asset | undefined;
}

export function accountPage({ locale, place, title, content, fault, ...rest }: AccountDocument): Reply {
  const { status, retryAfter, secondScript, formTarget } = rest;
  return page({
    locale,
    secondScript,
    title: `${fault === undefined ? '' : `${fault} · `}${title} · ${accountText[locale].account}`,
    wide: true,
    ...(formTarget ? { formTarget } : {}),
    status: status ?? (fault === undefined ? 200 : 400),
    retryAfter,
    body: html`${navigation(locale, place)}
<h1>${title}</h1>
${content}`,
  });
}

function navigation(locale: Locale, place: AccountSection): Html {
  const text = accountText[locale];
  const link = (each: AccountSection) =>
    html`<li><a href="${PLACES[each]}"${each === place && html` aria-current="page"`}>${text.places[each]}</a></li>\n`;
  return html`<nav class="tabs" aria-label="${text.account}">
<ul>
${(Object.keys(PLACES) as AccountSection[]).map(link)}<li class="last"><a href="/logout">${text.signOut}</a></li>
</ul>
</nav>`;
}

/** The session, or the way to the sign-in pages and back. A change needs more (people/second-factor/page.ts, `freshSession`). */
export async function presentSession(services: Services, request: Request, path: string): Promise<LiveSession | Reply> {
  return sessionForPage(services, request, await currentSession(services, request), { path });
}

export function toPlace({ config }: Services, path: string, cookies: string[] = []): Reply {
  return redirect(`${config.baseUrl}${path}`, 303, cookies);
}

export function time(locale: Locale, seconds: number): Html {
  const at = new Date(seconds * 1000);
  return html`<time datetime="${at.toISOString()}">${timeText(locale, at)}</time>`;
}

export function browserText(locale: Locale, userAgent: string | undefined): string {
  const { browser, system } = browserName(userAgent);
  const text = accountText[locale];
  return system === undefined ? (browser ?? text.unknown) : text.on(browser ?? text.unknown, system);
}

/** Of a field whose value was refused; its message has the id `fault-NAME`. */
export function invalid(name: string): Html {
  return html` aria-invalid="true" aria-describedby="fault-${name}"`;
}

export function faultLine(name: string, fault: string | undefined): Html {
  return fault === undefined ? html`` : html`<p class="fault" role="alert" id="fault-${name}">${fault}</p>\n`;
}
