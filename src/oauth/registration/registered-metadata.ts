import type { Application } from '../../directory/applications/rules.ts';
import type { ClientFields } from '../../directory/clients/fields.ts';
import { type Client, signingAlgOf } from '../../directory/clients/rules.ts';
import { allowedResponseTypes } from '../authorize/response-type-use.rules.ts';
import type { SoftwareStatement } from './software-statement.ts';

/** What a client gets only in the answer to its registration. */
export interface Issued {
  readonly issuer: string;
  readonly accessToken: string;
  readonly createdAt: number;
  /** Undefined: it has none, or has it already. */
  readonly secret: string | undefined;
  /** Undefined: this request has none. */
  readonly statement: SoftwareStatement | undefined;
}

/** The client information response (RFC 7591 section 3.2.1): everything that is registered, also what the client did not ask for. */
export function registeredMetadata(
  fields: ClientFields,
  application: Application,
  client: Client,
  { issuer, accessToken, createdAt, secret, statement }: Issued,
): Record<string, unknown> {
  return {
    client_id: client.client_id,
    client_id_issued_at: createdAt,
    ...(secret === undefined ? {} : { client_secret: secret }),
    ...(client.secret_hash === undefined ? {} : { client_secret_expires_at: 0 }),
    registration_access_token: accessToken,
    registration_client_uri: `${issuer}/register/${encodeURIComponent(client.client_id)}`,
    ...ownMetadata(fields, client),
    response_types: allowedResponseTypes(client),
    id_token_signed_response_alg: signingAlgOf(application, client),
    software_statement: statement?.text,
  };
}

function ownMetadata({ own, defaults }: ClientFields, client: Client): Readonly<Record<string, unknown>> {
  const values = new Map(Object.entries({ ...defaults, ...client, scope: client.scope.join(' ') }));
  return Object.fromEntries(own.map(({ name }) => [name, values.get(name)]));
}
