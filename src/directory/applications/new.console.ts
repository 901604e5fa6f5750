import { answerForm } from '../../operators/console/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type View,
} from '../../operators/console/page.ts';
import { faultSummary, field } from '../../operators/console/parts.ts';
import { onceField } from '../../operators/console/shown-once.ts';
import { inLocale } from '../../operators/console/text.ts';
import { html } from '../../platform/ui/html.ts';
import type { ApplicationValues } from '../branding/form.console.ts';
import { applicationBody, applicationFields } from './form.console.ts';
import { createApplication } from './operations.ts';

const words = inLocale({
  en: {
    title: 'New application',
    applications: 'Applications',
    code: 'Code',
    hint: 'Part of every address of the application, and of its issuer. It cannot be changed later.',
    create: 'Create application',
  },
  zh: {
    title: '新建应用',
    applications: '应用',
    code: '代码',
    hint: '是应用的所有地址和签发者的一部分，之后不能更改。',
    create: '创建应用',
  },
});

/** /console/applications/new */
export const newApplication: ConsolePage = {
  place: 'applications',
  omittable: ['logo_uri'],
  show: async context => view(context, {}, NO_FAULTS),
  submit: async (context, form) => {
    const set = Object.entries(applicationBody(form)).filter(([, value]) => value !== null);
    const body = { ...Object.fromEntries(set), code: form.get('code') };
    const made = await context.performOnce<{ code: string }>(createApplication, { params: {}, body });
    const next = ({ code }: { code: string }) =>
      ({ path: `/console/applications/${code}`, notice: 'created' }) as const;
    return answerForm(context, made, next, faults => view(context, body, faults));
  },
};

function view({ locale, services }: ConsoleContext, values: ApplicationValues, faults: Faults): View {
  const text = words(locale);
  const code = {
    name: 'code',
    label: text.code,
    hint: text.hint,
    value: values.code as string | undefined,
    required: true,
  };
  return {
    title: text.title,
    crumbs: [[text.applications, '/console/applications']],
    status: faults.size === 0 ? 200 : 400,
    body: html`<section><form method="post">${onceField(services)}${faultSummary(locale, faults)}
${field(code, faults)}${applicationFields(locale, values, faults)}<button type="submit">${text.create}</button></form></section>`,
  };
}
