import type { Faults } from '../../operators/console/page.ts';
import { field } from '../../operators/console/parts.ts';
import { inLocale } from '../../operators/console/text.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import type { ApplicationValues } from '../branding/form.console.ts';
import { namesIn } from './membership-form.console.ts';
import { type AccessLists, EVERYBODY } from './rules.ts';

/** Who may sign in to an application: everybody, or the people on three lists. */
const words = inLocale({
  en: {
    legend: 'Who may sign in',
    access: ['Access', 'Others see a page that says so, and the client gets access_denied.'],
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
    legend: '谁可以登录',
    access: ['访问权限', '其他人会看到说明页面，客户端会收到 access_denied。'],
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

export function accessFields(locale: OperatorLocale, { access = EVERYBODY }: ApplicationValues, faults: Faults): Html {
  const text = words(locale);
  const [label, hint] = text.access;
  const lists = access === EVERYBODY ? undefined : (access as AccessLists);
  const value = lists ? 'listed' : EVERYBODY;
  return html`<fieldset><legend>${text.legend}</legend>${field({ name: 'access', label, hint, value, kind: { options: text.options } }, faults)}${LISTS.map(
    name => {
      const [label, hint] = text.lists[name];
      return field({ name: `access.${name}`, label, hint, value: lists?.[name].join('\n'), kind: 'lines' }, faults);
    },
  )}</fieldset>`;
}

/** Nothing where the form has no such fields: the setting stays as it is. */
export function accessBody(form: Params): { readonly access?: unknown } {
  const access = form.get('access');
  if (access === undefined) return {};
  if (access !== 'listed') return { access };
  return { access: Object.fromEntries(LISTS.map(name => [name, namesIn(form.get(`access.${name}`))])) };
}
