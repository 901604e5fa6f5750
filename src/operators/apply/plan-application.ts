import type { ApplicationSettings } from '../../directory/applications/rules.ts';
import type { StoredApplication } from '../../directory/applications/store.ts';
import { type ClientFields, clientOfEntry } from '../../directory/clients/fields.ts';
import { type Client, type ClientEntry, hasSecret } from '../../directory/clients/rules.ts';
import { storedSecret } from '../../directory/clients/secrets.ts';
import { shownAttributes, type UserAttribute } from '../../directory/user-attributes/rules.ts';
import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import type { Deps, Tables } from '../../services.ts';
import { generatedClientId } from './client-id.ts';
import { type CompletedApplication, completeApplication } from './complete-application.ts';
import { completeClient, withoutLost } from './complete-client.ts';
import { changedFields, type Difference, type ObjectName } from './difference.ts';
import type { Fault } from './fault.ts';
import type { GivenApplication, GivenClient } from './file-schema.ts';
import type { PlanStep } from './plan-step.ts';

export interface ApplicationPlanDeps extends Pick<Deps, 'store' | 'random'> {
  readonly ring: KeyRing;
  readonly tables: Pick<Tables, 'fields'>;
  /** As they are after the file. */
  readonly attributes: readonly UserAttribute[];
}

/** What the entry of an application changes, its clients included; removals of clients aside. */
export interface ApplicationPlan {
  readonly steps: readonly PlanStep[];
  /** Their paths begin at the application. */
  readonly faults: readonly Fault[];
  /** As it will be, with the clients that the entry names. */
  readonly planned: PlannedApplication;
}

export interface PlannedApplication {
  readonly application: ApplicationSettings;
  readonly clients: readonly ClientEntry[];
}

export async function planApplication(
  deps: ApplicationPlanDeps,
  entry: GivenApplication,
  prune: boolean,
): Promise<ApplicationPlan> {
  const present = await deps.store.findStoredApplication(entry.code);
  const fields = await deps.tables.fields();
  const completed = withAttributes(
    completeApplication(fields.application, entry, present?.application, prune),
    deps.attributes,
  );
  const clients = await Promise.all(
    (entry.clients ?? []).map(client => planClient(deps, fields.client, entry.code, client, completed)),
  );
  return {
    steps: [...removedParts(entry.code, completed), changeOf(completed, present), ...clients.map(({ step }) => step)],
    faults: [
      ...completed.faults,
      ...clients.flatMap(({ faults }, index) =>
        faults.map(({ path = [], message }) => ({ path: ['clients', index, ...path], message })),
      ),
    ],
    planned: { application: completed.application, clients: clients.map(client => client.entry) },
  };
}

/** Their scopes are known to clients, and they are no setting of the application. */
function withAttributes(completed: CompletedApplication, attributes: readonly UserAttribute[]): CompletedApplication {
  const { application, before } = completed;
  const shown = shownAttributes(attributes, application.apis ?? []);
  const as = ({ user_attributes: _, ...settings }: ApplicationSettings) =>
    shown.length === 0 ? settings : { ...settings, user_attributes: shown };
  return { ...completed, application: as(application), before: before && as(before) };
}

/** An entry of a deleted application restores it. */
function changeOf({ application, before }: CompletedApplication, present: StoredApplication | undefined): PlanStep {
  const object: ObjectName = { type: 'application', application: application.code };
  const change = { kind: 'application', application, from: present ? withoutDefinitions(present) : 'none' } as const;
  if (!before) return { change, difference: { action: 'create', object, fields: [] } };
  const fields = changedFields(before, application);
  if (present?.deletedAt !== undefined) return { change, difference: { action: 'restore', object, fields } };
  return fields.length === 0 ? UNCHANGED : { change, difference: { action: 'update', object, fields } };
}

/** As its row has it. */
function withoutDefinitions({ application, deletedAt }: StoredApplication): StoredApplication {
  const { user_attributes: _, ...settings } = application;
  return { application: settings, deletedAt };
}

const UNCHANGED: PlanStep = { change: undefined, difference: undefined };

