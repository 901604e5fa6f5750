import { z } from 'zod';
import type { Change } from '../../audit/acts/store.ts';
import { ensureBuiltInApplication } from '../../directory/applications/operations.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import { subParam } from '../api/input.ts';
import { pageAfter, pageOf, pageQuery, toPage } from '../api/list.ts';
import { actOf, isStale, type OperationContext, operation } from '../api/operation.ts';
import { conflict, done, type Outcome, unknown } from '../api/outcome.ts';
import { isoTime, timeField } from '../api/times.ts';
import { mergePatch, validate } from '../api/validate.ts';
import { faultsOfLimit, roleFields, shownRoleFields, unknownApplications } from './role-fields.ts';
import type { Operator, OperatorFacts, OperatorWrite } from './store.ts';

/** /operators: users of the directory with a role. The last owner keeps it. */

const operatorView = z.object({
  sub: z.string(),
  username: z.string(),
  ...shownRoleFields,
  disabled: z.boolean(),
  created_at: timeField,
});
type OperatorView = z.output<typeof operatorView>;

const changeable = z.strictObject(roleFields);

const HAS_OWNER = 'The deployment has an owner.';
export const LAST_OWNER = 'This is the last owner. Give another user the role owner first.';

export const listOperators = operation({
  summary: 'List operators.',
  role: 'auditor',
  reach: 'deployment',
  query: z.strictObject(pageQuery),
  result: pageOf(operatorView),
  async run({ services }, { query }) {
    const found = await services.store.listOperators(pageAfter(query));
    return done(toPage(found, query, ({ sub }) => sub, viewOf));
  },
});

export const getOperator = operation({
  summary: 'Get one operator.',
  role: 'auditor',
  reach: 'deployment',
  params: subParam,
  result: operatorView,
  async run({ services }, { params: { sub } }) {
    const found = await services.store.findOperator(sub);
    return found ? done(viewOf(found)) : unknown('operator');
  },
});

export const addOperator = operation({
  summary: 'Give a user a role. The user is named by sub, or by user name, e-mail address or telephone number.',
  role: 'owner',
  reach: 'deployment',
  body: z
    .strictObject({ sub: z.string().optional(), username: z.string().optional(), ...roleFields })
    .refine(({ sub, username }) => (sub === undefined) !== (username === undefined), {
      path: ['username'],
      message: 'one of sub and username must be given',
    }),
  result: operatorView,
  status: 201,
  example: { username: 'alice', role: 'owner' },
  async run(context, { body: { sub: given, username, role, applications } }) {
    const { store, clock } = context.services;
    const unknownCodes = await unknownApplications(context, applications);
    const faults = faultsOfLimit({ role, applications }, code => unknownCodes.has(code));
    if (faults) return faults;
    const sub = given ?? (await store.findAccount(loginName(username ?? '') ?? ''))?.sub;
    if (sub === undefined) return unknown('user');
    await ensureBuiltInApplication(context);
    return change(context, sub, facts => {
      if (facts.username === undefined) return { result: unknown('user') };
      if (facts.current) return { result: conflict('The user is an operator already.') };
      const createdAt = clock.now();
      return write(context, 'operator.added', facts, sub, { role, applications, createdAt });
    });
  },
});

/** Makes a user the first owner (operators/first-owner/page.ts). Undefined: there is one already, also when it came a moment ago. */
export async function addFirstOwner(context: OperationContext, sub: string): Promise<OperatorView | undefined> {
  await ensureBuiltInApplication(context);
  const createdAt = context.services.clock.now();
  const outcome = await change(context, sub, facts => {
    if (facts.hasOwner || facts.username === undefined) return { result: conflict(HAS_OWNER) };
    const type = facts.current ? 'operator.updated' : 'operator.added';
    return write(context, type, facts, sub, { role: 'owner', applications: undefined, createdAt });
  });
  return outcome.kind === 'done' ? outcome.value : undefined;
}

export const updateOperator = operation({
  summary: 'Change the role of an operator (RFC 7396).',
  role: 'owner',
  reach: 'deployment',
  params: subParam,
  body: z.looseObject({}),
  changes: changeable,
  result: operatorView,
  example: { role: 'auditor' },
  async run(context, { params: { sub }, body }) {
    const named = roleFields.applications.safeParse(body.applications);
    const unknownCodes = await unknownApplications(context, named.data);
    return change(context, sub, facts => {
      const { current } = facts;
      if (!current) return { result: unknown('operator') };
      if (isStale(context, viewOf(current))) return { result: { kind: 'changed' } };
      const { role, applications } = current;
      const merged = validate(changeable, mergePatch(applications ? { role, applications } : { role }, body));
      if (merged.kind === 'invalid') return { result: merged };
      // A code that the limit had before stays: its application was deleted meanwhile.
      const isNew = (code: string) => !applications?.includes(code);
      const next = { role: merged.value.role, applications: merged.value.applications, createdAt: current.createdAt };
      const faults = faultsOfLimit(next, code => unknownCodes.has(code) && isNew(code));
      if (faults) return { result: faults };
      return write(context, 'operator.updated', facts, sub, next);
    });
  },
});

export const removeOperator = operation({
  summary: 'Remove the role of an operator. The user account remains.',
  role: 'owner',
  reach: 'deployment',
  params: subParam,
  async run(context, { params: { sub } }) {
    return change(context, sub, facts => {
      const { current } = facts;
      if (!current) return { result: unknown('operator') };
      if (isStale(context, viewOf(current))) return { result: { kind: 'changed' } };
      const act = actOf(context, { type: 'operator.removed', subject: sub, details: { role: current.role } });
      return { result: done(undefined), write: { value: null, act } };
    });
  },
});

async function change<T>(
  { services }: OperationContext,
  sub: string,
  decide: (facts: OperatorFacts) => Change<OperatorWrite | null, Outcome<T>>,
): Promise<Outcome<T>> {
  const outcome = await services.store.changeOperator(sub, decide);
  return outcome.kind === 'lastOwner' ? conflict(LAST_OWNER) : outcome;
}

function write(
  context: OperationContext,
  type: 'operator.added' | 'operator.updated',
  { username = '', current }: OperatorFacts,
  sub: string,
  value: OperatorWrite,
): Change<OperatorWrite | null, Outcome<OperatorView>> {
  const { role, applications } = value;
  const result = viewOf({ ...value, sub, username, disabled: current?.disabled ?? false });
  const act = actOf(context, { type, subject: sub, details: { role, applications } }, result);
  return { result: done(result), write: { value, act } };
}

function viewOf({ sub, username, role, applications, disabled, createdAt }: Operator): OperatorView {
  const limit = applications === undefined ? {} : { applications: [...applications] };
  return { sub, username, role, ...limit, disabled, created_at: isoTime(createdAt) };
}
