import type { ConsoleContext, Faults } from '../../operators/console/page.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import type { Html } from '../../platform/ui/html.ts';
import { controlsOf, fieldSections, typedValues, type Values } from '../fields/form.console.ts';
import { applicationSectionText } from './console.text.ts';

/** The form of an application. `stored`: the application as it is, where the form changes one. */
export interface ApplicationForm {
  show(values: Values, faults: Faults, stored?: Values): Html;
  typed(form: Params): Values;
}

export async function applicationForm({ services, locale }: ConsoleContext): Promise<ApplicationForm> {
  const [{ application }, controls] = await Promise.all([services.tables.fields(), controlsOf(services.tables)]);
  const { declared } = application;
  return {
    show: (values, faults, stored) =>
      fieldSections(locale, declared, applicationSectionText[locale], { values, faults, stored }, controls),
    typed: form => typedValues(declared, form, { controls }),
  };
}
