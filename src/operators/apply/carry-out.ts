import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { NewAnswer } from '../../audit/acts/store.ts';
import { NOT_DEFINED } from '../../directory/user-attributes/rules.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import { linkIdOf } from '../../people/linking/fields.ts';
import type { LinkKey } from '../../people/linking/rules.ts';
import { passkeyIdOf } from '../../people/passkey/rules.ts';
import type { Services } from '../../services.ts';
import { lastOwnerFault } from '../roles/last-owner-fault.ts';
import { type AppliedBy, eventsOf } from './applied-events.ts';
import type { Difference } from './difference.ts';
import type { Fault } from './fault.ts';
import type { ApplyFile } from './file-schema.ts';
import { linkRefusedFault } from './link-refused-fault.ts';
import { passkeyTakenFault } from './passkey-taken-fault.ts';
import { isRemoval, type Plan, planChanges } from './plan.ts';
import type { PlanOptions } from './plan-step.ts';

/** What was applied, or would be. */
export type Planned = Pick<Plan, 'differences' | 'notes'>;

export type CarriedOut =
  | { readonly kind: 'done'; readonly plan: Planned }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[] }
  /** The plan removes something that nobody has said yes to. Nothing was written. */
  | { readonly kind: 'unconfirmed'; readonly removals: readonly Removed[] }
  | { readonly kind: 'alreadyAnswered' };

export type Removed = Pick<Difference, 'action' | 'object' | 'fields'>;

export type Confirmed = 'all' | readonly Pick<Removed, 'object'>[];

/** Where files are applied: the store of the settings, or that of a running server. */
export type ApplyTarget = (
  file: ApplyFile,
  options: PlanOptions,
  /** The removals that the operator has said yes to. */
  confirmed: Confirmed,
) => Promise<CarriedOut>;

/** What the API and the command line each do in their own way. */
export interface Carrying {
  readonly by?: AppliedBy;
  /** Faults that the rights of the caller make of the plan. */
  refuse?(plan: Plan): Promise<readonly Fault[]>;
  answerFor?(plan: Planned): NewAnswer | undefined;
  onWrite?<T>(changes: number, write: () => Promise<T>): Promise<T>;
}

/** Between a comparison and its write thousands of passwords may be hashed, which takes minutes. */
const MAX_COMPARISONS = 3;
const CHANGING: Fault = {
  message:
    'an application, client or provider of the file was changed while it was compared, each time. Apply it again',
};

/** Compares the file with the store, and unless it is a dry run writes what differs: all of it, or nothing. */
export async function carryOut(
  services: Services,
  file: ApplyFile,
  options: PlanOptions,
  confirmed: Confirmed,
  carrying: Carrying = {},
): Promise<CarriedOut> {
  for (let comparison = 1; comparison <= MAX_COMPARISONS; comparison++) {
    const outcome = await compareAndWrite(services, file, options, confirmed, carrying);
    if (outcome.kind !== 'stale') return outcome;
    // On SQLite the reads of one turn of the event loop share a snapshot.
    await setImmediate();
  }
  return { kind: 'faulty', faults: [CHANGING] };
}

/** What others have written since the comparison must not be lost: a client that was deleted, a secret that was replaced. */
type Stale = { readonly kind: 'stale' };

async function compareAndWrite(
  services: Services,
  file: ApplyFile,
  options: PlanOptions,
  confirmed: Confirmed,
  carrying: Carrying,
): Promise<CarriedOut | Stale> {
  const plan = await planChanges(services, file, options);
  const faults = [...plan.faults, ...((await carrying.refuse?.(plan)) ?? [])];
  if (faults.length > 0) return { kind: 'faulty', faults };
  const removals = plan.differences.filter(isRemoval);
  const isConfirmed = ({ object }: Removed) =>
    confirmed === 'all' || confirmed.some(one => isDeepStrictEqual(one.object, object));
  if (!options.dryRun && !removals.every(isConfirmed)) return { kind: 'unconfirmed', removals };
  return provision(services, file, plan, options.dryRun === true, carrying);
}

async function provision(
  services: Services,
  file: ApplyFile,
  plan: Plan,
  dryRun: boolean,
  { by, answerFor, onWrite = (_, write) => write() }: Carrying,
): Promise<CarriedOut | Stale> {
  const events = eventsOf(services, plan.differences, by);
  const write = () => services.store.provision(plan.changes, dryRun, events, answerFor?.(plan));
  const outcome = await (dryRun ? write() : onWrite(plan.changes.length, write));
  switch (outcome.kind) {
    case 'done':
      return { kind: 'done', plan };
    case 'alreadyAnswered':
    case 'stale':
      return outcome;
    case 'lastOwner':
      return { kind: 'faulty', faults: [{ message: lastOwnerFault(outcome) }] };
    case 'passkeyTaken':
      return {
        kind: 'faulty',
        faults: [{ path: pathOfPasskey(file, outcome.id), message: passkeyTakenFault(outcome) }],
      };
    case 'linkRefused':
      return { kind: 'faulty', faults: [{ path: pathOfLink(file, outcome.link), message: linkRefusedFault(outcome) }] };
    case 'attributeGone':
      return { kind: 'faulty', faults: [{ path: pathOfAttribute(file, outcome.name), message: NOT_DEFINED }] };
    case 'loginTaken': {
      const path = pathOfLogin(file, outcome.loginName);
      return { kind: 'faulty', faults: [{ path, message: 'belongs to another user already' }] };
    }
  }
}

/** The place in the file of the login name that belongs to another user. */
function pathOfLogin(file: ApplyFile, taken: string): readonly PropertyKey[] {
  for (const [index, user] of file.users.entries()) {
    for (const field of ['username', 'email', 'phone_number'] as const) {
      if (loginName(user[field] ?? '') === taken) return ['users', index, field];
    }
  }
  return ['users'];
}

function pathOfPasskey(file: ApplyFile, taken: string): readonly PropertyKey[] {
  for (const [index, { passkeys = [] }] of file.users.entries()) {
    const at = passkeys.findIndex(({ credential_id }) => passkeyIdOf(credential_id) === taken);
    if (at >= 0) return ['users', index, 'passkeys', at, 'credential_id'];
  }
  return ['users'];
}

function pathOfLink(file: ApplyFile, refused: LinkKey): readonly PropertyKey[] {
  for (const [index, { links = [] }] of file.users.entries()) {
    const at = links.findIndex(link => linkIdOf(link) === linkIdOf(refused));
    if (at >= 0) return ['users', index, 'links', at];
  }
  return ['users'];
}

function pathOfAttribute(file: ApplyFile, name: string): readonly PropertyKey[] {
  const at = file.users.findIndex(({ attributes }) => Object.hasOwn(attributes ?? {}, name));
  return at >= 0 ? ['users', at, 'attributes', name] : ['users'];
}
