import type { ConsoleContext, Faults } from '../../operators/console-frame/page.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import type { Html } from '../../platform/ui/html.ts';
import type { ApplicationSection } from '../fields/declaration.fields.ts';
import { controlsOf, fieldRows, fieldsOfSection, toldAbove, typedValues, type Values } from '../fields/form.console.ts';
import { providerName } from '../providers/rules.ts';

/** The form of an application, by its sections. `stored`: the application as it is, where the form changes one. */
export interface ApplicationForm {
  /** False where a section has nothing to set here. */
  rows(section: ApplicationSection, values: Values, faults: Faults, stored?: Values): Html | false;
  typed(section: ApplicationSection, form: Params): Values;
  /** With the faults of other sections in the sentence above this one. */
  toldAbove(section: ApplicationSection, faults: Faults): Faults;
}

export async function applicationForm({ services, locale }: ConsoleContext): Promise<ApplicationForm> {
  const [{ application }, controls] = await Promise.all([services.tables.fields(), controlsOf(services.tables)]);
  const { declared } = application;
  const offered = {
    providers: (await services.registry.providers()).map(each => [each.id, providerName(each)] as const),
  };
  return {
    rows: (section, values, faults, stored) => {
      const fields = fieldsOfSection(declared, section, stored === undefined);
      return fieldRows(locale, fields, { values, faults, stored, offered }, controls);
    },
    toldAbove: (section, faults) => toldAbove(locale, faults, fieldsOfSection(declared, section, false), declared),
    typed: (section, form) => typedValues(fieldsOfSection(declared, section, false), form, { controls }),
  };
}
