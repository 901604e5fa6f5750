import { loginName } from '../accounts/login-name.ts';
import type { Passwords } from '../accounts/passwords.ts';
import { loginNamesOf, type UserEntry } from '../accounts/registration.ts';
import type { Deps } from '../deps.ts';
import { type StandardClaims, standardClaims } from '../protocol/standard-claims.ts';
import type { Provision } from '../store/provisioning.ts';
import type { Account } from '../store/users.ts';
import { changedFields, describeChanges, type FieldChange } from './describe.ts';

export type UserPlanDeps = Pick<Deps, 'store' | 'random' | 'clock'> & { readonly passwords: Passwords };

/** The change that the entry of a user makes: only to the fields that it names. */
export interface UserPlan {
  readonly sub: string;
  /** Undefined: nothing changes. */
  readonly change: Provision | undefined;
  readonly lines: readonly string[];
}

export async function planUser(deps: UserPlanDeps, entry: UserEntry, resetPassword: boolean): Promise<UserPlan> {
  const { random, clock } = deps;
  const present = await findUser(deps, entry);
  const before = present ? fieldsOf(present) : NEW_USER;
  const after = merge(before, entry);
  const password = present === undefined || resetPassword ? await newPassword(deps, entry) : undefined;
  const changes = [...changedFields(before, after), ...passwordChange(present, password)];
  if (present && changes.length === 0) return { sub: present.sub, change: undefined, lines: [] };
  const account: Account = {
    sub: present?.sub ?? random.bytes(SUB_BYTES).toString('base64url'),
    ...propertiesOf(after),
    passwordHash: password ?? present?.passwordHash,
    updatedAt: clock.now(),
  };
  const label = `user ${after.username}`;
  return {
    sub: account.sub,
    change: { kind: 'user', account, loginNames: loginNamesOf(after), keepPassword: password === undefined },
    lines: [present ? describeChanges(label, changes) : `${label}: created`],
  };
}

const SUB_BYTES = 16;

/** If the name is another user's e-mail address or telephone number, the entry is a new user, and the store refuses the name. */
async function findUser({ store }: UserPlanDeps, { username, email }: UserEntry): Promise<Account | undefined> {
  const name = loginName(username ?? email ?? '');
  const found = name === undefined ? undefined : await store.findAccount(name);
  const byAddress = username === undefined;
  return found && (byAddress || loginName(found.username) === name) ? found : undefined;
}

async function newPassword({ passwords }: UserPlanDeps, entry: UserEntry): Promise<string | undefined> {
  return entry.password === undefined ? entry.password_hash : passwords.hash(entry.password);
}

function passwordChange(present: Account | undefined, password: string | undefined): FieldChange[] {
  const before = present?.passwordHash;
  return password === undefined || password === before
    ? []
    : [{ field: 'password', before, after: password, secret: true }];
}

/** The fields of a user, by the names of the apply file. */
interface UserFields extends StandardClaims {
  readonly username: string;
  readonly email: string | undefined;
  readonly email_verified: boolean;
  readonly phone_number: string | undefined;
  readonly phone_number_verified: boolean;
  readonly nickname: string | undefined;
  readonly picture: string | undefined;
  readonly disabled: boolean;
}

function fieldsOf(account: Account): UserFields {
  return {
    username: account.username,
    email: account.email,
    email_verified: account.emailVerified,
    phone_number: account.phoneNumber,
    phone_number_verified: account.phoneNumberVerified,
    nickname: account.nickname,
    picture: account.picture,
    ...account.standardClaims,
    disabled: account.disabled,
  };
}

function propertiesOf(fields: UserFields): Omit<Account, 'sub' | 'passwordHash' | 'updatedAt'> {
  return {
    username: fields.username,
    email: fields.email,
    emailVerified: fields.email_verified,
    phoneNumber: fields.phone_number,
    phoneNumberVerified: fields.phone_number_verified,
    nickname: fields.nickname,
    picture: fields.picture,
    standardClaims: standardClaimsIn(fields),
    disabled: fields.disabled,
  };
}

function standardClaimsIn(fields: UserFields): StandardClaims | undefined {
  const set = standardClaims.filter(name => fields[name] !== undefined);
  return set.length === 0 ? undefined : Object.fromEntries(set.map(name => [name, fields[name]]));
}

const NEW_USER: UserFields = {
  username: '',
  email: undefined,
  email_verified: false,
  phone_number: undefined,
  phone_number_verified: false,
  nickname: undefined,
  picture: undefined,
  disabled: false,
};

/** Fields that the entry does not name are kept; fields that are null are cleared. */
function merge(before: UserFields, entry: UserEntry): UserFields {
  const { password: _, password_hash: __, ...named } = entry;
  const given = Object.entries(named).filter(([, value]) => value !== undefined);
  const after = { ...before, ...Object.fromEntries(given.map(([field, value]) => [field, value ?? undefined])) };
  return {
    ...after,
    username: after.username || (after.email ?? ''),
    email_verified: entry.email_verified ?? (after.email_verified && isSameName(before.email, after.email)),
    phone_number_verified:
      entry.phone_number_verified ??
      (after.phone_number_verified && isSameName(before.phone_number, after.phone_number)),
  };
}

/** A changed address is unverified unless the entry says otherwise: verification applies to one address. */
function isSameName(before: string | undefined, after: string | undefined): boolean {
  return before !== undefined && after !== undefined && loginName(before) === loginName(after);
}
