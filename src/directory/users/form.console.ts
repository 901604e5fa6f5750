import { isDeepStrictEqual } from 'node:util';
import type { Faults } from '../../operators/console/page.ts';
import { type Field, field } from '../../operators/console/parts.ts';
import { inLocale } from '../../operators/console/text.ts';
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

/** The profile of a user, each field with its meaning; the names are those of the admin API. */
const words = inLocale({
  en: {
    more: 'More about the person',
    address: 'Address',
    fields: {
      username: ['User name', 'What the user signs in with. The e-mail address and telephone number work too.'],
      name: ['Full name', undefined],
      email: ['E-mail address', 'A new address is unverified until you say otherwise.'],
      phone_number: ['Telephone number', 'With the country code, such as +8613800000000.'],
      email_verified: ['The e-mail address is verified', 'Clients read it as email_verified.'],
      phone_number_verified: ['The telephone number is verified', 'Clients read it as phone_number_verified.'],
      require_password_change: ['New password required', 'The next sign-in with a password asks for a new one.'],
      nickname: ['Nickname', 'How the user wants to be called.'],
      groups: ['Groups', 'One on each line. For the claim groups, and for applications that admit some groups only.'],
      roles: ['Roles', 'One on each line, with the code of the application: shop: admin. With * it counts everywhere.'],
      given_name: ['Given name', undefined],
      family_name: ['Family name', undefined],
      middle_name: ['Middle name', undefined],
      picture: ['Picture', 'Address of an image.'],
      profile: ['Profile page', 'Address of a page about the user.'],
      website: ['Website', undefined],
      gender: ['Gender', undefined],
      birthdate: ['Date of birth', 'Such as 1990-01-31, or the year alone.'],
      zoneinfo: ['Time zone', 'Such as Europe/Paris.'],
      locale: ['Language', 'Such as en-US.'],
      'address.formatted': ['As on a letter', 'The whole address, line by line.'],
      'address.street_address': ['Street', undefined],
      'address.locality': ['Town', undefined],
      'address.region': ['Region', undefined],
      'address.postal_code': ['Postal code', undefined],
      'address.country': ['Country', undefined],
    },
  },
  zh: {
    more: '更多个人信息',
    address: '地址',
    fields: {
      username: ['用户名', '用户登录时使用。也可以用电子邮箱或电话号码登录。'],
      name: ['全名', undefined],
      email: ['电子邮箱', '新的邮箱默认为未验证，除非您另行选择。'],
      phone_number: ['电话号码', '包含国家代码，例如 +8613800000000。'],
      email_verified: ['电子邮箱已验证', '客户端读取为 email_verified。'],
      phone_number_verified: ['电话号码已验证', '客户端读取为 phone_number_verified。'],
      require_password_change: ['要求设置新密码', '下次用密码登录时须设置新密码。'],
      nickname: ['昵称', '用户希望的称呼。'],
      groups: ['用户组', '每行一个。用于声明 groups，以及只允许部分用户组访问的应用。'],
      roles: ['角色', '每行一个，前面加应用代码，例如 shop: admin。用 * 表示所有应用。'],
      given_name: ['名', undefined],
      family_name: ['姓', undefined],
      middle_name: ['中间名', undefined],
      picture: ['头像', '图片的地址。'],
      profile: ['个人主页', '介绍用户的页面地址。'],
      website: ['网站', undefined],
      gender: ['性别', undefined],
      birthdate: ['出生日期', '例如 1990-01-31，或仅填年份。'],
      zoneinfo: ['时区', '例如 Asia/Shanghai。'],
      locale: ['语言', '例如 zh-CN。'],
      'address.formatted': ['完整地址', '按信封格式，逐行填写。'],
      'address.street_address': ['街道', undefined],
      'address.locality': ['城市', undefined],
      'address.region': ['省／地区', undefined],
      'address.postal_code': ['邮政编码', undefined],
      'address.country': ['国家', undefined],
    },
  },
} as const);

type FieldName = keyof ReturnType<typeof words>['fields'];

export type UserValues = Readonly<Record<string, unknown>>;

const NAMES = Object.keys(words('en').fields) as FieldName[];
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
export function userFields(locale: OperatorLocale, values: UserValues, found: Faults): Html {
  const text = words(locale);
  const faults = withRoleFaults(found);
  const fields = (names: readonly FieldName[]) =>
    names.map(name => {
      const [label, hint] = text.fields[name];
      return field({ name, label, hint, value: shown(values, name), kind: KINDS[name] ?? 'text' }, faults);
    });
  const isOpen = [...MORE, ...ADDRESS].some(name => faults.has(name));
  return html`<div class="fields">${fields(MAIN)}</div>
<details class="more"${isOpen && html` open`}><summary>${text.more}</summary><div class="fields">${fields(MORE)}</div>
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
export function typedUser(form: Params): UserValues {
  const user: Record<string, unknown> = {};
  const address: Record<string, unknown> = {};
  for (const name of NAMES) {
    const [head = '', part] = name.split('.');
    const typed = form.get(name)?.replaceAll('\r\n', '\n') ?? null;
    if (part !== undefined) address[part] = typed;
    else user[head] = KINDS[name] === 'check' ? typed === 'true' : typed;
  }
  return { ...user, ...typedMembership(form), address };
}

function typedMembership(form: Params): UserValues {
  const groups = namesIn(form.get('groups'));
  return { groups: groups.length === 0 ? null : groups, roles: rolesIn(form.get('roles')?.replaceAll('\r\n', '\n')) };
}

/** Fields that are empty are left out. */
export function newUserBody(typed: UserValues): UserValues {
  const given = ([, value]: [string, unknown]) => value !== null && value !== false;
  const address = Object.fromEntries(Object.entries(typed.address as UserValues).filter(given));
  const rest = Object.entries(typed).filter(entry => entry[0] !== 'address' && given(entry));
  return { ...Object.fromEntries(rest), ...(Object.keys(address).length === 0 ? {} : { address }) };
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
  return Object.keys(address).length === 0 ? changes : { ...changes, address };
}
