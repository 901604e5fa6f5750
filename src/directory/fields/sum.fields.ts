import type { GrantTypes } from '../../oauth/token/grant-types.rules.ts';
import { type ApplicationFields, applicationFieldsOf } from '../applications/fields.ts';
import { type ClientFields, clientFieldsOf } from '../clients/fields.ts';
import type { DeclaredFields } from './declaration.fields.ts';

/** Every setting of clients and applications: what all capabilities declare together. */
export interface Fields {
  readonly client: ClientFields;
  readonly application: ApplicationFields;
}

export function sumOfFields(declared: readonly DeclaredFields[], grantTypes: GrantTypes): Fields {
  return {
    client: clientFieldsOf(
      declared.flatMap(({ client = [] }) => client),
      grantTypes,
    ),
    application: applicationFieldsOf(declared.flatMap(({ application = [] }) => application)),
  };
}