/** They go with the change of their application. */
function removedParts(application: string, { removedApis, removedPolicies }: CompletedApplication): PlanStep[] {
  const objects: ObjectName[] = [
    ...removedApis.map(({ identifier }) => ({ type: 'api', application, identifier }) as const),
    ...removedPolicies.map(({ from, to }) => ({ type: 'token_exchange', application, from, to }) as const),
  ];
  return objects.map(object => ({ change: undefined, difference: { action: 'delete', object, fields: [] } }));
}

interface ClientPlan {
  readonly step: PlanStep;
  readonly faults: readonly Fault[];
  readonly entry: ClientEntry;
}

async function planClient(
  deps: ApplicationPlanDeps,
  fields: ClientFields,
  app: string,
  given: GivenClient,
  application: CompletedApplication,
): Promise<ClientPlan> {
  const clientId = clientIdOf(app, given);
  const present = await deps.store.findClient(app, clientId);
  const { entry, faults } = completeClient(fields, given, present, application);
  const { secret, generatedSecret } = planSecret(deps, app, clientId, entry, present);
  const client = withFormerSecrets(clientOfEntry(entry, clientId, secret), present);
  const before = present && fieldsOf(withoutLost(present, application.application));
  const after = fieldsOf(withoutLost(client, application.application));
  const changed = before ? changedFields(before, after, ['client_secret']) : [];
  if (present && changed.length === 0) return { step: UNCHANGED, faults, entry };
  const difference: Difference = {
    action: present ? 'update' : 'create',
    object: { type: 'client', application: app, client_id: clientId },
    fields: changed,
    ...(generatedSecret === undefined ? {} : { generatedSecret }),
  };
  return { step: { change: { kind: 'client', app, client, from: present ?? 'none' }, difference }, faults, entry };
}

export function clientIdOf(app: string, { client_id, client_name }: GivenClient): string {
  return client_id ?? generatedClientId(app, client_name ?? undefined);
}

const SECRET_BYTES = 32;

interface PlannedSecret {
  readonly secret: Pick<Client, 'secret_hash' | 'sealed_secret'> | undefined;
  readonly generatedSecret?: string;
}

/**
 * An entry without a secret keeps the present one, so that a file without secrets can be applied again and again. A client that comes
 * to client_secret_jwt without a secret gets a new one: the server has only the hash of the present one, and it has to verify
 * signatures with it.
 */
function planSecret(
  { ring, random }: ApplicationPlanDeps,
  app: string,
  clientId: string,
  { token_endpoint_auth_method: method, client_secret: named }: ClientEntry,
  present: Client | undefined,
): PlannedSecret {
  if (!hasSecret(method)) return { secret: undefined };
  const kept = keptSecret(method, present);
  if (kept && (named === undefined || ring.verifyClientSecret(app, clientId, named, kept.secret_hash))) {
    return { secret: kept };
  }
  if (named !== undefined) return { secret: storedSecret(ring, app, clientId, named, method) };
  const generatedSecret = random.bytes(SECRET_BYTES).toString('base64url');
  return { secret: storedSecret(ring, app, clientId, generatedSecret, method), generatedSecret };
}

/** The present secret, as this method stores it; undefined if there is none, or not in this form. */
function keptSecret(method: ClientEntry['token_endpoint_auth_method'], present: Client | undefined) {
  const { secret_hash, sealed_secret } = present ?? {};
  if (secret_hash === undefined) return undefined;
  if (method !== 'client_secret_jwt') return { secret_hash };
  return sealed_secret === undefined ? undefined : { secret_hash, sealed_secret };
}

/** A file has one secret. Former ones stay valid as long as the admin API said, unless the file brings a new one. */
function withFormerSecrets(client: Client, present: Client | undefined): Client {
  if (present?.secret_hash === undefined || present.secret_hash !== client.secret_hash) return client;
  const { secret_created_at, previous_secrets } = present;
  const isSealed = client.sealed_secret !== undefined;
  const former = isSealed ? previous_secrets : previous_secrets?.map(({ sealed: _, ...kept }) => kept);
  return { ...client, secret_created_at, previous_secrets: former };
}

/** The fields of a client, by the names and in the form of the apply file. */
function fieldsOf({ secret_hash, sealed_secret, secret_created_at, previous_secrets, ...metadata }: Client): object {
  const isSealed = sealed_secret !== undefined;
  return {
    ...metadata,
    scope: metadata.scope.join(' '),
    client_secret: isSealed ? [secret_hash, 'sealed'] : secret_hash,
  };
}
