import type { ClientAccess } from '../../directory/apis/fields.ts';
import { findApi } from '../../directory/apis/rules.ts';
import type { ApplicationSettings } from '../../directory/applications/rules.ts';
import { type ClientFields, clientFaults, misplacedFields } from '../../directory/clients/fields.ts';
import { presetFields } from '../../directory/clients/presets.fields.ts';
import type { Client, ClientEntry } from '../../directory/clients/rules.ts';
import { withProfile } from '../../oauth/fapi/rules.ts';
import { allowedScope } from '../../oauth/token/requested-access.rules.ts';
import { scopesOf } from '../../oauth/token/scope.rules.ts';
import { complete } from './complete.ts';
import type { CompletedApplication } from './complete-application.ts';
import type { Fault } from './fault.ts';
import type { GivenClient } from './file-schema.ts';

export interface CompletedClient {
  readonly entry: ClientEntry;
  /** Their paths begin at the client. */
  readonly faults: readonly Fault[];
}

/** The client that an entry makes of the present one, of which only the secrets are missing. */
export function completeClient(
  fields: ClientFields,
  { preset, ...named }: GivenClient,
  present: Client | undefined,
  { application, before }: Pick<CompletedApplication, 'application' | 'before'>,
): CompletedClient {
  // A profile that is new to the client sets what the entry leaves out.
  const isKept = present !== undefined && present.profile === named.profile;
  const given = isKept ? named : (withProfile(named, present && entryOf(fields, present)) as typeof named);
  const entry = complete<ClientEntry>(fields.defaults, present ? entryOf(fields, present) : ofPreset(preset), given);
  const lost = present && before && lostAccess(present, before);
  // A stored scope of an API that is gone gives nothing, and is no fault of the file.
  const checked = { ...entry, scope: given.scope ?? [], apis: given.apis ?? [] };
  const faults = [...clientFaults(fields.grantTypes, entry), ...misplacedFields(application, checked, lost)];
  const isStored = (field: string) => present !== undefined && given[field as keyof typeof given] === undefined;
  return {
    entry,
    faults: faults.map(([field, message]) => ({ path: [field], message: isStored(field) ? stored(message) : message })),
  };
}

/** A preset is for a new client: what is there stays as it is (row 60). */
function ofPreset(preset: GivenClient['preset']): Partial<ClientEntry> {
  return preset ? (presetFields(preset) as Partial<ClientEntry>) : {};
}

const stored = (message: string) => `${message} (this is the stored value: the entry leaves it out)`;

function entryOf({ shape }: ClientFields, client: Client): Partial<ClientEntry> {
  const names = Object.keys(shape) as (keyof ClientEntry)[];
  return Object.fromEntries(names.map(name => [name, client[name as keyof Client]]));
}

/** What the application had no longer when the client still had it: an export of such a client is no faulty file. */
function lostAccess({ scope, apis = [] }: Client, before: ApplicationSettings): ClientAccess {
  const known = scopesOf(before);
  return {
    scope: scope.filter(one => !known.includes(one)),
    apis: apis.filter(one => !findApi(before, one)),
  };
}

/** The client without what its APIs have lost since it was registered. */
export function withoutLost(client: Client, application: ApplicationSettings): Client {
  const scope = allowedScope(client, application);
  const apis = client.apis?.filter(identifier => findApi(application, identifier));
  // A scope cannot be empty in a file. The stored one still gives nothing.
  return { ...client, ...(scope.length > 0 && { scope }), ...(apis && { apis }) };
}
