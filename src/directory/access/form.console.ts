import { field } from '../../operators/console-frame/parts.ts';
import { html } from '../../platform/ui/html.ts';
import type { FieldControl } from '../fields/form.console.ts';
import { accessFormText } from './console.text.ts';
import { namesIn } from './membership-form.console.ts';
import { type AccessLists, EVERYBODY } from './rules.ts';

/** Who may sign in to an application: everybody, or the people on three lists. */
const LISTS = ['groups', 'roles', 'users'] as const satisfies readonly (keyof AccessLists)[];

export const accessControl: FieldControl = {
  show(locale, { name, text: fieldText }, { values, faults }) {
    const text = accessFormText[locale];
    const [label, hint] = fieldText[locale];
    const lists = values.access === EVERYBODY ? undefined : (values.access as AccessLists | undefined);
    const value = lists ? 'listed' : EVERYBODY;
    return html`${field({ name, label, hint, value, kind: { options: text.options } }, faults)}${LISTS.map(list => {
      const [label, hint] = text.lists[list];
      return field({ name: `access.${list}`, label, hint, value: lists?.[list].join('\n'), kind: 'lines' }, faults);
    })}`;
  },
  read(form) {
    const access = form.get('access');
    if (access === undefined) return {};
    if (access !== 'listed') return { access };
    return { access: Object.fromEntries(LISTS.map(name => [name, namesIn(form.get(`access.${name}`))])) };
  },
};
