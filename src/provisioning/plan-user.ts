import type { Passwords } from '../accounts/passwords.ts';
import type { UserEntry } from '../accounts/registration.ts';
import type { Deps } from '../deps.ts';
import type { Profile } from '../protocol/claims.ts';
import { loginName } from '../protocol/login-name.ts';
import { changeProfile, type ProfileChanges } from '../protocol/profile-changes.ts';
import { standardClaims } from '../protocol/standard-claims.ts';
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
  const present = await findUser(deps, entry);
  const password = present === undefined || resetPassword ? await newPassword(deps, entry) : undefined;
  return present ? planChange(deps, entry, present, password) : planNewUser(deps, entry, password);
}

function planNewUser(deps: UserPlanDeps, entry: UserEntry, passwordHash: string | undefined): UserPlan {
  const account = newAccount(deps, entry, passwordHash);
  return { sub: account.sub, change: { kind: 'newUser', account }, lines: [`user ${account.username}: created`] };
}

/** `sub`: the one that the user had in another system; undefined: a random one. */
export function newAccount(
  { random, clock }: Pick<Deps, 'random' | 'clock'>,
  entry: UserEntry,
  passwordHash: string | undefined,
  sub = random.bytes(SUB_BYTES).toString('base64url'),
): Account {
  const named = { ...toProfileChanges(entry), username: entry.username ?? entry.email ?? '' };
  const profile = changeProfile({ ...NEW_USER, sub, updatedAt: clock.now() }, named);
  return { ...profile, passwordHash, disabled: entry.disabled ?? false };
}

function planChange(
  { clock }: UserPlanDeps,
  entry: UserEntry,
  present: Account,
  password: string | undefined,
): UserPlan {
  const { sub } = present;
  const profile = toProfileChanges(entry);
  const after = { ...present, ...changeProfile(present, profile), disabled: entry.disabled ?? present.disabled };
  const passwordHash = password === present.passwordHash ? undefined : password;
  const before = fieldsOf(present);
  const unset = Object.fromEntries(Object.keys(before).map(field => [field, undefined]));
  const fields = changedFields(before, { ...unset, ...fieldsOf(after) });
  const changes = [...fields, ...passwordChange(present, passwordHash)];
  if (changes.length === 0) return { sub, change: undefined, lines: [] };
  return {
    sub,
    change: { kind: 'user', sub, profile, disabled: entry.disabled, passwordHash, now: clock.now() },
    lines: [describeChanges(`user ${after.username}`, changes)],
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

function passwordChange({ passwordHash: before }: Account, after: string | undefined): FieldChange[] {
  return after === undefined ? [] : [{ field: 'password', before, after, secret: true }];
}

/** What is known of a user, by the names of the apply file. */
function fieldsOf(account: Account): object {
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

export function toProfileChanges(entry: UserEntry): ProfileChanges {
  return {
    username: entry.username,
    email: entry.email,
    emailVerified: entry.email_verified,
    phoneNumber: entry.phone_number,
    phoneNumberVerified: entry.phone_number_verified,
    nickname: entry.nickname,
    picture: entry.picture,
    standardClaims: Object.fromEntries(standardClaims.map(name => [name, entry[name]])),
  };
}

const NEW_USER: Omit<Profile, 'sub' | 'updatedAt'> = {
  username: '',
  email: undefined,
  emailVerified: false,
  phoneNumber: undefined,
  phoneNumberVerified: false,
  nickname: undefined,
  picture: undefined,
  standardClaims: undefined,
};
