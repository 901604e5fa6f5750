import { BUILT_IN_APPLICATION } from '../../directory/applications/built-in.rules.ts';
import type { Deps } from '../../services.ts';
import { type Caller, hasRole, mayAccess } from '../api/caller.ts';
import { isOwner } from '../roles/store.ts';
import type { Fault } from './fault.ts';
import type { ApplyFile } from './file-schema.ts';
import type { Plan } from './plan.ts';
import type { PlanOptions } from './plan-step.ts';

/**
 * What the caller of the API may not apply: the same as its role could not do by the operations on applications, clients and users. What a
 * limited caller may not see is refused in the words for what is not there, before anything of it is compared.
 */
export function faultsOfCaller(
  caller: Caller,
  { providers, applications, users, user_attributes: attributes }: ApplyFile,
  options: PlanOptions,
): Fault[] {
  const faults: Fault[] = applications.flatMap(({ code }, index) => {
    const path = ['applications', index, 'code'];
    if (!mayAccess(caller, code)) return [{ path, message: 'there is no such application' }];
    const isTooHigh = code === BUILT_IN_APPLICATION && !isOwner(caller);
    return isTooHigh ? [{ path, message: 'only an owner changes the built-in application' }] : [];
  });
  if (caller.applications === undefined) return faults;
  if (providers) faults.push({ path: ['providers'], message: 'providers need a role for all applications' });
  if (users.length > 0) faults.push({ path: ['users'], message: 'users need a role for all applications' });
  if (attributes)
    faults.push({ path: ['user_attributes'], message: 'attributes of users need a role for all applications' });
  if (options.prune) faults.push({ message: 'pruning needs a role for all applications' });
  return faults;
}

/** What only the comparison shows: a limited caller makes no application, nobody changes the account of a higher role, owners alone providers. */
export async function faultsOfPlan(
  { store }: Pick<Deps, 'store'>,
  caller: Caller,
  { applications }: ApplyFile,
  { differences }: Plan,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const { action, object } of differences) {
    if (object.type === 'application' && action === 'create' && caller.applications !== undefined) {
      const index = applications.findIndex(({ code }) => code === object.application);
      faults.push({ path: ['applications', index, 'code'], message: 'there is no such application' });
    }
    // A provider says who somebody is, an owner too.
    if (object.type === 'provider' && !isOwner(caller)) {
      faults.push({ message: `provider ${object.id}: only an owner changes identity providers` });
    }
    if ((object.type !== 'user' && object.type !== 'link') || action === 'create' || caller.role === 'owner') continue;
    const role = (await store.findOperator(object.sub))?.role;
    if (role === undefined || hasRole(caller, role)) continue;
    faults.push({
      message: `user ${object.username}: has the role ${role}, and only a caller with it may change the user`,
    });
  }
  return faults;
}
