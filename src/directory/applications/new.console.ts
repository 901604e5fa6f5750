import { answerForm } from '../../operators/console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type View,
} from '../../operators/console-frame/page.ts';
import { faultSummary } from '../../operators/console-frame/parts.ts';
import { card } from '../../operators/console-frame/setting-rows.ts';
import { onceField } from '../../operators/console-frame/shown-once.ts';
import { html } from '../../platform/ui/html.ts';
import type { ApplicationField } from '../fields/declaration.fields.ts';
import { fieldRows, typedValues, type Values } from '../fields/form.console.ts';
import { applicationsPlace, newApplicationText } from './console.text.ts';
import { applicationPath } from './frame.console.ts';
import { createApplication } from './operations.ts';

/** What has no default. Everything else is set on the pages of the application, which begins with the defaults of every other door. */
const ASKED = ['name', 'code'] as const;

/** /console/applications/new */
export const newApplication: ConsolePage = {
  place: 'applications',
  show: context => view(context, {}, NO_FAULTS),
  submit: async (context, form) => {
    const body = typedValues(await askedFields(context), form);
    const made = await context.performOnce<{ code: string }>(createApplication, { params: {}, body });
    const next = ({ code }: { code: string }) => ({ path: applicationPath(code), notice: 'created' }) as const;
    return answerForm(context, made, next, faults => view(context, body, faults));
  },
};

async function askedFields({ services }: ConsoleContext): Promise<readonly ApplicationField[]> {
  const { declared } = (await services.tables.fields()).application;
  return ASKED.flatMap(asked => declared.filter(({ name }) => name === asked));
}

async function view(context: ConsoleContext, values: Values, faults: Faults): Promise<View> {
  const { locale, services } = context;
  const text = newApplicationText[locale];
  const rows = fieldRows(locale, await askedFields(context), { values, faults });
  const footer = html`<span>${text.effect}</span><button type="submit">${text.create}</button>`;
  return {
    title: text.title,
    crumbs: [[applicationsPlace[locale], '/console/applications']],
    status: faults.size === 0 ? 200 : 400,
    body: html`<form method="post">${onceField(services)}${faultSummary(locale, faults)}
${card({ title: text.card, about: text.about, body: html`${rows}`, footer })}</form>`,
  };
}
