import type { EventView } from '../../audit/events/operations.ts';
import { eventTitle } from '../../events.ts';
import type { ConsoleContext } from '../../operators/console-frame/page.ts';
import { actionButton, copyable, pager, pill, table, timeOf } from '../../operators/console-frame/parts.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { holdingsText } from './console.text.ts';

/** What a user holds, as tables: sessions, grants, consents, factors, trusted browsers, and what happened lately. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

export interface SessionRow {
  readonly id: string;
  readonly created_at: string;
  readonly amr: readonly string[];
  readonly idle_expires_at: string;
}

export interface AccessRow {
  readonly id: string;
  readonly application: string;
  readonly client_id: string;
  readonly scope: string;
}
export type GrantRow = AccessRow & { readonly created_at: string; readonly expires_at: string };
export type ConsentRow = AccessRow & { readonly given_at: string };

export interface FactorRow {
  readonly id: string;
  readonly kind: string;
  readonly created_at: string;
  readonly last_used_at?: string;
}

export interface TrustedBrowserRow {
  readonly id: string;
  readonly user_agent?: string;
  readonly created_at: string;
  readonly last_used_at?: string;
  readonly expires_at: string;
}

/** `logins`: the events of the sign-ins, which know the browser and the address of each session. */
export function sessionsSection(
  context: ConsoleContext,
  listed: Listed<SessionRow>,
  logins: readonly EventView[],
): Html {
  const { locale } = context;
  const text = holdingsText[locale];
  const loginOf = new Map(logins.map(event => [event.details?.sid, event]));
  const rows = listed.items.map(({ id, created_at, amr, idle_expires_at }) => {
    const login = loginOf.get(id);
    const browser = login?.user_agent === undefined ? text.unknownBrowser : browserName(locale, login.user_agent);
    return [
      timeOf(locale, created_at),
      browser,
      html`${login?.address !== undefined && copyable(locale, login.address)}`,
      amr.join(' '),
      timeOf(locale, idle_expires_at),
      endButton(context, 'end-session', id, text.end, text.endSession(browser)),
    ];
  });
  return section(context, 'sessions', text.sessions, table(text.sessionColumns, rows, muted(text.noSessions)), listed);
}

export function grantsSection(context: ConsoleContext, listed: Listed<GrantRow>): Html {
  const { locale } = context;
  const text = holdingsText[locale];
  const rows = listed.items.map(grant => [
    clientLink(grant),
    grant.scope,
    timeOf(locale, grant.created_at),
    timeOf(locale, grant.expires_at),
    endButton(context, 'revoke-grant', grant.id, text.revoke, text.revokeGrant(grant.client_id)),
  ]);
  return section(context, 'grants', text.grants, table(text.grantColumns, rows, muted(text.noGrants)), listed);
}

export function consentsSection(context: ConsoleContext, listed: Listed<ConsentRow>): Html {
  const { locale } = context;
  const text = holdingsText[locale];
  const rows = listed.items.map(consent => [
    clientLink(consent),
    consent.scope,
    timeOf(locale, consent.given_at),
    endButton(context, 'withdraw-consent', consent.id, text.withdraw, text.withdrawConsent(consent.client_id)),
  ]);
  return section(context, 'consents', text.consents, table(text.consentColumns, rows, muted(text.noConsents)), listed);
}

export function factorsSection(
  context: ConsoleContext,
  { items }: Listed<FactorRow>,
  isRequired: boolean,
  hasLinks: boolean,
): Html {
  const { locale, may } = context;
  const text = holdingsText[locale];
  const rows = items.map(({ id, kind, created_at, last_used_at }) => {
    const name = text.kinds[kind] ?? kind;
    return [
      name,
      timeOf(locale, created_at),
      last_used_at === undefined ? '–' : timeOf(locale, last_used_at),
      endButton(context, 'remove-factor', id, text.remove, text.removeFactor(name)),
    ];
  });
  const require = isRequired
    ? { action: 'waive-factor', label: text.waiveFactor }
    : { action: 'require-factor', label: text.requireFactor };
  const canReset = items.some(({ kind }) => kind !== 'password');
  const buttons = html`<div class="actions">${actionButton(require)}${
    canReset && actionButton({ action: 'reset-factors', label: text.resetFactors, kind: 'danger' })
  }</div>`;
  return html`<section><h2>${text.factors}</h2>${isRequired && html`<p>${text.factorRequired}</p>`}${table(
    text.factorColumns,
    rows,
    muted(hasLinks ? text.linksAlone : text.noFactors),
  )}${may('operator') && buttons}</section>`;
}

