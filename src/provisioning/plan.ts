import { isDeepStrictEqual } from 'node:util';
import { loginName } from '../accounts/login-name.ts';
import type { Passwords } from '../accounts/passwords.ts';
import { loginNamesOf, standardClaimsOf, type UserEntry } from '../accounts/registration.ts';
import { type ApplicationEntry, type ClientEntry, toClient } from '../applications/registration.ts';
import type { Deps } from '../deps.ts';
import type { KeyMaking } from '../keys/signing-key.ts';
import type { Application } from '../protocol/client.ts';
import type { Account, Provision } from '../store/store.ts';
import type { ApplyFile } from './apply-file.ts';
import { generatedClientId } from './client-id.ts';
import { planSigningKeys } from './signing-keys.ts';

/** What has to change so that the store says what the file says. Nothing that the file does not name is touched. */
export interface Plan {
  readonly changes: readonly Provision[];
  /** A line for each change, for people. */
  readonly lines: readonly string[];
}

export type PlanDeps = Pick<Deps, 'store' | 'random' | 'clock'> & KeyMaking & { readonly passwords: Passwords };

interface Step {
  readonly change: Provision;
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
  for (const user of file.users) steps.push(await planUser(deps, user, options.resetPasswords));
  const needed = steps.filter(step => step !== undefined);
  const keys = options.dryRun ? [] : await planSigningKeys(deps, file.applications);
  return { changes: [...needed.map(({ change }) => change), ...keys], lines: needed.flatMap(({ lines }) => lines) };
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
  const client = toClient(entry, clientId, secretHash);
  const summary = describe(label, present, client);
  return summary === undefined ? undefined : { change: { kind: 'client', app, client }, lines: [summary, ...lines] };
}

async function planUser(deps: PlanDeps, entry: UserEntry, resetPassword: boolean): Promise<Step | undefined> {
  const { store, random, clock, passwords } = deps;
  const found = await store.findAccount(loginName(entry.username) ?? '');
  // The name may be another user's e-mail or telephone number; the store will refuse that.
  const present = found && loginName(found.username) === loginName(entry.username) ? found : undefined;
  const setPassword = entry.password !== undefined && (present === undefined || resetPassword);
  const desired: Account = {
    sub: present?.sub ?? random.bytes(16).toString('base64url'),
    username: entry.username,
    nickname: entry.nickname || undefined,
    picture: entry.picture,
    email: entry.email,
    emailVerified: entry.email_verified,
    phoneNumber: entry.phone_number,
    phoneNumberVerified: entry.phone_number_verified,
    updatedAt: present?.updatedAt ?? clock.now(),
    passwordHash: setPassword ? await passwords.hash(entry.password ?? '') : present?.passwordHash,
    disabled: entry.disabled,
    standardClaims: standardClaimsOf(entry),
  };
  const summary = describe(`user ${entry.username}`, present, desired);
  if (summary === undefined) return undefined;
  const account = { ...desired, updatedAt: clock.now() };
  return { change: { kind: 'user', account, loginNames: loginNamesOf(entry) }, lines: [summary] };
}

/** "created", or the names of the fields that change (values may be secret); undefined when nothing does. */
function describe<T extends object>(label: string, present: T | undefined, desired: T): string | undefined {
  if (!present) return `${label}: created`;
  const fields = new Set([...Object.keys(present), ...Object.keys(desired)]) as Set<keyof T & string>;
  const changed = [...fields].filter(field => !isDeepStrictEqual(present[field], desired[field]));
  return changed.length === 0 ? undefined : `${label}: changed ${changed.join(', ')}`;
}
