import { isDeepStrictEqual } from 'node:util';
import type { Params } from '../../platform/http/params.rules.ts';
import type { AttributeChanges, UserAttribute } from './rules.ts';

/** Values in the fields of forms, which are texts. */

export function shownValue(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return Array.isArray(value) ? value.join('\n') : String(value);
}

/** Of the fields `attributes.NAME`; null for what is empty. */
export function typedAttributeValues(defined: readonly UserAttribute[], form: Pick<Params, 'get'>): AttributeChanges {
  return Object.fromEntries(defined.map(one => [one.name, typedValue(one, form.get(`attributes.${one.name}`))]));
}

/** Only what differs, so that the event names what was changed. */
export function changedAttributeValues(before: unknown, typed: unknown): AttributeChanges | undefined {
  const named = Object.entries((typed ?? {}) as AttributeChanges);
  const changed = named.filter(([name, value]) => !isDeepStrictEqual(value ?? undefined, memberOf(before, name)));
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

export function memberOf(values: unknown, name: string): unknown {
  return values && Object.hasOwn(values, name) ? ((values as Record<string, unknown>)[name] ?? undefined) : undefined;
}

/** Null for what is empty. A text that is no value of the type stays one, so that the fault is told with what was typed. */
function typedValue({ type }: UserAttribute, text: string | undefined): string | number | boolean | string[] | null {
  const typed = text?.replaceAll('\r\n', '\n').trim() ?? '';
  if (typed === '') return null;
  if (type === 'boolean') return typed === 'true' ? true : typed === 'false' ? false : typed;
  if (type === 'number') return /^[-+]?\d+([.,]\d+)?$/.test(typed) ? Number(typed.replace(',', '.')) : typed;
  if (type === 'list')
    return [
      ...new Set(
        typed
          .split('\n')
          .map(line => line.trim())
          .filter(line => line !== ''),
      ),
    ];
  return typed;
}
