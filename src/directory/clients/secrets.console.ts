import { answerForm } from '../../operators/console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../../operators/console-frame/page.ts';
import { copyable, faultSummary, field, pill, table, timeOf } from '../../operators/console-frame/parts.ts';
import { onceField } from '../../operators/console-frame/shown-once.ts';
import { consoleText } from '../../operators/console-frame/text.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Values } from '../fields/form.console.ts';
import { clientSecretsText } from './console.text.ts';
import { clientFrame, clientPath, isPublic, isWithSecret, withClient } from './frame.console.ts';
import { fitting, folded } from './instructions.console.ts';
import { createClientSecret, deleteClientSecret, listClientSecrets } from './secrets.operations.ts';

interface SecretRow {
  readonly id: string;
  readonly created_at?: string;
  readonly expires_at?: string;
}

/** …/clients/{client_id}/secrets. A new secret is in the answer to its form, and in no other. */
export const clientSecrets: ConsolePage = {
  place: 'applications',
  dangerous: 'all',
  show: context => view(context, { ending: context.query.get('end'), faults: NO_FAULTS }),
  submit: (context, form) => (form.get('action') === 'end' ? end(context, form) : create(context, form)),
};

async function create(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const seconds = form.get('previous_valid_for') ?? '0';
  const previous_valid_for = /^\d{1,9}$/.test(seconds) ? Number(seconds) : seconds;
  const made = await context.performOnce<{ client_secret: string }>(createClientSecret, {
    body: { previous_valid_for },
  });
  if (made.kind === 'refused') return made.refusal;
  if (made.kind === 'faults') return view(context, { faults: made.faults });
  return view(context, { secret: made.value.client_secret, faults: NO_FAULTS });
}

async function end(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const { params, perform, locale } = context;
  const { code = '', client_id = '' } = params;
  const id = form.get('id') ?? '';
  if (form.get('confirm') !== client_id) {
    return view(context, { ending: id, faults: new Map([['confirm', clientSecretsText[locale].wrongName]]) });
  }
  const ended = await perform(deleteClientSecret, { params: { code, client_id, id } });
  const next = { path: clientPath(code, client_id, 'secrets'), notice: 'secretEnded' } as const;
  return answerForm(context, ended, next, faults => view(context, { faults }));
}

interface Shown {
  readonly secret?: string;
  /** The secret whose end is to be confirmed. */
  readonly ending?: string | undefined;
  readonly faults: Faults;
}

function view(context: ConsoleContext, shown: Shown): Promise<View | Answer> {
  return withClient(context, async client => {
    const { locale, perform, can } = context;
    const text = clientSecretsText[locale];
    const listed = await perform<{ items: SecretRow[] }>(listClientSecrets);
    if (listed.kind !== 'done') return refusalOf(listed);
    const { items } = listed.value;
    const canChange = can(createClientSecret) && isWithSecret(client);
    const ending = items.find(({ id, expires_at }) => id === shown.ending && expires_at !== undefined);
    const body = html`${shown.secret !== undefined && (await madeSecret(context, client, shown.secret))}
${canChange && ending && endForm(context, ending.id, shown.faults)}
<section><h2>${text.title}</h2>${secretTable(context, client, items, canChange)}</section>
${canChange && createForm(context, ending ? NO_FAULTS : shown.faults)}`;
    return clientFrame(context, client, 'secrets', body, shown.faults.size === 0 ? 200 : 400);
  });
}

/** Whoever changes a secret changes a configuration: it is there with the new one filled in. */
async function madeSecret(context: ConsoleContext, client: Values, secret: string): Promise<Html> {
  const { locale } = context;
  const text = clientSecretsText[locale];
  const configurations = await folded(context, client, fitting(client), secret);
  return html`<section class="good" role="status"><h2>${text.made}</h2><p class="secret">${copyable(locale, secret)}</p><p>${text.once}</p></section>
${configurations.length > 0 && html`<section><h2>${text.configurations}</h2>${configurations}</section>`}`;
}

function secretTable(context: ConsoleContext, client: Values, items: SecretRow[], canChange: boolean): Html {
  const { locale, params } = context;
  const text = clientSecretsText[locale];
  const path = clientPath(params.code ?? '', String(client.client_id), 'secrets');
  const rows = items.map(({ id, created_at, expires_at }) => [
    copyable(locale, id),
    expires_at === undefined ? pill('ok', text.current) : pill('plain', text.former),
    created_at === undefined ? text.unknownTime : timeOf(locale, created_at),
    expires_at === undefined ? text.noEnd : timeOf(locale, expires_at),
    expires_at !== undefined && canChange ? html`<a href="${path}?end=${id}">${text.end}</a>` : undefined,
  ]);
  const none = isPublic(client) ? text.none : isWithSecret(client) ? text.noneYet : text.keyed;
  return table(text.columns, rows, html`<p>${none}</p>`);
}

function endForm({ locale, params }: ConsoleContext, id: string, faults: Faults): Html {
  const text = clientSecretsText[locale];
  const { code = '', client_id = '' } = params;
  const path = clientPath(code, client_id, 'secrets');
  return html`<section><h2>${text.endTitle}</h2><p>${text.endText(id)}</p>
<form method="post" action="${path}"><input type="hidden" name="action" value="end"><input type="hidden" name="id" value="${id}">
${field({ name: 'confirm', label: consoleText[locale].typeToConfirm(client_id), required: true }, faults)}
<button type="submit" class="danger">${text.end}</button> <a href="${path}">${consoleText[locale].cancel}</a></form></section>`;
}

function createForm({ locale, params, services }: ConsoleContext, faults: Faults): Html {
  const text = clientSecretsText[locale];
  const path = clientPath(params.code ?? '', params.client_id ?? '', 'secrets');
  const overlap = { name: 'previous_valid_for', label: text.overlap, value: '86400', kind: { options: text.overlaps } };
  return html`<section><h2>${text.make}</h2><p>${text.makeText}</p>
<form method="post" action="${path}">${faultSummary(locale, faults)}<input type="hidden" name="action" value="create">${onceField(services)}
${field(overlap, faults)}<button type="submit">${text.makeButton}</button></form></section>`;
}
