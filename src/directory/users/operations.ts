import { z } from 'zod';
import type { Change } from '../../audit/acts/store.ts';
import type { EventType } from '../../events.ts';
import { noticeTo } from '../../notify/mail/notices.ts';
import { hasRole } from '../../operators/api/caller.ts';
import { subParam } from '../../operators/api/input.ts';
import { pageOf, pageQuery } from '../../operators/api/list.ts';
import { actOf, isStale, type OperationContext, operation } from '../../operators/api/operation.ts';
import { conflict, done, type Outcome, type Problem, unknown } from '../../operators/api/outcome.ts';
import { mergePatch, validate } from '../../operators/api/validate.ts';
import { linkRefusedFault } from '../../operators/apply/link-refused-fault.ts';
import { passkeyTakenFault } from '../../operators/apply/passkey-taken-fault.ts';
import { newAccount, toProfileChanges, withTotp } from '../../operators/apply/plan-user.ts';
import { LAST_OWNER } from '../../operators/roles/operations.ts';
import { passwordFaultIn } from '../../people/password/fault-text.ts';
import { changeProfile } from '../../people/profile/rules.ts';
import { userAttributes } from '../user-attributes/queries.ts';
import { type Attributes, attributeFaults, type UserAttribute } from '../user-attributes/rules.ts';
import { type UserEntry, userSchema } from './fields.ts';
import { loginName } from './login-name.rules.ts';
import type { User, UserAct, UserFacts } from './store.ts';
import { type UserView, userOf, userView, viewOf } from './view.operations.ts';

/** /users: the directory that all applications share. A caller that is limited to applications does not see it. */

const { password, password_hash, totp_secret, passkeys, links, ...profileFields } = userSchema.shape;
const changeable = z.strictObject(profileFields);

export const listUsers = operation({
  summary:
    'List users in the order of their names, or search by any part of a user name, full, given or family name, e-mail or telephone number.',
  role: 'auditor',
  reach: 'deployment',
  query: z.strictObject({
    ...pageQuery,
    q: z.string().min(1, 'must not be empty').max(256).optional(),
    login: z.string().max(256).optional().meta({ description: 'Only the user who signs in with this name.' }),
  }),
  result: pageOf(userView),
  async run({ services }, { query: { q, login, cursor, limit } }) {
    if (login !== undefined) return done({ items: await usersWithLogin(services, login), next: null });
    const search = q === undefined ? undefined : loginName(q);
    // Longer than any name, or empty.
    if (q !== undefined && search === undefined) return done({ items: [], next: null });
    const { users, next } = await services.store.listUsers({ search, after: cursor, limit });
    const encoded = next === undefined ? null : Buffer.from(next).toString('base64url');
    return done({ items: users.map(viewOf), next: encoded });
  },
});

/** At most one. */
async function usersWithLogin({ store }: OperationContext['services'], login: string): Promise<UserView[]> {
  const found = await store.findAccount(loginName(login) ?? '');
  const user = found && (await store.findUser(found.sub));
  return user ? [viewOf(user)] : [];
}

export const getUser = operation({
  summary: 'Get one user.',
  role: 'auditor',
  reach: 'deployment',
  params: subParam,
  result: userView,
  async run({ services }, { params: { sub } }) {
    const user = await services.store.findUser(sub);
    return user ? done(viewOf(user)) : unknown('user');
  },
});

export const createUser = operation({
  summary:
    'Create a user. password_hash, totp_secret and passkeys take what the user signs in with from another system, links the people of identity providers who sign in to it.',
  role: 'operator',
  reach: 'deployment',
  body: userSchema,
  result: userView,
  status: 201,
  example: { username: 'alice', email: 'alice@example.com', password: 'correct horse battery staple' },
  async run(context, { body }) {
    const fault =
      (await passwordProblem(context, body.password, body)) ??
      attributesProblem(await definedFor(context, body), body.attributes);
    if (fault) return fault;
    const account = withTotp(context.services, body, newAccount(context.services, body, await hashOf(context, body)));
    return changeUser(context, account.sub, () => {
      const result = viewOf(userOf(account));
      const act = actOf(context, { type: 'user.created', subject: account.sub }, result);
      return { result: done(result), write: { value: { kind: 'create', account }, act } };
    });
  },
});

export const updateUser = operation({
  summary: 'Change fields of a user (RFC 7396). Disabling ends sessions and tokens.',
  role: 'operator',
  reach: 'deployment',
  params: subParam,
  body: z.looseObject({}),
  changes: changeable,
  result: userView,
  example: { nickname: 'Al', disabled: false },
  async run(context, { params: { sub }, body }) {
    const defined = await definedFor(context, body);
    return changeUser(context, sub, facts => {
      const current = changeableUser(context, facts);
      if ('kind' in current) return { result: current };
      const patch = validate(changeable, withMerged(current, body));
      if (patch.kind === 'invalid') return { result: patch };
      const { attributes } = patch.value;
      const problem = attributesProblem(defined, attributes, current.standardClaims?.attributes);
      if (problem) return { result: problem };
      const { disabled, require_mfa: requiresMfa, require_password_change: requirePasswordChange } = patch.value;
      const now = context.services.clock.now();
      const profile = toProfileChanges(patch.value);
      const after = { ...current, ...changeProfile(current, profile), updatedAt: now };
      const flags = {
        disabled: disabled ?? current.disabled,
        requiresMfa: requiresMfa ?? current.requiresMfa,
        requirePasswordChange: requirePasswordChange ?? current.requirePasswordChange,
      };
      const result = viewOf({ ...after, ...flags });
      const type = typeOfChange(current, disabled);
      const act = actOf(context, { type, subject: sub, details: { fields: changedNames(body) } }, result);
      const value = { kind: 'change', now, profile, disabled, requiresMfa, requirePasswordChange } as const;
      return { result: done(result), write: { value, act } };
    });
  },
});

