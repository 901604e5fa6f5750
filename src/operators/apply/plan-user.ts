import { type AttributeFault, attributeFaults, type UserAttribute } from '../../directory/user-attributes/rules.ts';
import type { UserEntry } from '../../directory/users/fields.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import { standardClaims } from '../../directory/users/standard-claims.rules.ts';
import type { Account } from '../../directory/users/store.ts';
import { linkIdOf } from '../../people/linking/fields.ts';
import type { LinkKey } from '../../people/linking/rules.ts';
import { passkeyRecord } from '../../people/passkey/fields.ts';
import type { PasskeyRecord } from '../../people/passkey/store.ts';
import type { Passwords } from '../../people/password/passwords.ts';
import { changeProfile, EMPTY_PROFILE, type ProfileChanges } from '../../people/profile/rules.ts';
import { openTotpKey, sealTotpKey, type TotpSealing } from '../../people/totp/key.ts';
import { decodeBase32 } from '../../people/totp/rules.ts';
import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import type { Deps } from '../../services.ts';
import { changedFields, type FieldChange } from './difference.ts';
import type { PlanOptions, PlanStep } from './plan-step.ts';

export type UserPlanDeps = Pick<Deps, 'store' | 'random' | 'clock'> & {
  readonly passwords: Passwords;
  readonly ring: KeyRing;
  /** Those that the file defines included. */
  readonly attributes: readonly UserAttribute[];
};

/** The change that the entry of a user makes: only to the fields that it names. */
export interface UserPlan extends PlanStep {
  readonly sub: string;
  readonly faults: readonly AttributeFault[];
  /** Links that the user is to be without. */
  readonly removals: readonly PlanStep[];
  /** As of `Plan`. */
  readonly notes: readonly string[];
}

type Options = Pick<PlanOptions, 'resetPasswords' | 'dryRun' | 'prune'>;

export async function planUser(deps: UserPlanDeps, entry: UserEntry, options: Options): Promise<UserPlan> {
  const present = await findUser(deps, entry);
  const password = !present || options.resetPasswords ? await newPassword(deps, entry, options) : undefined;
  if (!present) return planNewUser(deps, entry, password);
  // As a password: the user may have another key or removed a passkey since.
  const passkeys = options.resetPasswords ? await newPasskeys(deps, entry, present) : [];
  const totp = options.resetPasswords ? newTotp(deps, entry, present) : undefined;
  const { links, removals } = await planLinks(deps, entry, present, options.prune === true);
  return { ...planChange(deps, entry, present, { password, totp, passkeys, links }), removals };
}

function planNewUser(deps: UserPlanDeps, entry: UserEntry, passwordHash: string | undefined): UserPlan {
  const account = withTotp(deps, entry, newAccount(deps, entry, passwordHash));
  const { sub, username } = account;
  const object = { type: 'user', username, sub } as const;
  const faults = attributeFaults(deps.attributes, entry.attributes);
  const difference = { action: 'create', object, fields: [] } as const;
  return { sub, faults, change: { kind: 'newUser', account }, difference, removals: [], notes: [] };
}

/** `sub`: the one that the user had in another system; undefined: a random one. */
export function newAccount(
  { random, clock }: Pick<Deps, 'random' | 'clock'>,
  entry: UserEntry,
  passwordHash: string | undefined,
  sub = random.bytes(SUB_BYTES).toString('base64url'),
): Account {
  const named = { ...toProfileChanges(entry), username: entry.username ?? entry.email ?? '' };
  const profile = changeProfile({ ...EMPTY_PROFILE, sub, updatedAt: clock.now() }, named);
  const { require_mfa, require_password_change, passkeys = [], links = [] } = entry;
  return {
    ...profile,
    passwordHash,
    disabled: entry.disabled ?? false,
    ...(require_mfa ? { requiresMfa: true } : {}),
    ...(require_password_change ? { requirePasswordChange: true } : {}),
    ...(passkeys.length > 0 ? { passkeys: passkeys.map(passkeyRecord) } : {}),
    ...(links.length > 0 ? { links } : {}),
  };
}

