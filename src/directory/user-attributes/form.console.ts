import type { Faults } from '../../operators/console-frame/page.ts';
import { field } from '../../operators/console-frame/parts.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { attributeFormText } from './console.text.ts';
import { attributeEditors, attributeTypes } from './rules.ts';

/** The form of a definition. */

export type AttributeValues = Readonly<Record<string, unknown>>;

const CHANGEABLE = ['label', 'editable_by', 'scope'] as const;
const FIXED = ['name', 'type'] as const;

export function attributeFields(
  locale: OperatorLocale,
  values: AttributeValues,
  faults: Faults,
  which: 'all' | 'changeable',
): Html {
  const text = attributeFormText[locale];
  const kinds = {
    type: { options: attributeTypes.map(each => [each, text.types[each]] as const) },
    editable_by: { options: attributeEditors.toReversed().map(each => [each, text.editors[each]] as const) },
  };
  const names = which === 'all' ? (['name', 'label', 'type', 'editable_by', 'scope'] as const) : CHANGEABLE;
  return html`${names.map(name => {
    const [label, hint] = text[name] as readonly [string, string];
    const kind = name === 'type' || name === 'editable_by' ? kinds[name] : 'text';
    const value = values[name] === undefined || values[name] === null ? undefined : String(values[name]);
    return field({ name, label, hint, kind, value, required: name === 'name' || name === 'label' }, faults);
  })}`;
}

/** From the form to the fields of the API; null clears the scope. */
export function typedAttribute(form: Params, which: 'all' | 'changeable'): AttributeValues {
  const fixed = which === 'all' ? FIXED : [];
  return {
    ...Object.fromEntries(fixed.map(name => [name, form.get(name) ?? ''])),
    label: form.get('label') ?? '',
    editable_by: form.get('editable_by') ?? '',
    scope: form.get('scope') ?? null,
  };
}
