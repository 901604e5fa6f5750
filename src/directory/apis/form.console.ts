import type { Faults } from '../../operators/console-frame/page.ts';
import { type Field, field } from '../../operators/console-frame/parts.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import type { Html } from '../../platform/ui/html.ts';
import { html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { apiFormText } from './console.text.ts';
import type { Api } from './rules.ts';

type FieldName = keyof (typeof apiFormText)['en']['fields'];

/** As the form has them: texts. */
export type ApiValues = Readonly<Partial<Record<FieldName, string>>>;

export function apiFields(
  locale: OperatorLocale,
  names: readonly FieldName[],
  values: ApiValues,
  faults: Faults,
): Html {
  const text = apiFormText[locale];
  const kinds: Partial<Record<FieldName, Field['kind']>> = {
    scopes: 'lines',
    access_token_format: { options: text.formats },
    access_token_ttl: 'number',
    require_dpop: 'check',
    authorization_details_types: 'lines',
  };
  return html`${names.map(name => {
    const [label, hint] = text.fields[name];
    const required = name === 'identifier' || name === 'name';
    return field({ name, label, hint, value: values[name], kind: kinds[name] ?? 'text', required }, faults);
  })}`;
}

/** The identifier stays: clients and tokens name it. */
export const CHANGEABLE = [
  'name',
  'scopes',
  'access_token_format',
  'access_token_ttl',
  'require_dpop',
  'authorization_details_types',
] as const;
export const OF_NEW_API = ['identifier', ...CHANGEABLE] as const;

export function shownApi(api: Api): ApiValues {
  const { identifier, name, scopes, access_token_format, access_token_ttl, require_dpop } = api;
  const { authorization_details_types: types } = api;
  return {
    identifier,
    name,
    scopes: Object.entries(scopes)
      .map(([scope, text]) => `${scope} = ${text}`)
      .join('\n'),
    access_token_format: access_token_format ?? '',
    access_token_ttl: access_token_ttl === undefined ? '' : String(access_token_ttl),
    require_dpop: String(require_dpop),
    authorization_details_types: types === undefined ? '' : JSON.stringify(types, undefined, 2),
  };
}

export function typedApi(form: Params): ApiValues {
  return Object.fromEntries(OF_NEW_API.map(name => [name, form.get(name)?.trim() ?? '']));
}

/** The fields of the admin API. What is no number stays as it was typed, so that the operation says what is wrong with it. */
export function apiBody(typed: ApiValues) {
  const { name, scopes = '', access_token_format, access_token_ttl = '', require_dpop } = typed;
  return {
    name,
    scopes: Object.fromEntries(scopeLines(scopes)),
    access_token_format: access_token_format || undefined,
    access_token_ttl: /^\d{1,9}$/.test(access_token_ttl) ? Number(access_token_ttl) : access_token_ttl || undefined,
    require_dpop: require_dpop === 'true',
    authorization_details_types: jsonOf(typed.authorization_details_types ?? ''),
  };
}

/** Undefined: nothing was typed. What is no JSON stays a text, so that the operation says so. */
function jsonOf(typed: string): unknown {
  if (typed === '') return undefined;
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
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
  return repeated === undefined ? undefined : new Map([['scopes', apiFormText[locale].repeated(repeated)]]);
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
