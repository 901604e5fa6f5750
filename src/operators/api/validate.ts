import type { z } from 'zod';
import type { BodyFault } from '../../platform/http/message.ts';
import { NO_TEXT, placeOfNoText } from '../../platform/text/text.rules.ts';

type Validated<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | { readonly kind: 'invalid'; readonly errors: readonly BodyFault[] };

/** Every fault at once, each with its place as a JSON pointer (RFC 6901). */
export function validate<T>(schema: z.ZodType<T>, value: unknown): Validated<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return asText(parsed.data);
  return { kind: 'invalid', errors: parsed.error.issues.flatMap(faultsOf) };
}

/** After the schema: a cursor is decoded by then. */
function asText<T>(value: T): Validated<T> {
  const place = placeOfNoText(value);
  if (!place) return { kind: 'valid', value };
  return { kind: 'invalid', errors: [{ pointer: pointer(place), detail: NO_TEXT }] };
}

function faultsOf(issue: z.core.$ZodIssue): BodyFault[] {
  if (issue.code !== 'unrecognized_keys') return [{ pointer: pointer(issue.path), detail: issue.message }];
  return issue.keys.map(key => notAField(key, issue.path));
}

export function notAField(name: string, path: readonly PropertyKey[] = []): BodyFault {
  return { pointer: pointer([...path, name]), detail: 'is not a field here' };
}

function pointer(path: readonly PropertyKey[]): string {
  return path.map(part => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** RFC 7396: members of the patch replace those of the target, null removes one. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value);
  }
  return merged;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
