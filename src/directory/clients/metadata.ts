import type { z } from 'zod';
import { neededGrant, type ResponseType, readResponseType } from '../../oauth/authorize/response-type.rules.ts';
import { DEVICE_GRANT } from '../../oauth/device/rules.ts';
import { unprovedSectorFault } from '../../oauth/pairwise/rules.ts';
import type { GrantTypes } from '../../oauth/token/grant-types.rules.ts';
import type { ClientFields } from './fields.ts';
import { isPreset, presetFields, presets } from './presets.fields.ts';
import type { Client, ClientEntry } from './rules.ts';

/**
 * Metadata in the words of the client itself (RFC 7591 section 2): a document that it publishes, or what it sends to /register. The
 * rules are those of the apply file. Fields that only operators set are not read (`own` of their declaration).
 */

/** Whether users are asked in every grant of the client; operators can give it others. */
export function hasOwnGrantsOnly(grants: readonly string[], grantTypes: GrantTypes): boolean {
  return grants.every(grant => grantTypes.get(grant)?.asksUser);
}

/** The client with other metadata of its own. What only operators set stays, and so do its identity and its secrets. */
export function withOwnMetadata({ own }: ClientFields, current: Client, given: Client): Client {
  return { ...current, ...Object.fromEntries(own.map(({ name }) => [name, given[name as keyof Client]])) };
}

const MAX_URIS = 30;
/** Of any other list. The schema would describe a fault of each. */
const MAX_VALUES = 100;
const MAX_URI_LENGTH = 2048;

export type Metadata = Readonly<Record<string, unknown>>;

/** RFC 7591 section 3.2.2. */
export interface MetadataFault {
  readonly kind: 'invalid';
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata';
  /** The field, and what is wrong with it. */
  readonly reason: string;
}

export type ReadMetadata =
  | { readonly kind: 'valid'; readonly entry: ClientEntry; readonly namesScope: boolean }
  | MetadataFault;

/** Unknown fields are ignored (RFC 7591 section 2). */
export function readClientMetadata(fields: ClientFields, metadata: Metadata): ReadMetadata {
  const { preset } = metadata;
  if (preset !== undefined && preset !== null && !isPreset(preset)) {
    return invalid('preset', `must be one of ${presets.join(', ')}`);
  }
  const ofPreset = isPreset(preset) ? presetFields(preset) : {};
  const named = Object.entries(ownOf(fields, metadata)).filter(([, value]) => value !== null);
  const own: Metadata = { ...ownOf(fields, ofPreset), ...Object.fromEntries(named) };
  const given: Metadata = { ...metadata, ...own };
  const fault = faultBeyondSchema(fields, given);
  if (fault) return fault;
  // Undefined: as the profile says, or not.
  const { require_pkce } = ofPreset;
  const grant_types = ownGrants(fields, given.grant_types);
  const response_types = ownResponseTypes(given);
  const entry = { ...own, require_pkce, grant_types, response_types, ...imposed(own) };
  const read = fields.schema.safeParse(entry);
  if (!read.success) return schemaFault(read.error.issues[0]);
  const { redirect_uris: uris, grant_types: grants } = read.data;
  if (grants.includes('authorization_code') && uris.length === 0)
    return invalid('redirect_uris', 'must have an address');
  const unproved = unprovedSectorFault(read.data);
  if (unproved) return invalid('subject_type', unproved);
  return { kind: 'valid', entry: read.data, namesScope: named.some(([name]) => name === 'scope') };
}

/** A preset sets nothing else that only operators set: to demand PKCE of itself widens nothing. */
function ownOf({ own }: ClientFields, given: Metadata): Metadata {
  const named = own.filter(({ name }) => Object.hasOwn(given, name));
  return Object.fromEntries(named.map(({ name }) => [name, given[name]]));
}

/** A client that has chosen a secret or a key has to show it: its verifier alone is not enough (row 34). */
function imposed({ token_endpoint_auth_method: method }: Metadata) {
  return { require_consent: true, require_client_authentication: method !== 'none' };
}

/** The default is that of RFC 7591. A client may know more grants than this server gives it, and learns which it has. */
function ownGrants({ grantTypes }: ClientFields, given: unknown): unknown {
  if (given === undefined || given === null) return ['authorization_code'];
  return Array.isArray(given) ? given.filter(type => grantTypes.get(type)?.asksUser) : given;
}

/** A client may know more types than this server gives it, here too. Undefined: `code`, which its grant stands for. */
function ownResponseTypes({ grant_types, response_types }: Metadata): readonly ResponseType[] | undefined {
  const known = Array.isArray(grant_types) && !grant_types.includes(CODE_GRANT) ? [] : withCodeGrant(response_types);
  return known.every(type => type === 'code') ? undefined : known;
}

function withCodeGrant(given: unknown): readonly ResponseType[] {
  if (!Array.isArray(given)) return [];
  const types = given.flatMap(type => (typeof type === 'string' ? (readResponseType(type) ?? []) : []));
  return [...new Set(types)].filter(type => neededGrant(type) === CODE_GRANT);
}

const CODE_GRANT = 'authorization_code';

function faultBeyondSchema({ own }: ClientFields, given: Metadata): MetadataFault | undefined {
  for (const field of ['redirect_uris', 'post_logout_redirect_uris']) {
    const uris = given[field];
    if (!Array.isArray(uris)) continue;
    if (uris.length > MAX_URIS) return invalid(field, `must have at most ${MAX_URIS} addresses`);
    if (uris.some(uri => typeof uri === 'string' && uri.length > MAX_URI_LENGTH)) {
      return invalid(field, `must have addresses of at most ${MAX_URI_LENGTH} characters`);
    }
  }
  const isLong = (value: unknown) => Array.isArray(value) && value.length > MAX_VALUES;
  const long = own.find(({ name }) => isLong(given[name]));
  return long ? invalid(long.name, `must have at most ${MAX_VALUES} values`) : flowFault(given);
}

/** RFC 7591 section 2.1: `code` belongs to authorization_code, and so do the types of the hybrid flow. A device that has no browser needs neither it nor an address. */
function flowFault({ grant_types: grants, response_types: responses }: Metadata): MetadataFault | undefined {
  const hasGrant = (grant: string) => !Array.isArray(grants) || grants.includes(grant);
  const hasCode = hasGrant(CODE_GRANT);
  if (!hasCode && !hasGrant(DEVICE_GRANT))
    return invalid('grant_types', `must have authorization_code or ${DEVICE_GRANT}`);
  if (!hasCode || responses === undefined) return undefined;
  return withCodeGrant(responses).length > 0 ? undefined : invalid('response_types', 'must have code');
}

function schemaFault(issue: z.core.$ZodIssue | undefined): MetadataFault {
  const [field = 'client'] = issue?.path ?? [];
  return invalid(String(field), issue?.message ?? 'is not valid');
}

export function invalid(field: string, reason: string): MetadataFault {
  const error = field === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata';
  return { kind: 'invalid', error, reason: `${field}: ${reason}` };
}
