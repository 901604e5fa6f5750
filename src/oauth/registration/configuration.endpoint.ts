import { clientActor, requestEvent } from '../../audit/events/request-event.ts';
import type { Application } from '../../directory/applications/rules.ts';
import type { ClientWrite } from '../../directory/applications/store.ts';
import { type ClientFields, clientFaults } from '../../directory/clients/fields.ts';
import { invalid, type MetadataFault, withOwnMetadata } from '../../directory/clients/metadata.ts';
import { withinLimits } from '../../directory/clients/operator-limits.ts';
import type { Client } from '../../directory/clients/rules.ts';
import type { EventType } from '../../events.ts';
import { failure } from '../../failures.ts';
import { json, NOT_STORED, type Refusal, type Request } from '../../platform/http/message.ts';
import type { Endpoint, Services } from '../../services.ts';
import { issuerFor } from '../discovery/issuer.ts';
import { unprovedSectorFault } from '../pairwise/rules.ts';
import { bearerToken, nameOf, readRegistration, refusedMetadata, registrationLimit } from './endpoint.ts';
import { registeredMetadata } from './registered-metadata.ts';
import { type SoftwareStatement, vouchedFor } from './software-statement.ts';
import type { ClientRegistration } from './store.ts';
import { isRegistrationToken } from './tokens.ts';

/** {issuer}/register/{client_id}, the client configuration endpoint (RFC 7592): a registered client reads, changes and deletes itself. */

interface Managed {
  readonly client: Client;
  readonly registration: ClientRegistration;
  readonly accessToken: string;
}

/** The same answer for a client that does not exist and for a token of another one (RFC 7592 section 2.1). */
async function managedClient(
  { store }: Services,
  request: Request,
  { code, dynamic_registration: mode = 'off' }: Application,
): Promise<Managed | Refusal> {
  if (mode === 'off') return { failure: failure('notFound') };
  const refused: Refusal = { failure: failure('registrationTokenInvalid') };
  const clientId = request.params.client_id ?? '';
  const accessToken = bearerToken(request);
  if (accessToken === undefined) return refused;
  const registration = await store.findRegistration(code, clientId);
  if (!registration?.tokenHash || !isRegistrationToken(accessToken, registration.tokenHash)) return refused;
  const client = await store.findClient(code, clientId);
  return client ? { client, registration, accessToken } : refused;
}

async function answer(
  services: Services,
  application: Application,
  { client, registration, accessToken }: Managed,
  statement?: SoftwareStatement,
) {
  const issued = { accessToken, createdAt: registration.createdAt, secret: undefined, statement };
  const { client: fields } = await services.tables.fields();
  return json(registeredMetadata(fields, application, client, { ...issued, issuer: issuerFor(services, application) }));
}

export const readClient: Endpoint = async (services, request, application) => {
  const managed = await managedClient(services, request, application);
  return 'failure' in managed ? managed : answer(services, application, managed);
};

/** Replaces all metadata: a field that is left out gets its default (RFC 7592 section 2.2). */
export const replaceClient: Endpoint = async (services, request, application) => {
  const managed = await managedClient(services, request, application);
  if ('failure' in managed) return managed;
  const limited = await registrationLimit(services, request);
  if (limited) return limited;
  const identity = identityFault(services, request, application, managed.client);
  if (identity !== undefined) return refusedMetadata('invalid_client_metadata', identity);
  const read = await readRegistration(services, request, application);
  if ('failure' in read) return read;
  const { client: described, statement } = read;
  const { client_id } = managed.client;
  const named = { ...described, client_name: nameOf(described, client_id) };
  const { client: fields } = await services.tables.fields();
  const written = await write(services, request, application, client_id, {
    type: 'client.updated',
    details: statement ? vouchedFor(statement) : {},
    changeOf: current => replacement(fields, current, named),
  });
  if (written && 'failure' in written) return written;
  return written?.kind === 'put'
    ? answer(services, application, { ...managed, client: written.client }, statement)
    : { failure: failure('registrationTokenInvalid') };
};

/** Of the client as it is in the transaction: an operator may have changed it since the request began. */
function replacement(fields: ClientFields, current: Client, described: Client): ClientWrite | Refusal {
  if (described.token_endpoint_auth_method !== current.token_endpoint_auth_method) {
    return refusedMetadata('invalid_client_metadata', 'token_endpoint_auth_method: cannot be changed');
  }
  // It stands for fields that only operators set.
  if (described.profile !== current.profile) {
    return refusedMetadata('invalid_client_metadata', 'profile: cannot be changed');
  }
  const client = withinLimits(fields, withOwnMetadata(fields, current, described));
  if ('kind' in client) return refusedMetadata(client.error, client.reason);
  const fault = faultOfWhole(fields, client);
  return fault ? refusedMetadata(fault.error, fault.reason) : { kind: 'put', client, keys: [] };
}

/** What the client asks for was checked as it was sent, and that may not fit to what operators have set. */
function faultOfWhole({ grantTypes }: ClientFields, client: Client): MetadataFault | undefined {
  const [fault] = clientFaults(grantTypes, client);
  if (fault) return invalid(...fault);
  const unproved = unprovedSectorFault(client);
  return unproved === undefined ? undefined : invalid('subject_type', unproved);
}

export const removeClient: Endpoint = async (services, request, application) => {
  const managed = await managedClient(services, request, application);
  if ('failure' in managed) return managed;
  const limited = await registrationLimit(services, request);
  if (limited) return limited;
  const { client_id: clientId } = managed.client;
  const now = services.clock.now();
  await write(services, request, application, clientId, {
    type: 'client.deleted',
    details: {},
    changeOf: () => ({ kind: 'delete', now }),
  });
  return { status: 204, headers: NOT_STORED, body: '' };
};

/** The client_id has to be that of the address; a secret, if it is sent, the present one. */
function identityFault(
  { ring }: Services,
  { json: body }: Request,
  { code }: Application,
  { client_id: clientId, secret_hash: hash }: Client,
): string | undefined {
  const { client_id: named, client_secret: secret } = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (named !== clientId) return 'client_id: must be that of the client';
  const isRight = (text: unknown) =>
    typeof text === 'string' && hash !== undefined && ring.verifyClientSecret(code, clientId, text, hash);
  return secret === undefined || isRight(secret) ? undefined : 'client_secret: must be that of the client, or left out';
}

interface OwnChange {
  readonly type: Extract<EventType, 'client.updated' | 'client.deleted'>;
  /** For the event. */
  readonly details: Readonly<Record<string, string>>;
  /** Of the client as it is in the transaction. */
  readonly changeOf: (current: Client) => ClientWrite | Refusal;
}

/** Undefined: the client was deleted meanwhile, or an operator has taken it over. */
async function write(
  services: Services,
  request: Request,
  { code: app }: Application,
  clientId: string,
  { type, details, changeOf }: OwnChange,
): Promise<ClientWrite | Refusal | undefined> {
  const event = requestEvent(services, request, {
    ...{ type, outcome: 'success', actor: clientActor(clientId), app, clientId, subject: clientId },
    details: { origin: 'dynamic_registration', ...details },
  });
  const written = await services.store.changeClient<ClientWrite | Refusal | undefined>(app, clientId, current => {
    if (current?.origin !== 'dynamic_registration') return { result: undefined };
    const value = changeOf(current);
    if ('failure' in value) return { result: value };
    return { result: value, write: { value, act: { event } } };
  });
  await services.registry.refresh();
  return written && 'kind' in written && written.kind === 'alreadyAnswered' ? undefined : written;
}
