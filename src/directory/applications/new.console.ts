import { answerForm } from '../../operators/console/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type View,
} from '../../operators/console/page.ts';
import { faultSummary } from '../../operators/console/parts.ts';
import { onceField } from '../../operators/console/shown-once.ts';
import { html } from '../../platform/ui/html.ts';
import { newBody, type Values } from '../fields/form.console.ts';
import { applicationsPlace, newApplicationText } from './console.text.ts';
import { applicationForm } from './form.console.ts';
import { createApplication } from './operations.ts';

/** /console/applications/new */
export const newApplication: ConsolePage = {
  place: 'applications',
  omittable: ['logo_uri'],
  show: async context => view(context, (await context.services.tables.fields()).application.defaults, NO_FAULTS),
  submit: async (context, form) => {
    const body = newBody((await applicationForm(context)).typed(form));
    const made = await context.performOnce<{ code: string }>(createApplication, { params: {}, body });
    const next = ({ code }: { code: string }) =>
      ({ path: `/console/applications/${code}`, notice: 'created' }) as const;
    return answerForm(context, made, next, faults => view(context, body, faults));
  },
};

async function view(context: ConsoleContext, values: Values, faults: Faults): Promise<View> {
  const { locale, services } = context;
  const text = newApplicationText[locale];
  const { show } = await applicationForm(context);
  return {
    title: text.title,
    crumbs: [[applicationsPlace[locale], '/console/applications']],
    status: faults.size === 0 ? 200 : 400,
    body: html`<section><form method="post">${onceField(services)}${faultSummary(locale, faults)}
${show(values, faults)}<button type="submit">${text.create}</button></form></section>`,
  };
}
