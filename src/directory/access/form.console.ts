import { field } from '../../operators/console/parts.ts';
import { inLocale } from '../../operators/console/text.ts';
import { html } from '../../platform/ui/html.ts';
import type { FieldControl } from '../fields/form.console.ts';
import { namesIn } from './membership-form.console.ts';
import { type AccessLists, EVERYBODY } from './rules.ts';

/** Who may sign in to an application: everybody, or the people on three lists. */
const words = inLocale({
  en: {
    options: [
      ['everybody', 'Everybody'],
      ['listed', 'Only those who are listed below'],
    ],
    lists: {
      groups: ['Groups', 'One on each line. Users who are in one of them may sign in.'],
      roles: ['Roles', 'One on each line. Users who have one of them in this application may sign in.'],
      users: ['Users', 'User names, one on each line.'],
    },
  },
  zh: {
    options: [
      ['everybody', '所有人'],
      ['listed', '仅限下面列出的人'],
    ],
    lists: {
      groups: ['用户组', '每行一个。属于其中任一组的用户可以登录。'],
      roles: ['角色', '每行一个。在此应用中拥有其中任一角色的用户可以登录。'],
      users: ['用户', '用户名，每行一个。'],
    },
  },
} as const);

const LISTS = ['groups', 'roles', 'users'] as const satisfies readonly (keyof AccessLists)[];

export const accessControl: FieldControl = {
  show(locale, { name, text: fieldText }, { values, faults }) {
    const text = words(locale);
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