/** Nothing where there is none: most users are never offered it. */
export function trustedBrowsersSection(context: ConsoleContext, { items }: Listed<TrustedBrowserRow>): Html {
  const { locale } = context;
  const text = holdingsText[locale];
  const rows = items.map(({ id, user_agent, created_at, last_used_at, expires_at }) => {
    const name = user_agent === undefined ? text.unknownBrowser : browserName(locale, user_agent);
    return [
      name,
      timeOf(locale, created_at),
      last_used_at === undefined ? '–' : timeOf(locale, last_used_at),
      timeOf(locale, expires_at),
      endButton(context, 'distrust-browser', id, text.distrust, text.distrustBrowser(name)),
    ];
  });
  return rows.length === 0
    ? html``
    : html`<section><h2>${text.browsers}</h2>${table(text.browserColumns, rows, html``)}</section>`;
}

export function eventsSection({ services, locale, params }: ConsoleContext, events: readonly EventView[]): Html {
  const text = holdingsText[locale];
  const rows = events.map(({ time, type, outcome, actor, application, address }) => [
    timeOf(locale, time),
    html`<span title="${type}">${eventTitle(services.tables.events, locale, type)}</span>${outcome !== 'success' && html` ${pill('bad', text.outcomes[outcome])}`}`,
    actor.id === params.sub ? text.theUser : html`${text.actors[actor.kind]} <code>${actor.id}</code>`,
    application,
    address,
  ]);
  const all = html`<p class="after"><a href="/console/activity?user=${encodeURIComponent(params.sub ?? '')}">${text.allEvents}</a></p>`;
  return html`<section><h2>${text.events}</h2>${table(text.eventColumns, rows, muted(text.noEvents))}${rows.length > 0 && all}</section>\n`;
}

function section(context: ConsoleContext, name: string, title: string, content: Html, { next }: Listed<unknown>): Html {
  const { locale, query, params } = context;
  const path = `/console/users/${encodeURIComponent(params.sub ?? '')}`;
  const pages = pager(locale, path, {}, { cursor: query.get(name), next }, name);
  return html`<section><h2>${title}</h2>${content}${pages}</section>\n`;
}

function muted(text: string): Html {
  return html`<p class="muted">${text}</p>`;
}

/** Only offered to those whose role reaches so far. */
function endButton({ may }: ConsoleContext, action: string, id: string, label: string, name: string): Html {
  return html`${may('operator') && actionButton({ action, id, label, name })}`;
}

function clientLink({ application, client_id }: AccessRow): Html {
  const app = encodeURIComponent(application);
  return html`<a href="/console/applications/${app}/clients/${encodeURIComponent(client_id)}">${client_id}</a> <span class="muted">${application}</span>`;
}

const BROWSERS = [
  [/\bEdg\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\bFirefox\/(\d+)/, 'Firefox'],
  [/Chrome\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)\S* (?:Mobile\/\S+ )?Safari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/Windows/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;
const MAX_AGENT_LENGTH = 60;

/** A browser as people call it; another program by the beginning of what it says of itself. */
function browserName(locale: OperatorLocale, userAgent: string): string {
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  for (const [pattern, name] of BROWSERS) {
    const version = pattern.exec(userAgent)?.[1];
    if (version === undefined) continue;
    return system === undefined ? `${name} ${version}` : holdingsText[locale].on(`${name} ${version}`, system);
  }
  return userAgent.slice(0, MAX_AGENT_LENGTH);
}
