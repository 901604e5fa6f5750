import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type View,
} from '../../operators/console-frame/page.ts';
import { faultSummary, secretOnce } from '../../operators/console-frame/parts.ts';
import { onceField } from '../../operators/console-frame/shown-once.ts';
import { html } from '../../platform/ui/html.ts';
import { newWebhookText, webhooksPlace, webhooksText } from './console.text.ts';
import { hostOf, type WebhookRow } from './console.ts';
import { typedWebhook, type WebhookValues, webhookFields } from './form.console.ts';
import { createWebhook } from './operations.ts';

/** /console/webhooks/new */
export const newWebhook: ConsolePage = {
  place: 'webhooks',
  dangerous: 'all',
  show: async context => view(context, {}, NO_FAULTS),
  submit: async (context, form) => {
    const { application, ...rest } = typedWebhook(context.services.tables.events, form);
    const body = application === null ? rest : { ...rest, application };
    const made = await context.performOnce<WebhookRow & { secret: string }>(createWebhook, { params: {}, body });
    if (made.kind === 'refused') return made.refusal;
    return made.kind === 'faults' ? view(context, body, made.faults) : created(context, made.value);
  },
};

function view(context: ConsoleContext, values: WebhookValues, faults: Faults): View {
  const { locale, services } = context;
  const text = newWebhookText[locale];
  return {
    title: webhooksText[locale].create,
    crumbs: [[webhooksPlace[locale], '/console/webhooks']],
    status: faults.size === 0 ? 200 : 400,
    body: html`<section><form method="post"><input type="hidden" name="action" value="create">${onceField(services)}${faultSummary(locale, faults)}
${webhookFields(context, values, faults)}<button type="submit">${text.create}</button></form></section>`,
  };
}

/** In the answer to the form, because no later page can show the secret. */
function created({ locale }: ConsoleContext, webhook: WebhookRow & { readonly secret: string }): View {
  const text = newWebhookText[locale];
  return {
    title: hostOf(webhook),
    crumbs: [[webhooksPlace[locale], '/console/webhooks']],
    body: html`<section>${secretOnce(locale, text.secret, webhook.secret)}<p>${text.next}</p>
<p><a class="button" href="/console/webhooks/${encodeURIComponent(webhook.id)}">${text.open}</a></p></section>`,
  };
}
