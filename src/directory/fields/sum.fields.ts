import { type Events, eventTypes } from '../../events.ts';
import type { GrantTypes } from '../../oauth/token/grant-types.rules.ts';
import { type ApplicationFields, applicationFieldsOf } from '../applications/fields.ts';
import { type ClientFields, clientFieldsOf } from '../clients/fields.ts';
import { type ProviderFields, providerFieldsOf } from '../providers/fields.ts';
import type { DeclaredFields } from './declaration.fields.ts';

/** Every setting of clients, applications and identity providers, and type of event: what all capabilities declare together. */
export interface Fields {
  readonly client: ClientFields;
  readonly application: ApplicationFields;
  readonly provider: ProviderFields;
  readonly eventTypes: readonly string[];
}

export function sumOfFields(declared: readonly DeclaredFields[], grantTypes: GrantTypes, events: Events): Fields {
  return {
    client: clientFieldsOf(
      declared.flatMap(({ client = [] }) => client),
      grantTypes,
    ),
    application: applicationFieldsOf(declared.flatMap(({ application = [] }) => application)),
    provider: providerFieldsOf(declared.flatMap(({ provider = [] }) => provider)),
    eventTypes: eventTypes(events),
  };
}
