import { type ConsoleContext, refusalOf, type View } from '../../operators/console-frame/page.ts';
import { type ChipKind, chip, copyable, tabs, timeOf } from '../../operators/console-frame/parts.ts';
import type { Refusal } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import type { Values } from '../fields/form.console.ts';
import { providersPlace, providersText } from './console.text.ts';
import { typeName } from './form.console.ts';
import { getProvider } from './operations.ts';
import { presetText } from './presets.console.text.ts';
import { type ProviderType, providerName } from './rules.ts';
import type { ProviderStateView } from './state.operations.ts';

/** What every page of a provider has: its name, its state, and the tabs. */

export type ProviderRow = Values & { readonly id: string; readonly type: ProviderType; readonly name?: string };

const SUFFIXES = { settings: '', move: '/move', try: '/try' } as const;
export type ProviderTab = keyof typeof SUFFIXES;
const TABS = Object.keys(SUFFIXES) as ProviderTab[];

export const PROVIDERS = '/console/providers';

export function providerPath(id: string, tab: ProviderTab = 'settings'): string {
  return `${PROVIDERS}/${encodeURIComponent(id)}${SUFFIXES[tab]}`;
}

/** The provider of the address, and its page; or why it cannot be shown. */
export async function withProvider<T>(
  { perform }: ConsoleContext,
  then: (provider: ProviderRow) => T | Promise<T>,
): Promise<T | Refusal> {
  const found = await perform<ProviderRow>(getProvider);
  return found.kind === 'done' ? then(found.value) : refusalOf(found);
}

interface Content {
  readonly body: Html;
  readonly chips?: Html | undefined;
  readonly actions?: Html | undefined;
  readonly status?: number;
  readonly formTarget?: View['formTarget'];
}

export function providerFrame(
  { locale }: ConsoleContext,
  provider: ProviderRow,
  tab: ProviderTab,
  { body, chips, ...content }: Content,
): View {
  const text = providersText[locale];
  const { id, type } = provider;
  // People move from an old system alone (people/password-check).
  const own = TABS.filter(each => each !== 'move' || type === 'password-check');
  const places = own.map(each => ({ name: text.tabs[each], path: providerPath(id, each), isCurrent: each === tab }));
  return {
    title: providerName(provider),
    crumbs: [[providersPlace[locale], PROVIDERS]],
    chips: html`${chips}${chip(typeName(presetText[locale], type))}${copyable(locale, id)}`,
    body: html`${tabs(text.tabList, places)}
${body}`,
    ...content,
  };
}

const DOTS = { works: 'ok', fails: 'bad', unused: 'plain' } as const satisfies Record<string, ChipKind>;

export function stateChip(locale: OperatorLocale, { state }: Pick<ProviderStateView, 'state'>): Html {
  return chip(providersText[locale].states[state], DOTS[state]);
}

/** Since when, and what the provider said. */
export function stateLine(
  locale: OperatorLocale,
  { state, since, reason, detail }: ProviderStateView,
): Html | undefined {
  if (since === undefined) return undefined;
  const text = providersText[locale];
  const when = html`${state === 'fails' ? text.failsSince : text.lastWorked} ${timeOf(locale, since)}`;
  const said = reason !== undefined && html` · ${text.reasons[reason] ?? reason}`;
  return html`${when}${said}${detail !== undefined && html` <span class="long" lang="en">(${detail})</span>`}`;
}
