import type { Scope } from '../../oauth/token/scope.rules.ts';
import { isObject } from '../../platform/crypto/jwt-part.rules.ts';
import { NO_TEXT, placeOfNoText } from '../../platform/text/text.rules.ts';
import { type ClientFields, clientOfEntry } from '../clients/fields.ts';
import { type Metadata, readClientMetadata } from '../clients/metadata.ts';
import type { Client } from '../clients/rules.ts';
import { hostOf } from './rules.ts';

/** What a client publishes at the address that is its client_id (draft-ietf-oauth-client-id-metadata-document-02 section 4). */
export interface ClientDocument {
  /** Without its scope, which depends on the application. */
  readonly client: Client;
  /** Undefined: it names none. */
  readonly scope: readonly Scope[] | undefined;
}

export type ReadDocument =
  | { readonly kind: 'read'; readonly document: ClientDocument }
  | { readonly kind: 'failed'; readonly reason: string };

export function readClientDocument(fields: ClientFields, text: string, url: string): ReadDocument {
  const metadata = parsed(text);
  if (!metadata) return failed('the document is no JSON object');
  const noText = placeOfNoText(metadata);
  if (noText) return failed(`${noText.join('.')}: ${NO_TEXT}`);
  // Compared as strings (RFC 3986 section 6.2.1): whoever can put a document somewhere must not speak for another address.
  if (metadata.client_id !== url) return failed('client_id: is not the address of the document');
  if ('client_secret' in metadata || 'client_secret_expires_at' in metadata) {
    return failed('client_secret: must not be in a public document');
  }
  // Who may name it is decided by another document, which nobody fetches for each reading of this one.
  if ('sector_identifier_uri' in metadata) return failed('sector_identifier_uri: is not for a document of a client');
  const { token_endpoint_auth_method: method = 'none' } = metadata;
  if (method !== 'none' && method !== 'private_key_jwt') {
    return failed('token_endpoint_auth_method: must be none or private_key_jwt');
  }
  const read = readClientMetadata(fields, { ...metadata, token_endpoint_auth_method: method });
  if (read.kind === 'invalid') return failed(read.reason);
  const { scope, client_name: name = hostOf(url), ...entry } = read.entry;
  const client = clientOfEntry({ ...entry, client_name: name, scope: [], require_pkce: true }, url, undefined);
  return {
    kind: 'read',
    document: {
      client: { ...client, origin: 'client_id_metadata' },
      scope: read.namesScope ? scope : undefined,
    },
  };
}

function failed(reason: string): ReadDocument {
  return { kind: 'failed', reason };
}

function parsed(text: string): Metadata | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
