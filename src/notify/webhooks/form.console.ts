import { type Events, eventTypes } from '../../events.ts';
import type { ConsoleContext, Faults } from '../../operators/console-frame/page.ts';
import { field } from '../../operators/console-frame/parts.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { webhookFormText } from './console.text.ts';

const ALL_TYPES = '*';
const FIELDS = ['url', 'description', 'application', 'ordered'] as const;

type Reader = Pick<ConsoleContext, 'services' | 'locale'>;

export interface WebhookValues {
  readonly url?: string | undefined;
  readonly description?: string | undefined;
  readonly application?: string | null | undefined;
  readonly event_types?: readonly string[];
  readonly ordered?: boolean;
}

export function webhookFields({ services, locale }: Reader, values: WebhookValues, faults: Faults): Html {
  const text = webhookFormText[locale];
  const fields = FIELDS.map(name => {
    const [label, hint] = text[name];
    const kind = name === 'ordered' ? 'check' : 'text';
    return field({ name, label, hint, value: String(values[name] ?? ''), kind, required: name === 'url' }, faults);
  });
  const chosen = (values.event_types ?? []).filter(type => type !== ALL_TYPES);
  const boxes = eventTypes(services.tables.events).map(type =>
    field({ name: boxOf(type), label: type, value: String(chosen.includes(type)), kind: 'check' }, faults),
  );
  const fault = faults.get('event_types');
  return html`${fields}<fieldset><legend>${text.types}</legend><p class="hint">${text.typesHint}</p>${fault !== undefined && html`<p class="fault">${fault}</p>`}
${chosen.length > 0 && html`<p>${chosen.map(type => html`<code>${type}</code> `)}</p>`}
<details class="more"><summary>${text.choose}</summary><div class="choices">${boxes}</div></details></fieldset>`;
}

/** From the form to the fields of the API. Null is no application: it resets the field (RFC 7396). */
export function typedWebhook(events: Events, form: Params): Required<WebhookValues> {
  const chosen = eventTypes(events).filter(type => form.get(boxOf(type)) === 'true');
  return {
    url: form.get('url') ?? '',
    description: form.get('description') ?? '',
    application: form.get('application') ?? null,
    event_types: chosen.length === 0 ? [ALL_TYPES] : chosen,
    ordered: form.get('ordered') === 'true',
  };
}

function boxOf(type: string): string {
  return `type.${type}`;
}
