import type { Faults } from '../../operators/console/page.ts';
import { field } from '../../operators/console/parts.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import type { ApplicationValues } from '../branding/form.console.ts';
import { accessFormText } from './console.text.ts';
import { namesIn } from './membership-form.console.ts';
import { type AccessLists, EVERYBODY } from './rules.ts';

/** Who may sign in to an application: everybody, or the people on three lists. */
const LISTS = ['groups', 'roles', 'users'] as const satisfies readonly (keyof AccessLists)[];

export function accessFields(locale: OperatorLocale, { access = EVERYBODY }: ApplicationValues, faults: Faults): Html {
  const text = accessFormText[locale];
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
