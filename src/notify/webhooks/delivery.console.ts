import { answerForm } from '../../operators/console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../../operators/console-frame/page.ts';
import { copyable, factTable, faultSummary, timeOf } from '../../operators/console-frame/parts.ts';
import type { Refusal } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { deliveryText, webhooksPlace } from './console.text.ts';
import { type DeliveryRow, deliveryState, lastAnswer, sendAgain } from './deliveries.console.ts';
import { getDelivery, redeliver } from './deliveries.operations.ts';

/** /console/webhooks/{id}/deliveries/{delivery_id} */
export const delivery: ConsolePage = {
  place: 'webhooks',
  show: context => view(context, NO_FAULTS),
  submit: async context => {
    const sent = await context.performOnce(redeliver);
    return answerForm(context, sent, { path: webhookPath(context), notice: 'sentAgain' }, faults =>
      view(context, faults),
    );
  },
};

function webhookPath({ params }: ConsoleContext): string {
  return `/console/webhooks/${encodeURIComponent(params.id ?? '')}`;
}

async function view(context: ConsoleContext, faults: Faults): Promise<View | Refusal> {
  const { locale, perform, may } = context;
  const found = await perform<DeliveryRow & { body: string }>(getDelivery);
  if (found.kind !== 'done') return refusalOf(found);
  const { value } = found;
  const text = deliveryText[locale];
  const facts: [string, Html | string | number][] = [
    [text.id, copyable(locale, value.id)],
    [text.event, copyable(locale, value.event_id)],
    [text.made, timeOf(locale, value.created_at)],
    [text.attempts, value.attempts],
    [text.answer, lastAnswer(locale, value)],
    ...(value.next_attempt_at === undefined
      ? []
      : [[text.next, timeOf(locale, value.next_attempt_at)] satisfies [string, Html]]),
    ...(value.finished_at === undefined
      ? []
      : [[text.finished, timeOf(locale, value.finished_at)] satisfies [string, Html]]),
  ];
  return {
    title: value.type,
    crumbs: [
      [webhooksPlace[locale], '/console/webhooks'],
      [text.webhook, webhookPath(context)],
    ],
    about: deliveryState(locale, value.state),
    actions: may('owner') ? sendAgain(context, value) : undefined,
    status: faults.size === 0 ? 200 : 400,
    body: html`${faultSummary(locale, faults)}<section><h2>${text.facts}</h2>${factTable(facts)}</section>
<section><h2>${text.body}</h2><pre>${indented(value.body)}</pre></section>`,
  };
}

function indented(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2);
}
