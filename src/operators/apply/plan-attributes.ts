import type { GivenAttribute } from '../../directory/user-attributes/fields.ts';
import { namesBeingDeleted, userAttributes } from '../../directory/user-attributes/queries.ts';
import { MAX_ATTRIBUTES, type UserAttribute } from '../../directory/user-attributes/rules.ts';
import type { Deps } from '../../services.ts';
import { changedFields } from './difference.ts';
import type { Fault } from './fault.ts';
import type { ApplyFile } from './file-schema.ts';
import type { PlanOptions, PlanStep } from './plan-step.ts';

/** What a file changes of the definitions of users' attributes. */
export interface AttributesPlan {
  readonly steps: readonly PlanStep[];
  readonly faults: readonly Fault[];
  /** All that are defined then. */
  readonly after: readonly UserAttribute[];
}

type AttributeDeps = Pick<Deps, 'store' | 'clock'>;

export async function planAttributes(
  { store, clock }: AttributeDeps,
  { user_attributes: given }: ApplyFile,
  { prune }: PlanOptions,
): Promise<AttributesPlan> {
  const present = await userAttributes(store.cold);
  if (given === undefined) return { steps: [], faults: [], after: present };
  const named = new Set(given.map(({ name }) => name));
  const kept = present.filter(({ name }) => named.has(name) || !(prune || given.length === 0));
  const removed = present.filter(one => !kept.includes(one));
  const entries = given.map(entry =>
    complete(
      entry,
      present.find(({ name }) => name === entry.name),
    ),
  );
  const after = [...kept.filter(({ name }) => !named.has(name)), ...entries];
  const tooMany = { path: ['user_attributes'], message: `must have at most ${MAX_ATTRIBUTES} entries` };
  return {
    steps: [...removed.map(one => removal(one, clock.now())), ...entries.flatMap(entry => stepOf(entry, present))],
    faults: [
      ...given.flatMap((entry, index) => faultsOf(entry, index, present)),
      ...stillThere(given, present, await namesBeingDeleted(store.cold)),
      ...(after.length > MAX_ATTRIBUTES ? [tooMany] : []),
    ],
    after,
  };
}

/** What the entry leaves out stays; null is the default. */
function complete(entry: GivenAttribute, present: UserAttribute | undefined): UserAttribute {
  const scope = entry.scope === undefined ? present?.scope : (entry.scope ?? undefined);
  return {
    name: entry.name,
    type: entry.type ?? present?.type ?? 'string',
    label: entry.label ?? present?.label ?? '',
    editable_by: (entry.editable_by === undefined ? present?.editable_by : entry.editable_by) ?? 'operator',
    ...(scope === undefined ? {} : { scope }),
  };
}

function faultsOf({ name, type, label }: GivenAttribute, index: number, all: readonly UserAttribute[]): Fault[] {
  const present = all.find(one => one.name === name);
  if (!present)
    return label === undefined ? [{ path: ['user_attributes', index, 'label'], message: 'is missing' }] : [];
  if (type === undefined || type === present.type) return [];
  const message = `cannot be changed from ${present.type}: delete the attribute, and define it again`;
  return [{ path: ['user_attributes', index, 'type'], message }];
}

function stillThere(
  given: readonly GivenAttribute[],
  present: readonly UserAttribute[],
  deleted: readonly string[],
): Fault[] {
  return given.flatMap(({ name }, index) => {
    const isNew = !present.some(one => one.name === name);
    const message = 'is an attribute whose former values are still being deleted: try again in a minute';
    return isNew && deleted.includes(name) ? [{ path: ['user_attributes', index, 'name'], message }] : [];
  });
}

function stepOf(attribute: UserAttribute, all: readonly UserAttribute[]): PlanStep[] {
  const present = all.find(({ name }) => name === attribute.name);
  const object = { type: 'user_attribute', name: attribute.name } as const;
  const change = { kind: 'userAttribute', attribute } as const;
  if (!present) return [{ change, difference: { action: 'create', object, fields: [] } }];
  const fields = changedFields(present, attribute);
  return fields.length === 0 ? [] : [{ change, difference: { action: 'update', object, fields } }];
}

function removal({ name }: UserAttribute, now: number): PlanStep {
  return {
    change: { kind: 'deleteUserAttribute', name, now },
    difference: { action: 'delete', object: { type: 'user_attribute', name }, fields: [] },
  };
}
