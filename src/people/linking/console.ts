import { providerName } from '../../directory/providers/rules.ts';
import type { ConsoleContext } from '../../operators/console-frame/page.ts';
import { actionButton, table, timeOf } from '../../operators/console-frame/parts.ts';
import { html } from '../../platform/ui/html.ts';
import { linksText } from './console.text.ts';

/** The links of a user to people of identity providers. */

export interface UserLinkRow {
  readonly id: string;
  readonly provider: string;
  readonly subject: string;
  readonly label?: string;
  readonly created_at: string;
  readonly last_used_at?: string;
}

/** Nothing where the deployment has no providers. */
export async function linksSection({ locale, services, may }: ConsoleContext, items: readonly UserLinkRow[]) {
  const text = linksText[locale];
  const providers = await services.registry.providers();
  if (items.length === 0 && providers.length === 0) return false;
  const rows = items.map(({ id, provider, subject, label, created_at, last_used_at }) => {
    const registered = providers.find(each => each.id === provider);
    const name = registered ? providerName(registered) : provider;
    return [
      html`<a href="/console/providers/${encodeURIComponent(provider)}">${name}</a>`,
      html`${label ?? false}<code class="sub long">${subject}</code>`,
      timeOf(locale, created_at),
      last_used_at === undefined ? '–' : timeOf(locale, last_used_at),
      html`${may('operator') && actionButton({ action: 'unlink', id, label: text.remove, name: text.removeLink(name) })}`,
    ];
  });
  return html`<section><h2>${text.title}</h2>${table(text.columns, rows, html`<p class="muted">${text.none}</p>`)}</section>\n`;
}
