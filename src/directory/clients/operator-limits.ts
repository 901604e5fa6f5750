import { clientKeyFaults } from './keys.fields.ts';
import { invalid, type MetadataFault, OWN_FIELDS } from './metadata.ts';
import type { Client, OperatorLimits } from './rules.ts';

/**
 * What operators have set of the fields that a self-registered client sets itself. They are kept apart from the metadata, because a PUT
 * of the client (RFC 7592 section 2.2) replaces all of it. The server may replace what a client asks for (RFC 7591 section 3.2.1), so a
 * PUT gets what it asks for within the limits, and the answer has the values in force.
 */
type OwnField = (typeof OWN_FIELDS)[number];

/** A client may have fewer of these than operators allow. */
const LISTS = ['scope', 'grant_types', 'redirect_uris', 'post_logout_redirect_uris'] as const satisfies OwnField[];
/** True is a demand of operators; false leaves it to the client. */
const DEMANDS: readonly OwnField[] = ['require_pushed_authorization_requests', 'dpop_bound_access_tokens'];
/** Only one of them is set. */
const KEYS = ['jwks', 'jwks_uri'] as const satisfies OwnField[];

/** The limits after an operator's change (RFC 7396). A field that it sets is limited from now on; null lifts the limit. */
export function limitsAfter(
  { operator_limits: limits }: Client,
  changed: Client,
  patch: Readonly<Record<string, unknown>>,
): OperatorLimits | undefined {
  const named = OWN_FIELDS.filter(field => Object.hasOwn(patch, field));
  const limited = named.filter(field => patch[field] !== null && !(DEMANDS.includes(field) && !changed[field]));
  const kept = Object.entries(limits ?? {}).filter(([field]) => !named.includes(field as OwnField));
  const after = Object.fromEntries([...kept, ...limited.map(field => [field, changed[field]] as const)]);
  return Object.keys(after).length === 0 ? undefined : after;
}

/** The client as far as its limits allow, or why they leave nothing of it. */
export function withinLimits(client: Client): Client | MetadataFault {
  const { operator_limits: limits } = client;
  if (!limits) return client;
  const within: Client = { ...client, ...limits, ...listsWithin(client, limits), ...keysWithin(client, limits) };
  return faultWithin(within) ?? within;
}

function listsWithin(client: Client, limits: OperatorLimits): Partial<Client> {
  const within = LISTS.map(field => {
    const allowed: readonly string[] | undefined = limits[field];
    return [field, allowed ? client[field].filter(one => allowed.includes(one)) : client[field]] as const;
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
  const [fault] = clientKeyFaults(client);
  return fault && invalid(...fault);
}
