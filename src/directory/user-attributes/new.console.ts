import { answerForm } from '../../operators/console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type View,
} from '../../operators/console-frame/page.ts';
import { faultSummary } from '../../operators/console-frame/parts.ts';
import { onceField } from '../../operators/console-frame/shown-once.ts';
import { html } from '../../platform/ui/html.ts';
import { attributesPlace, attributesText } from './console.text.ts';
import { type AttributeValues, attributeFields, typedAttribute } from './form.console.ts';
import { createUserAttribute } from './operations.ts';

/** /console/user-attributes/new */
export const newUserAttribute: ConsolePage = {
  place: 'user-attributes',
  show: async context => view(context, {}, NO_FAULTS),
  submit: async (context, form) => {
    const typed = typedAttribute(form, 'all');
    const { scope, ...rest } = typed;
    const body = scope === null ? rest : typed;
    const made = await context.performOnce(createUserAttribute, { params: {}, body });
    const next = { path: '/console/user-attributes', notice: 'created' } as const;
    return answerForm(context, made, next, faults => view(context, typed, faults));
  },
};

function view({ locale, services }: ConsoleContext, values: AttributeValues, faults: Faults): View {
  const { create } = attributesText[locale];
  return {
    title: create,
    crumbs: [[attributesPlace[locale], '/console/user-attributes']],
    status: faults.size === 0 ? 200 : 400,
    body: html`<section><form method="post">${onceField(services)}${faultSummary(locale, faults)}
${attributeFields(locale, values, faults, 'all')}<button type="submit">${create}</button></form></section>`,
  };
}
