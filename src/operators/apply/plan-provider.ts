import { followingSecrets, GIVE_AGAIN } from '../../directory/providers/destination.ts';
import { entryOfProvider, providerOfEntry } from '../../directory/providers/entry.ts';
import { providerFaults } from '../../directory/providers/fields.ts';
import { oldSystemsIn, type Provider, type ProviderEntry } from '../../directory/providers/rules.ts';
import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import type { Deps, Tables } from '../../services.ts';
import { complete } from './complete.ts';
import { changedFields } from './difference.ts';
import type { Fault } from './fault.ts';
import type { ApplyFile, GivenApplication, GivenProvider } from './file-schema.ts';
import type { PlanStep } from './plan-step.ts';

export interface ProviderPlanDeps extends Pick<Deps, 'store'> {
  readonly ring: KeyRing;
  readonly tables: Pick<Tables, 'fields'>;
}

export interface ProvidersPlan {
  readonly steps: readonly PlanStep[];
  readonly removals: readonly PlanStep[];
  readonly faults: readonly Fault[];
  /** The ids of those that are old systems, when the file is applied. */
  readonly oldSystems: ReadonlySet<string>;
}

/** What the entries of identity providers change, and the removal of those that a list with `prune`, or an empty one, does not name. */
export async function planProviders(deps: ProviderPlanDeps, file: ApplyFile, prune: boolean): Promise<ProvidersPlan> {
  const given = file.providers ?? [];
  const isConcerned =
    file.providers || file.applications.some(({ providers, local_sign_in }) => providers || local_sign_in === false);
  if (!isConcerned) return { steps: [], removals: [], faults: [], oldSystems: new Set() };
  const present = new Map((await deps.store.listProviders()).map(each => [each.id, each]));
  const planned = await Promise.all(given.map(entry => planProvider(deps, entry, present.get(entry.id))));
  const named = new Set(given.map(({ id }) => id));
  const isRemoving = file.providers !== undefined && (prune || given.length === 0);
  const removed = isRemoving ? [...present.keys()].filter(id => !named.has(id)) : [];
  const known = new Set([...named, ...present.keys()].filter(id => !removed.includes(id)));
  return {
    steps: planned.map(({ step }) => step),
    removals: removed.map(id => ({
      change: { kind: 'deleteProvider', id },
      difference: { action: 'delete', object: { type: 'provider', id }, fields: [] },
    })),
    faults: [
      ...planned.flatMap(({ faults }, index) =>
        faults.map(({ path = [], message }) => ({ path: ['providers', index, ...path], message })),
      ),
      ...file.applications.flatMap((application, index) => unknownProviders(application, index, known)),
    ],
    oldSystems: oldSystemsIn([...present.values(), ...given]),
  };
}

async function planProvider(
  deps: ProviderPlanDeps,
  given: GivenProvider,
  present: Provider | undefined,
): Promise<{ readonly step: PlanStep; readonly faults: readonly Fault[] }> {
  const { provider: fields } = await deps.tables.fields();
  const before = present && entryOfProvider(deps, present);
  const entry = complete<Partial<ProviderEntry>>(fields.defaults, before, given) as ProviderEntry;
  const faults = faultsOf(providerFaults(fields.declared, { ...entry }));
  if (entry.type === undefined) return { step: UNCHANGED, faults: [{ path: ['type'], message: 'is missing' }] };
  if (present && entry.type !== present.type) faults.push({ path: ['type'], message: 'cannot be changed' });
  if (before)
    faults.push(...followingSecrets(before, entry, given).map(name => ({ path: [name], message: GIVE_AGAIN })));
  const object = { type: 'provider', id: entry.id } as const;
  const provider = providerOfEntry(deps, fields, entry, present);
  const change = { kind: 'provider', provider, from: present ?? 'none' } as const;
  if (!before) return { step: { change, difference: { action: 'create', object, fields: [] } }, faults };
  const changed = changedFields(before, withoutUnset(entry), fields.secrets);
  if (changed.length === 0) return { step: UNCHANGED, faults };
  return { step: { change, difference: { action: 'update', object, fields: changed } }, faults };
}

const UNCHANGED: PlanStep = { change: undefined, difference: undefined };

function faultsOf(faults: ReadonlyMap<string, string>): Fault[] {
  return [...faults].map(([field, message]) => ({ path: [field], message }));
}

function withoutUnset(entry: object): object {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined && value !== null));
}

function unknownProviders({ providers }: GivenApplication, index: number, known: ReadonlySet<string>): Fault[] {
  return (providers ?? []).flatMap((id, place) =>
    known.has(id) ? [] : [{ path: ['applications', index, 'providers', place], message: 'there is no such provider' }],
  );
}
