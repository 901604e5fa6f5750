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
import type { Params } from '../../platform/http/params.rules.ts';
import { html } from '../../platform/ui/html.ts';
import { locales } from '../../platform/ui/locale.rules.ts';
import { inviteText, usersPlace, usersText } from './console.text.ts';
import { inviteUser as invite } from './invitations.operations.ts';

const FIELDS = ['email', 'username', 'name', 'locale'] as const;

type Typed = Readonly<Partial<Record<(typeof FIELDS)[number] | 'require_mfa', string>>>;

/** /console/users/invite */
export const inviteUser: ConsolePage = {
  place: 'users',
  show: async context => view(context, { locale: context.locale }, NO_FAULTS),
  submit: async (context, form) => {
    const typed = typedIn(form);
    const { require_mfa, ...named } = typed;
    const body = { ...named, ...(require_mfa === 'true' ? { require_mfa: true } : {}) };
    const made = await context.performOnce<{ sub: string }>(invite, { params: {}, body });
    const next = ({ sub }: { sub: string }) =>
      ({ path: `/console/users/${encodeURIComponent(sub)}`, notice: 'invited' }) as const;
    return answerForm(context, made, next, faults => view(context, typed, faults));
  },
};

function typedIn(form: Params): Typed {
  const given = [...FIELDS, 'require_mfa'].map(name => [name, form.get(name)?.trim()]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== ''));
}

function view({ locale, services }: ConsoleContext, typed: Typed, faults: Faults): View {
  const text = inviteText[locale];
  const languages = { options: locales.map(each => [each, text.languages[each]] as const) };
  return {
    title: usersText[locale].invite,
    crumbs: [[usersPlace[locale], '/console/users']],
    status: faults.size === 0 ? 200 : 400,
    body: html`<section><p>${text.intro}</p><form method="post">${onceField(services)}${faultSummary(locale, faults)}
<div class="fields">${field({ name: 'email', label: text.email, value: typed.email, required: true }, faults)}
${field({ name: 'username', label: text.username, hint: text.usernameHint, value: typed.username }, faults)}
${field({ name: 'name', label: text.name, value: typed.name }, faults)}
${field({ name: 'locale', label: text.locale, value: typed.locale, kind: languages }, faults)}
${field({ name: 'require_mfa', label: text.requireMfa, hint: text.requireMfaHint, value: typed.require_mfa, kind: 'check' }, faults)}</div>
<button type="submit">${text.send}</button></form></section>`,
  };
}
