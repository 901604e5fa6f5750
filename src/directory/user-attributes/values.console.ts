import type { Faults } from '../../operators/console-frame/page.ts';
import { type Field, field } from '../../operators/console-frame/parts.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { attributeValuesText } from './console.text.ts';
import type { UserAttribute } from './rules.ts';
import { memberOf, shownValue } from './values.ts';

/** The values in the form of a user. */

export function attributeValueFields(
  locale: OperatorLocale,
  defined: readonly UserAttribute[],
  values: unknown,
  faults: Faults,
): Html | false {
  if (defined.length === 0) return false;
  const text = attributeValuesText[locale];
  const kindOf = ({ type }: UserAttribute): NonNullable<Field['kind']> => {
    if (type === 'boolean')
      return {
        options: [
          ['', text.unset],
          ['true', text.yes],
          ['false', text.no],
        ],
      };
    if (type === 'list') return 'lines';
    return type === 'date' ? 'date' : 'text';
  };
  const fields = defined.map(attribute => {
    const { name, label, type } = attribute;
    const value = shownValue(memberOf(values, name));
    const hint = type === 'list' ? text.list : undefined;
    return field({ name: `attributes.${name}`, label, hint, value, kind: kindOf(attribute) }, faults);
  });
  const fault = faults.get('attributes');
  return html`<fieldset><legend>${text.title}</legend>${fault !== undefined && html`<p class="fault">${fault}</p>`}
<div class="fields">${fields}</div></fieldset>`;
}
