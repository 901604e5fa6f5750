import { type ApplicationEntry, type ClientEntry, clientOfEntry } from '../applications/registration.ts';
import type { KeyGeneration } from '../keys/signing-key.ts';
import type { Application, Client } from '../protocol/client.ts';
import type { Provision } from '../store/provisioning.ts';
import type { ApplyFile } from './apply-file.ts';
import { generatedClientId } from './client-id.ts';
import { changedFields, describeChanges } from './describe.ts';
import { planUser, type UserPlanDeps } from './plan-user.ts';
import { planSigningKeys } from './signing-keys.ts';

/** The changes that bring the store to the state of the file. What the file does not name is not changed. */
export interface Plan {
  readonly changes: readonly Provision[];
  /** A line for each change, to be printed. */
  readonly lines: readonly string[];
  /** Faults that are found by comparing the file with the store. If there is one, nothing may be written. */
  readonly faults: readonly string[];
}

export type PlanDeps = UserPlanDeps & KeyGeneration;

interface Step {
  readonly change: Provision | undefined;
  readonly lines: readonly string[];
}

export async function planChanges(
  deps: PlanDeps,
  file: ApplyFile,
  options: { resetPasswords: boolean; dryRun?: boolean },
): Promise<Plan> {
  const steps: (Step | undefined)[] = [];
  for (const entry of file.applications) {
    steps.push(await planApplication(deps, entry));
    for (const client of entry.clients) steps.push(await planClient(deps, entry.code, client));
  }
  const faults: string[] = [];
  const places = new Map<string, number>();
  for (const [place, user] of file.users.entries()) {
    const step = await planUser(deps, user, options.resetPasswords);
    const before = places.get(step.sub);
    if (before !== undefined) faults.push(`users[${place}]: is the same user as users[${before}]`);
    places.set(step.sub, place);
    steps.push(step);
  }
  const changes = steps.map(step => step?.change).filter(change => change !== undefined);
  const keys = options.dryRun ? [] : await planSigningKeys(deps, file.applications);
  return { changes: [...changes, ...keys], lines: steps.flatMap(step => step?.lines ?? []), faults };
}

async function planApplication({ store }: PlanDeps, entry: ApplicationEntry): Promise<Step | undefined> {
  const { clients: _, ...application } = entry;
  const present = await store.findApplication(entry.code);
  const summary = describe(`application ${entry.code}`, present, application satisfies Application);
  return summary === undefined ? undefined : { change: { kind: 'application', application }, lines: [summary] };
}

const SECRET_BYTES = 32;

async function planClient(deps: PlanDeps, app: string, entry: ClientEntry): Promise<Step | undefined> {
  const { store, ring, random } = deps;
  const clientId = entry.client_id ?? generatedClientId(app, entry.client_name);
  const present = await store.findClient(app, clientId);
  const label = `client ${app}/${clientId}`;
  const lines: string[] = [];
  let secretHash = present?.secret_hash;
  if (entry.token_endpoint_auth_method === 'none') {
    secretHash = undefined;
  } else if (entry.client_secret !== undefined) {
    const same = secretHash !== undefined && ring.verifyClientSecret(app, clientId, entry.client_secret, secretHash);
    if (!same) secretHash = ring.hashClientSecret(app, clientId, entry.client_secret);
  } else if (secretHash === undefined) {
    const secret = random.bytes(SECRET_BYTES).toString('base64url');
    secretHash = ring.hashClientSecret(app, clientId, secret);
    lines.push(`${label}: client_secret ${secret} (generated, shown only now)`);
  }
  const client = withFormerSecrets(clientOfEntry(entry, clientId, secretHash), present);
  const summary = describe(label, present && fieldsOf(present), fieldsOf(client));
  return summary === undefined ? undefined : { change: { kind: 'client', app, client }, lines: [summary, ...lines] };
}

/** A file has one secret. Former ones stay valid as long as the admin API said, unless the file brings a new one. */
function withFormerSecrets(client: Client, present: Client | undefined): Client {
  if (present?.secret_hash === undefined || present.secret_hash !== client.secret_hash) return client;
  const { secret_created_at, previous_secrets } = present;
  return { ...client, secret_created_at, previous_secrets };
}

/** The fields of a client, by the names and in the form of the apply file. */
function fieldsOf({ secret_hash, secret_created_at, previous_secrets, ...metadata }: Client): object {
  return { ...metadata, scope: metadata.scope.join(' '), client_secret: secret_hash };
}

/** Undefined when nothing changes. */
function describe(label: string, present: object | undefined, desired: object): string | undefined {
  if (!present) return `${label}: created`;
  const changes = changedFields(present, desired, ['client_secret']);
  return changes.length === 0 ? undefined : describeChanges(label, changes);
}
