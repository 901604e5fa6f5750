import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { type Attributes, type AttributeValue, attributeValue, type UserAttribute } from './rules.ts';
import { attributeText } from './text.ts';
import { memberOf, shownValue } from './values.ts';

/** The values of a user on the account page. */

/** By their labels, in the words of the reader; undefined for one that is not set. */
export function shownAttributeValues(
  locale: Locale,
  defined: readonly UserAttribute[],
  values: Attributes | undefined,
): readonly (readonly [label: string, value: string | undefined])[] {
  const text = attributeText[locale];
  const shown = (value: AttributeValue | undefined) => {
    if (typeof value === 'boolean') return value ? text.yes : text.no;
    if (typeof value === 'number')
      return value.toLocaleString(locale, { maximumFractionDigits: 15, useGrouping: false });
    return typeof value === 'object' ? value.join(', ') : value;
  };
  return defined.map(one => [one.label, shown(attributeValue(one, values))]);
}

export interface TypedAttributes {
  /** Those that the user may change. */
  readonly defined: readonly UserAttribute[];
  readonly values: unknown;
  /** The names of those with a fault. */
  readonly faulty: readonly string[];
}

/** The fields of a form. */
export function attributeInputs(locale: Locale, { defined, values, faulty }: TypedAttributes): Html {
  const text = attributeText[locale];
  return html`${defined.map(attribute => {
    const { name, label, type } = attribute;
    const id = `attributes-${name}`;
    const fault = faulty.includes(name) ? text.faults[type] : undefined;
    const hint = type === 'list' ? text.oneEach : undefined;
    const described = fault === undefined ? hint !== undefined && `hint-${id}` : `fault-${id}`;
    const isFirst = faulty[0] === name;
    const rest = html`${described && html` aria-describedby="${described}"`}${fault !== undefined && html` aria-invalid="true"`}${isFirst && html` autofocus`}`;
    return html`<label for="${id}">${label}</label>
<div class="field">
${control(locale, attribute, shownValue(memberOf(values, name)) ?? '', html`id="${id}" name="attributes.${name}"${rest}`)}
${fault !== undefined && html`<p class="fault" role="alert" id="fault-${id}">${fault}</p>\n`}${hint !== undefined && html`<p class="muted" id="hint-${id}">${hint}</p>\n`}</div>
`;
  })}`;
}

function control(locale: Locale, { type }: UserAttribute, value: string, attributes: Html): Html {
  const text = attributeText[locale];
  if (type === 'boolean') {
    const options = (
      [
        ['', text.unset],
        ['true', text.yes],
        ['false', text.no],
      ] as const
    ).map(([option, name]) => html`<option value="${option}"${option === value && html` selected`}>${name}</option>`);
    return html`<select ${attributes}>${options}</select>`;
  }
  if (type === 'list') return html`<textarea ${attributes} rows="4">${value}</textarea>`;
  const kind =
    type === 'date' ? html`type="date"` : html`type="text"${type === 'number' && html` inputmode="decimal"`}`;
  return html`<input ${kind} ${attributes} value="${value}" autocomplete="off">`;
}
