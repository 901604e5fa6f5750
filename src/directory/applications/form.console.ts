import { selfRegistrationBody, selfRegistrationFields } from '../../oauth/registration/form.console.ts';
import { signingAlgs } from '../../oauth/signing-keys/algorithms.rules.ts';
import { exchangeBody, exchangeFields } from '../../oauth/token-exchange/form.console.ts';
import type { Faults } from '../../operators/console/page.ts';
import { type Field, field } from '../../operators/console/parts.ts';
import { inLocale } from '../../operators/console/text.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { accessBody, accessFields } from '../access/form.console.ts';
import { type ApplicationValues, brandingBody, brandingFields } from '../branding/form.console.ts';
import { mfaPolicies } from './rules.ts';

/** The settings of an application, each with its meaning; the names are those of the admin API. */
const words = inLocale({
  en: {
    name: ['Name', 'Shown to people on the sign-in and consent pages.'],
    strict_oidc: [
      'Strict OpenID Connect',
      'Answers as the specifications say, without the habits of the documented interface.',
    ],
    access_token_ttl: ['Access token, seconds', 'How long an access token is good.'],
    id_token_ttl: ['ID token, seconds', 'How long an ID token is good.'],
    refresh_token_ttl: ['Refresh token, seconds', 'How long a refresh token is good if it is not used.'],
    refresh_family_ttl: [
      'Longest sign-in, seconds',
      'After this time a user signs in again, however often the client refreshed.',
    ],
    id_token_signed_response_alg: [
      'Signature of ID tokens',
      'For clients that have none of their own. RS256 works with every library.',
    ],
    password_min_length: ['Shortest password, characters', 'For passwords that people set through this application.'],
    mfa: ['Second factor', 'off: never asked. optional: asked of people who have one. required: asked of all.'],
    trusted_browsers: [
      'Trusted browsers',
      'People may choose not to be asked for the second factor in the same browser for 30 days.',
    ],
    sign_up: [
      'People can sign up',
      'The sign-in page offers to create an account. The e-mail address is confirmed first.',
    ],
    require_verified_email: [
      'Verified e-mail address required',
      'People whose address is not verified are asked for the code of a mail before they get in.',
    ],
    passkeys: ['Passkeys', 'People can sign in with a passkey instead of the password, and as second factor.'],
    userinfo_acr_values: [
      'Class of the login for userinfo',
      '1, 2 or phr, separated by spaces: userinfo answers only tokens of such a login or a stronger one, and tells the client to ask for it (step-up, RFC 9470). Empty: every login is good.',
    ],
    userinfo_max_age: [
      'Age of the login for userinfo, seconds',
      'Userinfo answers only tokens of a login that is not older, and tells the client to ask for a new one. Empty: every age is good.',
    ],
  },
  zh: {
    name: ['名称', '在登录页面和授权页面上显示给用户。'],
    strict_oidc: ['严格 OpenID Connect', '完全按规范应答，不沿用文档接口的习惯。'],
    access_token_ttl: ['访问令牌（秒）', '访问令牌的有效期。'],
    id_token_ttl: ['ID 令牌（秒）', 'ID 令牌的有效期。'],
    refresh_token_ttl: ['刷新令牌（秒）', '刷新令牌未使用时的有效期。'],
    refresh_family_ttl: ['最长登录时间（秒）', '超过此时间后，无论客户端刷新多少次，用户都需要重新登录。'],
    id_token_signed_response_alg: ['ID 令牌签名算法', '用于没有单独设置的客户端。RS256 适用于所有库。'],
    password_min_length: ['密码最短长度（字符）', '适用于用户通过此应用设置的密码。'],
    mfa: ['双重验证', 'off：从不要求。optional：要求已设置的用户。required：要求所有用户。'],
    trusted_browsers: ['受信任的浏览器', '用户可以选择在同一浏览器中 30 天内不再进行双重验证。'],
    sign_up: ['允许用户注册', '登录页面提供创建账户的选项，须先确认电子邮箱。'],
    require_verified_email: ['要求已验证的邮箱', '邮箱未验证的用户须先输入邮件中的验证码才能登录。'],
    passkeys: ['通行密钥', '用户可以使用通行密钥代替密码登录，也可以将其用于双重验证。'],
    userinfo_acr_values: [
      'userinfo 要求的登录级别',
      '1、2 或 phr，以空格分隔：userinfo 只应答达到此级别的登录的令牌，否则要求客户端重新请求（RFC 9470）。留空则不限制。',
    ],
    userinfo_max_age: [
      'userinfo 要求的登录时间（秒）',
      'userinfo 只应答登录不超过此时间的令牌，否则要求客户端重新请求登录。留空则不限制。',
    ],
  },
} as const);

type FieldName = keyof ReturnType<typeof words>;

const KINDS: Partial<Record<FieldName, Field['kind']>> = {
  strict_oidc: 'check',
  trusted_browsers: 'check',
  sign_up: 'check',
  require_verified_email: 'check',
  passkeys: 'check',
  access_token_ttl: 'number',
  id_token_ttl: 'number',
  refresh_token_ttl: 'number',
  refresh_family_ttl: 'number',
  password_min_length: 'number',
  userinfo_max_age: 'number',
  id_token_signed_response_alg: { options: signingAlgs.map(alg => [alg, alg] as const) },
  mfa: { options: mfaPolicies.map(policy => [policy, policy] as const) },
};

/** `stored`: the application as it is, where the form changes one. */
export function applicationFields(
  locale: OperatorLocale,
  values: ApplicationValues,
  faults: Faults,
  stored?: ApplicationValues,
): Html {
  const text = words(locale);
  const names = Object.keys(text) as FieldName[];
  return html`${names.map(name => {
    const [label, hint] = text[name];
    const value = shown(values[name]);
    return field({ name, label, hint, value, kind: KINDS[name] ?? 'text', required: name === 'name' }, faults);
  })}${accessFields(locale, values, faults)}${exchangeFields(locale, values, faults, stored)}${selfRegistrationFields(locale, values, faults)}${brandingFields(locale, values, faults, stored)}`;
}

/** From the form to the body of an operation. An empty number is left to its default. */
export function applicationBody(form: Params): ApplicationValues {
  const body: Record<string, unknown> = {};
  for (const name of Object.keys(words('en')) as FieldName[]) {
    const typed = form.get(name);
    if (KINDS[name] === 'check') body[name] = typed === 'true';
    else if (OPTIONAL.includes(name)) body[name] = optionalValue(name, typed);
    else if (typed !== undefined) body[name] = KINDS[name] === 'number' ? asNumber(typed) : typed;
  }
  return { ...body, ...accessBody(form), ...exchangeBody(form), ...selfRegistrationBody(form), ...brandingBody(form) };
}

/** What has no default: left empty, it is not set. */
const OPTIONAL: readonly FieldName[] = ['userinfo_acr_values', 'userinfo_max_age'];

function optionalValue(name: FieldName, typed: string | undefined): unknown {
  const text = typed?.trim() ?? '';
  if (text === '') return null;
  return name === 'userinfo_acr_values' ? text.split(/\s+/) : asNumber(text);
}

function shown(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return Array.isArray(value) ? value.join(' ') : String(value);
}

/** What is no number stays as it was typed, so that the operation says what is wrong with it. */
function asNumber(typed: string): number | string {
  return /^\d{1,15}$/.test(typed.trim()) ? Number(typed) : typed;
}
