import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import type { ConsoleContext, Faults } from '../console/page.ts';
import { field, pill } from '../console/parts.ts';
import { consoleText, inLocale } from '../console/text.ts';
import { type Role, roles } from './store.ts';

/** A role and its limit, of an operator or of an API key. */
const words = inLocale({
  en: {
    role: 'Role',
    roleHint:
      'An auditor reads everything but secrets. An operator also changes applications, clients and users. An owner may do everything.',
    applications: 'Only these applications',
    applicationsHint: 'One code per line. Empty: all applications, and users, operators and settings.',
    all: 'All',
    operators: 'Operators',
    apiKeys: 'API keys',
  },
  zh: {
    role: '角色',
    roleHint: '审计员可以查看除机密以外的所有内容。管理员还可以更改应用、客户端和用户。所有者可以执行所有操作。',
    applications: '仅限这些应用',
    applicationsHint: '每行一个代码。留空：所有应用，以及用户、管理员和设置。',
    all: '全部',
    operators: '管理员',
    apiKeys: 'API 密钥',
  },
});

export interface RoleValues {
  readonly role?: string | undefined;
  readonly applications?: readonly string[] | undefined;
}

export function roleFields(locale: OperatorLocale, { role, applications = [] }: RoleValues, faults: Faults): Html {
  const text = words(locale);
  const options = roles.map(each => [each, consoleText(locale).roles[each]] as const);
  const limit = { name: 'applications', label: text.applications, hint: text.applicationsHint } as const;
  return html`${field({ name: 'role', label: text.role, hint: text.roleHint, value: role, kind: { options } }, faults)}
${field({ ...limit, value: applications.join('\n'), kind: 'lines' }, faults)}`;
}

/** No application named means all of them: the field is then absent. */
export function typedRole(form: Params): RoleValues {
  const applications = (form.get('applications') ?? '').split(/[\s,]+/).filter(code => code !== '');
  return { role: form.get('role'), ...(applications.length === 0 ? {} : { applications }) };
}

export function roleName(locale: OperatorLocale, role: Role): Html {
  return pill(role === 'owner' ? 'ok' : 'plain', consoleText(locale).roles[role]);
}

export function limitOf(locale: OperatorLocale, applications: readonly string[] | undefined): Html {
  if (applications === undefined) return html`${words(locale).all}`;
  const links = applications.map(
    code => html`<a href="/console/applications/${encodeURIComponent(code)}">${code}</a> `,
  );
  return html`${links}`;
}

/** Operators and API keys are one place of the rail. */
export function roleTabs({ locale }: ConsoleContext, current: 'operators' | 'apiKeys'): Html {
  const text = words(locale);
  const tab = (name: typeof current, path: string) =>
    html`<a href="${path}"${name === current && html` aria-current="page"`}>${text[name]}</a>`;
  return html`<div class="tabs">${tab('operators', '/console/operators')}${tab('apiKeys', '/console/api-keys')}</div>`;
}
