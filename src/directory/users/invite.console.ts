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
import type { Params } from '../../platform/http/params.rules.ts';
import { html } from '../../platform/ui/html.ts';
import { type Locale, locales } from '../../platform/ui/locale.rules.ts';
import { inviteUser as invite } from './invitations.operations.ts';

const words = inLocale({
  en: {
    title: 'Invite a user',
    intro:
      'The user gets a mail with a link to set a password. It works once, for 7 days, and confirms the e-mail address.',
    email: 'E-mail address',
    username: 'User name',
    usernameHint: 'Left empty, the e-mail address is the user name.',
    name: 'Full name',
    locale: 'Language of the mail',
    languages: { en: 'English', zh: 'Chinese', de: 'German' } satisfies Record<Locale, string>,
    requireMfa: 'Must have a second factor',
    requireMfaHint: 'The user sets one up at the first sign-in.',
    send: 'Send the invitation',
  },
  zh: {
    title: '邀请用户',
    intro: '用户会收到一封带有链接的邮件，用于设置密码。该链接只能使用一次，7 天内有效，并会验证邮箱。',
    email: '电子邮箱',
    username: '用户名',
    usernameHint: '留空时以电子邮箱作为用户名。',
    name: '全名',
    locale: '邮件语言',
    languages: { en: '英文', zh: '中文', de: '德文' },
    requireMfa: '必须启用第二重验证',
    requireMfaHint: '用户首次登录时设置。',
    send: '发送邀请',
  },
});

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
  const text = words(locale);
  const languages = { options: locales.map(each => [each, text.languages[each]] as const) };
  return {
    title: text.title,
    crumbs: [[consoleText(locale).places.users, '/console/users']],
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
