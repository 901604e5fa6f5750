import { assertionAlgs } from '../../oauth/client-authentication/client-assertion.rules.ts';
import { signingAlgs } from '../../oauth/signing-keys/algorithms.rules.ts';
import { scopesOf } from '../../oauth/token/scope.rules.ts';
import type { ConsoleContext, Faults } from '../../operators/console/page.ts';
import { type Field, field, jsonOrText } from '../../operators/console/parts.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import { type Api, apisWithScope } from '../apis/rules.ts';
import { authMethods, claimsForms, grantTypes } from './rules.ts';
import { CLIENT_GROUPS, type ClientField, type ClientGroup, type ClientWords, clientWords } from './words.console.ts';

/** The settings of a client: from the values of the admin API to a form, and back to the body of an operation. */
export type ClientValues = Readonly<Record<string, unknown>>;

/** What a new client has if nothing is said; the schema says the same (fields.ts). */
export const NEW_CLIENT: ClientValues = {
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'client_secret_basic',
  scope: 'openid profile email phone',
  userinfo_claims: 'documented',
  access_token_format: 'opaque',
  refresh_token_rotation: true,
};

const FLAGS: readonly string[] = [
  'require_consent',
  'require_pkce',
  'require_client_authentication',
  'require_pushed_authorization_requests',
  'dpop_bound_access_tokens',
  'refresh_token_rotation',
] satisfies ClientField[];
const LINES: readonly string[] = ['redirect_uris', 'post_logout_redirect_uris'] satisfies ClientField[];
const NUMBERS: readonly string[] = ['refresh_token_grace', 'default_max_age'] satisfies ClientField[];
const FIELDS = Object.values(CLIENT_GROUPS).flat() as ClientField[];

/** What a client can have of the application of the address. */
export interface ClientAccess {
  readonly scopes: readonly string[];
  readonly apis: readonly Api[];
}

export async function accessFor({ services, params }: ConsoleContext): Promise<ClientAccess> {
  const { code = '' } = params;
  const { apis = [] } = (await services.registry.application(code)) ?? {};
  return { scopes: scopesOf({ code, apis }), apis };
}

export interface ClientForm {
  readonly access: ClientAccess;
  readonly values: ClientValues;
  readonly faults: Faults;
  /** A client cannot become public or confidential: such a choice is not offered. */
  readonly registered: boolean;
}

export function clientFields(locale: OperatorLocale, form: ClientForm): Html {
  const words = clientWords(locale);
  const groups = Object.keys(CLIENT_GROUPS) as ClientGroup[];
  return html`${groups.map(group => {
    const id = group === 'identity' && !form.registered ? (['client_id'] as const) : [];
    const secret = group === 'authentication' && !form.registered ? (['client_secret'] as const) : [];
    const [first, ...rest] = CLIENT_GROUPS[group].filter(name => isOffered(name, form));
    const names = [...(first ? [first] : []), ...id, ...rest, ...secret];
    return html`<fieldset><legend>${words.groups[group]}</legend>
${names.map(name => control(words, name, form))}</fieldset>
`;
  })}`;
}

function isOffered(name: ClientField, { access }: ClientForm): boolean {
  return name !== 'apis' || access.apis.length > 0;
}

function control(words: ClientWords, name: ClientField | 'client_id' | 'client_secret', form: ClientForm): Html {
  const { values, faults, access } = form;
  const [label, hint] = words.fields[name];
  if (name === 'grant_types') return choices(name, label, hint, grantTypes, values[name], faults, words.choices);
  if (name === 'scope') return choices(name, label, hint, access.scopes, values[name], faults, scopeNames(access));
  if (name === 'apis') {
    const names = Object.fromEntries(access.apis.map(api => [api.identifier, `${api.name} (${api.identifier})`]));
    return choices(name, label, hint, Object.keys(names), values[name], faults, names);
  }
  const kind = kindOf(words, name, form);
  const value = name === 'client_secret' ? undefined : shown(name, values[name]);
  const autocomplete = name === 'client_secret' ? 'new-password' : 'off';
  return field(
    { name, label, hint, value, kind, autocomplete },
    name === 'jwks' ? withFaultsInside(name, faults) : faults,
  );
}

/** A fault of one of the keys is one of the field. */
function withFaultsInside(name: string, faults: Faults): Faults {
  const fault = faults.get(name) ?? faults.get(`${name}.keys`);
  return fault === undefined ? faults : new Map([...faults, [name, fault]]);
}

/** A scope of APIs is shown with the names of those that have it. */
function scopeNames({ scopes, apis }: ClientAccess): Record<string, string> {
  const named = scopes.map(scope => {
    const owners = apisWithScope({ apis }, scope).map(({ name }) => name);
    return [scope, owners.length === 0 ? scope : `${scope} (${owners.join(', ')})`];
  });
  return Object.fromEntries(named);
}

