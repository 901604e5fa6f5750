import { eventTypes } from '../../events.ts';
import type { Faults } from '../../operators/console/page.ts';
import { field } from '../../operators/console/parts.ts';
import { inLocale } from '../../operators/console/text.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';

/** The settings of a webhook, each with its meaning; the names are those of the admin API. */
const words = inLocale({
  en: {
    url: ['Address', 'An https address of yours. It gets a POST for each event, signed with the secret.'],
    description: ['Description', 'What it is for. Only operators see it.'],
    application: [
      'Only this application',
      'The code of an application. Empty: events of all applications. Another application deletes the deliveries of all other events.',
    ],
    ordered: [
      'In the order of the events',
      'One delivery at a time. An event that cannot be delivered then holds up those after it.',
    ],
    types: 'Events',
    typesHint: 'Tick none to get all events, also those of later versions.',
    choose: 'Choose events',
  },
  zh: {
    url: ['地址', '您的 https 地址。每个事件都会以 POST 发送到此地址，并用密钥签名。'],
    description: ['说明', '它的用途。只有管理员可以看到。'],
    application: ['仅限此应用', '应用的代码。留空：所有应用的事件。改为另一个应用会删除其他事件的投递记录。'],
    ordered: ['按事件顺序发送', '一次只发送一个。无法送达的事件会使后面的事件等待。'],
    types: '事件',
    typesHint: '一个都不选则接收所有事件，包括以后版本新增的事件。',
    choose: '选择事件',
  },
} as const);

const ALL_TYPES = '*';
const FIELDS = ['url', 'description', 'application', 'ordered'] as const;

export interface WebhookValues {
  readonly url?: string | undefined;
  readonly description?: string | undefined;
  readonly application?: string | null | undefined;
  readonly event_types?: readonly string[];
  readonly ordered?: boolean;
}

export function webhookFields(locale: OperatorLocale, values: WebhookValues, faults: Faults): Html {
  const text = words(locale);
  const fields = FIELDS.map(name => {
    const [label, hint] = text[name];
    const kind = name === 'ordered' ? 'check' : 'text';
    return field({ name, label, hint, value: String(values[name] ?? ''), kind, required: name === 'url' }, faults);
  });
  const chosen = (values.event_types ?? []).filter(type => type !== ALL_TYPES);
  const boxes = eventTypes.map(type =>
    field({ name: boxOf(type), label: type, value: String(chosen.includes(type)), kind: 'check' }, faults),
  );
  const fault = faults.get('event_types');
  return html`${fields}<fieldset><legend>${text.types}</legend><p class="hint">${text.typesHint}</p>${fault !== undefined && html`<p class="fault">${fault}</p>`}
${chosen.length > 0 && html`<p>${chosen.map(type => html`<code>${type}</code> `)}</p>`}
<details class="more"><summary>${text.choose}</summary><div class="choices">${boxes}</div></details></fieldset>`;
}

/** From the form to the fields of the API. Null is no application: it resets the field (RFC 7396). */
export function typedWebhook(form: Params): Required<WebhookValues> {
  const chosen = eventTypes.filter(type => form.get(boxOf(type)) === 'true');
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
