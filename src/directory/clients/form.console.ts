import { scopesOf } from '../../oauth/token/scope.rules.ts';
import type { ConsoleContext, Faults } from '../../operators/console-frame/page.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import type { Html } from '../../platform/ui/html.ts';
import { apisWithScope } from '../apis/rules.ts';
import type { ClientField, ClientSection } from '../fields/declaration.fields.ts';
import {
  controlsOf,
  fieldRows,
  fieldsOfSection,
  type Offered,
  typedValues,
  type Values,
} from '../fields/form.console.ts';
import { authMethods } from './rules.ts';

/** The form of a client of the application of the address, by its sections. `stored`: the client as it is, where the form changes one. */
export interface ClientForm {
  fieldsOf(section: ClientSection): readonly ClientField[];
  rows(fields: readonly ClientField[], values: Values, faults: Faults): Html | false;
  typed(fields: readonly ClientField[], form: Params): Values;
}

export async function clientForm(context: ConsoleContext, stored?: Values): Promise<ClientForm> {
  const { services, locale } = context;
  const [{ client }, controls] = await Promise.all([services.tables.fields(), controlsOf(services.tables)]);
  const { declared } = client;
  const offered = { ...(await accessOffered(context)), ...methodsFor(declared, context, stored) };
  return {
    fieldsOf: section => fieldsOfSection(declared, section, stored === undefined),
    rows: (fields, values, faults) => fieldRows(locale, fields, { values, faults, stored, offered }, controls),
    typed: (fields, form) => typedValues(fields, form, { offered, controls }),
  };
}

/** A scope of APIs is shown with the names of those that have it. */
async function accessOffered({ services, params }: ConsoleContext): Promise<Offered> {
  const { code = '' } = params;
  const { apis = [], user_attributes: attributes = [] } = (await services.registry.application(code)) ?? {};
  const scopes = scopesOf({ code, apis, user_attributes: attributes }).map(scope => {
    const owners = apisWithScope({ apis }, scope).map(({ name }) => name);
    return [scope, owners.length === 0 ? scope : `${scope} (${owners.join(', ')})`] as const;
  });
  return { scope: scopes, apis: apis.map(({ identifier, name }) => [identifier, `${name} (${identifier})`] as const) };
}

/** A client cannot become public or confidential: such a choice is not offered. */
function methodsFor(declared: readonly ClientField[], { locale }: ConsoleContext, stored: Values | undefined): Offered {
  if (stored === undefined) return {};
  const isPublic = stored.token_endpoint_auth_method === 'none';
  const { choices } = declared.find(({ name }) => name === 'token_endpoint_auth_method') ?? {};
  const methods = authMethods.filter(each => (each === 'none') === isPublic);
  return { token_endpoint_auth_method: methods.map(each => [each, choices?.[locale][each] ?? each] as const) };
}