/** What the user is to sign in with from now on. */
interface NewCredentials {
  readonly password: string | undefined;
  readonly totp: string | undefined;
  readonly passkeys: readonly PasskeyRecord[];
  readonly links: readonly LinkKey[];
}

function planChange(
  deps: UserPlanDeps,
  entry: UserEntry,
  present: Account,
  { password, totp, passkeys, links }: NewCredentials,
): Omit<UserPlan, 'removals'> {
  const { sub } = present;
  const profile = toProfileChanges(entry);
  const { require_mfa: requiresMfa, require_password_change: requirePasswordChange } = entry;
  const disabled = present.deletionDue === undefined ? entry.disabled : undefined;
  const after = {
    ...present,
    ...changeProfile(present, profile),
    disabled: disabled ?? present.disabled,
    requiresMfa: requiresMfa ?? present.requiresMfa,
    requirePasswordChange: requirePasswordChange ?? present.requirePasswordChange,
  };
  const passwordHash = password === present.passwordHash ? undefined : password;
  const fields = changedFields(comparedFields(present), comparedFields(after));
  const faults = attributeFaults(deps.attributes, entry.attributes, present.standardClaims?.attributes);
  const changed = [
    ...[...fields, ...passwordChange(present, passwordHash), ...totpChange(present, totp)],
    ...(passkeys.length > 0 ? [{ field: 'passkeys', before: [], after: passkeys, secret: true }] : []),
    ...(links.length > 0 ? [{ field: 'links', before: [], after: links.map(linkIdOf) }] : []),
  ];
  const notes = deletionNotes(entry, present);
  if (changed.length === 0) return { sub, faults, change: undefined, difference: undefined, notes };
  return {
    sub,
    faults,
    notes,
    change: {
      ...{ kind: 'user', sub, profile, disabled, requiresMfa, requirePasswordChange, passwordHash, totp },
      keepsDeletion: true,
      ...(passkeys.length > 0 ? { passkeys } : {}),
      ...(links.length > 0 ? { links } : {}),
      now: deps.clock.now(),
    },
    difference: { action: 'update', object: { type: 'user', username: after.username, sub }, fields: changed },
  };
}

/** The file may be older than the request. */
function deletionNotes({ disabled }: UserEntry, { sub, username, deletionDue }: Account): string[] {
  if (disabled !== false || deletionDue === undefined) return [];
  const due = new Date(deletionDue * 1000).toISOString();
  const state = `has asked to delete the account, which happens at ${due}; the file leaves it disabled`;
  return [`user ${username}: ${state}. To cancel the deletion: gatehouse users update ${sub} --disabled false`];
}

const SUB_BYTES = 16;

/** If the name is another user's e-mail address or telephone number, the entry is a new user, and the store refuses the name. */
async function findUser({ store }: UserPlanDeps, { username, email }: UserEntry): Promise<Account | undefined> {
  const name = loginName(username ?? email ?? '');
  const found = name === undefined ? undefined : await store.findAccount(name);
  const byAddress = username === undefined;
  return found && (byAddress || loginName(found.username) === name) ? found : undefined;
}

/** Hashing takes 20 to 50 ms of processor time, so a dry run does without: it only has to know that the password changes. */
async function newPassword(
  { passwords }: UserPlanDeps,
  { password, password_hash }: UserEntry,
  { dryRun }: Options,
): Promise<string | undefined> {
  if (password === undefined) return password_hash;
  return dryRun ? '' : passwords.hash(password);
}

function passwordChange({ passwordHash: before }: Account, after: string | undefined): FieldChange[] {
  return after === undefined ? [] : [{ field: 'password', before, after, secret: true }];
}

/** With the key of the entry, encrypted, where it has one. */
export function withTotp(deps: { readonly ring: TotpSealing }, entry: UserEntry, account: Account): Account {
  const totp = newTotp(deps, entry, account);
  return totp === undefined ? account : { ...account, totp };
}

