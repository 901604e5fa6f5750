import { type ConsoleContext, type ConsolePage, refusalOf } from '../../operators/console-frame/page.ts';
import { listCard, table } from '../../operators/console-frame/parts.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { applicationPath } from '../applications/frame.console.ts';
import { providersPlace, providersText } from './console.text.ts';
import { typeName } from './form.console.ts';
import { PROVIDERS, type ProviderRow, providerPath, stateChip, stateLine } from './frame.console.ts';
import { createProvider, listProviders } from './operations.ts';
import { presetText } from './presets.console.text.ts';
import { MAX_PROVIDERS, providerName } from './rules.ts';
import { listProviderStates, MAX_COUNTED, type ProviderStateView } from './state.operations.ts';

/** /console/providers: what is registered, and whether it works. */
export const providersPage: ConsolePage = {
  place: 'providers',
  show: async context => {
    const { locale, perform, can } = context;
    const text = providersText[locale];
    const query = { limit: String(MAX_PROVIDERS) };
    const [found, told] = await Promise.all([
      perform<{ readonly items: readonly ProviderRow[] }>(listProviders, { query }),
      perform<{ readonly items: readonly ProviderStateView[] }>(listProviderStates),
    ]);
    if (found.kind !== 'done') return refusalOf(found);
    if (told.kind !== 'done') return refusalOf(told);
    const { items } = found.value;
    const states = new Map(told.value.items.map(each => [each.id, each]));
    const create = can(createProvider) && html`<a class="button" href="${PROVIDERS}/new">${text.create}</a>`;
    const rows = items.map(each => row(context, each, states.get(each.id)));
    return {
      title: providersPlace[locale],
      actions: (items.length > 0 && create) || undefined,
      about: items.length > 0 ? html`${text.intro}` : undefined,
      body: listCard(false, table(text.columns, rows, html`<p>${text.empty}</p>${create}`)),
    };
  },
};

function row({ locale }: ConsoleContext, provider: ProviderRow, state: ProviderStateView | undefined) {
  const { id, type } = provider;
  const title = html`<a href="${providerPath(id)}"><strong>${providerName(provider)}</strong></a><span class="sub">${typeName(presetText[locale], type)} · <code>${id}</code></span>`;
  // Registered between the two reads.
  if (!state) return [title];
  const line = stateLine(locale, state);
  return [
    title,
    html`${stateChip(locale, state)}${line && html`<span class="sub">${line}</span>`}`,
    applicationLinks(state.applications, providersText[locale].nobody),
    peopleText(locale, state.linked_users),
  ];
}

export function applicationLinks(codes: readonly string[], none: string): Html {
  if (codes.length === 0) return html`<span class="muted">${none}</span>`;
  const links = codes.map(
    (code, index) => html`${index > 0 && ', '}<a href="${applicationPath(code, 'signIn')}">${code}</a>`,
  );
  return html`${links}`;
}

export function peopleText(locale: OperatorLocale, count: number): string {
  const text = providersText[locale];
  return count >= MAX_COUNTED ? text.atLeast(MAX_COUNTED) : text.people(count);
}
