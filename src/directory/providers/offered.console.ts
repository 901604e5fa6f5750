import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import type { FieldControl, FieldForm } from '../fields/form.console.ts';
import { offeredText } from './console.text.ts';

/** Which providers an application offers, and in which order: a place for each, in the settings of its sign-in. */
export const offeredControl: FieldControl = {
  show(locale, { name, text: fieldText }, form) {
    const [label, hint] = fieldText[locale];
    const all = named(form);
    const text = offeredText[locale];
    const fault = form.faults.get(name);
    const lines = all.map(each => line(locale, name, each, all.length));
    const listed = html`<input type="hidden" name="${name}" value="${all.map(({ id }) => id).join(' ')}">`;
    const none = html`${text.none} <a href="/console/providers/new">${text.create}</a>`;
    const body = html`${listed}${all.length > 0 ? lines : none}`;
    const described = fault === undefined ? `${name}-hint` : `${name}-hint ${name}-fault`;
    return html`<div class="field" role="group" aria-labelledby="${name}-name" aria-describedby="${described}"><div class="name" id="${name}-name">${label}</div><div class="control places">
${body}</div>${fault !== undefined && html`<p class="fault" id="${name}-fault">${fault}</p>`}<p class="hint" id="${name}-hint">${hint}</p></div>
`;
  },
  read(form) {
    const listed = form.get('providers')?.split(' ');
    if (!listed) return {};
    const placed = listed.flatMap(id => {
      const place = Number(form.get(`providers.${id}`) ?? '');
      return Number.isInteger(place) && place > 0 ? [{ id, place }] : [];
    });
    // Two in one place keep the order of the page.
    return { providers: placed.toSorted((one, other) => one.place - other.place).map(({ id }) => id) };
  },
};

interface Named {
  readonly id: string;
  readonly title: string;
  /** From 1; undefined: it is not offered. */
  readonly place: number | undefined;
}

/** Those that are offered, in their order, and then the others. One that is not registered any more can be taken out. */
function named({ values, offered = {} }: FieldForm): readonly Named[] {
  const chosen = (values.providers ?? []) as readonly string[];
  const registered = new Map(offered.providers);
  const others = [...registered.keys()].filter(id => !chosen.includes(id));
  return [...chosen, ...others].map((id, index) => ({
    id,
    title: registered.get(id) ?? id,
    place: index < chosen.length ? index + 1 : undefined,
  }));
}

function line(locale: OperatorLocale, name: string, { id, title, place }: Named, count: number): Html {
  const text = offeredText[locale];
  const field = `${name}.${id}`;
  const places = Array.from({ length: count }, (_, index) => index + 1).map(
    each => html`<option value="${each}"${each === place && html` selected`}>${text.place(each)}</option>`,
  );
  return html`<div class="place"><select id="${field}" name="${field}"><option value="">${text.notOffered}</option>${places}</select><label for="${field}">${title}</label></div>\n`;
}
