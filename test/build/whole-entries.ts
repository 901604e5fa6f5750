import { fields } from './fields.ts';
import type { ApplicationInput, ClientInput } from './fixture.ts';
import type { Provisioned } from './test-server.ts';

/**
 * The file with null for every field that its applications and clients leave out: a test that provisions an application says what it is
 * as a whole, whatever a former test has made of it.
 */
export function wholeEntries(file: Provisioned): object {
  return { ...file, ...(file.applications && { applications: file.applications.map(wholeApplication) }) };
}

function wholeApplication({ clients, ...settings }: ApplicationInput): object {
  return {
    ...namesOf(fields.application.shape, ['code', 'name']),
    ...settings,
    ...(clients?.length ? { clients: clients.map(wholeClient) } : {}),
  };
}

/** A preset gives the fields that are left out. */
function wholeClient(client: ClientInput & { readonly preset?: unknown }): object {
  if (client.preset !== undefined) return client;
  return { ...namesOf(fields.client.shape, ['client_id', 'client_secret']), ...client };
}

function namesOf(shape: object, without: readonly string[]): object {
  const names = Object.keys(shape).filter(name => !without.includes(name));
  return Object.fromEntries(names.map(name => [name, null]));
}
