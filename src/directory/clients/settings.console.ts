import { etagOf } from '../../operators/api/operation.ts';
import { answerForm } from '../../operators/console/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type View,
} from '../../operators/console/page.ts';
import { confirmByName, faultSummary } from '../../operators/console/parts.ts';
import { consoleText } from '../../operators/console/text.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import type { ClientField } from '../fields/declaration.fields.ts';
import { changesTo, type Values } from '../fields/form.console.ts';
import { clientSettingsText } from './console.text.ts';
import { clientForm } from './form.console.ts';
import { clientFrame, clientPath, withClient } from './frame.console.ts';
import { deleteClient, updateClient } from './operations.ts';

/** …/clients/{client_id}/settings: every field of the client, and its end. */
export const clientSettings: ConsolePage = {
  place: 'applications',
  dangerous: ['delete'],
  show: context => withClient(context, client => view(context, client, client, NO_FAULTS)),
  submit: (context, form) =>
    form.get('action') === 'delete'
      ? remove(context, form)
      : withClient(context, current => save(context, current, form)),
};

async function save(context: ConsoleContext, current: Values, form: Params): Promise<View | Answer> {
  const { params, perform } = context;
  const { fields, typed } = await clientForm(context, current);
  // Against what the operator saw: what someone else has changed meanwhile is not changed back.
  const changes = changesTo(fields, seenValues(form) ?? current, typed(form));
  const saved = await perform(updateClient, { body: changes }, form.get('etag'));
  const path = clientPath(params.code ?? '', params.client_id ?? '', 'settings');
  const again = (faults: Faults) => view(context, current, { ...current, ...changes }, faults);
  return answerForm(context, saved, { path, notice: 'saved' }, again);
}

/** The client as the form showed it. */
function seenValues(form: Params): Values | undefined {
  try {
    const seen: unknown = JSON.parse(form.get('seen') ?? '');
    return typeof seen === 'object' && seen !== null ? (seen as Values) : undefined;
  } catch {
    return undefined;
  }
}

async function remove(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const { params, perform, locale } = context;
  const again = (faults: Faults) => withClient(context, client => view(context, client, client, faults));
  if (form.get('confirm') !== params.client_id)
    return again(new Map([['confirm', clientSettingsText[locale].wrongName]]));
  const path = `/console/applications/${encodeURIComponent(params.code ?? '')}`;
  return answerForm(context, await perform(deleteClient), { path, notice: 'deleted' }, again);
}

/** What a client that has registered itself can change, and what it cannot (operator-limits.ts). */
function ownChanges(
  locale: OperatorLocale,
  fields: readonly ClientField[],
  { origin, operator_limits: limits = {} }: Values,
): Html | false {
  if (origin !== 'dynamic_registration') return false;
  const text = clientSettingsText[locale];
  const limited = fields
    .filter(({ name }) => Object.hasOwn(limits as Values, name))
    .map(field => field.text[locale][0]);
  const names = limited.length > 0 && html` ${text.limited} ${limited.join(text.comma)}`;
  return html`<p class="hint">${text.ownChanges}${names}</p>\n`;
}

/** `values`: what was sent with faults stays in the form. */
async function view(context: ConsoleContext, current: Values, values: Values, faults: Faults): Promise<View> {
  const { locale, can } = context;
  const text = clientSettingsText[locale];
  const canChange = can(updateClient);
  // Its fields come from its own document: a change here would not last.
  const isPublished = current.origin === 'client_id_metadata';
  const { fields, show } = await clientForm(context, current);
  const body = html`<section>${ownChanges(locale, fields, current)}<form method="post">${faultSummary(locale, faults)}
<input type="hidden" name="etag" value="${etagOf(current)}"><input type="hidden" name="seen" value="${JSON.stringify(current)}">
${show(values, faults)}${canChange && !isPublished && html`<button type="submit">${consoleText[locale].save}</button>`}</form></section>
${canChange && html`<section><h2>${text.remove}</h2><p>${text.removal}</p>${confirmByName(locale, String(current.client_id), 'delete', text.removeButton, faults)}</section>`}`;
  return clientFrame(context, current, 'settings', body, faults.size === 0 ? 200 : 400);
}
