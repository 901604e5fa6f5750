import { passwordsNeeded } from '../../directory/providers/rules.ts';
import type { KeyGeneration } from '../../oauth/signing-keys/signing-key.ts';
import type { Difference } from './difference.ts';
import type { Fault } from './fault.ts';
import type { ApplyFile, GivenApplication } from './file-schema.ts';
import { inBatches } from './in-batches.ts';
import { type ApplicationPlan, type ApplicationPlanDeps, planApplication } from './plan-application.ts';
import { planAttributes } from './plan-attributes.ts';
import { type ProviderPlanDeps, planProviders } from './plan-provider.ts';
import type { PlanOptions, PlanStep } from './plan-step.ts';
import { planUser, type UserPlan, type UserPlanDeps } from './plan-user.ts';
import { planRemovals } from './prune.ts';
import { planSigningKeys } from './signing-keys.ts';
import type { Provision } from './store.ts';

/** The changes that bring the store to the state of the file. What the file leaves out stays, unless it is pruned. */
export interface Plan {
  readonly changes: readonly Provision[];
  /** What changes, to be printed: removals first, then in the order of the file. */
  readonly differences: readonly Difference[];
  /** Faults that are found by comparing the file with the store. If there is one, nothing may be written. */
  readonly faults: readonly Fault[];
  /** What the operator has to know beside the changes. */
  readonly notes: readonly string[];
}

export type PlanDeps = Omit<UserPlanDeps & ApplicationPlanDeps, 'attributes'> & ProviderPlanDeps & KeyGeneration;

export async function planChanges(deps: PlanDeps, file: ApplyFile, options: PlanOptions = {}): Promise<Plan> {
  const providers = await planProviders(deps, file, options.prune === true);
  const attributes = await planAttributes(deps, file, options);
  const withAttributes = { ...deps, attributes: attributes.after };
  const planEntry = (entry: GivenApplication) => planApplication(withAttributes, entry, options.prune === true);
  const applications = await inBatches(file.applications, planEntry, options.onCompared);
  const users = await inBatches(file.users, user => planUser(withAttributes, user, options), options.onCompared);
  const removals = await planRemovals(deps, file, new Set(users.map(({ sub }) => sub)), options);
  const steps: PlanStep[] = [
    ...removals.steps,
    ...providers.removals,
    ...providers.steps,
    ...attributes.steps,
    ...applications.flatMap(one => one.steps),
    ...users.flatMap(user => [...user.removals, user]),
  ];
  const differences = steps.flatMap(({ difference }) => difference ?? []);
  const faults = [
    ...removals.faults,
    ...providers.faults,
    ...(await stillOffered(deps, file, applications, providers.removals, options)),
    ...attributes.faults,
    ...faultsOf(applications),
    ...passwordFaults(applications, providers.oldSystems),
    ...faultsOfUsers(users),
    ...sameUsers(users),
  ];
  const isWritten = !options.dryRun && faults.length === 0;
  const keys = isWritten
    ? await planSigningKeys(
        deps,
        applications.map(({ planned }) => planned),
      )
    : [];
  return {
    changes: [...steps.flatMap(({ change }) => change ?? []), ...keys],
    differences: [...differences.filter(isRemoval), ...differences.filter(one => !isRemoval(one))],
    faults,
    notes: [...removals.notes, ...users.flatMap(({ notes }) => notes), ...keysLeft(keys)],
  };
}

/** A provider that is removed and that an application goes on to offer. An entry that names its list is told where it stands (plan-provider.ts). */
async function stillOffered(
  { store }: PlanDeps,
  file: ApplyFile,
  applications: readonly ApplicationPlan[],
  removals: readonly PlanStep[],
  { prune }: PlanOptions,
): Promise<Fault[]> {
  const removed = removals.flatMap(({ change }) => (change?.kind === 'deleteProvider' ? [change.id] : []));
  if (removed.length === 0) return [];
  const inFile = new Map(applications.map(({ planned: { application } }) => [application.code, application]));
  const named = new Set(file.applications.flatMap(({ code, providers }) => (providers ? [code] : [])));
  // Others are removed as well, where the file prunes.
  const codes = prune ? [...inFile.keys()] : await store.applicationCodes();
  const faults = await inBatches(codes, async code => {
    if (named.has(code)) return [];
    const { providers = [] } = inFile.get(code) ?? (await store.findStoredApplication(code))?.application ?? {};
    const offered = providers.filter(id => removed.includes(id));
    return offered.map(id => ({ message: `provider ${id}: is offered by application ${code}, and cannot be removed` }));
  });
  return faults.flat();
}

export const isRemoval = ({ action }: Difference): boolean => action === 'delete';

function passwordFaults(applications: readonly ApplicationPlan[], oldSystems: ReadonlySet<string>): Fault[] {
  return applications.flatMap(({ planned: { application } }, index) => {
    const message = passwordsNeeded(application, oldSystems);
    return message === undefined ? [] : [{ path: ['applications', index, 'local_sign_in'], message }];
  });
}

function faultsOf(applications: readonly ApplicationPlan[]): Fault[] {
  return applications.flatMap(({ faults }, index) =>
    faults.map(({ path = [], message }) => ({ path: ['applications', index, ...path], message })),
  );
}

function faultsOfUsers(users: readonly UserPlan[]): Fault[] {
  return users.flatMap(({ faults }, index) =>
    faults.map(({ name, message }) => ({
      path: ['users', index, 'attributes', ...(name === undefined ? [] : [name])],
      message,
    })),
  );
}

function keysLeft(keys: readonly Provision[]): string[] {
  const left = keys.filter(({ kind }) => kind === 'pendingKeys').length;
  return left === 0 ? [] : [`${left} signing keys are left to the server, which makes them now or when it starts`];
}

/** Two entries, such as one by user name and one by e-mail address, may be the same user: only the store can tell. */
function sameUsers(users: readonly { readonly sub: string }[]): Fault[] {
  const faults: Fault[] = [];
  const places = new Map<string, number>();
  for (const [place, { sub }] of users.entries()) {
    const before = places.get(sub);
    if (before !== undefined) {
      faults.push({ path: ['users', place], message: 'is the same user as', other: ['users', before] });
    }
    places.set(sub, place);
  }
  return faults;
}