function kindOf(words: ClientWords, name: string, { registered, values }: ClientForm): NonNullable<Field['kind']> {
  const options = (known: readonly string[]) => known.map(each => [each, words.choices[each] ?? each] as const);
  const byDefault = ['', words.byDefault] as const;
  if (FLAGS.includes(name)) return 'check';
  if (LINES.includes(name) || name === 'jwks') return 'lines';
  switch (name) {
    case 'token_endpoint_auth_method': {
      const isPublic = values[name] === 'none';
      return { options: options(authMethods.filter(each => !registered || (each === 'none') === isPublic)) };
    }
    case 'token_endpoint_auth_signing_alg':
      return { options: [['', words.anyAlg], ...options(assertionAlgs)] };
    case 'id_token_signed_response_alg':
      return { options: [byDefault, ...options(signingAlgs)] };
    case 'id_token_claims':
      return { options: [byDefault, ...options(['scope', 'minimal'])] };
    case 'userinfo_claims':
      return { options: options(claimsForms) };
    case 'access_token_format':
      return { options: options(['opaque', 'jwt']) };
    case 'refresh_token_grace':
    case 'default_max_age':
      return 'number';
    case 'client_secret':
      return 'password';
    default:
      return 'text';
  }
}

/** A set of boxes that make one list. */
function choices(
  name: string,
  label: string,
  hint: string,
  known: readonly string[],
  value: unknown,
  faults: Faults,
  names: Readonly<Record<string, string>>,
): Html {
  const chosen = Array.isArray(value) ? (value as string[]) : String(value ?? '').split(' ');
  const fault = faults.get(name);
  const described = fault === undefined ? `${name}-hint` : `${name}-hint ${name}-fault`;
  const atFault = fault !== undefined && html` aria-invalid="true" aria-describedby="${name}-fault"`;
  const boxes = known.map(each => {
    const id = `${name}.${each}`;
    return html`<div class="check"><input type="checkbox" id="${id}" name="${id}" value="true"${chosen.includes(each) && html` checked`}${atFault}><label for="${id}">${names[each] ?? each}</label></div>\n`;
  });
  return html`<fieldset class="field choices" aria-describedby="${described}"><legend>${label}</legend>
${boxes}${fault !== undefined && html`<p class="fault" id="${name}-fault">${fault}</p>`}<p class="hint" id="${name}-hint">${hint}</p></fieldset>
`;
}

function shown(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (name === 'jwks' && typeof value === 'object') return JSON.stringify(value, null, 2);
  return Array.isArray(value) ? value.join(LINES.includes(name) ? '\n' : ' ') : String(value);
}

/** What the form says. A field that was left empty is null, which resets it to its default (RFC 7396). */
export function typedClient(access: ClientAccess, form: Params): ClientValues {
  return Object.fromEntries(FIELDS.map(name => [name, typedValue(access, name, form)]));
}

function typedValue({ scopes, apis }: ClientAccess, name: ClientField, form: Params): unknown {
  const chosen = (known: readonly string[]) => known.filter(each => form.get(`${name}.${each}`) === 'true');
  if (name === 'grant_types') return chosen(grantTypes);
  if (name === 'scope') return chosen(scopes).join(' ');
  if (name === 'apis') return listOrNull(chosen(apis.map(({ identifier }) => identifier)));
  const typed = form.get(name)?.trim();
  if (FLAGS.includes(name)) return typed === 'true';
  if (LINES.includes(name)) return (typed ?? '').split(/\s+/).filter(line => line !== '');
  if (typed === undefined || typed === '') return null;
  if (name === 'jwks') return jsonOrText(typed);
  if (name === 'default_acr_values') return typed.split(/\s+/);
  // What is no number stays as it was typed, so that the operation says what is wrong with it.
  return NUMBERS.includes(name) && /^\d{1,9}$/.test(typed) ? Number(typed) : typed;
}

function listOrNull(list: readonly string[]): readonly string[] | null {
  return list.length === 0 ? null : list;
}

/** The body that makes a client: what was left empty is not in it. */
export function newClientBody(typed: ClientValues): ClientValues {
  return Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== null && value !== undefined));
}

/** The fields that differ from the client: the event then names what was changed, and nothing else. */
export function changesTo(current: ClientValues, typed: ClientValues): ClientValues {
  const isSame = (name: string, value: unknown) => comparable(name, value) === comparable(name, current[name]);
  return Object.fromEntries(Object.entries(typed).filter(([name, value]) => !isSame(name, value)));
}

/** The order of scopes, grants and APIs means nothing. */
function comparable(name: string, value: unknown): string {
  if (name === 'scope')
    return String(value ?? '')
      .split(' ')
      .sort()
      .join(' ');
  if ((name === 'grant_types' || name === 'apis') && Array.isArray(value)) return [...value].sort().join(' ');
  if (name === 'apis') return '';
  return JSON.stringify(value ?? null);
}
