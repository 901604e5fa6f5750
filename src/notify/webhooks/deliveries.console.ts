import type { ConsoleContext } from '../../operators/console-frame/page.ts';
import { actionButton, pill, table, timeOf } from '../../operators/console-frame/parts.ts';
import { onceField } from '../../operators/console-frame/shown-once.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { deliveriesText } from './console.text.ts';

const STATES = ['pending', 'delivered', 'failed'] as const;
type State = (typeof STATES)[number];

/** The deliveries of a webhook: what was sent and what came of it. */
export interface DeliveryRow {
  readonly id: string;
  readonly event_id: string;
  readonly type: string;
  readonly state: State;
  readonly attempts: number;
  readonly next_attempt_at?: string;
  readonly status?: number;
  readonly reason?: string;
  readonly created_at: string;
  readonly finished_at?: string;
}

export function deliveriesTable(context: ConsoleContext, path: string, items: readonly DeliveryRow[]): Html {
  const { locale, may } = context;
  const text = deliveriesText[locale];
  const rows = items.map(each => [
    timeOf(locale, each.created_at),
    html`<a href="${path}/deliveries/${encodeURIComponent(each.id)}"><code>${each.type}</code></a>`,
    deliveryState(locale, each.state),
    each.attempts,
    lastAnswer(locale, each),
    html`${each.next_attempt_at !== undefined && timeOf(locale, each.next_attempt_at)}`,
    html`${may('owner') && sendAgain(context, each)}`,
  ]);
  return table(text.columns, rows, html`<p class="muted">${text.empty}</p>`);
}

export function sendAgain({ locale, services }: ConsoleContext, { id, type }: DeliveryRow): Html {
  const text = deliveriesText[locale];
  return actionButton({
    action: 'redeliver',
    id,
    label: text.again,
    name: text.sendAgain(type),
    once: onceField(services),
  });
}

export function deliveryState(locale: OperatorLocale, state: State): Html {
  const kind = { pending: 'plain', delivered: 'ok', failed: 'bad' } as const;
  return pill(kind[state], deliveriesText[locale].states[state]);
}

export function lastAnswer(locale: OperatorLocale, { status, reason }: DeliveryRow): string {
  return [status, reason].filter(part => part !== undefined).join(' · ') || deliveriesText[locale].noAnswer;
}

/** The filter lives in the address. */
export function stateTabs(locale: OperatorLocale, path: string, current: string | undefined): Html {
  const text = deliveriesText[locale];
  const tab = (state: State | undefined, name: string) =>
    html`<a href="${state === undefined ? path : `${path}?state=${state}`}"${state === current && html` aria-current="page"`}>${name}</a>`;
  return html`<div class="tabs">${tab(undefined, text.all)}${STATES.map(state => tab(state, text.states[state]))}</div>`;
}
