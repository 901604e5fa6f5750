import { nameFault } from '../../platform/text/readable-name.rules.ts';
import { loginName } from '../users/login-name.rules.ts';

/** What operators say of a user beside the profile. The user cannot change it. */
export interface Membership {
  readonly groups?: readonly string[] | undefined;
  /** By the code of the application; `*` holds the roles that the user has at every application. */
  readonly roles?: RolesByApplication | undefined;
}

export type RolesByApplication = Readonly<Record<string, readonly string[]>>;

/** The key of roles that count at every application. No application has this code. */
export const EVERY_APPLICATION = '*';

export const MAX_GROUPS = 100;
export const MAX_ROLES_PER_APPLICATION = 50;
export const MAX_APPLICATIONS_WITH_ROLES = 100;
const MAX_NAME_LENGTH = 64;

/** Why a text cannot be the name of a group or role. */
export function membershipNameFault(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  if (text.length > MAX_NAME_LENGTH) return `must have at most ${MAX_NAME_LENGTH} characters`;
  return nameFault(text) ?? (text === text.trim() ? undefined : 'must not begin or end with a space');
}

interface Member {
  readonly membership?: Membership | undefined;
}

export function groupsOf({ membership }: Member): readonly string[] {
  return membership?.groups ?? [];
}

/** The roles of a user at one application: its own and those at every application, each once. */
export function rolesAt(app: string, { membership }: Member): readonly string[] {
  const roles = membership?.roles;
  if (roles === undefined) return [];
  const of = (key: string) => (Object.hasOwn(roles, key) ? (roles[key] ?? []) : []);
  return [...new Set([...of(app), ...of(EVERY_APPLICATION)])];
}

/** Who may sign in to an application. */
export type Access = 'everybody' | AccessLists;

/** One of them is enough; empty lists admit nobody. Users are listed by their user names. */
export interface AccessLists {
  readonly groups: readonly string[];
  readonly roles: readonly string[];
  readonly users: readonly string[];
}

export const EVERYBODY = 'everybody';

interface WithAccess {
  readonly code: string;
  readonly access?: Access | undefined;
}

export function isRestricted({ access = EVERYBODY }: Pick<WithAccess, 'access'>): boolean {
  return access !== EVERYBODY;
}

/** Whether `access` has a user name that is this login name. */
export function listsUser({ access = EVERYBODY }: Pick<WithAccess, 'access'>, name: string): boolean {
  return access !== EVERYBODY && access.users.some(listed => loginName(listed) === name);
}

/** Groups and roles are compared character by character, user names as login names are. */
export function mayEnter(
  { code, access = EVERYBODY }: WithAccess,
  user: Member & { readonly username: string },
): boolean {
  if (access === EVERYBODY) return true;
  const { groups, roles } = access;
  if (groupsOf(user).some(group => groups.includes(group))) return true;
  if (rolesAt(code, user).some(role => roles.includes(role))) return true;
  const name = loginName(user.username);
  return name !== undefined && listsUser({ access }, name);
}
