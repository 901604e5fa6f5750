import { answerForm } from '../../operators/console-frame/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type View,
} from '../../operators/console-frame/page.ts';
import { faultSummary, field } from '../../operators/console-frame/parts.ts';
import { onceField } from '../../operators/console-frame/shown-once.ts';
import { html } from '../../platform/ui/html.ts';
import { userAttributes } from '../user-attributes/queries.ts';
import type { UserAttribute } from '../user-attributes/rules.ts';
import { newUserText, usersPlace, usersText } from './console.text.ts';
import { newUserBody, typedUser, type UserValues, userFields } from './form.console.ts';
import { createUser } from './operations.ts';

/** /console/users/new */
export const newUser: ConsolePage = {
  place: 'users',
  show: async context => view(context, {}, NO_FAULTS, await definedIn(context)),
  submit: async (context, form) => {
    const defined = await definedIn(context);
    const typed = typedUser(form, defined);
    const password = form.get('password');
    const body = { ...newUserBody(typed), ...(password === undefined ? {} : { password }) };
    const made = await context.performOnce<{ sub: string }>(createUser, { params: {}, body });
    const next = ({ sub }: { sub: string }) =>
      ({ path: `/console/users/${encodeURIComponent(sub)}`, notice: 'created' }) as const;
    return answerForm(context, made, next, faults => view(context, typed, faults, defined));
  },
};

/** The attributes of users, which whoever may see users may see. */
export function definedIn({ services }: ConsoleContext): Promise<readonly UserAttribute[]> {
  return userAttributes(services.store.cold);
}

/** A password that was typed is not sent back. */
function view(
  { locale, services }: ConsoleContext,
  values: UserValues,
  faults: Faults,
  defined: readonly UserAttribute[],
): View {
  const text = newUserText[locale];
  const password = { name: 'password', label: text.password, hint: text.hint, kind: 'password' } as const;
  return {
    title: usersText[locale].create,
    crumbs: [[usersPlace[locale], '/console/users']],
    status: faults.size === 0 ? 200 : 400,
    body: html`<section><form method="post">${onceField(services)}${faultSummary(locale, faults)}
${userFields(locale, values, faults, defined)}${field({ ...password, autocomplete: 'new-password' }, faults)}<button type="submit">${text.create}</button></form></section>`,
  };
}
