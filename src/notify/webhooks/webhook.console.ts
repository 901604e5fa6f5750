import { etagOf } from '../../operators/api/operation.ts';
import { answerForm } from '../../operators/console-frame/answer.ts';
import type { NoticeName } from '../../operators/console-frame/notices.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type Performed,
  refusalOf,
  type View,
} from '../../operators/console-frame/page.ts';
import {
  actionButton,
  confirmByName,
  copyable,
  faultSummary,
  field,
  pager,
  secretOnce,
} from '../../operators/console-frame/parts.ts';
import { onceField } from '../../operators/console-frame/shown-once.ts';
import { consoleText } from '../../operators/console-frame/text.ts';
import type { Answer, Refusal } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { webhooksPlace, webhookText } from './console.text.ts';
import { hostOf, type WebhookRow, webhookState } from './console.ts';
import { type DeliveryRow, deliveriesTable, stateTabs } from './deliveries.console.ts';
import { listDeliveries, redeliver, testWebhook } from './deliveries.operations.ts';
import { typedWebhook, type WebhookValues, webhookFields } from './form.console.ts';
import { deleteWebhook, getWebhook, rotateWebhookSecret, updateWebhook } from './operations.ts';

interface Shown {
  /** What was sent with faults stays in the form. */
  readonly typed?: WebhookValues;
  readonly faults?: Faults;
  /** The new secret, in the answer to its form and nowhere else. */
  readonly secret?: string;
}

const NOTICES: Readonly<Record<string, NoticeName>> = {
  pause: 'paused',
  resume: 'resumed',
  test: 'tested',
  redeliver: 'sentAgain',
};

/** /console/webhooks/{id}: its deliveries, its settings, its secret. */
export const webhook: ConsolePage = {
  place: 'webhooks',
  dangerous: { except: ['pause', 'resume', 'test', 'redeliver'] },
  show: context => view(context, {}),
  submit: async (context, form) => {
    const action = form.get('action') ?? '';
    if (action === 'save') return save(context, form);
    if (action === 'rotate') return rotate(context, form);
    if (action === 'delete') return remove(context, form);
    const again = (faults: Faults) => view(context, { faults });
    const performed = await act(context, action, form);
    const notice = NOTICES[action];
    return performed && notice
      ? answerForm(context, performed, { path: pathOf(context), notice }, again)
      : again(NO_FAULTS);
  },
};

async function act(
  { perform, performOnce, params }: ConsoleContext,
  action: string,
  form: Params,
): Promise<Performed<unknown> | undefined> {
  switch (action) {
    case 'pause':
    case 'resume':
      return perform(updateWebhook, { body: { state: action === 'pause' ? 'paused' : 'active' } });
    case 'test':
      return performOnce(testWebhook);
    case 'redeliver':
      return performOnce(redeliver, { params: { ...params, delivery_id: form.get('id') ?? '' } });
  }
  return undefined;
}

async function save(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const typed = typedWebhook(context.services.tables.events, form);
  const saved = await context.perform(updateWebhook, { body: typed }, form.get('etag'));
  return answerForm(context, saved, { path: pathOf(context), notice: 'saved' }, faults =>
    view(context, { typed, faults }),
  );
}

async function rotate(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const seconds = form.get('previous_valid_for') ?? '';
  const body = { previous_valid_for: /^\d{1,9}$/.test(seconds) ? Number(seconds) : seconds };
  const made = await context.performOnce<{ secret: string }>(rotateWebhookSecret, { body });
  if (made.kind === 'refused') return made.refusal;
  return view(context, made.kind === 'faults' ? { faults: made.faults } : { secret: made.value.secret });
}

async function remove(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const current = await context.perform<WebhookRow>(getWebhook);
  if (current.kind !== 'done') return refusalOf(current);
  const again = (faults: Faults) => view(context, { faults });
  if (form.get('confirm') !== hostOf(current.value)) {
    return again(new Map([['confirm', webhookText[context.locale].wrongName]]));
  }
  const next = { path: '/console/webhooks', notice: 'deleted' } as const;
  return answerForm(context, await context.perform(deleteWebhook), next, again);
}

function pathOf({ params }: ConsoleContext): string {
  return `/console/webhooks/${encodeURIComponent(params.id ?? '')}`;
}

async function view(context: ConsoleContext, { typed, faults = NO_FAULTS, secret }: Shown): Promise<View | Refusal> {
  const { locale, perform, query, may } = context;
  const found = await perform<WebhookRow>(getWebhook);
  if (found.kind !== 'done') return refusalOf(found);
  const state = query.get('state');
  const cursor = query.get('cursor');
  const page = { limit: '20', ...(cursor && { cursor }), ...(state && { state }) };
  const deliveries = await perform<{ items: DeliveryRow[]; next: string | null }>(listDeliveries, { query: page });
  if (deliveries.kind !== 'done') return refusalOf(deliveries);
  const text = webhookText[locale];
  const { items, next } = deliveries.value;
  return {
    title: hostOf(found.value),
    crumbs: [[webhooksPlace[locale], '/console/webhooks']],
    about: html`${webhookState(locale, found.value)} ${copyable(locale, found.value.id)}`,
    actions: may('owner') ? buttons(context, found.value) : undefined,
    status: faults.size === 0 ? 200 : 400,
    body: html`${faultSummary(locale, faults)}${secret !== undefined && secretOnce(locale, text.secret, secret)}
<section><h2>${text.deliveries}</h2>${stateTabs(locale, pathOf(context), state)}
${deliveriesTable(context, pathOf(context), items)}${pager(locale, pathOf(context), { state }, { cursor, next })}</section>
<div class="columns"><section><h2>${text.settings}</h2>${settingsForm(context, found.value, typed, faults)}</section>
${may('owner') && dangers(context, found.value, faults)}</div>`,
  };
}

function buttons({ locale, services }: ConsoleContext, { state }: WebhookRow): Html {
  const text = webhookText[locale];
  if (state === 'paused') {
    return html`<div class="actions">${actionButton({ action: 'resume', label: text.resume })}</div>`;
  }
  const test = actionButton({ action: 'test', label: text.test, once: onceField(services) });
  return html`<div class="actions">${test}${actionButton({ action: 'pause', label: text.pause })}</div>`;
}

function settingsForm(
  context: ConsoleContext,
  current: WebhookRow,
  typed: WebhookValues | undefined,
  faults: Faults,
): Html {
  const { locale, may } = context;
  const save = html`<button type="submit">${consoleText[locale].save}</button>`;
  return html`<form method="post"><input type="hidden" name="action" value="save"><input type="hidden" name="etag" value="${etagOf(current)}">
${webhookFields(context, typed ?? current, faults)}${may('owner') && save}</form>`;
}

function dangers({ locale, services }: ConsoleContext, current: WebhookRow, faults: Faults): Html {
  const text = webhookText[locale];
  const overlap = { name: 'previous_valid_for', label: text.overlap, kind: { options: text.overlaps } } as const;
  return html`<div><section><h2>${text.rotate}</h2><p>${text.rotation}</p><form method="post"><input type="hidden" name="action" value="rotate">${onceField(services)}
${field(overlap, faults)}<button type="submit" class="quiet">${text.rotateButton}</button></form></section>
<section><h2>${text.remove}</h2><p>${text.removal}</p>${confirmByName(locale, hostOf(current), 'delete', text.removeButton, faults)}</section></div>`;
}