export const deleteUser = operation({
  summary: 'Permanently delete a user with everything that belongs to the user.',
  role: 'operator',
  reach: 'deployment',
  params: subParam,
  async run(context, { params: { sub } }) {
    const now = context.services.clock.now();
    return changeUser(context, sub, facts => {
      const current = changeableUser(context, facts);
      if ('kind' in current) return { result: current };
      const act = actOf(context, { type: 'user.deleted', subject: sub });
      return { result: done(undefined), write: { value: { kind: 'delete', now }, act } };
    });
  },
});

export const setUserPassword = operation({
  summary: 'Set the password of a user, or the hash of one. Ends sessions and tokens.',
  role: 'operator',
  reach: 'deployment',
  params: subParam,
  body: z
    .strictObject({ password, password_hash })
    .refine(body => (body.password === undefined) !== (body.password_hash === undefined), {
      path: ['password'],
      message: 'one of password and password_hash must be given',
    }),
  example: { password: 'correct horse battery staple' },
  async run(context, { params: { sub }, body }) {
    const user = await context.services.store.findUser(sub);
    if (!user) return unknown('user');
    const fault = await passwordProblem(context, body.password, user);
    if (fault) return fault;
    const passwordHash = await hashOf(context, body);
    return changeUser(context, sub, facts => {
      const current = changeableUser(context, facts);
      if ('kind' in current) return { result: current };
      const mail = noticeTo(context.services, current, { kind: 'passwordChanged' });
      const act = actOf(context, { type: 'user.password.changed', subject: sub }, undefined, mail);
      const value = { kind: 'change', now: context.services.clock.now(), passwordHash } as const;
      return { result: done(undefined), write: { value, act } };
    });
  },
});

export async function changeUser<T>(
  { services }: OperationContext,
  sub: string,
  decide: (facts: UserFacts) => Change<UserAct, Outcome<T>>,
): Promise<Outcome<T>> {
  const outcome = await services.store.changeUser(sub, decide);
  if (outcome.kind === 'lastOwner') return conflict(LAST_OWNER);
  if (outcome.kind === 'passkeyTaken') return conflict(`One of the passkeys ${passkeyTakenFault(outcome)}.`);
  if (outcome.kind === 'linkRefused') return conflict(`One of the links ${linkRefusedFault(outcome)}.`);
  if (outcome.kind !== 'loginTaken') return outcome;
  return conflict(`"${outcome.loginName}" is the login name of another user.`);
}

/** An operator must not become an owner by setting the password, or the e-mail address, of one. */
export function changeableUser(context: OperationContext, { current, role }: UserFacts): User | Problem {
  if (!current) return unknown('user');
  if (role !== undefined && !hasRole(context.caller, role))
    return conflict(`The user has the role ${role}: only a caller with that role may change or delete the user.`);
  return isStale(context, viewOf(current)) ? { kind: 'changed' } : current;
}

function typeOfChange(current: User, disabled: boolean | undefined): EventType {
  if (disabled === undefined || disabled === current.disabled) return 'user.updated';
  return disabled ? 'user.disabled' : 'user.enabled';
}

/** The fields that are objects: their members are merged, as RFC 7396 says. */
function withMerged({ standardClaims, membership }: User, body: Readonly<Record<string, unknown>>): unknown {
  const before = { address: standardClaims?.address, roles: membership?.roles };
  const isObject = (value: unknown) => typeof value === 'object' && value !== null;
  const named = (['address', 'roles'] as const).filter(name => isObject(body[name]));
  return { ...body, ...Object.fromEntries(named.map(name => [name, mergePatch(before[name], body[name])])) };
}

/** The definitions, which nothing else needs. */
async function definedFor({ services }: OperationContext, { attributes }: { readonly attributes?: unknown }) {
  return attributes === undefined || attributes === null ? [] : userAttributes(services.store.cold);
}

function attributesProblem(
  defined: readonly UserAttribute[],
  changes: UserEntry['attributes'],
  before?: Attributes | undefined,
): Problem | undefined {
  const faults = attributeFaults(defined, changes, before);
  if (faults.length === 0) return undefined;
  const pointer = (name: string | undefined) => (name === undefined ? '/attributes' : `/attributes/${name}`);
  return { kind: 'invalid', errors: faults.map(({ name, message }) => ({ pointer: pointer(name), detail: message })) };
}

/** For the event: each of the user's own fields by itself. */
function changedNames({ attributes, ...body }: Readonly<Record<string, unknown>>): string[] {
  const own = Object.keys(attributes ?? {}).map(name => `attributes.${name}`);
  return [...Object.keys(body), ...(attributes === null ? ['attributes'] : own)];
}

async function hashOf(
  { services }: OperationContext,
  body: Pick<UserEntry, 'password' | 'password_hash'>,
): Promise<string | undefined> {
  return body.password === undefined ? body.password_hash : services.passwords.hashInTurn(body.password);
}

/** Users belong to no application: the password has the default length, and must not be like the name of this service. */
async function passwordProblem(
  { services }: OperationContext,
  password: string | undefined,
  { username, email }: { readonly username?: string | undefined; readonly email?: string | null | undefined },
): Promise<Problem | undefined> {
  if (password === undefined) return undefined;
  const fault = await services.newPasswords.check(password, { username, email: email ?? undefined });
  if (!fault) return undefined;
  const text = passwordFaultIn(fault);
  return { kind: 'invalid', errors: [{ pointer: '/password', detail: text.en, text }] };
}
