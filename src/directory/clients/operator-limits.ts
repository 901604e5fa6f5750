import type { ClientField } from '../fields/declaration.fields.ts';
import type { ClientFields } from './fields.ts';
import { invalid, type MetadataFault } from './metadata.ts';
import type { Client, OperatorLimits } from './rules.ts';

/**
 * What operators have set of the fields that a self-registered client sets itself. They are kept apart from the metadata, because a PUT
 * of the client (RFC 7592 section 2.2) replaces all of it. The server may replace what a client asks for (RFC 7591 section 3.2.1), so a
 * PUT gets what it asks for within the limits, and the answer has the values in force.
 */

/** Only one of them is set. */
const KEYS = ['jwks', 'jwks_uri'] as const satisfies (keyof Client)[];

/** The limits after an operator's change (RFC 7396). A field that it sets is limited from now on; null lifts the limit. */
export function limitsAfter(
  { own }: ClientFields,
  { operator_limits: limits }: Client,
  changed: Client,
  patch: Readonly<Record<string, unknown>>,
): OperatorLimits | undefined {
  const isNamed = (name: string) => own.some(field => field.name === name) && Object.hasOwn(patch, name);
  const changedTo = (name: string) => changed[name as keyof Client];
  // True is a demand of operators; false leaves it to the client.
  const isLimited = ({ name, own: kind }: ClientField) =>
    patch[name] !== null && (kind !== 'demand' || changedTo(name));
  const limited = own.filter(field => isNamed(field.name) && isLimited(field));
  const kept = Object.entries(limits ?? {}).filter(([name]) => !isNamed(name));
  const after = Object.fromEntries([...kept, ...limited.map(({ name }) => [name, changedTo(name)] as const)]);
  return Object.keys(after).length === 0 ? undefined : after;
}

/** The client as far as its limits allow, or why they leave nothing of it. */
export function withinLimits(fields: ClientFields, client: Client): Client | MetadataFault {
  const { operator_limits: limits } = client;
  if (!limits) return client;
  const within: Client = {
    ...client,
    ...limits,
    ...listsWithin(fields, client, limits),
    ...keysWithin(client, limits),
  };
  return faultWithin(within) ?? within;
}

function listsWithin({ own }: ClientFields, client: Client, limits: OperatorLimits): Partial<Client> {
  const listIn = (of: OperatorLimits, name: string) =>
    of[name as keyof OperatorLimits] as readonly string[] | undefined;
  const within = own
    .filter(field => field.own === 'list')
    .map(({ name }) => {
      const allowed = listIn(limits, name);
      const wished = listIn(client, name);
      return [name, allowed ? wished?.filter(one => allowed.includes(one)) : wished] as const;
    });
  return Object.fromEntries(within);
}

function keysWithin({ jwks, jwks_uri }: Client, limits: OperatorLimits): Pick<Client, 'jwks' | 'jwks_uri'> {
  return KEYS.some(field => field in limits) ? { jwks: limits.jwks, jwks_uri: limits.jwks_uri } : { jwks, jwks_uri };
}

const ALLOWED = 'must have one that operators of this server allow this client';

function faultWithin(client: Client): MetadataFault | undefined {
  const { scope, grant_types: grants, redirect_uris: uris } = client;
  if (scope.length === 0) return invalid('scope', ALLOWED);
  if (grants.length === 0) return invalid('grant_types', ALLOWED);
  if (grants.includes('authorization_code') && uris.length === 0) return invalid('redirect_uris', ALLOWED);
  return undefined;
}
