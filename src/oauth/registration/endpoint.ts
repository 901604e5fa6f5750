import { clientActor, requestEvent } from '../../audit/events/request-event.ts';
import type { Application } from '../../directory/applications/rules.ts';
import { type ClientFields, clientOfEntry } from '../../directory/clients/fields.ts';
import { type Metadata, readClientMetadata } from '../../directory/clients/metadata.ts';
import { type Client, hasSecret, MAX_SELF_REGISTERED_CLIENTS } from '../../directory/clients/rules.ts';
import { storedSecret } from '../../directory/clients/secrets.ts';
import { failure } from '../../failures.ts';
import { isObject } from '../../platform/crypto/jwt-part.rules.ts';
import { header, json, type Refusal, type Request } from '../../platform/http/message.ts';
import type { Endpoint, Services } from '../../services.ts';
import { issuerFor } from '../discovery/issuer.ts';
import { none } from '../proof-of-possession/bearer.ts';
import { selfRegisteredScope } from '../token/scope.rules.ts';
import { registeredMetadata } from './registered-metadata.ts';
import { sectorFault } from './sector-document.ts';
import { type SoftwareStatement, verifySoftwareStatement, vouchedFor } from './software-statement.ts';
import type { InitialAccessToken } from './store.ts';
import { hashRegistrationToken, newRegistrationToken } from './tokens.ts';
import { unusedClientEvent } from './unused-client.ts';

/** A registration that nobody has used for so long makes room for another one, where the application is full. */
const UNUSED_SECONDS = 3600;
const CLIENT_ID_BYTES = 16;
const SECRET_BYTES = 32;

const OFF: Refusal = { failure: failure('notFound') };
const TOKEN_INVALID: Refusal = { failure: failure('registrationTokenInvalid') };

/** {issuer}/register, the client registration endpoint (RFC 7591 section 3). configuration.endpoint.ts has what a client does with itself. */
export const register: Endpoint = async (services, request, application) => {
  const { dynamic_registration: mode = 'off', code } = application;
  if (mode === 'off') return OFF;
  const token = await initialAccessToken(services, request, application);
  if (token === 'invalid' || (mode === 'token' && !token)) return TOKEN_INVALID;
  const limited = token ? undefined : await registrationLimit(services, request);
  if (limited) return limited;
  const read = await readRegistration(services, request, application);
  if ('failure' in read) return read;
  const { client: described, statement } = read;

  const { clock, random, store } = services;
  const clientId = random.bytes(CLIENT_ID_BYTES).toString('base64url');
  const secret = hasSecret(described.token_endpoint_auth_method)
    ? random.bytes(SECRET_BYTES).toString('base64url')
    : undefined;
  const client = asRegistered(
    services,
    code,
    { ...described, client_id: clientId, client_name: nameOf(described, clientId) },
    secret,
  );
  const accessToken = newRegistrationToken('registration', random);
  const createdAt = clock.now();
  const details = {
    origin: client.origin,
    ...(token ? { initial_access_token: token.id } : {}),
    ...(statement ? vouchedFor(statement) : {}),
  };
  const event = requestEvent(services, request, {
    ...{ type: 'client.created', outcome: 'success', actor: clientActor(clientId), app: code, clientId },
    ...{ subject: clientId, details },
  });
  const outcome = await store.registerClient(code, {
    ...{ client, tokenHash: hashRegistrationToken(accessToken), createdAt, event },
    ...{ maxClients: MAX_SELF_REGISTERED_CLIENTS, unusedSince: createdAt - UNUSED_SECONDS },
    deleted: (app, unused) => unusedClientEvent(services, app, unused),
  });
  if (outcome === 'full') return { failure: failure('tooManyClients') };
  const issued = { accessToken, createdAt, secret, statement, issuer: issuerFor(services, application) };
  const { client: fields } = await services.tables.fields();
  return json(registeredMetadata(fields, application, client, issued), 201);
};

/** Undefined: the request has none. */
async function initialAccessToken(
  { store, clock }: Services,
  request: Request,
  { code }: Application,
): Promise<InitialAccessToken | 'invalid' | undefined> {
  const token = bearerToken(request);
  if (token === undefined) return undefined;
  const hash = hashRegistrationToken(token);
  return (await store.findInitialAccessToken(code, hash, clock.now())) ?? 'invalid';
}

/** Any text after the scheme: what is no token is unknown. */
export function bearerToken(request: Request): string | undefined {
  const authorization = header(request, 'authorization');
  if (authorization === undefined) return undefined;
  return none.authorization.exec(authorization)?.[1] ?? '';
}

/** Each change of a client makes every node read its clients again. */
export async function registrationLimit({ throttle }: Services, { address }: Request): Promise<Refusal | undefined> {
  const { wait } = await throttle.admit({ kind: 'registration', address });
  return wait === 0 ? undefined : { failure: failure('tooManyRegistrations'), retryAfter: wait };
}

export interface ReadRegistration {
  /** The client that the request describes, without an identity. */
  readonly client: Client;
  /** Undefined: the request has none. */
  readonly statement: SoftwareStatement | undefined;
}

/** What a software statement says takes precedence over the request (RFC 7591 section 2.3). */
export async function readRegistration(
  services: Services,
  { json: body }: Request,
  application: Application,
): Promise<ReadRegistration | Refusal> {
  const metadata: Metadata = isObject(body) ? body : {};
  const { software_statement: presented } = metadata;
  const isPresented = presented !== undefined && presented !== null;
  if (!isPresented && application.software_statements?.required) {
    return refusedMetadata('invalid_client_metadata', 'software_statement: must be sent');
  }
  const statement = isPresented ? await verifySoftwareStatement(services, application, presented) : undefined;
  if (statement && 'failure' in statement) return statement;
  const { client: fields } = await services.tables.fields();
  const client = readClient(fields, statement ? { ...metadata, ...statement.claims } : metadata, application);
  if ('failure' in client) return client;
  const fault = await sectorFault(services, client);
  return fault === undefined ? { client, statement } : refusedMetadata('invalid_client_metadata', fault);
}

function readClient(fields: ClientFields, metadata: Metadata, application: Application): Client | Refusal {
  const read = readClientMetadata(fields, metadata);
  if (read.kind === 'invalid') return refusedMetadata(read.error, read.reason);
  const scope = selfRegisteredScope(application, read.namesScope ? read.entry.scope : undefined);
  if (scope.length === 0) return refusedMetadata('invalid_client_metadata', 'scope: has no scope of the application');
  return clientOfEntry({ ...read.entry, scope: [...scope] }, '', undefined);
}

export function refusedMetadata(error: 'invalid_redirect_uri' | 'invalid_client_metadata', reason: string): Refusal {
  const refused =
    error === 'invalid_redirect_uri' ? failure('redirectUriRejected') : failure('clientMetadataInvalid', reason);
  return { failure: refused, facts: { clientMetadata: reason } };
}

/** A client that gives itself no name is shown by its client_id. */
export function nameOf({ client_name: name }: Client, clientId: string): string {
  return name === '' ? clientId : name;
}

function asRegistered({ ring, clock }: Services, app: string, client: Client, secret: string | undefined): Client {
  const registered = { ...client, origin: 'dynamic_registration' } as const;
  if (secret === undefined) return registered;
  const stored = storedSecret(ring, app, client.client_id, secret, client.token_endpoint_auth_method);
  const { sealed_secret, ...hashed } = stored;
  const sealed = sealed_secret === undefined ? {} : { sealed_secret };
  return { ...registered, ...hashed, ...sealed, secret_created_at: clock.now() };
}
