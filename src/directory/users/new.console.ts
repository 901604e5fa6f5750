import { answerForm } from '../../operators/console/answer.ts';
import {
  type ConsoleContext,
  type ConsolePage,
  type Faults,
  NO_FAULTS,
  type View,
} from '../../operators/console/page.ts';
import { faultSummary, field } from '../../operators/console/parts.ts';
import { onceField } from '../../operators/console/shown-once.ts';
import { consoleText, inLocale } from '../../operators/console/text.ts';
import { html } from '../../platform/ui/html.ts';
import { newUserBody, typedUser, type UserValues, userFields } from './form.console.ts';
import { createUser } from './operations.ts';

const words = inLocale({
  en: {
    title: 'New user',
    password: 'Password',
    hint: 'Left empty, the user cannot sign in by a password until one is set.',
    create: 'Create user',
  },
  zh: {
    title: '新建用户',
    password: '密码',
    hint: '留空时，在设置密码之前用户无法用密码登录。',
    create: '创建用户',
  },
});

/** /console/users/new */
export const newUser: ConsolePage = {
  place: 'users',
  show: async context => view(context, {}, NO_FAULTS),
  submit: async (context, form) => {
    const typed = typedUser(form);
    const password = form.get('password');
    const body = { ...newUserBody(typed), ...(password === undefined ? {} : { password }) };
    const made = await context.performOnce<{ sub: string }>(createUser, { params: {}, body });
    const next = ({ sub }: { sub: string }) =>
      ({ path: `/console/users/${encodeURIComponent(sub)}`, notice: 'created' }) as const;
    return answerForm(context, made, next, faults => view(context, typed, faults));
  },
};

/** A password that was typed is not sent back. */
function view({ locale, services }: ConsoleContext, values: UserValues, faults: Faults): View {
  const text = words(locale);
  const password = { name: 'password', label: text.password, hint: text.hint, kind: 'password' } as const;
  return {
    title: text.title,
    crumbs: [[consoleText(locale).places.users, '/console/users']],
    status: faults.size === 0 ? 200 : 400,
    body: html`<section><form method="post">${onceField(services)}${faultSummary(locale, faults)}
${userFields(locale, values, faults)}${field({ ...password, autocomplete: 'new-password' }, faults)}<button type="submit">${text.create}</button></form></section>`,
  };
}
