import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import type { ConsoleContext, Faults } from '../console-frame/page.ts';
import { field, pill } from '../console-frame/parts.ts';
import { consoleText } from '../console-frame/text.ts';
import { roleFormText } from './console.text.ts';
import { type Role, roles } from './store.ts';

/** A role and its limit, of an operator or of an API key. */
export interface RoleValues {
  readonly role?: string | undefined;
  readonly applications?: readonly string[] | undefined;
}

export function roleFields(locale: OperatorLocale, { role, applications }: RoleValues, faults: Faults): Html {
  const text = roleFormText[locale];
  const options = roles.map(each => [each, consoleText[locale].roles[each]] as const);
  const limit = { name: 'applications', label: text.applications, hint: text.applicationsHint } as const;
  return html`${field({ name: 'role', label: text.role, hint: text.roleHint, value: role, kind: { options } }, faults)}
${field({ ...limit, value: applications?.join('\n'), kind: 'lines' }, faults)}
${applications?.length === 0 && html`<input type="hidden" name="limited" value="true">`}`;
}

/**
 * No application named means all of them: the field is then absent. Not where all that were named are removed: such a limit is not taken
 * away unnoticed, by a form that changes the role.
 */
export function typedRole(form: Params): RoleValues {
  const applications = (form.get('applications') ?? '').split(/[\s,]+/).filter(code => code !== '');
  return {
    role: form.get('role'),
    ...(applications.length === 0 && form.get('limited') === undefined ? {} : { applications }),
  };
}

export function roleName(locale: OperatorLocale, role: Role): Html {
  return pill(role === 'owner' ? 'ok' : 'plain', consoleText[locale].roles[role]);
}

export function limitOf(locale: OperatorLocale, applications: readonly string[] | undefined): Html {
  if (applications === undefined) return html`${roleFormText[locale].all}`;
  const links = applications.map(
    code => html`<a href="/console/applications/${encodeURIComponent(code)}">${code}</a> `,
  );
  return html`${links}`;
}

/** Operators and API keys are one place of the rail. */
export function roleTabs({ locale }: ConsoleContext, current: 'operators' | 'apiKeys'): Html {
  const text = roleFormText[locale];
  const tab = (name: typeof current, path: string) =>
    html`<a href="${path}"${name === current && html` aria-current="page"`}>${text[name]}</a>`;
  return html`<div class="tabs">${tab('operators', '/console/operators')}${tab('apiKeys', '/console/api-keys')}</div>`;
}
