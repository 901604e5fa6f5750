import { z } from 'zod';

/** A field of a schema, for an option of the command line and for the reference. */
export interface Field {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'list' | 'json';
}

interface JsonSchema {
  readonly type?: string;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
  readonly default?: unknown;
}

/** The fields of an object schema. A schema of another kind has none. */
export function fieldsOf(schema: z.ZodType): readonly Field[] {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return Object.entries(json.properties ?? {}).map(([name, property]) => ({ name, kind: kindOf(property) }));
}

function kindOf({ type, items, anyOf }: JsonSchema): Field['kind'] {
  const known = type ?? anyOf?.find(option => option.type !== 'null')?.type;
  switch (known) {
    case 'string':
      return 'text';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return items?.type === 'object' ? 'json' : 'list';
    default:
      return 'json';
  }
}

/** A value that cannot be parsed stays text, so that validation names the fault. `null` resets a field to its default. */
export function parseField({ kind }: Field, values: readonly string[]): unknown {
  const last = values.at(-1) ?? '';
  if (last === 'null' && values.length === 1) return null;
  switch (kind) {
    case 'list':
      return values.flatMap(value => value.split(',')).filter(value => value !== '');
    case 'number':
      return /^-?\d+$/.test(last) ? Number(last) : last;
    case 'boolean':
      return last === 'true' ? true : last === 'false' ? false : last;
    case 'json':
      return parseJson(last);
    case 'text':
      return last;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
