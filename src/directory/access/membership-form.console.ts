import type { Faults } from '../../operators/console-frame/page.ts';
import type { RolesByApplication } from './rules.ts';

/** Groups and roles of a user as the lines of a form: a group on each line, and `shop: admin` for a role. */

/** The names on the lines of a field. */
export function namesIn(typed: string | undefined): readonly string[] {
  const lines = (typed ?? '').split('\n').map(line => line.trim());
  return [...new Set(lines.filter(line => line !== ''))];
}

export function groupLines(groups: unknown): string {
  return Array.isArray(groups) ? groups.join('\n') : String(groups ?? '');
}

/** A text that could not be read stays as it was typed. */
export function roleLines(roles: unknown): string {
  if (typeof roles !== 'object' || roles === null) return String(roles ?? '');
  return Object.entries(roles as RolesByApplication)
    .flatMap(([app, names]) => names.map(name => `${app}: ${name}`))
    .join('\n');
}

/** Null for none; the text itself if a line has no application, so that the operation says what is wrong with it. */
export function rolesIn(typed: string | undefined): RolesByApplication | string | null {
  const lines = namesIn(typed).map(line => /^([^:]*):(.*)$/.exec(line));
  if (lines.length === 0) return null;
  const lists = new Map<string, string[]>();
  for (const line of lines) {
    if (!line) return typed ?? '';
    const [, app = '', name = ''] = line.map(part => part.trim());
    lists.set(app, [...(lists.get(app) ?? []), name]);
  }
  return Object.fromEntries(lists);
}

/** For a change (RFC 7396): applications at which the user has no role any more are null. */
export function changedRoles(current: unknown, typed: unknown): unknown {
  const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
  if (!isObject(current) || !isObject(typed)) return typed;
  const gone = Object.keys(current).filter(app => !Object.hasOwn(typed, app));
  return { ...Object.fromEntries(gone.map(app => [app, null])), ...typed };
}

/** A fault of one role is shown at the field that has all of them. */
export function withRoleFaults(faults: Faults): Faults {
  const ofRoles = [...faults].find(([name]) => name.startsWith('roles.'));
  return ofRoles ? new Map([...faults, ['roles', ofRoles[1]]]) : faults;
}
