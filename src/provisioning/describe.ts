import { isDeepStrictEqual } from 'node:util';

/** A field by its name in the apply file, with the stored and the new value. */
export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
  /** Its values are not printed. */
  readonly secret?: boolean;
}

/** The fields that differ, in the order of the file. */
export function changedFields(before: object, after: object, secrets: readonly string[] = []): FieldChange[] {
  const [old, wanted] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...wanted.keys(), ...old.keys()])]
    .map(field => ({ field, before: old.get(field), after: wanted.get(field), secret: secrets.includes(field) }))
    .filter(change => !isDeepStrictEqual(change.before, change.after));
}

/** `user alice: email "a@example.com" → "b@example.com", password changed` */
export function describeChanges(label: string, changes: readonly FieldChange[]): string {
  return `${label}: ${changes.map(describeChange).join(', ')}`;
}

function describeChange({ field, before, after, secret }: FieldChange): string {
  if (!secret) return `${field} ${shown(before)} → ${shown(after)}`;
  if (before === undefined) return `${field} set`;
  return `${field} ${after === undefined ? 'removed' : 'changed'}`;
}

/** As JSON, so that the value is quoted and cannot contain a line break. */
function shown(value: unknown): string {
  return value === undefined ? 'unset' : JSON.stringify(value);
}
