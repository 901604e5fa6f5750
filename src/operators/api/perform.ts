import { BUILT_IN_APPLICATION } from '../../directory/applications/built-in.rules.ts';
import type { BodyFault } from '../../platform/http/message.ts';
import { isOwner, type Role } from '../roles/store.ts';
import { type Caller, hasRole, mayAccess } from './caller.ts';
import { loadSchema, type Operation, type OperationContext } from './operation.ts';
import { type Outcome, type Problem, unknown } from './outcome.ts';
import { fieldsOf } from './schema-fields.ts';
import { notAField, validate } from './validate.ts';

export interface Input {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The role of the caller is too low, or limited to applications where it must not be. */
export interface Forbidden {
  readonly kind: 'forbidden';
  readonly needed: Role | typeof UNLIMITED_OWNER;
}

const UNLIMITED_OWNER = 'owner for all applications';

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
  const query = validate(await loadSchema(operation.query, context.services.tables), input.query);
  const body = validate(await loadSchema(operation.body, context.services.tables), input.body);
  if (params.kind === 'invalid' || query.kind === 'invalid' || body.kind === 'invalid') {
    return { kind: 'invalid', errors: [params, query, body].flatMap(faultsOf) };
  }
  const unknownNames = await clearedInVain(operation, context, body.value);
  if (unknownNames.length > 0) return { kind: 'invalid', errors: unknownNames.map(name => notAField(name)) };
  return operation.run(context, { params: params.value, query: query.value, body: body.value });
}

/**
 * Members that a patch clears (RFC 7396) and that no object has: merged, they would be gone before the schema sees them. What an answer has
 * beside the fields may come back.
 */
async function clearedInVain(
  { changes, result }: Pick<Operation, 'changes' | 'result'>,
  { services }: OperationContext,
  body: unknown,
): Promise<readonly string[]> {
  const cleared = Object.entries(body ?? {}).flatMap(([name, value]) => (value === null ? [name] : []));
  if (changes === undefined || cleared.length === 0) return [];
  const schemas = [await loadSchema(changes, services.tables), await loadSchema(result, services.tables)];
  const known = new Set(schemas.flatMap(fieldsOf).map(({ name }) => name));
  return cleared.filter(name => !known.has(name));
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
  const { role } = operation;
  // The clients of the built-in application get tokens of owners: whoever changes it could gain the rights of any of them.
  if (params.code === BUILT_IN_APPLICATION && role !== 'auditor') {
    return isOwner(caller) ? undefined : { kind: 'forbidden', needed: isLimited ? UNLIMITED_OWNER : 'owner' };
  }
  return hasRole(caller, role) ? undefined : { kind: 'forbidden', needed: role };
}

function faultsOf(validated: { readonly kind: string; readonly errors?: readonly BodyFault[] }): readonly BodyFault[] {
  return validated.errors ?? [];
}