/** Undefined: the entry has none, or the user has this very key. */
function newTotp(
  { ring }: { readonly ring: TotpSealing },
  { totp_secret }: UserEntry,
  { sub, totp }: Account,
): string | undefined {
  const key = totp_secret === undefined ? undefined : decodeBase32(totp_secret);
  const present = totp === undefined ? undefined : openTotpKey(ring, sub, totp);
  return key === undefined || present?.equals(key) ? undefined : sealTotpKey(ring, sub, key);
}

/** Those that the user has not yet. */
async function newPasskeys(
  { store }: UserPlanDeps,
  { passkeys = [] }: UserEntry,
  { sub }: Account,
): Promise<readonly PasskeyRecord[]> {
  if (passkeys.length === 0) return [];
  const held = new Set((await store.passkeysOf(sub)).map(({ id }) => id));
  return passkeys.map(passkeyRecord).filter(({ id }) => !held.has(id));
}

interface LinksPlan {
  /** Those that the user has not yet. */
  readonly links: readonly LinkKey[];
  readonly removals: readonly PlanStep[];
}

/** An entry without the list leaves links alone. An empty list removes all of them, and `prune` those that the list does not name. */
async function planLinks(
  { store }: UserPlanDeps,
  { links }: UserEntry,
  { sub, username }: Account,
  prune: boolean,
): Promise<LinksPlan> {
  if (links === undefined) return { links: [], removals: [] };
  const held = await store.linksOf(sub);
  const [has, named] = [new Set(held.map(linkIdOf)), new Set(links.map(linkIdOf))];
  const removed = prune || links.length === 0 ? held.filter(link => !named.has(linkIdOf(link))) : [];
  return {
    links: links.filter(link => !has.has(linkIdOf(link))),
    removals: removed.map(({ provider, subject }) => ({
      change: { kind: 'deleteLink', sub, link: { provider, subject } },
      difference: { action: 'delete', object: { type: 'link', username, sub, provider, subject }, fields: [] },
    })),
  };
}

function totpChange({ totp: before }: Account, after: string | undefined): FieldChange[] {
  return after === undefined ? [] : [{ field: 'totp_secret', before, after, secret: true }];
}

/**
 * All fields of a user, by the names and in the order of the apply file; null for one that is not set. A number that the user typed is
 * none that an operator has set, nor is an address that a provider named.
 */
export function userFieldsOf(account: Account): Readonly<Record<string, unknown>> {
  const claims = standardClaims.map(name => [name, account.standardClaims?.[name] ?? null] as const);
  return {
    username: account.username,
    email: account.isEmailClaimed ? null : (account.email ?? null),
    email_verified: account.emailVerified,
    phone_number: account.isPhoneClaimed ? null : (account.phoneNumber ?? null),
    phone_number_verified: account.phoneNumberVerified,
    nickname: account.nickname ?? null,
    picture: account.picture ?? null,
    ...Object.fromEntries(claims),
    groups: account.membership?.groups ?? null,
    roles: account.membership?.roles ?? null,
    attributes: account.standardClaims?.attributes ?? null,
    disabled: account.disabled,
    require_mfa: account.requiresMfa ?? false,
    require_password_change: account.requirePasswordChange === true,
  };
}

/** With each of the user's own fields beside the others, as a difference names it. */
function comparedFields(account: Account): Readonly<Record<string, unknown>> {
  const { attributes, ...fields } = userFieldsOf(account);
  const own = Object.entries(attributes ?? {}).map(([name, value]) => [`attributes.${name}`, value] as const);
  return { ...fields, ...Object.fromEntries(own) };
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
    standardClaims: namedClaims(entry),
    groups: entry.groups,
    roles: entry.roles,
    attributes: entry.attributes,
  };
}

/** An import calls this for each user, and most have none. */
function namedClaims(entry: UserEntry): NonNullable<ProfileChanges['standardClaims']> {
  const named = standardClaims.filter(name => entry[name] !== undefined);
  return named.length === 0 ? NO_CLAIMS : Object.fromEntries(named.map(name => [name, entry[name]]));
}

const NO_CLAIMS = {};
