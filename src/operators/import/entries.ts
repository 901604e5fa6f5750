import type { UserAttribute } from '../../directory/user-attributes/rules.ts';
import { type UserEntry, userSchema } from '../../directory/users/fields.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import type { Account, ImportEntry } from '../../directory/users/store.ts';
import { linkIdOf } from '../../people/linking/fields.ts';
import type { TotpSealing } from '../../people/totp/key.ts';
import { newAccount, toProfileChanges, type UserPlanDeps, withTotp } from '../apply/plan-user.ts';
import { attributeFaultsOf, flagOf, fromSource, listOf, withAttributeCells } from './attribute-values.ts';
import type { FileRecord } from './records.ts';
import type { SourceName } from './source-names.ts';
import { auth0, type Fields, keycloak, type Source } from './sources.ts';

export const sources: Readonly<Record<SourceName, Source>> = { auth0, keycloak };

export type EntryDeps = Pick<UserPlanDeps, 'clock' | 'random'> & {
  readonly ring: TotpSealing;
  /** Undefined: a server checks their values. */
  readonly attributes: readonly UserAttribute[] | undefined;
  /** The ids of those that are registered. Undefined: likewise. */
  readonly providers: readonly string[] | undefined;
};

export interface EntryOptions {
  /** Undefined: the names of the apply file. */
  readonly source: Source | undefined;
  readonly update: boolean;
  readonly resetPasswords: boolean;
}

export type ReadEntry =
  | { readonly kind: 'entry'; readonly line: number; readonly entry: ImportEntry }
  | { readonly kind: 'faulty'; readonly line: number; readonly faults: readonly string[] };

const FLAGS = ['email_verified', 'phone_number_verified', 'disabled', 'require_mfa', 'require_password_change'];

/** OIDC Core section 2: at most 255 ASCII characters. */
const SUB = /^[\x21-\x7e]{1,255}$/;

export function toEntry(deps: EntryDeps, { line, content }: FileRecord, options: EntryOptions): ReadEntry {
  if (content.kind === 'faulty') return { kind: 'faulty', line, faults: [content.fault] };
  const named = options.source ? fromSource(options.source, content.fields, deps) : content.fields;
  const { sub, password, ...fields } = content.form === 'csv' ? fromCells(named, deps.attributes) : named;
  const faults: string[] = [];
  if (sub !== undefined && !(typeof sub === 'string' && SUB.test(sub))) {
    faults.push('sub: must be 1 to 255 characters of ASCII');
  }
  // Hashing takes 50 ms of a core for each user.
  if (password !== undefined) faults.push('password: is not taken; password_hash takes the hash of one');
  const parsed = userSchema.safeParse(fields);
  if (!parsed.success) faults.push(...parsed.error.issues.flatMap(describe));
  if (parsed.success && deps.attributes) faults.push(...attributeFaultsOf(deps.attributes, parsed.data.attributes));
  if (!parsed.success || faults.length > 0) return { kind: 'faulty', line, faults };
  return { kind: 'entry', line, entry: importEntry(deps, parsed.data, sub as string | undefined, options) };
}

/** The cells of a table are texts: `true`, `staff;sales`, `shop:admin;*:auditor`. */
function fromCells(fields: Fields, defined: readonly UserAttribute[] | undefined): Fields {
  const read = withAttributeCells(fields, defined);
  if (typeof read.groups === 'string') read.groups = listOf(read.groups);
  if (typeof read.roles === 'string') read.roles = rolesOf(listOf(read.roles));
  for (const name of FLAGS) {
    const text = read[name];
    if (typeof text === 'string') read[name] = flagOf(text);
  }
  return read;
}

/** A role without an application stays a text, so that validation names the fault. */
function rolesOf(roles: readonly string[]): unknown {
  const lists = new Map<string, string[]>();
  for (const role of roles) {
    const at = role.indexOf(':');
    if (at < 0) return role;
    const app = role.slice(0, at).trim();
    lists.set(app, [...(lists.get(app) ?? []), role.slice(at + 1).trim()]);
  }
  return Object.fromEntries(lists);
}

function describe({ path, message, ...issue }: { path: PropertyKey[]; message: string; code: string }): string[] {
  const keys = issue.code === 'unrecognized_keys' ? (issue as unknown as { keys: string[] }).keys : undefined;
  return keys ? keys.map(key => `${key}: there is no such field`) : [`${path.join('.')}: ${message}`];
}

function importEntry(
  deps: EntryDeps,
  user: UserEntry,
  sub: string | undefined,
  { update, resetPasswords }: EntryOptions,
): ImportEntry {
  const account = withTotp(deps, user, newAccount(deps, user, user.password_hash, sub));
  const keepsSub = sub !== undefined;
  return { account, keepsSub, change: update ? changeOf(user, account, keepsSub, resetPasswords) : undefined };
}

/** A key is encrypted for one user, so it replaces that of a user that exists only where the line has the `sub`. */
function changeOf(
  user: UserEntry,
  { totp, passkeys, links }: Account,
  keepsSub: boolean,
  resetPasswords: boolean,
): ImportEntry['change'] {
  return {
    profile: toProfileChanges(user),
    disabled: user.disabled,
    requiresMfa: user.require_mfa,
    requirePasswordChange: user.require_password_change,
    ...(links ? { links } : {}),
    ...(resetPasswords ? { passwordHash: user.password_hash, totp: keepsSub ? totp : undefined, passkeys } : {}),
  };
}

/** A name or an id that no other line of the file may have. */
export interface UniqueName {
  readonly field: string;
  readonly key: string;
}

export function uniqueNames({ account, keepsSub }: ImportEntry): readonly UniqueName[] {
  const names: UniqueName[] = [];
  addName(names, 'username', account.username);
  addName(names, 'email', account.email);
  addName(names, 'phone_number', account.phoneNumber);
  if (keepsSub) names.push({ field: 'sub', key: `sub\0${account.sub}` });
  for (const { id } of account.passkeys ?? []) names.push({ field: 'passkeys', key: `passkey\0${id}` });
  for (const link of account.links ?? []) names.push({ field: 'links', key: `link\0${linkIdOf(link)}` });
  return names;
}

function addName(names: UniqueName[], field: string, value: string | undefined): void {
  const key = value === undefined ? undefined : loginName(value);
  // The e-mail address of a user may also be the user name.
  if (key !== undefined && !names.some(name => name.key === key)) names.push({ field, key });
}
