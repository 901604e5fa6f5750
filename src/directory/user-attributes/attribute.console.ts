import { etagOf } from '../../operators/api/operation.ts';
import { answerForm } from '../../operators/console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  refusalOf,
  type View,
} from '../../operators/console-frame/page.ts';
import { confirmByName, faultSummary } from '../../operators/console-frame/parts.ts';
import type { Answer, Refusal } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { html } from '../../platform/ui/html.ts';
import { attributeFormText, attributesPlace, attributesText } from './console.text.ts';
import { attributePath } from './console.ts';
import { type AttributeValues, attributeFields, typedAttribute } from './form.console.ts';
import { deleteUserAttribute, getUserAttribute, updateUserAttribute } from './operations.ts';
import type { UserAttribute } from './rules.ts';

/** /console/user-attributes/{name} */
export const userAttribute: ConsolePage = {
  place: 'user-attributes',
  dangerous: { except: ['save'] },
  show: context => view(context, undefined, NO_FAULTS),
  submit: async (context, form) => (form.get('action') === 'delete' ? remove(context, form) : save(context, form)),
};

async function save(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const typed = typedAttribute(form, 'changeable');
  const saved = await context.perform(updateUserAttribute, { body: typed }, form.get('etag'));
  const next = { path: attributePath(context.params.name ?? ''), notice: 'saved' } as const;
  return answerForm(context, saved, next, faults => view(context, typed, faults));
}

async function remove(context: ConsoleContext, form: Params): Promise<View | Answer> {
  const again = (faults: Faults) => view(context, undefined, faults);
  if (form.get('confirm') !== context.params.name) {
    return again(new Map([['confirm', attributesText[context.locale].wrongName]]));
  }
  const next = { path: '/console/user-attributes', notice: 'deleted' } as const;
  return answerForm(context, await context.perform(deleteUserAttribute), next, again);
}

async function view(
  context: ConsoleContext,
  typed: AttributeValues | undefined,
  faults: Faults,
): Promise<View | Refusal> {
  const { locale, perform, may } = context;
  const found = await perform<UserAttribute>(getUserAttribute);
  if (found.kind !== 'done') return refusalOf(found);
  const current = found.value;
  const text = attributesText[locale];
  const form = attributeFormText[locale];
  const save = may('operator') && html`<button type="submit">${form.save}</button>`;
  return {
    title: current.label,
    crumbs: [[attributesPlace[locale], '/console/user-attributes']],
    about: html`<code>${current.name}</code> · ${form.types[current.type]}`,
    status: faults.size === 0 ? 200 : 400,
    body: html`${faultSummary(locale, faults)}
<section><form method="post"><input type="hidden" name="action" value="save"><input type="hidden" name="etag" value="${etagOf(current)}">
${attributeFields(locale, typed ?? { ...current }, faults, 'changeable')}${save}</form></section>
${may('operator') && html`<section><h2>${text.remove}</h2><p>${text.removal}</p>${confirmByName(locale, current.name, 'delete', text.removeButton, faults)}</section>`}`,
  };
}
