import type { BodyFault } from '../message.ts';
import { BUILT_IN_APPLICATION } from '../protocol/built-in-application.ts';
import type { Role } from '../store/operators.ts';
import { type Caller, hasRole, mayAccess } from './caller.ts';
import type { Operation, OperationContext } from './operation.ts';
import { type Outcome, type Problem, unknown } from './outcome.ts';
import { validate } from './validate.ts';

export interface Input {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The role of the caller is too low. */
export interface Forbidden {
  readonly kind: 'forbidden';
  readonly needed: Role;
}

/**
 * Checks the rights of the caller and the input, then runs the operation. The API, the command line and the console run operations
 * only through this. For a limited caller, what it may not see is unknown; that is checked before its role.
 */
export async function perform<Result>(
  operation: Operation<unknown, unknown, unknown, Result>,
  context: OperationContext,
  input: Input,
): Promise<Outcome<Result> | Forbidden> {
  const refused = refusedRights(operation, context.caller, input.params);
  if (refused) return refused;
  const params = validate(operation.params, input.params);
  const query = validate(operation.query, input.query);
  const body = validate(operation.body, input.body);
  if (params.kind === 'invalid' || query.kind === 'invalid' || body.kind === 'invalid') {
    return { kind: 'invalid', errors: [params, query, body].flatMap(faultsOf) };
  }
  return operation.run(context, { params: params.value, query: query.value, body: body.value });
}

/** Why the caller may not run the operation; undefined: it may. */
export function refusedRights(
  operation: Pick<Operation, 'reach' | 'role'>,
  caller: Caller,
  params: Input['params'],
): Problem | Forbidden | undefined {
  const isLimited = caller.applications !== undefined;
  if (isLimited && operation.reach === 'deployment') return unknown('object');
  if (operation.reach === 'application' && !mayAccess(caller, params.code ?? '')) return unknown('application');
  const needed = roleFor(operation, params);
  return hasRole(caller, needed) ? undefined : { kind: 'forbidden', needed };
}

/** Only an owner changes clients of the built-in application. They get tokens of owners: an operator could gain an owner's rights. */
function roleFor({ role }: Pick<Operation, 'role'>, params: Input['params']): Role {
  return role === 'operator' && params.code === BUILT_IN_APPLICATION ? 'owner' : role;
}

function faultsOf(validated: { readonly kind: string; readonly errors?: readonly BodyFault[] }): readonly BodyFault[] {
  return validated.errors ?? [];
}
