import type { ConsoleContext, Faults } from '../../operators/console-frame/page.ts';
import { copyable } from '../../operators/console-frame/parts.ts';
import { settingRow } from '../../operators/console-frame/setting-rows.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { type ProviderField, type ProviderSection, providerSections } from '../fields/declaration.fields.ts';
import { fieldRows, fieldsOfSection, typedValues, type Values } from '../fields/form.console.ts';
import { addressText } from './console.text.ts';
import { callbackOf } from './rules.ts';

/** The form of a provider of a type, by its sections. Identifier and type are not in it: they are chosen once. */
export interface ProviderForm {
  readonly all: readonly ProviderField[];
  fieldsOf(section: ProviderSection): readonly ProviderField[];
  rows(fields: readonly ProviderField[], values: Values, faults: Faults): Html | false;
  typed(fields: readonly ProviderField[], form: Params): Values;
}

export async function providerForm(
  { services, locale }: Pick<ConsoleContext, 'services' | 'locale'>,
  type: string,
  stored?: Values,
): Promise<ProviderForm> {
  const { declared } = (await services.tables.fields()).provider;
  const all = declared
    .filter(field => !CHOSEN_ONCE.includes(field.name) && isOfType(field, type) && !isWithout(field, type))
    .map(field => (type === 'apple' && field.name === 'client_secret' ? asPrivateKey(field) : field));
  const held = stored?.secrets as readonly string[] | undefined;
  const isRequired = (field: ProviderField) => isNeededBy(field, type) && field.insteadOf === undefined;
  const needed = all.filter(isRequired).map(({ name }) => name);
  return {
    all,
    fieldsOf: section => fieldsOfSection(all, section, stored === undefined),
    rows: (fields, values, faults) => fieldRows(locale, fields, { values, faults, stored, held, needed }),
    typed: (fields, form) => typedValues(fields, form),
  };
}

/** Of Apple it is a private key in PEM, which has lines. */
function asPrivateKey(field: ProviderField): ProviderField {
  return { ...field, control: 'area' };
}

const CHOSEN_ONCE: readonly string[] = ['id', 'type'];

function isOfType({ types }: ProviderField, type: string): boolean {
  return types === undefined || types.some(each => each === type);
}

/** Fields that every type may have, and that mean nothing with these: nobody goes to a directory by an address, and it has attributes, not claims. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = {
  ldap: ['domains', 'claims'],
  'password-check': ['domains'],
};

function isWithout({ name }: ProviderField, type: string): boolean {
  return WITHOUT[type]?.includes(name) === true;
}

function isNeededBy({ neededBy = [] }: ProviderField, type: string): boolean {
  return neededBy.some(each => each === type);
}

/** Keys that this server makes when it first needs them. */
const MADE_HERE: readonly string[] = ['private_keys'];

/** What most providers of a type are asked with, though it is not needed. */
const ALSO_ASKED: Readonly<Record<string, readonly string[]>> = {
  ldap: ['bind_dn'],
  microsoft: ['tenant'],
  apple: ['team_id', 'key_id'],
};

/** What no default can know: what the type needs, and its secrets. The name is asked with the identifier. */
export function askedFields({ all }: ProviderForm, type: string): readonly ProviderField[] {
  const others = ALSO_ASKED[type] ?? [];
  const alternatives = all.flatMap(field => (isNeededBy(field, type) ? (field.insteadOf ?? []) : []));
  const isAsked = (field: ProviderField) =>
    (field.isSecret === true && !MADE_HERE.includes(field.name)) ||
    isNeededBy(field, type) ||
    alternatives.includes(field.name) ||
    others.includes(field.name);
  return providerSections.flatMap(section => all.filter(field => field.section === section && isAsked(field)));
}

/** The form is asked in the ordinary sign-in form: nothing is registered there. */
const WITHOUT_ADDRESS: readonly string[] = ['ldap', 'password-check'];

type AddressName = keyof (typeof addressText)['en'];

type AddressOf = (baseUrl: string, id: string) => string;

const keysOf: AddressOf = (baseUrl, id) => `${baseUrl}/login/provider/${id}/jwks`;
const metadataOf: AddressOf = (baseUrl, id) => `${baseUrl}/login/provider/${id}/metadata`;

/** What is registered at the provider, from its identifier. */
function addressesOf(type: string, provider: Values = {}): readonly (readonly [AddressName, AddressOf])[] {
  if (WITHOUT_ADDRESS.includes(type)) return [];
  if (type === 'saml') {
    return [
      ['consumer', callbackOf],
      ['metadata', metadataOf],
    ];
  }
  const hasKeys = provider.token_endpoint_auth_method === 'private_key_jwt';
  return [['callback', callbackOf], ...(hasKeys ? [['keys', keysOf] as const] : [])];
}

/** Rows to copy from. Without a provider, the script puts in the identifier that is typed above them. */
export function addressRows(
  { services, locale }: Pick<ConsoleContext, 'services' | 'locale'>,
  type: string,
  id: string,
  provider?: Values,
): readonly Html[] {
  const { baseUrl } = services.config;
  return addressesOf(type, provider).map(([name, address]) => {
    const [label, hint] = addressText[locale][name];
    const shown = copyable(locale, address(baseUrl, id));
    const live = !provider
      ? html`<span data-with="id" data-pattern="${address(baseUrl, PLACE)}">${shown}</span>`
      : shown;
    return settingRow(label, hint, live);
  });
}

/** No identifier has these characters. */
const PLACE = '{id}';

export function hasAddress(type: string): boolean {
  return addressesOf(type).length > 0;
}

/** What an operator calls the type. */
export function typeName(texts: Readonly<Record<string, { readonly name: string }>>, type: string): string {
  return Object.hasOwn(texts, type) ? (texts[type]?.name ?? type) : type;
}
