import { type ConsolePage, refusalOf } from '../../operators/console-frame/page.ts';
import { listCard, pager, pill, table, timeOf } from '../../operators/console-frame/parts.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { webhooksPlace, webhooksText } from './console.text.ts';
import { listWebhooks } from './operations.ts';

export interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly application?: string;
  readonly description: string;
  readonly event_types: readonly string[];
  readonly ordered: boolean;
  readonly state: 'active' | 'paused';
  readonly pause_reason?: 'operator' | 'failing' | 'gone';
  readonly failing_since?: string;
  readonly created_at: string;
}

/** /console/webhooks */
export const webhooks: ConsolePage = {
  place: 'webhooks',
  show: async ({ locale, query, perform, may }) => {
    const text = webhooksText[locale];
    const cursor = query.get('cursor');
    const found = await perform<{ items: WebhookRow[]; next: string | null }>(listWebhooks, {
      query: cursor === undefined ? {} : { cursor },
    });
    if (found.kind !== 'done') return refusalOf(found);
    const { items, next } = found.value;
    const create = html`<a class="button" href="/console/webhooks/new">${text.create}</a>`;
    const rows = items.map(each => [
      html`<a href="/console/webhooks/${encodeURIComponent(each.id)}"><strong>${hostOf(each)}</strong></a><span class="sub">${each.description !== '' ? each.description : html`<code>${each.id}</code>`}</span>`,
      each.application ?? text.all,
      each.event_types[0] === '*' ? text.all : text.types(each.event_types.length),
      webhookState(locale, each),
      timeOf(locale, each.created_at),
    ]);
    return {
      title: webhooksPlace[locale],
      actions: may('owner') && items.length > 0 ? create : undefined,
      body: listCard(
        false,
        table(text.columns, rows, html`<p>${text.empty}</p>${may('owner') && create}`),
        pager(locale, '/console/webhooks', {}, { cursor, next }),
      ),
    };
  },
};

/** A path and a query may hold a secret of the receiver: the list shows the host. */
export function hostOf({ url }: Pick<WebhookRow, 'url'>): string {
  return new URL(url).host;
}

export function webhookState(locale: OperatorLocale, { pause_reason, failing_since }: WebhookRow): Html {
  const text = webhooksText[locale];
  if (pause_reason !== undefined) {
    return pill(pause_reason === 'operator' ? 'plain' : 'bad', text.paused[pause_reason]);
  }
  return failing_since === undefined ? pill('ok', text.active) : pill('bad', text.failing);
}
