import type { Faults } from '../../operators/console/page.ts';
import { type Field, field } from '../../operators/console/parts.ts';
import { inLocale } from '../../operators/console/text.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import type { Html } from '../../platform/ui/html.ts';
import { html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import type { Api } from './rules.ts';

/** The settings of an API, each with its meaning; the names are those of the admin API. */
const words = inLocale({
  en: {
    fields: {
      identifier: [
        'Identifier',
        'An absolute URI, such as https://api.shop.example: the audience of its access tokens, and the value of resource. It cannot be changed later.',
      ],
      name: ['Name', 'Shown to people on the consent page.'],
      scopes: [
        'Scopes',
        'One per line: scope = text. The consent page shows the text, as in orders:read = Read your orders.',
      ],
      access_token_format: ['Access tokens', 'The format of its access tokens, whatever the client has.'],
      access_token_ttl: [
        'Access token, seconds',
        'How long its access tokens are good. Empty: as the application says.',
      ],
      require_dpop: [
        'Only tokens that are bound to a key',
        'Clients prove possession of a key (DPoP, RFC 9449) to get its access tokens, and with each use of them.',
      ],
    },
    formats: [
      ['', 'As the client says'],
      ['opaque', 'Opaque'],
      ['jwt', 'JWT (RFC 9068)'],
    ],
    repeated: (scope: string) => `${scope} stands on two lines.`,
  },
  zh: {
    fields: {
      identifier: [
        '标识符',
        '绝对 URI，如 https://api.shop.example：访问令牌的受众，也是 resource 参数的值。之后不能更改。',
      ],
      name: ['名称', '在授权页面上显示给用户。'],
      scopes: ['范围（scope）', '每行一个：范围 = 说明。授权页面显示说明，例如 orders:read = 查看您的订单。'],
      access_token_format: ['访问令牌', '此 API 的访问令牌格式，优先于客户端的设置。'],
      access_token_ttl: ['访问令牌（秒）', '此 API 的访问令牌有效期。留空则由应用决定。'],
      require_dpop: [
        '只接受绑定密钥的令牌',
        '客户端在获取和每次使用此 API 的访问令牌时，须证明持有密钥（DPoP，RFC 9449）。',
      ],
    },
    formats: [
      ['', '由客户端决定'],
      ['opaque', '不透明'],
      ['jwt', 'JWT（RFC 9068）'],
    ],
    repeated: (scope: string) => `${scope} 出现在两行中。`,
  },
} as const);

type FieldName = keyof ReturnType<typeof words>['fields'];

/** As the form has them: texts. */
export type ApiValues = Readonly<Partial<Record<FieldName, string>>>;

export function apiFields(
  locale: OperatorLocale,
  names: readonly FieldName[],
  values: ApiValues,
  faults: Faults,
): Html {
  const text = words(locale);
  const kinds: Partial<Record<FieldName, Field['kind']>> = {
    scopes: 'lines',
    access_token_format: { options: text.formats },
    access_token_ttl: 'number',
    require_dpop: 'check',
  };
  return html`${names.map(name => {
    const [label, hint] = text.fields[name];
    const required = name === 'identifier' || name === 'name';
    return field({ name, label, hint, value: values[name], kind: kinds[name] ?? 'text', required }, faults);
  })}`;
}

/** The identifier stays: clients and tokens name it. */
export const CHANGEABLE = ['name', 'scopes', 'access_token_format', 'access_token_ttl', 'require_dpop'] as const;
export const OF_NEW_API = ['identifier', ...CHANGEABLE] as const;

export function shownApi(api: Api): ApiValues {
  const { identifier, name, scopes, access_token_format, access_token_ttl, require_dpop } = api;
  return {
    identifier,
    name,
    scopes: Object.entries(scopes)
      .map(([scope, text]) => `${scope} = ${text}`)
      .join('\n'),
    access_token_format: access_token_format ?? '',
    access_token_ttl: access_token_ttl === undefined ? '' : String(access_token_ttl),
    require_dpop: String(require_dpop),
  };
}

export function typedApi(form: Params): ApiValues {
  return Object.fromEntries(OF_NEW_API.map(name => [name, form.get(name)?.trim() ?? '']));
}

/** The fields of the admin API. What is no number stays as it was typed, so that the operation says what is wrong with it. */
export function apiBody({ name, scopes = '', access_token_format, access_token_ttl = '', require_dpop }: ApiValues) {
  return {
    name,
    scopes: Object.fromEntries(scopeLines(scopes)),
    access_token_format: access_token_format || undefined,
    access_token_ttl: /^\d{1,9}$/.test(access_token_ttl) ? Number(access_token_ttl) : access_token_ttl || undefined,
    require_dpop: require_dpop === 'true',
  };
}

/** A scope may contain an equals sign; spaces around it end the scope all the same. */
function scopeLines(typed: string): [scope: string, text: string][] {
  return typed
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .map(line => {
      const [, scope = line, text = ''] = /^(\S+)\s+=\s+(.*)$/.exec(line) ?? /^([^=]*)=(.*)$/.exec(line) ?? [];
      return [scope.trim(), text.trim()];
    });
}

/** A scope that stands twice would lose one of its texts without a word. */
export function repeatedScope(locale: OperatorLocale, { scopes = '' }: ApiValues): Faults | undefined {
  const names = scopeLines(scopes).map(([scope]) => scope);
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  return repeated === undefined ? undefined : new Map([['scopes', words(locale).repeated(repeated)]]);
}

/** From the faults of the application, `apis.name` or `apis.scopes.orders`, to those of the form. */
export function apiFaults(faults: Faults): Faults {
  const inForm = new Map<string, string>();
  for (const [place, text] of faults) {
    const [list, name = '', ...scope] = place.split('.');
    // A policy of token exchange names a scope that the form leaves out.
    if (list === 'token_exchange') inForm.set('scopes', `token_exchange: ${text}`);
    else if (list !== 'apis') inForm.set(place, text);
    else inForm.set(name, scope.length === 0 ? text : `${scope.join('.')}: ${text}`);
  }
  return inForm;
}
