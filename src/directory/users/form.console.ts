import { isDeepStrictEqual } from 'node:util';
import type { Faults } from '../../operators/console-frame/page.ts';
import { type Field, field } from '../../operators/console-frame/parts.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import {
  changedRoles,
  groupLines,
  namesIn,
  roleLines,
  rolesIn,
  withRoleFaults,
} from '../access/membership-form.console.ts';
import type { UserAttribute } from '../user-attributes/rules.ts';
import { attributeValueFields } from '../user-attributes/values.console.ts';
import { changedAttributeValues, typedAttributeValues } from '../user-attributes/values.ts';
import { userFormText } from './console.text.ts';

type FieldName = keyof (typeof userFormText)['en']['fields'];

export type UserValues = Readonly<Record<string, unknown>>;

const NAMES = Object.keys(userFormText.en.fields) as FieldName[];
const MAIN: readonly FieldName[] = NAMES.slice(0, NAMES.indexOf('given_name'));
const ADDRESS: readonly FieldName[] = NAMES.filter(name => name.startsWith('address.'));
const MORE: readonly FieldName[] = NAMES.filter(name => !MAIN.includes(name) && !ADDRESS.includes(name));

const KINDS: Partial<Record<FieldName, Field['kind']>> = {
  email_verified: 'check',
  phone_number_verified: 'check',
  require_password_change: 'check',
  groups: 'lines',
  roles: 'lines',
  'address.formatted': 'lines',
};

/** What most users have is open, the rest is folded away unless it has a fault. */
export function userFields(
  locale: OperatorLocale,
  values: UserValues,
  found: Faults,
  defined: readonly UserAttribute[],
): Html {
  const text = userFormText[locale];
  const faults = withRoleFaults(found);
  const fields = (names: readonly FieldName[]) =>
    names.map(name => {
      const [label, hint] = text.fields[name];
      return field({ name, label, hint, value: shown(values, name), kind: KINDS[name] ?? 'text' }, faults);
    });
  const isOpen = [...MORE, ...ADDRESS].some(name => faults.has(name));
  return html`<div class="fields">${fields(MAIN)}</div>
${attributeValueFields(locale, defined, values.attributes, found)}<details class="more"${isOpen && html` open`}><summary>${text.more}</summary><div class="fields">${fields(MORE)}</div>
<fieldset><legend>${text.address}</legend><div class="fields">${fields(ADDRESS)}</div></fieldset></details>`;
}

function shown(values: UserValues, name: FieldName): string | undefined {
  const value = fieldOf(values, name);
  if (name === 'groups') return groupLines(value);
  if (name === 'roles') return roleLines(value);
  return value === null ? undefined : String(value);
}

function fieldOf(values: UserValues, name: FieldName): unknown {
  const [head = '', part] = name.split('.');
  const value = values[head];
  return (part === undefined ? value : (value as UserValues | null | undefined)?.[part]) ?? null;
}

/** From the form to the fields of the API; null for what is empty. */
export function typedUser(form: Params, defined: readonly UserAttribute[]): UserValues {
  const user: Record<string, unknown> = {};
  const address: Record<string, unknown> = {};
  for (const name of NAMES) {
    const [head = '', part] = name.split('.');
    const typed = form.get(name)?.replaceAll('\r\n', '\n') ?? null;
    if (part !== undefined) address[part] = typed;
    else user[head] = KINDS[name] === 'check' ? typed === 'true' : typed;
  }
  const attributes = defined.length === 0 ? {} : { attributes: typedAttributeValues(defined, form) };
  return { ...user, ...typedMembership(form), address, ...attributes };
}

function typedMembership(form: Params): UserValues {
  const groups = namesIn(form.get('groups'));
  return { groups: groups.length === 0 ? null : groups, roles: rolesIn(form.get('roles')?.replaceAll('\r\n', '\n')) };
}

/** Fields that are empty are left out. */
export function newUserBody(typed: UserValues): UserValues {
  const given = ([, value]: [string, unknown]) => value !== null && value !== false;
  const address = Object.fromEntries(Object.entries(typed.address as UserValues).filter(given));
  const attributes = changedAttributeValues(undefined, typed.attributes);
  const rest = Object.entries(typed).filter(entry => !['address', 'attributes'].includes(entry[0]) && given(entry));
  return {
    ...Object.fromEntries(rest),
    ...(Object.keys(address).length === 0 ? {} : { address }),
    ...(attributes && { attributes }),
  };
}

/**
 * Only what differs is sent, so that the event names what was changed, and a new e-mail address becomes unverified although the
 * box was ticked before. An empty user name is sent, and refused.
 */
export function userChanges(current: UserValues, typed: UserValues): UserValues {
  const changes: Record<string, unknown> = {};
  const address: Record<string, unknown> = {};
  for (const name of NAMES) {
    const [head = '', part] = name.split('.');
    const value = fieldOf(typed, name);
    if (isDeepStrictEqual(value, fieldOf(current, name))) continue;
    if (part !== undefined) address[part] = value;
    else if (name === 'roles') changes.roles = changedRoles(current.roles, value);
    else changes[head] = name === 'username' ? (value ?? '') : value;
  }
  const attributes = changedAttributeValues(current.attributes, typed.attributes);
  if (attributes) changes.attributes = attributes;
  return Object.keys(address).length === 0 ? changes : { ...changes, address };
}
