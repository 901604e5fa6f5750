import { type AttributeType, attributeFaults, type UserAttribute } from '../../directory/user-attributes/rules.ts';
import type { UserEntry } from '../../directory/users/fields.ts';
import type { Defined, Fields, Source } from './sources.ts';

/** Values of users' own fields in files: cells of a table, which are texts, and those of other systems. */

const TRUE = /^(true|t|yes|y|1)$/i;
const FALSE = /^(false|f|no|n|0)$/i;
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

/** The column of one field begins so. */
const COLUMN = 'attributes.';

export function attributeFaultsOf(defined: readonly UserAttribute[], values: UserEntry['attributes']): string[] {
  const faults = attributeFaults(defined, values);
  return faults.map(({ name, message }) => `${name === undefined ? 'attributes' : COLUMN + name}: ${message}`);
}

/** The columns of own fields as one object, and all others as they are. */
export function withAttributeCells(fields: Fields, defined: readonly UserAttribute[] = []): Record<string, unknown> {
  const cells = Object.entries(fields);
  if (!cells.some(([column]) => column.startsWith(COLUMN))) return { ...fields };
  const own = cells.filter(([column]) => column.startsWith(COLUMN));
  const values = own.map(([column, cell]) => {
    const name = column.slice(COLUMN.length);
    return [name, ofType(defined.find(one => one.name === name)?.type, cell)] as const;
  });
  const others = cells.filter(([column]) => !column.startsWith(COLUMN));
  return { ...Object.fromEntries(others), attributes: Object.fromEntries(values) };
}

/** Systems that know texts alone, or lists of them, have the values of all types as such. */
export function fromSource(
  source: Source,
  fields: Fields,
  {
    attributes: defined = [],
    providers,
  }: Pick<Defined, 'providers'> & { readonly attributes: readonly UserAttribute[] | undefined },
): Fields {
  const own = defined.map(({ name }) => name);
  const read = source(fields, { own, providers });
  const values = Object.entries((read.attributes ?? {}) as Fields).map(([name, value]) => {
    const type = defined.find(one => one.name === name)?.type;
    return [name, type === 'list' && Array.isArray(value) ? value : ofType(type, first(value))] as const;
  });
  return values.length === 0 ? read : { ...read, attributes: Object.fromEntries(values) };
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

/** A text that is no value of its type stays one, so that validation names the fault. */
function ofType(type: AttributeType | undefined, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'list') return listOf(value);
  if (type === 'boolean') return flagOf(value);
  return type === 'number' && NUMBER.test(value) ? Number(value) : value;
}

export function listOf(cell: string): string[] {
  return cell.split(';').map(name => name.trim());
}

export function flagOf(text: string): boolean | string {
  if (TRUE.test(text)) return true;
  return FALSE.test(text) ? false : text;
}
