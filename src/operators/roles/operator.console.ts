import type { Answer, Refusal } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { html } from '../../platform/ui/html.ts';
import { etagOf } from '../api/operation.ts';
import { answerForm } from '../console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../console-frame/page.ts';
import { confirmByName, copyable, faultSummary } from '../console-frame/parts.ts';
import { consoleText } from '../console-frame/text.ts';
import { operatorsPlace, operatorText } from './console.text.ts';
import type { OperatorRow } from './console.ts';
import { getOperator, removeOperator, updateOperator } from './operations.ts';
import { type RoleValues, roleFields, roleName, typedRole } from './role-form.console.ts';

/** /console/operators/{sub} */
export const operator: ConsolePage = {
  place: 'operators',
  dangerous: 'all',
  show: context => view(context, undefined, NO_FAULTS),
  submit: async (context, form) => (form.get('action') === 'remove' ? remove(context, form) : save(context, form)),
};

async function save(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const typed = typedRole(form);
  // Null takes the limit away (RFC 7396).
  const body = { role: typed.role ?? '', applications: typed.applications ?? null };
  const saved = await context.perform(updateOperator, { body }, form.get('etag'));
  return answerForm(context, saved, { path: pathOf(context), notice: 'saved' }, faults => view(context, typed, faults));
}

async function remove(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const current = await context.perform<OperatorRow>(getOperator);
  if (current.kind !== 'done') return refusalOf(current);
  const again = (faults: Faults) => view(context, undefined, faults);
  if (form.get('confirm') !== current.value.username) {
    return again(new Map([['confirm', operatorText[context.locale].wrongName]]));
  }
  const next = { path: '/console/operators', notice: 'operatorRemoved' } as const;
  return answerForm(context, await context.perform(removeOperator), next, again);
}

function pathOf({ params }: ConsoleContext): string {
  return `/console/operators/${encodeURIComponent(params.sub ?? '')}`;
}

async function view(context: ConsoleContext, typed: RoleValues | undefined, faults: Faults): Promise<View | Refusal> {
  const { locale, perform, may } = context;
  const found = await perform<OperatorRow>(getOperator);
  if (found.kind !== 'done') return refusalOf(found);
  const { sub, username, role } = found.value;
  const text = operatorText[locale];
  const save = html`<button type="submit">${consoleText[locale].save}</button>`;
  const removal = html`<section><h2>${text.remove}</h2><p>${text.removal}</p>${confirmByName(locale, username, 'remove', text.removeButton, faults)}</section>`;
  return {
    title: username,
    crumbs: [[operatorsPlace[locale], '/console/operators']],
    about: html`${roleName(locale, role)} ${copyable(locale, sub)}`,
    status: faults.size === 0 ? 200 : 400,
    body: html`${faultSummary(locale, faults)}
<section><h2>${text.rights}</h2><form method="post"><input type="hidden" name="action" value="save"><input type="hidden" name="etag" value="${etagOf(found.value)}">
${roleFields(locale, typed ?? found.value, faults)}${may('owner') && save}</form>
<p class="after"><a href="/console/users/${encodeURIComponent(sub)}">${text.user}</a> · <a href="/console/activity?operator=${encodeURIComponent(sub)}">${text.events}</a></p></section>
${may('owner') && removal}`,
  };
}
